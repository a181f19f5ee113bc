"""The scripted double, and the `summarizer` field of a request."""

import pytest

from turngraph.nodes.summarisers import (
    ExtractiveSummarizer,
    Hangs,
    ScriptedFailure,
    ScriptedReply,
    ScriptedSummarizer,
    ScriptExhausted,
    SourceTooLong,
    SummaryReply,
    SummaryRequest,
    summarizer_from_json,
)
from turngraph.state.errors import BadRequest, UnknownSummarizer

REQUEST = SummaryRequest(steps=[], previous=None, max_tokens=10)


def read(value):
    return summarizer_from_json(value, len)


def test_answers_come_in_the_order_of_the_script_and_requests_are_recorded():
    summarizer = read({"kind": "scripted", "replies": ["one", {"text": "two", "finish_reason": "length"}]})

    assert summarizer.name == "scripted"
    assert summarizer.window_tokens is None
    assert summarizer.summarize(REQUEST) == SummaryReply(text="one")
    assert summarizer.summarize(REQUEST) == SummaryReply(text="two", finish_reason="length")
    assert summarizer.requests == [REQUEST, REQUEST]


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        ({"error": "down"}, ScriptedFailure, "down"),
        ({"overflow": True}, SourceTooLong, "too long"),
        ({"hang": True}, Hangs, "never answers"),
    ],
)
def test_a_script_can_fail_ask_for_less_or_hang(reply, error, message):
    summarizer = read({"kind": "scripted", "replies": [reply, "fine"]})

    with pytest.raises(error, match=message):
        summarizer.summarize(REQUEST)
    assert summarizer.summarize(REQUEST).text == "fine"


def test_none_left_is_an_error():
    summarizer = ScriptedSummarizer([ScriptedReply(text="x")])
    summarizer.summarize(REQUEST)

    with pytest.raises(ScriptExhausted, match="holds 1 replies; this is request 2"):
        summarizer.summarize(REQUEST)


def test_the_other_kinds():
    assert isinstance(read({"kind": "extractive"}), ExtractiveSummarizer)
    assert read({"kind": "none"}) is None
    assert isinstance(read({"kind": "scripted", "replies": []}), ScriptedSummarizer)


def test_an_unknown_kind_names_the_known_ones():
    with pytest.raises(UnknownSummarizer, match="'gpt'; known kinds are extractive, scripted, none") as caught:
        read({"kind": "gpt"})
    assert caught.value.details == {"kind": "gpt", "known": ["extractive", "scripted", "none"]}


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("extractive", [("summarizer", "must be an object with a `kind`")]),
        ({}, [("summarizer.kind", "must be one of extractive, scripted, none")]),
        ({"kind": 3}, [("summarizer.kind", "must be one of extractive, scripted, none")]),
        ({"kind": "none", "replies": []}, [("summarizer.replies", "is no field of the kind 'none'")]),
        ({"kind": "scripted"}, [("summarizer.replies", "must be a list of strings and objects")]),
        ({"kind": "scripted", "replies": "x"}, [("summarizer.replies", "must be a list of strings and objects")]),
        (
            {"kind": "scripted", "replies": ["a", 3, {}, {"text": "a", "hang": True}], "model": "x"},
            [
                ("summarizer.model", "is no field of the kind 'scripted'"),
                ("summarizer.replies[1]", "must be a string or an object"),
                ("summarizer.replies[2]", "must have exactly one of text, error, overflow, hang"),
                ("summarizer.replies[3]", "must have exactly one of text, error, overflow, hang"),
            ],
        ),
        (
            {
                "kind": "scripted",
                "replies": [
                    {"text": 3},
                    {"error": "x", "finish_reason": "stop"},
                    {"overflow": False},
                    {"text": "x", "why": 1},
                    {"text": "x", "finish_reason": 4},
                ],
            },
            [
                ("summarizer.replies[0].text", "must be a string"),
                ("summarizer.replies[1].finish_reason", "goes with text only"),
                ("summarizer.replies[2].overflow", "must be true"),
                ("summarizer.replies[3].why", "is no field of a reply"),
                ("summarizer.replies[4].finish_reason", "must be a string"),
            ],
        ),
    ],
)
def test_wrong_fields_are_named_all_at_once(value, problems):
    with pytest.raises(BadRequest) as caught:
        read(value)

    found = caught.value.details["problems"]
    assert [(item["path"], item["problem"]) for item in found] == problems
    assert all(path in caught.value.message for path, _ in problems)


def test_a_problem_holds_the_value():
    with pytest.raises(BadRequest) as caught:
        read({"kind": "scripted", "replies": [7]})

    assert caught.value.details["problems"] == [
        {"path": "summarizer.replies[0]", "value": 7, "problem": "must be a string or an object"}
    ]
