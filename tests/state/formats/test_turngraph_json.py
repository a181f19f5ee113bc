"""Our own message JSON."""

import json

import pytest

from turngraph.state.errors import BadRequest
from turngraph.state.formats import message_from_json, message_to_json, read, read_path, write_history
from turngraph.state.messages import Message, Origin, Text, ToolCall

from .helpers import FIXTURES, outline

DOCUMENT = FIXTURES / "turngraph.json"


def test_a_document_is_read_with_ids_origins_and_system():
    reading = read_path(DOCUMENT)

    assert (reading.format, reading.system) == ("turngraph", "Be brief.")
    assert [message.id for message in reading.messages] == ["m0", "m1", "m2", "m3", "m4"]
    assert reading.messages[3].origin == Origin("injection", {"variant": "date_change"})
    assert reading.messages[3].hidden
    assert outline(reading.messages)[2] == "tool c1='hello'"
    assert (reading.messages[2].result.ref, reading.messages[2].result.interim) == (
        "tool-output-0123456789abcdef",
        True,
    )


def test_a_document_is_written_exactly_as_it_was_read():
    reading = read_path(DOCUMENT)

    assert write_history(reading.messages, "turngraph", system=reading.system) == json.loads(DOCUMENT.read_text())


def test_absent_facts_are_not_written():
    message = Message.assistant("", calls=[ToolCall(id="c", name="f", arguments={})])

    assert message_to_json(message) == {
        "role": "assistant",
        "content": [{"type": "tool_call", "id": "c", "name": "f", "arguments": {}}],
        "origin": {"kind": "assistant"},
    }


def test_the_origin_defaults_by_role_and_checkpoints_are_recognised():
    content = [{"type": "text", "text": "[ScienceAgent summary checkpoint]\n…"}]
    roles = ["system", "user", "assistant"]

    assert [message_from_json({"role": role, "content": content}).origin.kind for role in roles] == [
        "unknown",
        "prompt",
        "assistant",
    ]
    assert message_from_json({"role": "user", "name": "summary", "content": content}).origin.kind == "checkpoint"


def part(**given):
    return {"role": "user", "content": [given]}


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (5, ["message", "message.role", "message.content"]),
        ({"role": "user"}, ["message.content"]),
        ({"role": "user", "content": "hi"}, ["message.content"]),
        ({"role": "boss", "content": []}, ["message.role"]),
        ({"role": "user", "content": [], "zzz": 1}, ["message.zzz"]),
        ({"role": "user", "content": [], "id": 1}, ["message.id"]),
        ({"role": "user", "content": [], "hidden": "yes"}, ["message.hidden"]),
        ({"role": "user", "content": [], "origin": {"kind": "mail"}}, ["message.origin.kind"]),
        ({"role": "user", "content": [], "origin": "prompt"}, ["message.origin"]),
        ({"role": "user", "content": [], "extras": []}, ["message.extras"]),
        ({"role": "user", "content": [5]}, ["message.content[0]"]),
        (part(type="video"), ["message.content[0].type"]),
        (part(type="text"), ["message.content[0].text"]),
        (part(type="text", text="a", b=1), ["message.content[0].b"]),
        (part(type="image", media_type="image/png"), ["message.content[0]"]),
        (part(type="image", media_type="image/png", data="", url=""), ["message.content[0]"]),
        (part(type="image", media_type="image/png", url="", width=0), ["message.content[0].width"]),
        (part(type="opaque", format="x"), ["message.content[0].value"]),
        (part(type="tool_call", id="c", name="f", arguments="{}"), ["message.content[0].arguments", "message.content"]),
        (part(type="tool_result", call_id="c", content=[]), ["message.content"]),
        ({"role": "tool", "content": [{"type": "text", "text": "a"}]}, ["message.content"]),
        (
            {"role": "tool", "content": [{"type": "tool_result", "call_id": "c", "content": [
                {"type": "tool_result", "call_id": "d", "content": [], "is_error": 1}]}]},
            ["message.content[0].content[0].is_error", "message.content[0].content[0]"],
        ),
    ],
)  # fmt: skip
def test_every_problem_is_named_with_its_path(given, paths):
    with pytest.raises(BadRequest) as caught:
        message_from_json(given)

    assert [problem["path"] for problem in caught.value.details["problems"]] == paths


def test_the_problems_of_all_messages_of_a_document_come_together():
    messages = [{"role": "user", "content": [], "hidden": True, "a": 1}, {"role": "tool", "content": []}, 5]
    with pytest.raises(BadRequest) as caught:
        read(messages, "turngraph")

    assert [problem["path"] for problem in caught.value.details["problems"]] == [
        "messages[0].a",
        "messages[1].content",
        "messages[2]",
    ]


def test_a_long_wrong_value_is_shown_shortened():
    with pytest.raises(BadRequest) as caught:
        message_from_json({"role": "user", "content": "x" * 10_000})

    assert len(caught.value.details["problems"][0]["value"]) < 100
    assert len(str(caught.value)) < 300


def test_lines_of_our_own_messages_are_read():
    assert read([{"role": "user", "content": [{"type": "text", "text": "a"}], "hidden": True}]).messages == [
        Message(role="user", content=(Text("a"),), hidden=True)
    ]
