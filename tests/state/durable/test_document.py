"""The JSON form: back and forth, and what is refused."""

import json

import pytest
from hypothesis import given

from turngraph import BadRequest
from turngraph.state.durable import DurableRules, DurableState, Goal, SkillCatalogue

from .conversations import operations, played


@given(operations)
def test_a_state_survives_json(script):
    run = played(script, DurableRules(failures=("delegations",)))
    state = run.boundary.state.with_goal(Goal(objective="g", raw="G"))

    assert DurableState.from_json(json.loads(json.dumps(state.as_json()))) == state


def test_the_version_alone_is_the_empty_state():
    assert DurableState.from_json({"version": 1}) == DurableState()


def test_what_the_pressure_handling_remembers_travels_beside_it():
    assert DurableState.from_json({"version": 1, "pressure": {"version": 1}}) == DurableState()


def record(**more):
    base = {"args": {}, "call_id": "c", "message_id": "m", "result": 1, "sequence": 9, "status": "succeeded"}
    return base | {"tool_name": "task"} | more


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, "durable"),
        ([], "durable"),
        ({}, "durable.version"),
        ({"version": 2}, "durable.version"),
        ({"version": 1, "more": 1}, "durable.more"),
        ({"version": 1, "sequence": -1}, "durable.sequence"),
        ({"version": 1, "seen": [1]}, "durable.seen[0]"),
        ({"version": 1, "open": [{"message_id": "m", "sequence": 1, "waiting": []}]}, "durable.open[0].waiting"),
        ({"version": 1, "channels": {"other": {}}}, "durable.channels.other"),
        ({"version": 1, "channels": {"plan": {"items": []}}}, "durable.channels.plan.message_id"),
        (
            {"version": 1, "channels": {"memory": {"records": [record(status="odd")]}}},
            "durable.channels.memory.records[0].status",
        ),
        (
            {"version": 1, "channels": {"memory": {"records": [record(args=[])]}}},
            "durable.channels.memory.records[0].args",
        ),
    ],
)
def test_foreign_input_is_refused_with_the_path(value, path):
    with pytest.raises(BadRequest) as caught:
        DurableState.from_json(value)

    assert path in [item["path"] for item in caught.value.details["problems"]]


def test_all_problems_are_named_at_once():
    value = {"version": 1, "sequence": "x", "channels": {"skills": [{"id": 3}]}}

    with pytest.raises(BadRequest) as caught:
        DurableState.from_json(value, "state")

    paths = {item["path"] for item in caught.value.details["problems"]}
    assert {"state.sequence", "state.channels.skills[0].id"} <= paths


def test_a_number_that_a_record_has_is_not_given_again():
    value = {"version": 1, "sequence": 2, "channels": {"memory": {"records": [record(sequence=9)]}}}

    assert DurableState.from_json(value).sequence == 9


def test_records_that_come_unsorted_are_sorted():
    value = {"version": 1, "channels": {"memory": {"records": [record(sequence=9), record(sequence=3, call_id="d")]}}}

    assert [item.sequence for item in DurableState.from_json(value).memory.records] == [3, 9]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("x", "skills"),
        ([1], "skills[0]"),
        ([{"description": "x"}], "skills[0].id"),
        ([{"id": "a", "description": 1}], "skills[0].description"),
        ([{"id": "a", "revision": 1.5}], "skills[0].revision"),
        ([{"id": "a", "revision": True}], "skills[0].revision"),
        ([{"id": "a", "body": "x"}], "skills[0].body"),
        ([{"id": " "}], "skills[0].id"),
        ([{"id": "a"}, {"id": "a"}], "skills[1].id"),
    ],
)
def test_a_wrong_catalogue_is_refused_with_the_path(value, path):
    with pytest.raises(BadRequest) as caught:
        SkillCatalogue.from_json(value)

    assert [item["path"] for item in caught.value.details["problems"]] == [path]


def test_a_catalogue_keeps_its_order():
    catalogue = SkillCatalogue.from_json([{"id": "b", "description": "two", "revision": "2"}, {"id": "a"}])

    assert [skill.id for skill in catalogue] == ["b", "a"]
    assert (catalogue.revision_of("b"), catalogue.revision_of("none")) == ("2", None)
    assert len(SkillCatalogue.from_json(None)) == 0
