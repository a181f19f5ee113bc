"""Nothing is lost between a foreign document and canonical messages, in either direction."""

from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph.state.errors import BadRequest
from turngraph.state.formats import (
    message_from_json,
    message_to_json,
    read,
    read_path,
    write_body,
    write_history,
)
from turngraph.state.messages import Message

from .strategies import anthropic_messages, canonical_messages, json_values, key_values, openai_messages

EXAMPLES = 40
FOREIGN = {"openai-chat": openai_messages, "anthropic": anthropic_messages}


def bare(messages):
    """Leave out the key that we add."""
    return [{key: value for key, value in message.items() if key != "turngraph"} for message in messages]


def numbered(messages):
    return [message.with_id(f"m{place}") for place, message in enumerate(messages)]


@pytest.mark.parametrize("format", list(FOREIGN))
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_a_foreign_document_comes_back_as_it_was(format, data):
    document = data.draw(st.lists(FOREIGN[format], max_size=4))
    messages = read(document, format).messages

    assert write_history(messages, format)["messages"] == document
    assert bare(write_history(numbered(messages), format)["messages"]) == document


@pytest.mark.parametrize("format", ["turngraph", "openai-chat", "anthropic"])
@settings(max_examples=EXAMPLES, deadline=None)
@given(messages=st.lists(canonical_messages, max_size=4))
def test_canonical_messages_come_back_equal(format, messages):
    written = write_history(messages, format)["messages"]

    assert read(written, format).messages == messages
    assert read(orjson.loads(orjson.dumps(written)), format).messages == messages


@pytest.mark.parametrize("source", list(FOREIGN))
@pytest.mark.parametrize("target", ["turngraph", "openai-chat", "anthropic"])
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_a_document_of_one_format_travels_through_another(source, target, data):
    document = data.draw(st.lists(FOREIGN[source], max_size=4))
    messages = read(document, source).messages
    through = read(write_history(messages, target)["messages"], target).messages

    assert through == messages
    assert write_history(through, source)["messages"] == document


@settings(max_examples=EXAMPLES, deadline=None)
@given(messages=st.lists(canonical_messages, max_size=4), data=st.data())
def test_shape_facts_do_not_outlive_the_content_that_they_describe(messages, data):
    format = data.draw(st.sampled_from(list(FOREIGN)))
    foreign = read(data.draw(st.lists(FOREIGN[format], min_size=1, max_size=4)), format).messages
    mixed = [
        replace(message, extras=data.draw(st.sampled_from(foreign)).extras)
        for message in data.draw(st.permutations([*messages, *foreign]))
    ]

    assert read(write_history(mixed, format)["messages"], format).messages == mixed


@pytest.mark.parametrize("format", list(FOREIGN))
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_any_key_is_refused_or_gives_messages_that_are_whole(format, data):
    document = data.draw(st.lists(FOREIGN[format], min_size=1, max_size=3))
    for message in document:
        message["turngraph"] = data.draw(key_values)
    try:
        messages = read(document, format).messages
    except BadRequest:
        return

    assert [message_from_json(message_to_json(message)) for message in messages] == messages
    assert read(write_history(messages, format)["messages"], format).messages == messages


@settings(max_examples=EXAMPLES, deadline=None)
@given(message=canonical_messages)
def test_our_own_json_is_read_back_equal(message):
    assert message_from_json(orjson.loads(orjson.dumps(message_to_json(message)))) == message


@settings(deadline=None)
@given(system=json_values)
def test_the_system_text_beside_the_list_comes_back_in_place(system):
    reading = read([{"role": "user", "content": "hi"}], "anthropic", system=system)
    written = write_history(reading.messages, "anthropic", system=reading.system)

    assert written.get("system") == system


def overwrite(value):
    """Empty every container in a JSON value."""
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            overwrite(inner)
    value.clear()


@settings(max_examples=EXAMPLES, deadline=None)
@given(messages=st.lists(canonical_messages, max_size=4), format=st.sampled_from(["turngraph", *FOREIGN]))
def test_what_is_written_may_be_changed_by_its_receiver(messages, format):
    before = orjson.loads(orjson.dumps([message_to_json(message) for message in messages]))
    overwrite(write_history(messages, format))
    for target in FOREIGN:
        overwrite(write_body("", messages, [], target).value)

    assert [message_to_json(message) for message in messages] == before
    assert read(write_history(messages, format)["messages"], format).messages == messages


def test_a_transcript_that_is_only_read_is_written_as_our_own_format():
    message = Message.user("hi", id="m0")

    assert write_history([message], "codex") == {"format": "turngraph", "messages": [message_to_json(message)]}


def test_json_text_of_numbers_over_64_bits_keeps_them(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role": "assistant", "content": null, "n": 123456789012345678901234567890}\n')

    assert write_history(read_path(path).messages, "openai-chat")["messages"] == [
        {"role": "assistant", "content": None, "n": 123456789012345678901234567890}
    ]
