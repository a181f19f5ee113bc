"""Every error code of this stage, by the request that causes it, with its exit code."""

import pytest

from turngraph.graph.door import exit_code_of, run_request

SMALL = {"format": "openai-chat", "messages": [{"role": "user", "content": "hi"}]}
OVERFLOW = {
    "error": {
        "status": 400,
        "message": "maximum context length is 4000 tokens, but the messages have 9000 tokens",
    }
}
PROTECTED = {"id": "rules", "slot": "governance", "content": "x" * 60, "protected": True}

CHECKPOINT = {
    "role": "user",
    "name": "summary",
    "content": [{"type": "text", "text": "[turngraph summary checkpoint]\n" + "word " * 30_000}],
    "origin": {"kind": "checkpoint"},
    "hidden": True,
}
UNFOLDABLE = {
    "history": {
        "format": "turngraph",
        "messages": [CHECKPOINT, {"role": "user", "content": [{"type": "text", "text": "now"}]}],
    },
    "summarizer": {"kind": "none"},
    "budget": {"model_max_tokens": 1500, "output_reserve_tokens": 500, "summary_fallback": "none"},
}

CODES = [
    ("bad_request", 2, {"surprise": 1}),
    ("bad_request", 2, {"mode": "legacy"}),
    ("bad_request", 2, {"counter": "abacus"}),
    ("bad_request", 2, {"history": {"format": "openai-chat", "messages": [5]}}),
    ("bad_request", 2, {"outputs": {"kind": "files", "path": "/dev/null/nowhere"}}),
    ("unknown_format", 2, {"history": {"format": "telegram", "messages": []}}),
    ("unknown_format", 2, {"history": {"format": "gemini", "messages": []}}),
    ("budget_invalid", 2, {"budget": {"model_max_tokens": 0}}),
    ("budget_invalid", 2, {"budget": {"model_max_tokens": 100, "output_reserve_tokens": 100}}),
    ("unknown_mode", 2, {"mode": "turbo"}),
    ("unknown_summarizer", 2, {"summarizer": {"kind": "magic"}}),
    ("tokenizer_unavailable", 2, {"counter": "tiktoken:nowhere"}),
    ("contributed_role", 1, {"messages": [{"role": "assistant", "content": "sure"}]}),
    ("contributed_role", 1, {"messages": [{"role": "developer", "content": "sure"}]}),
    ("protected_over_budget", 1, {"sections": [PROTECTED], "budget": {"prompt_budget_chars": 50}}),
    ("fixed_part_over_limit", 1, {"budget": {"model_max_tokens": 50, "output_reserve_tokens": 49}}),
    ("window_over_limit", 1, UNFOLDABLE),
    ("validation_failed", 1, {"history": {"format": "openai-chat", "messages": []}}),
    ("deadline_exceeded", 1, {"deadline_s": 1e-9}),
    ("overflow_again", 1, {"recovery": {"attempt": 2}}),
    ("overflow_no_progress", 1, {"recovery": {"failed_tokens": 1}}),
    ("provider_unknown", 1, {"model": {"kind": "scripted", "responses": []}}),
    (
        "provider_auth",
        1,
        {"model": {"kind": "scripted", "responses": [{"error": {"status": 401, "message": "bad key"}}]}},
    ),
]


@pytest.mark.parametrize(("code", "exit_code", "fields"), CODES)
def test_a_request_fails_with_the_code_and_exit_of_the_contract(code, exit_code, fields):
    request = {"version": 1, "history": SMALL, **fields}

    result = run_request(request)

    assert (result["error"]["code"], exit_code_of(result)) == (code, exit_code)
    assert result["ok"] is False
    assert result["model_input"] is None
    assert result["reply"] is None
    assert result["history"] == request["history"]


def test_a_second_overflow_of_the_bound_model_surfaces(long_messages):
    request = {
        "version": 1,
        "history": {"format": "openai-chat", "messages": long_messages},
        "model": {"kind": "scripted", "responses": [OVERFLOW, OVERFLOW]},
        "outputs": {"kind": "memory"},
    }

    result = run_request(request)

    assert result["error"]["code"] == "overflow_again"
    assert result["report"]["calls"]["provider"] == 2
    assert result["history"] == request["history"]
    assert result["durable"]["pressure"]["limits"]


def test_the_checks_come_in_the_order_of_the_contract():
    """Request, budget, mode, contributions, protected, fixed part: each failure hides those behind it."""
    wrongs = [
        ("bad_request", {"surprise": 1}),
        ("budget_invalid", {"budget": {"model_max_tokens": -5, "prompt_budget_chars": 50}}),
        ("unknown_mode", {"mode": "turbo"}),
        ("contributed_role", {"messages": [{"role": "tool", "content": "x"}]}),
        ("protected_over_budget", {"sections": [PROTECTED]}),
    ]
    small_prompt = {"budget": {"model_max_tokens": 50, "output_reserve_tokens": 49, "prompt_budget_chars": 50}}
    for first in range(len(wrongs)):
        document = {"version": 1, "history": SMALL, **small_prompt}
        for _, fields in wrongs[first:]:
            document |= fields
        assert run_request(document)["error"]["code"] == wrongs[first][0]


def test_the_fixed_part_error_bills_every_part():
    result = run_request(
        {"version": 1, "history": SMALL, "budget": {"model_max_tokens": 50, "output_reserve_tokens": 49}}
    )

    details = result["error"]["details"]
    assert {"limit", "total", "by_source", "anchor", "newest_step"} <= set(details)
    assert set(details["by_source"]) == {"system", "tools", "messages", "attachments", "history"}


@pytest.mark.parametrize("value", [None, [], "x", 5, {"version": 1}, {"history": {"format": [], "messages": {}}}])
def test_whatever_comes_in_a_result_comes_out(value):
    result = run_request(value)

    assert result["error"]["code"] == "bad_request"
    assert result["report"]["path"] == []


def test_a_defect_becomes_an_internal_error_without_the_conversation(monkeypatch):
    from turngraph.graph import door

    def broken(*_, **__):
        raise RuntimeError("the secret words of the user")

    monkeypatch.setattr(door, "read", broken)
    result = run_request({"version": 1, "history": SMALL})

    assert result["error"]["code"] == "internal"
    assert exit_code_of(result) == 1
    assert "RuntimeError" in result["error"]["message"]
    assert "secret" not in str(result)
    assert result["history"] == SMALL


def test_a_node_that_raises_is_internal_and_quotes_nothing(monkeypatch):
    from turngraph.state.pricing import Pricer

    def broken(*_):
        raise KeyError("the secret words of the user")

    monkeypatch.setattr(Pricer, "text", broken)
    result = run_request({"version": 1, "history": SMALL, "tools": [{"name": "look"}]})

    assert result["error"]["code"] == "internal"
    assert result["error"]["details"]["exception"] == "KeyError"
    assert result["error"]["details"]["node"]
    assert "secret" not in str(result)
    assert result["history"] == SMALL


def test_nesting_without_end_is_refused_and_not_a_crash():
    value = []
    for _ in range(5000):
        value = [value]

    for document in (
        {"version": 1, "history": SMALL, "durable": value},
        {"version": 1, "history": {"format": "openai-chat", "messages": value}},
    ):
        assert exit_code_of(run_request(document)) > 0
