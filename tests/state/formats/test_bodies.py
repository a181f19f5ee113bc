"""Request bodies: what both APIs have in common."""

import json
from dataclasses import replace

import pytest

from turngraph.state.formats import read, read_path, write_body
from turngraph.state.messages import Message, Opaque, Origin, Text, ToolCall

from .helpers import FIXTURES, said

BOTH = ["openai-chat", "anthropic"]


def call(id, name="f", **arguments):
    return ToolCall(id=id, name=name, arguments=arguments)


def pairs(body):
    """Give the ids of calls and results in the order of a body of either format."""
    found = []
    for message in body["messages"]:
        for entry in message.get("tool_calls") or []:
            found.append(("call", entry["id"]))
        if message["role"] == "tool":
            found.append(("result", message["tool_call_id"]))
        for block in message["content"] if isinstance(message.get("content"), list) else []:
            if block["type"] == "tool_use":
                found.append(("call", block["id"]))
            if block["type"] == "tool_result":
                found.append(("result", block["tool_use_id"]))
    return found


def batch(*behind):
    """A question, two calls, and what stands behind them."""
    return [Message.user("q"), Message.assistant("", calls=[call("a"), call("b")]), *behind, Message.assistant("done")]


@pytest.mark.parametrize("format", BOTH)
def test_the_body_of_a_request_says_what_the_request_said(format):
    given = json.loads((FIXTURES / ("openai_chat.json" if format == "openai-chat" else "anthropic.json")).read_text())
    reading = read(given, format)
    messages = reading.messages if format == "anthropic" else reading.messages[1:]
    body = write_body("Be brief.", messages, reading.tools, format)

    if format == "anthropic":
        assert body.value["system"] == "Be brief."
        assert body.value["messages"] == given["messages"]
        assert body.value["tools"] == given["tools"][:1]
        assert body.diagnostics == []
    else:
        assert body.value["messages"][0] == {"role": "system", "content": "Be brief."}
        assert body.value["messages"][1] == given["messages"][1]
        assert body.value["messages"][4]["content"] == given["messages"][4]["content"]
        assert body.value["tools"] == given["tools"]


@pytest.mark.parametrize("format", BOTH)
def test_no_key_of_ours_goes_out(format):
    message = Message.user("hi", id="m0", origin=Origin("injection"), hidden=True)

    assert write_body("", [message], [], format).value == {"messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize("format", BOTH)
@pytest.mark.parametrize(
    "behind",
    [
        [Message.tool("a", "1"), Message.tool("b", "2"), Message.user("note")],
        [Message.tool("b", "2"), Message.tool("a", "1"), Message.user("note")],
        [Message.tool("a", "1"), Message.user("note"), Message.tool("b", "2")],
        [Message.user("note"), Message.tool("b", "2"), Message.tool("a", "1")],
    ],
)
def test_results_follow_their_calls_in_declared_order_and_all_else_comes_behind(format, behind):
    body = write_body("", batch(*behind), [], format).value

    assert pairs(body) == [("call", "a"), ("call", "b"), ("result", "a"), ("result", "b")]
    if format == "anthropic":
        assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "tool_result", "text"]
    else:
        assert [message["role"] for message in body["messages"]] == [
            "user", "assistant", "tool", "tool", "user", "assistant",
        ]  # fmt: skip


@pytest.mark.parametrize("format", BOTH)
def test_open_calls_get_a_placeholder_and_orphans_are_left_out(format):
    body = write_body("", batch(Message.tool("b", "2"), Message.tool("zzz", "3", id="m9")), [], format)

    assert pairs(body.value) == [("call", "a"), ("call", "b"), ("result", "a"), ("result", "b")]
    assert [(one.code, one.id) for one in body.diagnostics] == [
        ("PROJECTION_REPAIRED", "m9"),
        ("CALL_UNANSWERED", "a"),
    ]
    assert "do not assume that it succeeded" in json.dumps(body.value)


