"""The published schemas say what the reader does."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from turngraph.state.errors import TurngraphError
from turngraph.state.request import AssemblyRequest, read_request
from turngraph.state.result import AssemblyResult
from turngraph.state.schema import published

REF = "tool-output-0123456789abcdef"
FULL = {
    "version": 1,
    "history": {"format": "openai-chat", "messages": [{"role": "user", "content": "hi"}], "system": "You help."},
    "sections": [
        {"id": "identity", "slot": "identity", "content": "x", "protected": True, "order": 0, "scopes": ["main"]}
    ],
    "attachments": [{"id": "memory", "source": "memory", "trust": "untrusted_data", "content": "x"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "note"}], "name": "ann"}],
    "tools": [{"name": "search", "description": "find", "parameters": {"type": "object"}, "deferred": False}],
    "budget": {"model_max_tokens": 8000, "window_rounds": None, "per_source": {"history": 100}},
    "mode": "dynamic",
    "scope": "main",
    "context_id": "default",
    "turn": {"number": 1, "first_step_of_turn": True},
    "counter": "conservative",
    "run_contract": None,
    "skills": [],
    "durable": {"version": 1, "pressure": {"version": 1}},
    "summarizer": {"kind": "scripted", "replies": ["x", {"text": "y"}, {"error": "z"}, {"overflow": True}]},
    "model": {
        "kind": "scripted",
        "responses": [{"text": "x", "calls": [{"name": "search", "arguments": {}}]}, {"error": {"status": 429}}],
    },
    "outputs": {"kind": "memory", "items": {REF: "whole"}},
    "recovery": {"attempt": 1, "reason": "model-input-overflow", "limit": 5000, "failed_tokens": 6000},
    "deadline_s": 2.5,
}
REQUEST_SCHEMA = published(AssemblyRequest, identifier="urn:x", title="AssemblyRequest")
CHECK = Draft202012Validator(REQUEST_SCHEMA)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*path, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from places(item, (*path, at))


def opaque(path):
    """Places whose content belongs to somebody else: a provider, or us alone."""
    return path[:2] in {("history", "messages"), ("history", "system"), ("durable", "pressure")} or (
        path[:1] == ("history",) and path[-1] == "format"
    )


PLACES = [path for path in places(FULL) if path and not opaque(path)]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200_000),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from(["", "x", "a..b", "identity", "Main", "scripted", "../x", "magic", "kind"]),
    st.just([]),
    st.just({}),
    st.just([1]),
    st.just({"x": 1}),
    st.just({"kind": "none"}),
)


def changed(path, value):
    document = copy.deepcopy(FULL)
    here = document
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return document


def accepted(document):
    try:
        read_request(document)
    except TurngraphError:
        return False
    return True


def test_the_full_request_is_accepted_by_both():
    assert accepted(FULL)
    assert CHECK.is_valid(FULL)


@settings(max_examples=600, deadline=None)
@given(path=st.sampled_from(PLACES), value=VALUES)
def test_the_schema_and_the_reader_agree_on_every_field(path, value):
    """Beyond types stand only: the range of a budget value, the role of a message, the words of mode and counter."""
    document = changed(path, value)

    assert accepted(document) == CHECK.is_valid(document) or elsewhere(path, document)


def elsewhere(path, document):
    if path[0] == "budget":
        return accepted(document)
    if path[:1] == ("messages",):
        return document["messages"][0].get("role") != "user"
    return False


@pytest.mark.parametrize("path", [path for path in PLACES if isinstance(path[-1], str)])
def test_an_unknown_field_beside_any_other_is_refused_by_both(path):
    document = changed((*path[:-1], "surprise"), 1)
    free = {"parameters", "arguments", "extras", "usage"}

    if not free & set(map(str, path[:-1])):
        assert not accepted(document)
        assert not CHECK.is_valid(document)


@pytest.mark.parametrize("model", [AssemblyRequest, AssemblyResult])
def test_a_published_schema_is_a_schema_and_describes_every_field(model):
    schema = published(model, identifier="urn:x", title=model.__name__)
    Draft202012Validator.check_schema(schema)

    shapes = [schema, *schema["$defs"].values()]
    bare = [
        f"{shape['title']}.{name}"
        for shape in shapes
        for name, field in shape.get("properties", {}).items()
        if not field.get("description")
    ]
    assert bare == []
    assert [shape["title"] for shape in shapes if not shape["description"]] == []


def test_a_schema_is_the_same_every_time():
    again = published(AssemblyRequest, identifier="urn:x", title="AssemblyRequest")

    assert again == REQUEST_SCHEMA
    assert list(again) == list(REQUEST_SCHEMA)
