"""Request bodies: what only one of the APIs asks for."""

import pytest

from turngraph.state.formats import read, write_body
from turngraph.state.messages import File, Image, Message, Opaque, Reasoning, Text, ToolCall, ToolResult

from .helpers import said

PNG = Image(media_type="image/png", data="iVBORw0KGgo=")


def openai(messages, system=""):
    return write_body(system, messages, [], "openai-chat")


def anthropic(messages, system=""):
    return write_body(system, messages, [], "anthropic")


def exchange(*content, is_error=False, id="c"):
    """A call and its result of these parts."""
    result = ToolResult(call_id=id, content=tuple(content), is_error=is_error)
    return [
        Message.user("q"),
        Message.assistant("", calls=[ToolCall(id=id, name="f", arguments={})]),
        Message(role="tool", content=(result,)),
    ]


# OpenAI


def test_images_of_results_are_moved_behind_the_batch():
    messages = exchange(Text("see"), PNG)
    messages += [Message.user("next")]
    body = openai(messages)

    assert body.value["messages"][2:] == [
        {"role": "tool", "tool_call_id": "c", "content": "see"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "From the result of call c:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            ],
        },
        {"role": "user", "content": "next"},
    ]
    assert said(body.diagnostics) == ["images of a result are moved into a user message behind the results"]


def test_a_result_of_an_image_alone_says_where_it_is():
    assert openai(exchange(PNG)).value["messages"][2]["content"] == "(see the message that follows the tool results)"


def test_a_result_without_content_is_an_empty_text():
    assert openai(exchange()).value["messages"][2]["content"] == ""


def test_content_is_null_beside_calls_alone():
    assert openai(exchange(Text("r"))).value["messages"][1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }


def test_long_ids_are_shortened_the_same_way_each_time():
    messages = exchange(Text("r"), id="c" * 64)
    (entry,) = openai(messages).value["messages"][1]["tool_calls"]

    assert len(entry["id"]) == 40
    assert openai(messages).value == openai(messages).value
    assert openai(messages).value["messages"][2]["tool_call_id"] == entry["id"]


def test_reasoning_goes_back_to_where_it_came_from_only():
    own = read([{"role": "assistant", "content": "a", "reasoning_content": "r"}]).messages[0]
    other = Message(role="assistant", content=(Reasoning(text="t", signature="s"), Text("a")))

    assert openai([Message.user("q"), own]).value["messages"][1] == {
        "role": "assistant",
        "content": "a",
        "reasoning_content": "r",
    }
    assert openai([Message.user("q"), other]).value["messages"][1] == {"role": "assistant", "content": "a"}


def test_legacy_functions_go_out_as_tools():
    messages = read(
        [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "r"},
        ]
    ).messages

    assert openai(messages).value["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "f", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "name": "f", "tool_call_id": "f", "content": "r"},
    ]


def test_a_name_that_is_refused_is_left_out():
    body = openai([Message.user("hi", name="my name")])

    assert body.value["messages"] == [{"role": "user", "content": "hi"}]
    assert len(body.diagnostics) == 1


def test_the_name_of_a_checkpoint_goes_out():
    assert openai([Message.user("hi", name="summary")]).value["messages"] == [
        {"role": "user", "name": "summary", "content": "hi"}
    ]


def test_custom_calls_audio_and_details_stay_as_they_are():
    given = [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "u", "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "n", "input": "x"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "r"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "developer", "content": "later"},
    ]

    body = openai(read(given, "openai").messages)
    assert body.value["messages"] == given
    assert body.diagnostics == []


def test_media_that_chat_does_not_take_there_is_left_out():
    messages = [
        Message.user([Text("a"), File(media_type="application/pdf", url="https://example.org/a.pdf")]),
        Message(role="assistant", content=(PNG, Text("b"))),
        Message(role="system", content=(PNG, Text("c"))),
    ]

    assert [message["content"] for message in openai(messages).value["messages"]] == ["a", "b", "c"]


# Anthropic


def test_neighbours_of_one_role_are_one_message():
    messages = [
        Message.user("a"),
        Message.user("b"),
        Message.assistant("c"),
        Message.assistant("d"),
        Message(role="system", content=(Text("e"),)),
    ]
    body = anthropic(messages)

    assert [
        (message["role"], [block["text"] for block in message["content"]]) for message in body.value["messages"][:2]
    ] == [
        ("user", ["a", "b"]),
        ("assistant", ["c", "d"]),
    ]
    assert body.value["messages"][2] == {"role": "user", "content": "e"}
    assert said(body.diagnostics) == ["a system message inside the conversation goes out as a user message"]


