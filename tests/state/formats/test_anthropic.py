"""Anthropic messages."""

from dataclasses import replace

import pytest

from turngraph.state.errors import BadRequest
from turngraph.state.formats import read, read_path, write_history
from turngraph.state.messages import File, Image, Message, Opaque, Reasoning, Text, ToolCall

from .helpers import FIXTURES, outline, said

REF = "tool-output-0123456789abcdef"


def result(id, content="r", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def text(value):
    return {"type": "text", "text": value}


def numbered(messages):
    return [message.with_id(f"m{place}") for place, message in enumerate(messages)]


def test_a_request_body_is_read_with_system_and_tools():
    reading = read_path(FIXTURES / "anthropic.json")

    assert reading.format == "anthropic"
    assert reading.system == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    assert outline(reading.messages) == [
        "user 'read both'",
        "assistant <Two reads.|c2ln|None> <|None|ZW5j> 'Reading.' toolu_1:read{'path': 'a'} toolu_2:read{}",
        "tool toolu_1='A'",
        "tool toolu_2=!'no such file'",
        "user 'and summarise'",
        "assistant ?anthropic 'Done.'",
    ]
    assert [tool["name"] for tool in reading.tools] == ["read"]
    assert said(reading.diagnostics) == ["tools of the provider itself are left out: web_search"]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}],
        [{"role": "assistant", "content": [text("a"), {"type": "tool_use", "id": "1", "name": "f", "input": {}}]}],
        [{"role": "user", "content": [result("1"), result("2", is_error=True)]}],
        [{"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, text("a")]}],
        [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}, text("a")]}],
    ],
)
def test_the_usual_shapes_cost_no_extras(messages):
    read_messages = read(messages, "anthropic").messages
    parts = [part for message in read_messages for part in message.content]

    assert [message.extras for message in read_messages] == [None] * len(read_messages)
    assert [part.extras for part in parts] == [None] * len(parts)


def test_results_of_one_message_are_written_as_one_message():
    messages = [Message.tool("a", "1", id="m0"), Message.tool("b", "2", id="m1", ref=REF)]

    assert write_history(messages, "anthropic")["messages"] == [
        {
            "role": "user",
            "content": [result("a", "1"), result("b", "2")],
            "turngraph": {"messages": [{"id": "m0", "call": "a"}, {"id": "m1", "ref": REF, "call": "b"}]},
        }
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": [result("1")]}, {"role": "user", "content": [result("2")]}],
        [{"role": "user", "content": [result("1")]}, {"role": "user", "content": [text("a"), text("b")]}],
        [{"role": "user", "content": [text("a"), result("1"), text("b"), result("2"), text("c")]}],
        [{"role": "user", "content": [result("1"), text("a")]}, {"role": "user", "content": [result("2"), text("b")]}],
        [{"role": "user", "content": [result("1"), text("a")]}, {"role": "user", "content": [result("2")]}],
    ],
)
def test_messages_part_and_join_again_where_they_did(messages):
    assert write_history(read(messages, "anthropic").messages, "anthropic")["messages"] == messages


def test_what_came_from_one_message_is_not_joined_when_a_part_between_is_gone():
    messages = read([{"role": "user", "content": [text("a"), result("1"), text("b")]}], "anthropic").messages

    assert [message["content"] for message in write_history([messages[0], messages[2]], "anthropic")["messages"]] == [
        "a",
        "b",
    ]


def test_parts_of_two_messages_are_not_joined_because_their_places_fit():
    one, two = ([result(id), text(id)] for id in "ab")
    messages = read([{"role": "user", "content": one}, {"role": "user", "content": two}], "anthropic").messages

    assert len(write_history([messages[0], messages[3]], "anthropic")["messages"]) == 2
    assert len(write_history([messages[0], messages[1]], "anthropic")["messages"]) == 1


