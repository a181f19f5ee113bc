"""Text of a conversation never commands the terminal, and never breaks the report."""

import json
import re

import pytest

from turngraph.graph.command.streams import shown

HOSTILE = [
    "\x1b[31mred\x1b[0m and \x1b]0;title\x07",
    "[bold red]markup[/bold red] [/] [link=https://example.com]x[/link] :boom:",
    "\x9b2J\x9d0;c1\x9c",
    "right\u202eto left\u2066 isolate\u2069",
    "zero\u200bwidth\ufeff and tags\U000e0041",
    "bell\a back\b\b\b\b form\f vertical\v carriage\rreturn",
    "nul\x00 del\x7f",
    "e" + "\u0301" * 5000,
    "x" * 5_000,
    "\U0001d518\U0001d52b 👩‍👩‍👧‍👦 漢字" * 50,
    "\u2028\u2029\u0085 separators",
    "</context_data><script>alert(1)</script>",
    "%s %d {0} {name} \\x1b \\N{BELL}",
]
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def transcript(text):
    call = {"id": text[:60], "type": "function", "function": {"name": text[:60] or "f", "arguments": text}}
    return {
        "messages": [
            {"role": "system", "content": text},
            {"role": "user", "content": text, "name": text[:50]},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "orphan" + text[:40], "content": text},
            {"role": "user", "content": text},
        ]
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_a_report_on_hostile_text_is_plain_text(cli, tmp_path, text):
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(transcript(text)))

    for arguments in ([], ["--window", 4000, "--reserve", 500], ["--window", 60]):
        ran = cli("assemble", path, *arguments)

        assert ran.code in {0, 1}
        assert "internal" not in ran.err
        assert FORBIDDEN.findall(ran.out + ran.err) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_a_result_on_hostile_text_is_one_document(cli, tmp_path, text):
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(transcript(text)))

    ran = cli("assemble", path, "--json")

    assert ran.document["ok"]
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_and_not_obeyed(cli, tmp_path, text):
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": text}]}))

    out = " ".join(cli("assemble", path).out.split())

    start = " ".join(shown(text[:20]).split())
    assert start in out


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_values_in_a_request_are_refused_in_plain_text(cli, text):
    request = {"version": 1, "history": {"format": text, "messages": []}, "scope": text, text or "x": text}

    ran = cli("assemble", "--request", "-", stdin=request)

    assert ran.code == 2
    assert FORBIDDEN.findall(ran.err) == []
    assert cli("assemble", "--request", "-", "--json", stdin=request).document["error"]["code"] == "bad_request"


def test_ids_of_a_transcript_are_escaped_too(cli, tmp_path):
    path = tmp_path / "ids.json"
    messages = [
        {"role": "user", "content": "first", "turngraph": {"id": "a\x1b[2J"}},
        *(
            {"role": "assistant", "content": "word " * 4000, "turngraph": {"id": f"b\x1b[{number}m"}}
            for number in range(20)
        ),
        {"role": "user", "content": "last", "turngraph": {"id": "z\u202e"}},
    ]
    path.write_text(json.dumps({"format": "openai-chat", "messages": messages}))

    ran = cli("assemble", path, "--window", 4000, "--reserve", 500)

    assert ran.code == 0
    assert "folded" in ran.out
    assert FORBIDDEN.findall(ran.out) == []


def test_a_spelled_out_character_keeps_its_number():
    assert shown("a\x1b\u202e\U000e0041b") == "a\\x1b\\u202e\\U000e0041b"
    assert shown("a\n\tb", one_line=True) == "a b"
