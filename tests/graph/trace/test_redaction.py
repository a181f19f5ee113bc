"""No string of a trace escapes the hook, and the ready rules know the common secrets."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph import Attachment, Message, Recovery, Section, ToolCall, TurngraphError
from turngraph.graph.trace import SECRET_RULES, TraceSettings, TraceWriter, redact_secrets, redactor
from turngraph.state.durable import PlanProgress

from .runs import NOW, assembler, session

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq+/x=\nProc-Type: 4,ENCRYPTED\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
SECRETS = [
    ("key sk-abcdefghijklmnop1234 end", "key [redacted:api-key] end"),
    ("sk-proj-Ab_12-cdefghijklmnopqr", "[redacted:api-key]"),
    ("sk-ant-api03-abcdefgh12345678-XYZ", "[redacted:api-key]"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted:api-key]"),
    ("glpat-abcdefghij1234567890", "[redacted:api-key]"),
    ("hf_abcdefghijklmnopqrstuvwx", "[redacted:api-key]"),
    ("sk_live_abcdefghij1234", "[redacted:api-key]"),
    ("AKIAIOSFODNN7EXAMPLE", "[redacted:aws-key]"),
    ("id=ASIAIOSFODNN7EXAMPLE;", "id=[redacted:aws-key];"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [redacted:password]"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted:github-token]"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnopq", "[redacted:github-token]"),
    ("xoxb-123456789012-abcdefABCDEF", "[redacted:slack-token]"),
    ("https://hooks.slack.com/services/T000/B000/XXXX1234", "https://hooks.slack.com/[redacted:slack-token]"),
    (f"token {JWT}.", "token [redacted:jwt]"),
    ("Authorization: Bearer abc123def456", "Authorization: Bearer [redacted:authorization]"),
    ('{"authorization": "Basic dXNlcjpwYXNz"}', '{"authorization": "Basic [redacted:authorization]"}'),
    ("curl -H 'X-API-Key: 0123456789'", "curl -H 'X-API-Key: [redacted:authorization]'"),
    ("bearer abcdefghijklmnop0123", "bearer [redacted:bearer]"),
    (f"a\n{PEM}\nb", "a\n[redacted:private-key]\nb"),
    (PEM.replace("\n", "\\n"), "[redacted:private-key]"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEcut", "[redacted:private-key]"),
    ("postgres://me:hunter2@db:5432/x", "postgres://me:[redacted:url-password]@db:5432/x"),
    ("redis://:p%40ss@host", "redis://:[redacted:url-password]@host"),
    ("Server=db;User Id=me;Password=hunter2;", "Server=db;User Id=me;Password=[redacted:password];"),
    ("AccountKey=abc123+/==;EndpointSuffix=x", "AccountKey=[redacted:password];EndpointSuffix=x"),
    ("host=db password=hunter2 dbname=x", "host=db password=[redacted:password] dbname=x"),
    ('"password": "correct horse battery"', '"password": "[redacted:password]"'),
    ('{\\"client_secret\\":\\"abcdefgh\\"}', '{\\"client_secret\\":\\"[redacted:password]\\"}'),
    ("DB_PASSWORD: hunter22", "DB_PASSWORD: [redacted:password]"),
    ("?access_token=abcd1234&x=1", "?access_token=[redacted:password]&x=1"),
]
HARMLESS = [
    "",
    "a risk-based task-force asked for sk-learn and sklearn",
    "the password must be long; ask for a token",
    "password = getpass()",
    "api_key=os.environ.get('KEY')",
    "monkey: banana, primary key: id",
    '{"password": {"type": "string"}}',
    "https://example.org:8080/a@b",
    "https://example.org/path?user=me",
    "eyJ is how base64 JSON begins",
    "Bearer tokens are described elsewhere",
    "AKIA is a prefix",
    "the header -----BEGIN CERTIFICATE----- is public",
    "İstanbul sk- and the rest",
    "tool-output-0123456789abcdef0123456789abcdef",
]


@pytest.mark.parametrize(("text", "clean"), SECRETS, ids=[clean[:40] for _, clean in SECRETS])
def test_a_secret_of_known_form_is_taken_out_and_nothing_else(text, clean):
    assert redact_secrets(text) == clean


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_a_little_like_one_stays(text):
    assert redact_secrets(text) == text


PIECES = st.sampled_from(
    [text for text, _ in SECRETS]
    + HARMLESS
    + [mark for rule in SECRET_RULES for mark in rule.marks]
    + ["=", ":", '"', "\\", " ", "\n", "a1" * 20, "[redacted:", "İ", "🔑", "\ud800"]
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_again_changes_nothing(text):
    once = redact_secrets(text)

    assert redact_secrets(once) == once


@given(st.text(max_size=30), st.sampled_from(SECRETS), st.text(max_size=30))
def test_a_secret_is_found_between_other_words(before, secret, after):
    text, clean = secret
    kept = re.split(r"\[redacted:[a-z-]+\]", clean)
    value = text[len(kept[0]) : len(text) - len(kept[1])]

    assert value not in redact_secrets(f"{before}\n {text} \n{after}")


ADVERSARIES = [
    "-----BEGIN PRIVATE KEY-----a",
    "eyJ-eyJaaaaaaaa",
    "eyJaaaaaaaaa.",
    "sk-",
    "sk-a-",
    "bearer ",
    "bearer a",
    "://:a",
    "password=",
    'password="',
    "pwd=a.a",
    "authorization:",
    "xoxb-",
    "access_access_key",
    "İ",
]


@pytest.mark.parametrize("unit", ADVERSARIES)
def test_a_megabyte_made_to_be_slow_is_redacted(unit):
    """Not linear would be hours: the longest of these would take 10¹¹ steps."""
    text = unit * (1_000_000 // len(unit))

    assert len(redact_secrets(text)) <= len(text) * 30


def test_own_rules_and_an_own_hook_follow_one_another():
    only_jwt = redactor([rule for rule in SECRET_RULES if rule.name == "jwt"], behind=str.upper)

    assert only_jwt(f"{JWT} sk-abcdefghijklmnop1234") == "[REDACTED:JWT] SK-ABCDEFGHIJKLMNOP1234"


# ---- the hook in a trace


def strings(value):
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(item)


class Leaking:
    id = "leaking"
    required = False

    def contribute(self, request):
        raise RuntimeError("SECRET in an error of a contributor")


def leaking_assembly(**options):
    build = assembler(window=3000, compaction_tool_preview_bytes=200, contributors=[Leaking()], window_messages=6)
    return build.attempt(
        [
            Message.system("SECRET system"),
            *session(6, size=3000, prompt="SECRET prompt"),
            Message.assistant("SECRET", calls=[ToolCall(id="SECRET", name="SECRET", arguments={"k": ["SECRET"]})]),
            Message.user("SECRET again", name="SECRET"),
        ],
        sections=[
            Section(id="law", slot="governance", content="SECRET law", protected=True),
            Section(id="long", slot="footer", content="SECRET " * 40_000),
        ],
        attachments=[Attachment(id="data", source="SECRET source", content="SECRET data")],
        messages=[Message.user("SECRET note")],
        tools=[{"name": "SECRET", "description": "SECRET", "parameters": {"x": "SECRET"}}],
        **options,
    )


@pytest.mark.parametrize(
    "assembly",
    [
        pytest.param(leaking_assembly(), id="sent"),
        pytest.param(leaking_assembly(recovery=Recovery(failed_tokens=10**6)), id="recovered"),
        pytest.param(leaking_assembly(deadline_s=0.0), id="failed"),
        pytest.param(
            assembler(prompt_budget_chars=10).attempt(
                [Message.user("x")],
                sections=[Section(id="law", slot="governance", content="SECRET" * 9, protected=True)],
            ),
            id="refused",
        ),
    ],
)
def test_every_string_of_a_document_goes_through_the_hook(root, assembly):
    seen = set()

    def hook(text):
        seen.add(text)
        return f"<{text.replace('SECRET', 'gone')}>"

    progress = PlanProgress(
        agent_id="SECRET", tool_call_id="SECRET", updated_at="SECRET", current_model_turn=1, anchor_found=False
    )
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=hook)
    said = writer.write(assembly, turn=1, context_id="c", exported_at=NOW, plan_progress=progress)
    (path,) = (root / "c").iterdir()
    document = json.loads(path.read_text())

    assert said is None
    assert "SECRET" not in json.dumps(list(strings(document)))
    assert [text for text in strings(document) if not (text.startswith("<") and text.endswith(">"))] == []
    assert {"dynamic", "c", "main"} <= seen


def test_keys_are_no_fields(root):
    assembly = assembler().assemble(
        [
            Message.user("go"),
            Message.assistant(calls=[ToolCall(id="a", name="f", arguments={"SECRET": "v"})]),
            Message.tool("a", "done"),
        ]
    )
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=lambda t: t.replace("SECRET", ""))
    writer.write(assembly, turn=1, context_id="c", exported_at=NOW)

    assert '"arguments":{"SECRET":"v"}' in (root / "c" / "turn-0001.json").read_text()


def test_the_error_of_a_candidate_goes_through_the_hook(root):
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=redact_secrets)
    error = TurngraphError("refused: sk-abcdefghijklmnop1234", details={"header": "Authorization: Bearer abcdef123"})
    writer.write(
        assembler().assemble([Message.user("x")]),
        turn=1,
        context_id="c",
        exported_at=NOW,
        mode="shadow",
        candidate=error,
    )

    assert json.loads((root / "c" / "turn-0001.json").read_text())["error"] == {
        "code": "internal",
        "message": "refused: [redacted:api-key]",
        "details": {"header": "Authorization: Bearer [redacted:authorization]"},
    }
