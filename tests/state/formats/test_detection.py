"""Which format is which."""

import pytest

from turngraph.state.errors import BadRequest, UnknownFormat
from turngraph.state.formats import detect, known_formats, read, read_path, write_body, write_history

from .helpers import FIXTURES

USER = {"role": "user", "content": "hi"}
LISTED = {"role": "user", "content": [{"type": "text", "text": "hi"}]}


def said(*blocks, role="assistant"):
    return {"role": role, "content": list(blocks)}


@pytest.mark.parametrize(
    ("value", "format"),
    [
        ([], "openai-chat"),
        ([USER], "openai-chat"),
        ([LISTED], "openai-chat"),
        ({"messages": []}, "openai-chat"),
        ([USER, {"role": "system", "content": "s"}], "openai-chat"),
        ([LISTED, {"role": "tool", "tool_call_id": "c", "content": "r"}], "openai-chat"),
        ([USER, {"role": "assistant", "content": None}], "openai-chat"),
        ([said({"type": "image_url", "image_url": {"url": "u"}}, role="user")], "openai-chat"),
        ([{"role": "assistant", "content": "a", "tool_calls": []}], "openai-chat"),
        ({"messages": [USER], "tools": [{"type": "function", "function": {}}], "system": "s"}, "openai-chat"),
        ({"messages": [USER], "system": "s"}, "anthropic"),
        ({"messages": [USER], "tools": [{"name": "f", "input_schema": {}}]}, "anthropic"),
        ([USER, said({"type": "tool_use", "id": "1", "name": "f", "input": {}})], "anthropic"),
        ([USER, said({"type": "thinking", "thinking": "t"})], "anthropic"),
        ([said({"type": "tool_result", "tool_use_id": "1"}, role="user")], "anthropic"),
        ([said({"type": "image", "source": {"type": "url"}}, role="user")], "anthropic"),
        ([said({"type": "web_search_tool_result"})], "anthropic"),
        ({"id": "x", "type": "message", "role": "assistant", "content": [{"type": "tool_use"}]}, "anthropic"),
        ([{**LISTED, "origin": {"kind": "prompt"}}], "turngraph"),
        ([{**LISTED, "hidden": True}], "turngraph"),
        ([LISTED, said({"type": "tool_call", "id": "c", "name": "f", "arguments": {}})], "turngraph"),
        ([said({"type": "tool_result", "call_id": "c", "content": []}, role="tool")], "turngraph"),
        ([said({"type": "image", "media_type": "image/png", "url": "u"}, role="user")], "turngraph"),
        ({"format": "turngraph", "messages": [USER]}, "turngraph"),
        ({"format": "openai", "messages": []}, "openai-chat"),
        ({"type": "user", "message": USER}, "claude-code"),
        ({"type": "summary", "leafUuid": "u", "summary": "s"}, "claude-code"),
        ({"type": "file-history-snapshot", "snapshot": {}}, "claude-code"),
        ([{"type": "progress", "sessionId": "s"}], "claude-code"),
        ({"type": "session_meta", "timestamp": "t", "payload": {}}, "codex"),
        ({"type": "response_item", "payload": {"type": "message"}}, "codex"),
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}, "codex"),
        ({"type": "function_call_output", "call_id": "c", "output": "o"}, "codex"),
        ({"id": "s", "timestamp": "t", "instructions": None}, "codex"),
        ({"record_type": "state"}, "codex"),
    ],
)
def test_the_rules_decide(value, format):
    assert detect(value) == format


@pytest.mark.parametrize(
    ("value", "looks_like"),
    [
        ({"input": [], "model": "m"}, "openai-responses"),
        ({"contents": []}, "gemini"),
        ([{"traj": []}], "tau-bench"),
        ({"simulations": []}, "tau-bench"),
        ({"trajectory": [], "history": []}, "swe-agent"),
        ({"eval": {}, "samples": []}, "inspect"),
        ({"sessionId": "s", "projectHash": "h", "messages": [{"type": "user"}]}, "gemini-cli"),
        ({"type": "message", "timestamp": "t", "message": {"role": "user"}}, "pi"),
        ({"type": "session.start", "timestamp": "t", "data": {}}, "copilot"),
        ({"type": "metadata", "protocol_version": "1"}, "kimi-wire"),
        ({"role": "_system_prompt", "content": "s"}, "kimi-context"),
        ({"a": 1}, None),
        ({"messages": [5]}, None),
        ([5], None),
        ("text", None),
    ],
)
def test_what_no_reader_knows_is_refused_with_what_was_seen(value, looks_like):
    with pytest.raises(UnknownFormat, match="readable are: turngraph, openai-chat") as caught:
        detect(value)

    assert caught.value.details["looks_like"] == looks_like
    assert caught.value.details["seen"]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("claude_code.jsonl", "claude-code"),
        ("codex.jsonl", "codex"),
        ("codex_old.jsonl", "codex"),
        ("openai_chat.json", "openai-chat"),
        ("anthropic.json", "anthropic"),
        ("turngraph.json", "turngraph"),
    ],
)
def test_files_are_read_in_the_format_that_they_are_in(name, format):
    assert read_path(FIXTURES / name).format == format
    assert read_path(FIXTURES / name, format).messages == read_path(FIXTURES / name).messages


def test_lines_that_decide_nothing_wait_for_one_that_does(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text(
        '{"role":"user","content":"a"}\n{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}\n'
    )

    assert read_path(path).format == "anthropic"


def test_a_file_of_a_later_format_that_looks_like_ours_is_refused(tmp_path):
    path = tmp_path / "context.jsonl"
    path.write_text('{"role":"user","content":"a"}\n{"role":"_checkpoint","id":0}\n')
    path_first = tmp_path / "first.jsonl"
    path_first.write_text('{"role":"_checkpoint","id":0}\n{"role":"user","content":"a"}\n')

    for one in (path, path_first):
        with pytest.raises(UnknownFormat, match="kimi-context"):
            read_path(one)


def test_a_file_of_another_format_than_the_named_one_is_refused(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text('{"a":1}\n{"b":2}\n')

    with pytest.raises(UnknownFormat, match="claude-code"):
        read_path(path, "claude-code")


LATER = [entry["name"] for entry in known_formats() if not entry["read"]]


@pytest.mark.parametrize("name", [*LATER, "responses", "word", ""])
def test_formats_of_a_later_version_and_unknown_names_are_refused(name):
    for use in (
        lambda: read([], name),
        lambda: write_history([], name),
        lambda: write_body("", [], [], name),
    ):
        with pytest.raises(UnknownFormat) as caught:
            use()
        assert "turngraph" in caught.value.details["formats"] or "anthropic" in caught.value.details["formats"]


@pytest.mark.parametrize("name", ["turngraph", "claude-code", "codex"])
def test_only_provider_formats_have_bodies(name):
    with pytest.raises(UnknownFormat, match="openai-chat, anthropic"):
        write_body("", [], [], name)


def test_names_are_taken_in_any_case_and_by_alias():
    assert read([], " OpenAI ").format == "openai-chat"


def test_the_formats_of_the_contract_are_listed_once_each():
    names = [entry["name"] for entry in known_formats()]

    assert len(names) == len(set(names)) == 22
    assert {entry["name"]: (entry["read"], entry["write"]) for entry in known_formats() if entry["read"]} == {
        "turngraph": (True, True),
        "openai-chat": (True, True),
        "anthropic": (True, True),
        "claude-code": (True, False),
        "codex": (True, False),
    }


def test_a_named_format_that_does_not_fit_is_refused_where_it_is_strict():
    with pytest.raises(BadRequest):
        read([USER], "turngraph")