@pytest.mark.parametrize("format", BOTH)
def test_a_real_result_wins_over_its_placeholder(format):
    interim = read(
        [{"role": "tool", "tool_call_id": "a", "content": "running", "turngraph": {"interim": True}}]
    ).messages
    body = write_body("", batch(*interim, Message.tool("a", "real"), Message.tool("b", "2")), [], format)

    assert pairs(body.value)[2:] == [("result", "a"), ("result", "b")]
    assert "running" not in json.dumps(body.value)
    assert len(body.diagnostics) == 1


@pytest.mark.parametrize("format", BOTH)
def test_call_ids_that_repeat_are_made_unique_with_their_results(format):
    steps = [Message.user("q")]
    for _ in range(3):
        steps += [Message.assistant("", calls=[call("a")]), Message.tool("a", "r")]
    body = write_body("", steps, [], format)

    assert [id for _, id in pairs(body.value)] == ["a", "a", "a-2", "a-2", "a-3", "a-3"]
    assert write_body("", steps, [], format).value == body.value


@pytest.mark.parametrize("format", BOTH)
def test_empty_ids_are_never_sent(format):
    messages = [
        Message.user("q"),
        Message.assistant("", calls=[call(""), call("")]),
        Message.tool("", "1"),
        Message.tool("", "2"),
    ]
    found = pairs(write_body("", messages, [], format).value)

    assert [id for _, id in found] == ["call", "call-2", "call", "call-2"]


@pytest.mark.parametrize("format", BOTH)
def test_arguments_that_are_no_object_go_out_as_one_and_are_reported(format):
    messages = read(
        [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}
                    for id, arguments in [("a", '{"cut": "o'), ("b", ""), ("c", '{"x": 1}')]
                ],
            },
            *({"role": "tool", "tool_call_id": id, "content": "r"} for id in "abc"),
        ]
    ).messages
    body = write_body("", messages, [], format)
    if format == "anthropic":
        sent = [block["input"] for block in body.value["messages"][1]["content"]]
        assert sent == [{"_raw": '{"cut": "o'}, {}, {"x": 1}]
    else:
        sent = [entry["function"]["arguments"] for entry in body.value["messages"][1]["tool_calls"]]
        assert sent == ['{"_raw":"{\\"cut\\": \\"o"}', "{}", '{"x": 1}']
    assert [(one.code, one.id) for one in body.diagnostics] == [("PROJECTION_REPAIRED", "a")]
    assert "(2 times" in body.diagnostics[0].message


@pytest.mark.parametrize("format", BOTH)
@pytest.mark.parametrize(
    ("given", "now"),
    [('{"a": "long"}', {"a": "short"}), ('{"a":"\\ud83d"}', None), ({"a": 1}, None)],
)
def test_arguments_that_are_an_object_are_no_repair(format, given, now):
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": given}}
    messages = read([{"role": "assistant", "content": None, "tool_calls": [entry]}]).messages
    (call,) = messages[0].calls
    call = call if now is None else replace(call, arguments=now)
    exchange = [Message.user("q"), Message.assistant("", calls=[call]), Message.tool("a", "r")]
    body = write_body("", exchange, [], format)

    assert body.diagnostics == []
    assert json.dumps(body.value, ensure_ascii=False).encode()
    assert "ud83d" not in json.dumps(body.value)
    assert "long" not in json.dumps(body.value)


@pytest.mark.parametrize("format", BOTH)
def test_foreign_opaque_parts_and_messages_without_content_are_left_out(format):
    messages = [
        Message.user([Opaque(format="gemini", value={"x": 1}), Text("hi")], id="m0"),
        Message.assistant("", id="m1"),
        Message.user("", id="m2"),
        Message.user([Opaque(format="gemini", value={"x": 1})], id="m3"),
        Message.user("there?", id="m4"),
    ]
    body = write_body("", messages, [], format)

    assert "gemini" not in json.dumps(body.value)
    assert '"x"' not in json.dumps(body.value)
    assert said(body.diagnostics) == [
        "a part (opaque) that the format cannot carry here is left out (2 times, the first named)",
        "a message without content is left out (3 times, the first named)",
    ]


