"""Random documents of each format, legal and not, and random canonical messages."""

from hypothesis import strategies as st

from turngraph.state.messages import (
    File,
    Image,
    Message,
    Opaque,
    Origin,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    ["", " ", "[turngraph summary checkpoint]\nx", "data:image/png;base64,AA", "\u2028\u0085\0", "你好😀"]
)
word = st.sampled_from(["a", "b", "c1", "call:0", "", "summary", "名"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(text.filter(lambda key: key != "_raw"), json_values, max_size=3)
extras = st.none() | st.dictionaries(
    st.sampled_from(["x", "openai-chat", "anthropic"]), json_values, min_size=1, max_size=2
)
formats = st.sampled_from(["openai-chat", "anthropic", "openai-responses"])

# Canonical messages

texts = st.builds(Text, text, extras=extras)
sources = st.fixed_dictionaries({"data": text}) | st.fixed_dictionaries({"url": text})
images = st.builds(
    lambda source, **rest: Image(**source, **rest),
    source=sources,
    media_type=st.sampled_from(["", "image/png"]),
    width=st.none() | st.integers(1, 9),
    height=st.none() | st.integers(1, 9),
    extras=extras,
)
files = st.builds(
    lambda source, **rest: File(**source, **rest),
    source=sources,
    media_type=st.sampled_from(["", "audio/wav", "application/pdf"]),
    name=st.none() | text,
    extras=extras,
)
reasonings = st.builds(
    Reasoning,
    text=text,
    signature=st.none() | text,
    encrypted=st.none() | text,
    id=st.none() | text,
    extras=extras,
)
calls = st.builds(ToolCall, id=word, name=word, arguments=objects, extras=extras)


def opaques(values):
    """Opaque parts of foreign blocks, known and unknown ones."""
    return st.builds(Opaque, format=formats, value=values)


def dictionaries(required, optional=None):
    """Objects with these keys, some of them, and now and then an unknown one."""
    known = st.fixed_dictionaries(required, optional=optional or {})
    unknown = st.dictionaries(st.sampled_from(["zzz", "id", "cache_control"]), json_values, max_size=1)
    return st.builds(lambda more, given: {**more, **given}, unknown, known)


def odd(usual):
    """A value that is mostly as it should be."""
    return st.one_of(usual, usual, usual, json_values)


# OpenAI chat documents

openai_blocks = (
    dictionaries({"type": st.just("text"), "text": odd(text)})
    | dictionaries({"type": st.just("image_url"), "image_url": odd(dictionaries({"url": text}, {"detail": text}))})
    | dictionaries({"type": st.just("input_audio"), "input_audio": odd(dictionaries({"data": text, "format": word}))})
    | dictionaries(
        {
            "type": st.just("file"),
            "file": odd(dictionaries({}, {"file_data": text, "filename": odd(text), "file_id": text})),
        }
    )
    | dictionaries({"type": st.sampled_from(["refusal", "tool_use"]), "refusal": text})
    | json_values
)
argument_texts = (
    st.sampled_from(
        ["", "{}", '{"a": 1}', '{"a":1}', "[1]", "null", '{"cut": "off', '{"n":123456789012345678901}', ' {"a":1}']
    )
    | text
)
openai_calls = odd(
    dictionaries(
        {},
        {
            "id": odd(word),
            "type": odd(st.just("function")),
            "function": odd(dictionaries({"name": odd(word)}, {"arguments": odd(argument_texts)})),
        },
    )
    | dictionaries({"id": word, "type": st.just("custom"), "custom": odd(dictionaries({"name": word, "input": text}))})
)
openai_messages = dictionaries(
    {"role": odd(st.sampled_from(["system", "developer", "user", "assistant", "tool", "function"]))},
    {
        "content": odd(text | st.lists(openai_blocks, max_size=3) | st.none()),
        "name": odd(word),
        "tool_calls": odd(st.lists(openai_calls, max_size=3) | st.none()),
        "tool_call_id": odd(word),
        "function_call": odd(dictionaries({"name": word, "arguments": argument_texts})),
        "reasoning_content": odd(text),
        "reasoning": odd(text),
        "refusal": odd(text | st.none()),
        "audio": json_values,
        "additional_kwargs": odd(st.just({"tool_output": {"ref": "tool-output-0123456789abcdef"}})),
    },
)

# Anthropic documents

block_sources = odd(
    dictionaries({"type": st.just("base64"), "media_type": text, "data": text})
    | dictionaries({"type": st.just("url"), "url": text})
)
simple_blocks = (
    dictionaries({"type": st.just("text"), "text": odd(text)}, {"citations": json_values})
    | dictionaries({"type": st.just("image"), "source": block_sources})
    | dictionaries({"type": st.just("document"), "source": block_sources}, {"title": odd(text)})
    | dictionaries({"type": st.just("thinking"), "thinking": odd(text)}, {"signature": odd(text)})
    | dictionaries({"type": st.just("redacted_thinking"), "data": odd(text)})
    | dictionaries({"type": st.just("tool_use"), "id": odd(word), "name": odd(word)}, {"input": odd(objects)})
    | dictionaries({"type": st.sampled_from(["server_tool_use", "compaction"]), "data": text})
    | json_values
)
result_blocks = dictionaries(
    {"type": st.just("tool_result"), "tool_use_id": odd(word)},
    {
        "content": odd(text | st.lists(simple_blocks, max_size=2)),
        "is_error": odd(st.booleans()),
    },
)
anthropic_messages = dictionaries(
    {"role": odd(st.sampled_from(["user", "user", "assistant", "system"]))},
    {
        "content": odd(text | st.lists(simple_blocks | result_blocks, max_size=4)),
        "name": odd(word),
    },
)

# Our key in foreign messages, as hosts and accidents may leave it

key_values = (
    st.dictionaries(
        st.sampled_from(["id", "role", "name", "origin", "hidden", "extras", "content", "ref", "is_error", "call"]),
        st.sampled_from(
            ["user", "tool", "a", True, None, {"kind": "steer"}, [], [0], [{"of": 0}], [{"of": 0, "text": "x"}]]
        )
        | st.lists(
            st.integers(-1, 3)
            | dictionaries(
                {"type": st.sampled_from(["text", "tool_call", "opaque"])}, {"text": text, "of": st.integers(0, 1)}
            ),
            max_size=2,
        ),
        max_size=3,
    )
    | st.fixed_dictionaries({"messages": st.lists(st.fixed_dictionaries({"id": word, "call": word}), max_size=3)})
    | (json_values)
)

# Canonical messages again, now that foreign blocks are known

inner_parts = texts | images | files | reasonings | opaques(json_values | openai_blocks | simple_blocks | result_blocks)
results = st.builds(
    ToolResult,
    call_id=word,
    content=st.lists(inner_parts, max_size=3).map(tuple) | texts.map(lambda part: (part,)),
    is_error=st.booleans(),
    ref=st.none() | st.just("tool-output-0123456789abcdef"),
    interim=st.booleans(),
    extras=extras,
)
origins = st.builds(
    Origin,
    st.sampled_from(["prompt", "steer", "assistant", "tool", "injection", "checkpoint", "contribution", "unknown"]),
    st.none() | st.dictionaries(text.filter(lambda key: key != "kind"), json_values, min_size=1, max_size=2),
)


def _message(role, content, **rest):
    return Message(
        role=role, content=tuple(content), **{key: value for key, value in rest.items() if value is not None}
    )


def _messages(role, content):
    return st.builds(
        _message,
        st.just(role),
        content,
        id=st.none() | word.filter(bool),
        name=st.none() | word,
        origin=st.none() | origins,
        hidden=st.booleans(),
        extras=extras,
    )


canonical_messages = st.one_of(
    _messages("system", st.lists(inner_parts, max_size=3)),
    _messages("user", st.lists(inner_parts, max_size=3)),
    _messages("assistant", st.lists(inner_parts | calls, max_size=4)),
    _messages("tool", results.map(lambda part: [part])),
)
