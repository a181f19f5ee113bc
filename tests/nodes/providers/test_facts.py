"""The input of `explain-error`: what it takes, and that everything wrong with it is told at once."""

import pytest

from turngraph import BadRequest
from turngraph.nodes.providers import ErrorFacts, facts_from_json


def problems(value):
    with pytest.raises(BadRequest) as caught:
        facts_from_json(value)
    return {item["path"]: item["problem"] for item in caught.value.details["problems"]}


def test_every_field_is_taken():
    given = {
        "status": 400,
        "body": {"error": "x"},
        "message": "m",
        "provider": "p",
        "operation": "o",
        "estimate": 0,
        "limit": 1,
        "source": "tool",
        "code": 7,
        "type": "t",
    }
    assert facts_from_json(given) == ErrorFacts(
        status=400,
        body={"error": "x"},
        message="m",
        provider="p",
        operation="o",
        estimate=0,
        limit=1,
        source="tool",
        codes=("7", "t"),
    )


def test_null_is_absence():
    assert facts_from_json({"status": 500, "body": None, "message": None, "source": None}) == ErrorFacts(status=500)


def test_all_problems_are_told_at_once():
    wrong = {
        "status": "400",
        "message": 5,
        "estimate": -1,
        "limit": 0,
        "source": "user",
        "colour": "red",
        "provider": [],
    }
    assert set(problems(wrong)) == set(wrong)


@pytest.mark.parametrize("status", [True, 99, 1000, 4.0, "x"])
def test_a_status_is_a_three_digit_integer(status):
    assert list(problems({"status": status})) == ["status"]


@pytest.mark.parametrize("value", [{}, {"provider": "openai"}, {"body": None}])
def test_an_error_says_something(value):
    assert problems(value) == {"": "needs a body or a message, or at least a status"}


@pytest.mark.parametrize("value", [[], "x", None, 5])
def test_the_input_is_an_object(value):
    assert problems(value) == {"": "must be an object"}