@pytest.mark.parametrize("format", BOTH)
def test_names_that_the_provider_does_not_take_are_reported_and_kept(format):
    messages = [Message.user("q"), Message.assistant("", calls=[call("a", "$TEAM.read")]), Message.tool("a", "r")]
    body = write_body("", messages, [{"name": "team/x", "description": "", "parameters": {}}], format)

    assert [(one.severity, one.id) for one in body.diagnostics] == [("error", "team/x"), ("error", "$TEAM.read")]
    assert "$TEAM.read" in json.dumps(body.value)


@pytest.mark.parametrize("format", BOTH)
def test_keys_that_only_a_host_knows_are_left_out_and_named(format):
    messages = read([{"role": "user", "content": "hi", "ts": 1, "note": None}], format).messages
    body = write_body("", messages, [], format)

    assert body.value["messages"] == [{"role": "user", "content": "hi"}]
    assert said(body.diagnostics) == ["the key 'ts' is left out"]


@pytest.mark.parametrize("format", BOTH)
def test_a_message_of_an_unknown_role_is_left_out(format):
    messages = read([{"role": "critic", "content": "x"}, {"role": "user", "content": "hi"}], format).messages

    assert write_body("", messages, [], format).value["messages"] == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("format", BOTH)
def test_tools_are_written_as_the_provider_wants_them(format):
    tool = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {"a": {}}}}
    bare = {"name": "g"}
    written = write_body("", [Message.user("q")], [tool, bare], format).value["tools"]

    if format == "anthropic":
        assert written == [
            {"name": "f", "description": "d", "input_schema": tool["parameters"]},
            {"name": "g", "description": "", "input_schema": {"type": "object", "properties": {}}},
        ]
    else:
        assert written[0] == {"type": "function", "function": tool}
        assert written[1]["function"]["parameters"] == {"type": "object", "properties": {}}


def check_openai(body):
    open_ids = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
            assert isinstance(message["content"], str) or all(block["type"] == "text" for block in message["content"])
            continue
        assert open_ids == []
        for entry in message.get("tool_calls", []):
            open_ids.append(entry["id"])
            if entry["type"] == "function":
                assert isinstance(json.loads(entry["function"]["arguments"]), dict)
        content = message.get("content")
        assert content or message.get("tool_calls") or message["role"] == "assistant"
        for block in content if isinstance(content, list) else []:
            assert block.get("text") != ""
    assert open_ids == []


def check_anthropic(body):
    open_ids = []
    last = None
    for message in body["messages"]:
        assert message["role"] in {"user", "assistant"}
        assert message["role"] != last
        last = message["role"]
        assert message.keys() == {"role", "content"}
        assert message["content"]
        blocks = message["content"] if isinstance(message["content"], list) else []
        kinds = [block["type"] for block in blocks]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == open_ids
        assert kinds[: len(results)] == ["tool_result"] * len(results)
        assert all(block["text"].strip() for block in blocks if block["type"] == "text" and "text" in block)
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert open_ids == []


def test_a_refusal_on_a_message_that_no_model_wrote_does_not_keep_it_alive():
    document = [{"role": "developer", "content": None, "refusal": " "}, {"role": "user", "content": "hi"}]

    body = write_body("", read(document, "openai-chat").messages, [], "openai").value

    assert body["messages"] == [{"role": "user", "content": "hi"}]


def test_a_session_goes_to_either_provider():
    for name in ("claude_code.jsonl", "codex.jsonl"):
        messages = read_path(FIXTURES / name).messages
        check_openai(write_body("", messages, [], "openai").value)
        check_anthropic(write_body("", messages, [], "anthropic").value)
