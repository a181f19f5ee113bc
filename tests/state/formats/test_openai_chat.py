"""OpenAI chat messages."""

import pytest

from turngraph.state.errors import BadRequest
from turngraph.state.formats import read, read_path, write_history
from turngraph.state.messages import File, Image, Message, Opaque, Origin, Text, ToolCall, ToolResult

from .helpers import FIXTURES, outline

REF = "tool-output-0123456789abcdef"


def one(message):
    """Read one message."""
    return read([message], "openai-chat").messages[0]


def call(arguments, **more):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}, **more}
    ]}  # fmt: skip


def test_a_request_body_is_read_with_its_tools():
    reading = read_path(FIXTURES / "openai_chat.json")

    assert reading.format == "openai-chat"
    assert outline(reading.messages) == [
        "system 'Be brief.'",
        "user 'What is this?' [Image image/png]",
        "assistant call_1:look{'at': 'top'} call_2:look{'_raw': '{\"at\":\"bot'}",
        "tool call_1='a cat'",
        "tool call_2='cut off'",
        "assistant <It has whiskers.|None|None> 'A cat.'",
        "user (checkpoint) '[ScienceDiscovery summary checkpoint]\\nold'",
    ]
    assert reading.tools == [
        {
            "name": "look",
            "description": "Look.",
            "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
        }
    ]
    assert reading.messages[4].result.ref == REF
    assert reading.messages[3].name == "look"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "hi"},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "hi"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
        {"role": "tool", "tool_call_id": "c", "content": "r", "name": "f"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
    ],
)  # fmt: skip
def test_the_usual_shapes_cost_no_extras(message):
    read_message = one(message)
    parts = [*read_message.content]
    if read_message.result is not None:
        parts += read_message.result.content

    assert read_message.extras is None
    assert all(getattr(part, "extras", None) is None for part in parts)


def test_equal_facts_share_one_object():
    listed = {"role": "assistant", "content": [{"type": "text", "text": "x"}]}

    assert one(listed).extras is one(dict(listed)).extras


@pytest.mark.parametrize(
    ("given", "arguments", "extras"),
    [
        ('{"a":1}', {"a": 1}, None),
        ('{"a": 1}', {"a": 1}, {"raw_arguments": '{"a": 1}'}),
        ("{}", {}, None),
        ("", {}, {"raw_arguments": ""}),
        ("null", {}, {"raw_arguments": "null"}),
        ("[1]", {"_raw": "[1]"}, {"raw_arguments": "[1]"}),
        ('{"cut": "o', {"_raw": '{"cut": "o'}, {"raw_arguments": '{"cut": "o'}),
        (None, {}, {"raw_arguments": None, "openai-chat": {"arguments": "raw"}}),
        ({"a": 1}, {"a": 1}, {"openai-chat": {"arguments": "object"}}),
        ('{"a":1,"a":2}', {"a": 2}, {"raw_arguments": '{"a":1,"a":2}'}),
        ('{"n":123456789012345678901}', {"n": 123456789012345678901}, None),
        ('{"s":"\\ud83d"}', {"s": "\ufffd"}, {"raw_arguments": '{"s":"\\ud83d"}'}),
    ],
)
def test_arguments_are_an_object_inside_and_what_they_were_outside(given, arguments, extras):
    message = one(call(given))

    assert message.calls == (ToolCall(id="c", name="f", arguments=arguments, extras=extras),)
    assert write_history([message], "openai")["messages"] == [call(given)]


def test_arguments_nested_too_deeply_are_kept_as_text():
    text = '{"a":' * 300 + "1" + "}" * 300

    assert one(call(text)).calls[0].arguments == {"_raw": text}


def test_changed_arguments_win_over_the_text_that_was_read():
    message = one(call('{"a": 1}'))
    changed = Message.assistant(calls=[ToolCall(id="c", name="f", arguments={"a": 2}, extras=message.calls[0].extras)])

    (written,) = write_history([changed], "openai-chat")["messages"]
    assert written["tool_calls"][0]["function"]["arguments"] == '{"a":2}'


def test_legacy_functions_are_calls_paired_by_name():
    messages = read(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "r"},
        ]
    ).messages

    assert messages[0].calls[0].id == messages[1].result.call_id == "f"


def test_media_blocks_are_parts():
    message = one(
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA", "filename": "a.pdf"}},
                {"type": "file", "file": {"file_id": "f1"}},
            ],
        }
    )

    assert message.content == (
        Image(url="https://example.org/a.png", extras={"openai-chat": {"inner": {"detail": "low"}}}),
        File(media_type="audio/wav", data="AA", extras={"openai-chat": {"type": "input_audio"}}),
        File(media_type="application/pdf", data="AA", name="a.pdf"),
        Opaque(format="openai-chat", value={"type": "file", "file": {"file_id": "f1"}}),
    )


