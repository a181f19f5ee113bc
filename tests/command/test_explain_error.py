"""`turngraph explain-error`."""

import pytest

OVERFLOW = {
    "status": 400,
    "message": "This model's maximum context length is 4000 tokens. However, your messages resulted in 9000 tokens.",
}


def test_the_document_has_the_keys_of_the_contract(cli):
    ran = cli("explain-error", "-", "--json", stdin=OVERFLOW)

    assert ran.code == 0
    assert list(ran.document) == ["class", "reason", "trigger", "parsed"]
    assert ran.document["class"] == "context_overflow"
    assert ran.document["trigger"] == "compact_once_retry_once"
    assert ran.document["parsed"] == {"limit": 4000, "requested": 9000} | ran.document["parsed"]


def test_the_document_is_on_stdout_and_the_advice_on_stderr(cli, tmp_path):
    path = tmp_path / "error.json"
    path.write_text('{"status": 429, "message": "rate limit reached"}')

    ran = cli("explain-error", path)

    assert ran.code == 0
    assert ran.document == {"class": "rate_limit", "reason": None, "trigger": "wait_and_retry", "parsed": {}}
    assert "wait, then send the same bytes again" in ran.err


@pytest.mark.parametrize(
    ("stdin", "code"),
    [(b"", "unreadable_input"), (b"nope", "unreadable_input"), ({"surprise": 1}, "bad_request"), ([], "bad_request")],
)
def test_what_is_no_error_is_refused(cli, stdin, code):
    ran = cli("explain-error", "-", "--json", stdin=stdin)

    assert (ran.code, ran.document["error"]["code"]) == (2, code)