def test_ids_of_other_systems_are_rewritten_with_their_results():
    messages = exchange(Text("r"), id="bash:0") + exchange(Text("r"), id="bash_0")
    body = anthropic(messages)
    ids = [
        block.get("id") or block.get("tool_use_id")
        for message in body.value["messages"]
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block["type"] != "text"
    ]

    assert ids == ["bash_0", "bash_0", "bash_0-2", "bash_0-2"]


def test_only_signed_and_redacted_thinking_goes_out():
    content = (
        Reasoning(text="unsigned"),
        Reasoning(text="signed", signature="s"),
        Reasoning(text="", encrypted="e", id="rs"),
        Reasoning(encrypted="e", extras={"anthropic": {"type": "redacted_thinking"}}),
        Text("a"),
    )
    body = anthropic([Message.user("q"), Message(role="assistant", content=content)])

    assert body.value["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "signed", "signature": "s"},
        {"type": "redacted_thinking", "data": "e"},
        {"type": "text", "text": "a"},
    ]
    assert said(body.diagnostics) == [
        "a part (reasoning) that the format cannot carry here is left out (2 times, the first named)"
    ]


def test_thinking_at_the_end_of_a_message_is_left_out():
    messages = [
        Message.user("q"),
        Message(role="assistant", content=(Text("a"), Reasoning(text="t", signature="s"))),
        Message.user("r"),
        Message(role="assistant", content=(Reasoning(text="t", signature="s"),)),
    ]

    assert [message["content"] for message in anthropic(messages).value["messages"]] == ["q", "a", "r"]


def test_blank_texts_are_left_out():
    messages = [Message.user("  \n"), Message.user([Text("a"), Text(" ")]), Message.assistant("\n")]

    assert anthropic(messages).value["messages"] == [{"role": "user", "content": "a"}]


@pytest.mark.parametrize(
    ("content", "is_error", "written"),
    [
        ((), False, {"content": ""}),
        ((Text(""),), False, {"content": ""}),
        ((), True, {"content": "(no output)", "is_error": True}),
        ((Text("r"),), True, {"content": "r", "is_error": True}),
        (
            (Text("r"), PNG),
            False,
            {
                "content": [
                    {"type": "text", "text": "r"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
                    },
                ]
            },
        ),
    ],
)
def test_results_are_written_so_that_they_are_taken(content, is_error, written):
    (block,) = anthropic(exchange(*content, is_error=is_error)).value["messages"][2]["content"]

    assert block == {"type": "tool_result", "tool_use_id": "c", **written}


def test_files_go_out_as_documents_where_that_is_possible():
    content = [
        File(media_type="application/pdf", data="AA==", name="a.pdf"),
        File(media_type="text/markdown", data="aGk="),
        File(media_type="application/zip", data="AA=="),
        File(url="https://example.org/a.pdf"),
        Image(data="/9j/4AAQ"),
    ]

    assert [block["source"] for block in anthropic([Message.user(content)]).value["messages"][0]["content"]] == [
        {"type": "base64", "media_type": "application/pdf", "data": "AA=="},
        {"type": "text", "media_type": "text/plain", "data": "hi"},
        {"type": "url", "url": "https://example.org/a.pdf"},
        {"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQ"},
    ]


def test_a_conversation_that_the_model_begins_is_reported():
    body = anthropic([Message.assistant("hello"), Message.user("hi")])

    assert [(one.severity, one.code) for one in body.diagnostics] == [("error", "PROJECTION_REPAIRED")]


def test_blocks_of_its_own_go_back_and_cache_marks_with_them():
    given = [
        {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}]},
        {"role": "assistant", "content": [{"type": "compaction", "content": "…"}, {"type": "text", "text": "a"}]},
    ]
    body = anthropic(read(given, "anthropic").messages)

    assert body.value["messages"] == given
    assert body.diagnostics == []


def test_an_opaque_value_that_is_no_block_is_left_out():
    messages = [Message.user([Opaque(format="anthropic", value=None), Text("a")])]

    assert anthropic(messages).value["messages"] == [{"role": "user", "content": "a"}]
