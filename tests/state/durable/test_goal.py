"""The goal: run contracts of the host, and goals that a call sets."""

import pytest

from turngraph import BadRequest, History, Message, ToolCall
from turngraph.state.durable import DurableState, Goal, hydrate, read_goal


def test_a_text_that_is_a_contract_in_json_gives_its_parts():  # dur-1
    text = '{"constraints":["cite evidence"],"objective":"review TP53","outputRequirements":["report"]}'

    assert read_goal(text).as_json() == {
        "objective": "review TP53",
        "constraints": ["cite evidence"],
        "output_requirements": ["report"],
        "raw": text,
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        pytest.param("  just text ", {"raw": "just text"}, id="dur-8"),
        pytest.param('{"a":1}', {"raw": '{"a":1}'}, id="other json"),
        pytest.param("{broken", {"raw": "{broken"}, id="no json"),
        pytest.param(
            {"objective": " x ", "constraints": "one"}, {"objective": "x", "constraints": ["one"]}, id="object"
        ),
    ],
)
def test_other_contracts_are_kept_as_they_are(given, wanted):
    assert read_goal(given).as_json() == wanted


@pytest.mark.parametrize("nothing", [None, "", "  \n", {}])
def test_a_blank_contract_is_no_goal(nothing):  # dur-8
    assert read_goal(nothing) is None


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (7, "run_contract"),
        (["x"], "run_contract"),
        ({"objective": 3}, "run_contract.objective"),
        ({"constraints": ["x"]}, "run_contract.objective"),
        ({"objective": "x", "constraints": [1]}, "run_contract.constraints"),
        ({"objective": "x", "deadline": "now"}, "run_contract.deadline"),
    ],
)
def test_a_wrong_contract_is_refused_with_its_path(given, path):
    with pytest.raises(BadRequest) as caught:
        read_goal(given)

    assert [item["path"] for item in caught.value.details["problems"]] == [path]


def sets(name, **arguments):
    call = ToolCall(id=name, name="run_contract", arguments=arguments)
    return [Message.assistant("", calls=[call]), Message.tool(name, "ok")]


def test_a_call_sets_the_goal_and_a_later_one_replaces_it():
    state = hydrate(History([*sets("1", objective="first"), *sets("2", objective="second")]))

    assert state.goal.as_json() == {"objective": "second", "sequence": 2}


def test_no_call_changes_the_goal_of_the_host():
    held = DurableState().with_goal(Goal(objective="agreed"))

    assert hydrate(History(sets("1", objective="other")), held).goal == Goal(objective="agreed")


def test_the_goal_of_the_host_replaces_that_of_a_call():
    set_by_call = hydrate(History(sets("1", objective="other")))

    assert set_by_call.with_goal(Goal(objective="agreed")).goal == Goal(objective="agreed")
    assert set_by_call.with_goal(None) is set_by_call


def test_a_goal_of_a_call_is_bounded():
    state = hydrate(History(sets("1", objective="x" * 4000)))

    assert state.goal.objective is None
    assert len(state.goal.raw) < 3100


def test_arguments_that_are_no_contract_set_nothing():
    assert hydrate(History(sets("1", task="x"))).goal is None
