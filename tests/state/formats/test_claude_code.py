"""Claude Code sessions."""

from turngraph.state.formats import read, read_path
from turngraph.state.messages import Image, Reasoning, ToolCall

from .helpers import FIXTURES, outline, said

SESSION = FIXTURES / "claude_code.jsonl"


def line(**record):
    return {"type": "user", "sessionId": "s", **record}


def said_by_model(id, *blocks, **record):
    return line(type="assistant", message={"id": id, "role": "assistant", "content": list(blocks)}, **record)


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id, **more):
    return line(message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, **more}]})


def test_a_session_is_read_as_the_conversation_that_it_was():
    assert outline(read_path(SESSION).messages) == [
        "user (unknown) '<local-command-caveat>Caveat: local commands follow</local-command-caveat>'",
        "user (unknown) '<command-name>/model</command-name>\\n<command-args></command-args>'",
        "user (unknown) '<local-command-stdout>Set model</local-command-stdout>'",
        "user '修复解析器, please'",
        "assistant <Look first.|c2ln|None> 'Both.' toolu-1:Read{'path': 'a.py'} toolu-2:Read{'path': 'b.py'}",
        "tool toolu-1='print(1)'",
        "tool toolu-2=!'no such file'",
        "user (unknown) '[Request interrupted by user]'",
        "user (unknown) 'This session is being continued from another one.'",
        "user 'What is on this picture?' [Image image/png]",
    ]


def test_what_is_left_out_is_counted_and_what_is_no_conversation_is_kept_raw():
    reading = read_path(SESSION)

    assert reading.format == "claude-code"
    assert said(reading.diagnostics) == [
        f"1 lines repeat a line above (same uuid); each was read once (the first: line 14, byte {offset(14)})",
        f"1 side-chain lines are not part of the conversation (the first: line 15, byte {offset(15)})",
    ]
    assert [raw[:20] for raw in reading.rest] == [
        b'{"type":"summary","s',
        b'{"type":"file-histor',
        b'{"type":"progress","',
        b'{"type":"assistant",',
        b'{"type":"system","su',
        b'{"type":"queue-opera',
    ]


def offset(number):
    return sum(len(raw) for raw in SESSION.read_bytes().split(b"\n")[: number - 1]) + number - 1


def test_the_file_of_a_subagent_is_its_side_chain():
    session = [
        line(isSidechain=True, uuid="1", message={"role": "user", "content": "look"}),
        said_by_model("x", use("a"), isSidechain=True, uuid="2"),
        {**result("a"), "isSidechain": True, "uuid": "3"},
        {**result("a"), "isSidechain": True, "uuid": "3"},
    ]
    reading = read(session)

    assert outline(reading.messages) == ["user 'look'", "assistant a:f{}", "tool a="]
    assert len(reading.diagnostics) == 1
    assert outline(read([*session, line(message={"role": "user", "content": "main"})]).messages) == ["user 'main'"]


def test_lines_of_two_api_messages_stay_two_messages():
    session = [
        said_by_model("x", use("a")),
        result("a"),
        said_by_model("y", use("b")),
        result("b"),
        said_by_model("y", use("c")),
    ]

    assert outline(read(session).messages) == [
        "assistant a:f{}",
        "tool a=",
        "assistant b:f{} c:f{}",
        "tool b=",
    ]


def test_lines_of_one_message_id_but_another_request_are_another_message():
    session = [said_by_model("x", use("a"), requestId="1"), said_by_model("x", use("b"), requestId="2")]

    assert outline(read(session).messages) == ["assistant a:f{}", "assistant b:f{}"]


def test_a_prompt_ends_the_api_message_before_it():
    session = [
        said_by_model("x", use("a")),
        line(message={"role": "user", "content": "stop"}),
        said_by_model("x", use("b")),
    ]

    assert outline(read(session).messages) == ["assistant a:f{}", "user 'stop'", "assistant b:f{}"]


def test_a_call_that_a_copied_line_repeats_is_read_once():
    session = [said_by_model("x", use("a")), said_by_model("x", use("a"))]

    assert outline(read(session).messages) == ["assistant a:f{}"]


def test_a_slash_command_for_the_model_is_a_prompt():
    command = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    session = [line(message={"role": "user", "content": command})]

    assert read(session).messages[0].origin.kind == "prompt"


def test_nothing_of_the_file_is_carried_along_that_only_writing_it_again_would_need():
    parts = [part for message in read_path(SESSION).messages for part in message.content]

    assert all(part.extras is None for part in parts)
    assert {type(part) for part in parts} >= {Reasoning, ToolCall, Image}


def test_redacted_thinking_is_still_known_as_such():
    session = [said_by_model("x", {"type": "redacted_thinking", "data": "ZW5j"})]
    (part,) = read(session).messages[0].content

    assert part == Reasoning(encrypted="ZW5j", extras={"anthropic": {"type": "redacted_thinking"}})


def test_one_text_among_results_stands_where_it_stood():
    blocks = [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "text", "text": "note"},
        {"type": "tool_result", "tool_use_id": "b", "content": "2"},
    ]
    session = [line(message={"role": "user", "content": blocks})]

    assert outline(read(session).messages) == ["tool a='1'", "user 'note'", "tool b='2'"]