def test_ids_stay_with_their_results_when_a_host_takes_one_away():
    messages = numbered(read([{"role": "user", "content": [result("1"), result("2"), text("a")]}]).messages)
    (written,) = write_history(messages, "anthropic")["messages"]
    written["content"] = written["content"][1:]

    assert [message.id for message in read([written], "anthropic").messages] == ["m1", "m2"]


def test_a_ref_is_read_from_the_block_the_message_and_additional_kwargs():
    for message in (
        {"role": "user", "content": [result("1", turngraph={"ref": REF})]},
        {"role": "user", "content": [result("1")], "turngraph": {"ref": REF, "id": "m7"}},
        {"role": "user", "content": [result("1")], "additional_kwargs": {"tool_output": {"ref": REF}}},
        {"role": "user", "content": [text("a"), result("1")], "turngraph": {"ref": REF}},
    ):
        results = [one.result for one in read([message], "anthropic").messages if one.result]

        assert [one.ref for one in results] == [REF]


def test_a_ref_beside_several_results_is_refused():
    with pytest.raises(BadRequest):
        read([{"role": "user", "content": [result("1"), result("2")], "turngraph": {"ref": REF}}], "anthropic")


def test_an_id_beside_a_mixed_message_is_that_of_the_text():
    messages = read([{"role": "user", "content": [result("1"), text("a")], "turngraph": {"id": "m9"}}]).messages

    assert [message.id for message in messages] == ["", "m9"]


def test_content_blocks_are_parts_and_unknown_ones_opaque():
    blocks = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}},
        {"type": "document", "title": "T", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
    ]
    (message,) = read([{"role": "user", "content": blocks}], "anthropic").messages

    assert message.content == (
        Image(media_type="image/png", data="AA"),
        File(url="https://example.org/a.pdf", name="T"),
        Opaque(format="anthropic", value=blocks[2]),
    )


def test_input_that_is_no_object_is_kept_as_it_was():
    blocks = [
        {"type": "tool_use", "id": "1", "name": "f", "input": None},
        {"type": "tool_use", "id": "2", "name": "f"},
        {"type": "tool_use", "id": "3", "name": "f", "input": [1]},
    ]
    (message,) = read([{"role": "assistant", "content": blocks}]).messages

    assert [call.arguments for call in message.calls] == [{}, {}, {"_raw": "[1]"}]
    assert message.calls[2].extras["raw_arguments"] == [1]
    assert write_history([message], "anthropic")["messages"] == [{"role": "assistant", "content": blocks}]


def test_a_call_outside_an_assistant_message_is_opaque():
    block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    (message,) = read([{"role": "user", "content": [block]}], "anthropic").messages

    assert message.content == (Opaque(format="anthropic", value=block),)


def test_reasoning_of_another_provider_travels_in_the_key():
    message = Message(role="assistant", content=(Reasoning(text="t", encrypted="e", id="rs"), Text("a")), id="m0")
    (written,) = write_history([message], "anthropic")["messages"]

    assert written["content"] == "a"
    assert written["turngraph"]["content"] == [
        {"type": "reasoning", "text": "t", "encrypted": "e", "id": "rs"},
        0,
    ]
    assert read([written], "anthropic").messages == [message]


def test_results_pruned_since_they_were_read_are_written_as_they_are_now():
    messages = read([{"role": "user", "content": [result("1", [text("long")]), text("a")]}], "anthropic").messages
    pruned = replace(messages[0].result, content=(Text("short"),), ref=REF)
    messages[0] = replace(messages[0], content=(pruned,))

    (written,) = write_history(messages, "anthropic")["messages"]
    assert written["content"] == [result("1", [text("short")]), text("a")]
    assert read([written], "anthropic").messages == messages


def test_calls_of_our_own_are_written_plainly():
    message = Message.assistant("go", calls=[ToolCall(id="1", name="f", arguments={"a": 1})], id="m0")

    assert write_history([message], "anthropic")["messages"] == [
        {
            "role": "assistant",
            "content": [text("go"), {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}],
            "turngraph": {"id": "m0"},
        }
    ]