def test_the_key_carries_id_origin_hidden_and_ref():
    messages = [
        Message.user("hi", id="m0"),
        Message.user("x", id="m1", origin=Origin("injection", {"variant": "date"}), hidden=True),
        Message.assistant("", calls=[ToolCall(id="c", name="f", arguments={})], id="m2"),
        Message.tool("c", "r", id="m3", ref=REF),
        Message.tool("d", "r", id="m4", is_error=True),
    ]

    assert write_history(messages, "openai-chat") == {
        "format": "openai-chat",
        "messages": [
            {"role": "user", "content": "hi", "turngraph": {"id": "m0"}},
            {
                "role": "user",
                "content": "x",
                "turngraph": {
                    "id": "m1",
                    "origin": {"kind": "injection", "variant": "date"},
                    "hidden": True,
                },
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                "turngraph": {"id": "m2"},
            },
            {"role": "tool", "tool_call_id": "c", "content": "r", "turngraph": {"id": "m3", "ref": REF}},
            {"role": "tool", "tool_call_id": "d", "content": "r", "turngraph": {"id": "m4", "is_error": True}},
        ],
    }


def test_a_checkpoint_is_known_by_name_and_first_line_only():
    marked = "[turngraph summary checkpoint]\n…"
    checkpoint = one({"role": "user", "name": "summary", "content": marked})

    assert (checkpoint.origin.kind, checkpoint.hidden) == ("checkpoint", True)
    assert one({"role": "user", "content": marked}).origin.kind == "prompt"
    assert one({"role": "user", "name": "summary", "content": "x"}).origin.kind == "prompt"


def test_a_host_may_edit_a_message_whose_key_speaks_of_its_parts():
    message = Message.user([Text("a"), Opaque(format="anthropic", value={"type": "x"}), Text("b")], id="m0")
    (written,) = write_history([message], "openai-chat")["messages"]
    written["content"] = [{"type": "text", "text": "edited"}]

    assert one(written).content == (
        Text("edited", extras=None),
        Opaque(format="anthropic", value={"type": "x"}),
    )


@pytest.mark.parametrize(
    ("key", "path"),
    [
        (5, "messages[0].turngraph"),
        ({"id": 5}, "messages[0].turngraph.id"),
        ({"origin": {"kind": "zzz"}}, "messages[0].turngraph.origin.kind"),
        ({"hidden": 1}, "messages[0].turngraph.hidden"),
        ({"ref": "r"}, "messages[0].turngraph"),
        ({"zzz": 1}, "messages[0].turngraph.zzz"),
        ({"content": 1}, "messages[0].turngraph.content"),
        ({"content": [{"type": "zzz"}]}, "messages[0].turngraph.content[0].type"),
        ({"extras": 1}, "messages[0].turngraph.extras"),
        ({"role": "boss"}, "messages[0].turngraph.role"),
    ],
)
def test_a_malformed_key_is_refused_with_its_path(key, path):
    with pytest.raises(BadRequest) as caught:
        read([{"role": "user", "content": "x", "turngraph": key}], "openai-chat")

    assert [problem["path"] for problem in caught.value.details["problems"]] == [path]


def test_lone_surrogates_are_replaced_in_keys_and_values_at_every_depth():
    message = one({"role": "user", "content": "a\ud83d", "x\udc00": [{"y": "\ud800"}], "name": "\ud83d\ude00"})

    assert message.content == (Text("a\ufffd"),)
    assert message.name == "😀"
    assert message.extras == {"openai-chat": {"keys": {"x\ufffd": [{"y": "\ufffd"}]}}}


def test_what_was_read_does_not_follow_later_changes_of_the_callers_objects():
    block = {"type": "zzz", "deep": [1]}
    message = one({"role": "user", "content": [block]})
    block["deep"].append(2)

    assert message.content == (Opaque(format="openai-chat", value={"type": "zzz", "deep": [1]}),)


@pytest.mark.parametrize("value", [{1, 2}, object(), b"x"])
def test_what_is_no_json_is_refused_with_its_path(value):
    with pytest.raises(BadRequest, match=r"\[0\]\.content"):
        read([{"role": "user", "content": value}])


def test_a_result_without_id_stays_a_result_without_id():
    message = one({"role": "tool", "content": "x"})

    assert message.result == ToolResult(call_id="", content=(Text("x"),))
    assert write_history([message], "openai-chat")["messages"] == [{"role": "tool", "content": "x"}]
