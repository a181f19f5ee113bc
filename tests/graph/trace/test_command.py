"""`turngraph trace`."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from turngraph import Message, Section
from turngraph.graph.command import run

from .runs import assembler, session

GOLDENS = Path(__file__).parent / "goldens"
PRESSURE = GOLDENS / "pressure.json"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")

    def call(*args):
        capsys.readouterr()
        code = run(["trace", *[str(arg) for arg in args]])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


def test_show_has_a_row_per_stage_with_outcome_and_tokens(cli):
    ran = cli("show", PRESSURE)
    rows = [" ".join(line.split()) for line in ran.out.splitlines()]

    assert ran.code == 0
    assert "measure Pressed 4,941 0 µs" in rows
    assert "prune Insufficient 4,941 2,243 0 µs" in rows
    assert "fold Folded 2,243 1,496 0 µs" in rows
    assert "window Windowed 1,496 986 0 µs" in rows


def test_show_tells_what_is_not_wholly_there(cli):
    out = " ".join(cli("show", PRESSURE).out.split())

    assert "17 messages into checkpoint m34 (accepted summary), 993 → 246 tokens" in out
    assert "m2 409 → 99 tokens tool-output-" in out
    assert "windowed left out, still in the history: m17, m18" in out
    assert "8 sent, 18 in the history" in out


def test_show_tells_contributions_and_notes(cli):
    out = " ".join(cli("show", GOLDENS / "contributions.json").out.split())

    assert "glossary working_context shortened 290 → 250 characters" in out
    assert "page web/page shortened 1,110 → 400 characters" in out
    assert "weather (optional) failed in 0 ms: ConnectionError: the station does not answer" in out
    assert "CALL_UNANSWERED" in out


def test_show_as_json_has_no_text_of_the_conversation(cli):
    ran = cli("show", PRESSURE, "--json")
    document = json.loads(ran.out)

    assert document["folded"]["checkpoint"] == "m34"
    assert [stage["node"] for stage in document["stages"]][-1] == "emit"
    assert document["tokens"]["total"] == 986
    assert "slowest" not in ran.out


def test_explain_gives_the_reasons_in_order(cli):
    ran = cli("explain", PRESSURE, "--item", "m2")
    out = " ".join(ran.out.split())

    assert ran.code == 0
    assert out.index("prune shortened") < out.index("fold missing Message m2 was folded into checkpoint m34")
    document = json.loads(cli("explain", PRESSURE, "--item", "m2", "--json").out)
    assert document["item"] == "m2"
    assert [reason["code"] for reason in document["reasons"]] == ["PRUNED", "FOLDED"]


def test_explain_says_what_is_whole(cli):
    assert "is in the input whole" in cli("explain", PRESSURE, "--item", "m33").out


def test_a_forced_pass_and_a_failure_are_in_the_heading_and_at_the_end(cli, traced, root):
    assert "forced pass 1 (model-input-overflow)" in cli("show", GOLDENS / "recovery.json").out
    traced(
        assembler(prompt_budget_chars=10).attempt(
            session(1), sections=[Section(id="law", slot="governance", content="x" * 50, protected=True)]
        )
    )
    out = cli("show", root / "c" / "turn-0001.json").out

    assert "failed" in out
    assert "protected_over_budget: Protected sections need 50 characters" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["show", "{none}"], "unreadable_input", 2),
        (["show", "{text}"], "unreadable_input", 2),
        (["show", "{foreign}"], "unknown_format", 2),
        (["show", "{newer}"], "unknown_format", 2),
        (["show", "{damaged}"], "unreadable_input", 2),
        (["explain", "{newer}", "--item", "m1"], "unknown_format", 2),
        (["explain", "{good}", "--item", "nobody"], "usage", 2),
        (["explain", "{good}"], "usage", 2),
        (["show"], "usage", 2),
        (["examples"], "usage", 2),
        (["examples", "--out", " "], "usage", 2),
        (["examples", "--out", "{good}/below"], "unreadable_input", 2),
        ([], "usage", 2),
        (["other"], "usage", 2),
    ],
)
def test_what_fails_is_one_document_and_an_exit_code(cli, tmp_path, arguments, code, exit_code):
    good = json.loads(PRESSURE.read_text(encoding="utf-8"))
    files = {
        "none": None,
        "text": "no json",
        "foreign": json.dumps({"messages": []}),
        "newer": json.dumps(good | {"schemaVersion": 6}),
        "damaged": json.dumps(good | {"llmInput": {"messages": 7}}),
        "good": json.dumps(good),
    }
    for name, text in files.items():
        if text is not None:
            (tmp_path / name).write_text(text)
    filled = [argument.format(**{name: tmp_path / name for name in files}) for argument in arguments]
    ran = cli(*filled, "--json")
    said = json.loads(ran.out)

    assert (ran.code, said["ok"], said["error"]["code"]) == (exit_code, False, code)
    plain = cli(*filled)
    assert (plain.code, plain.out) == (exit_code, "")
    assert plain.err.startswith(f"turngraph: {code}: ")


@pytest.mark.parametrize("text", ["\x1b[31mred", "[bold]x[/bold] [/]", "right\u202eto left", "a\u2028b", "nul\x00"])
def test_what_a_trace_quotes_never_commands_the_terminal(cli, traced, root, text):
    class Hostile:
        id = "hostile"
        required = False

        def contribute(self, request):
            raise RuntimeError(text)

    assembly = assembler(window=3000, contributors=[Hostile()]).assemble(
        [Message.user(text, id=f"m{text}"), *session(2)]
    )
    document = traced(assembly)
    path = root / "c" / "turn-0001.json"
    for ran in (cli("show", path), cli("explain", path, "--item", document["llmInput"]["messages"][0]["id"])):
        assert ran.code == 0
        assert FORBIDDEN.findall(ran.out) == []
