"""The plan: whole snapshots, their limits, and how long ago it was updated."""

import pytest
from hypothesis import given

from turngraph import BadRequest, History, Message, ToolCall
from turngraph.state.durable import (
    UPDATE_PLAN,
    DurableState,
    Plan,
    PlanItem,
    PlanObserver,
    hydrate,
    plan_progress,
    read_plan,
)

from .conversations import hydrated, operations, played

ANALYZE = {"step": "Analyze evidence", "status": "in_progress"}


def asks(name, tool, id="", **arguments):
    return Message.assistant("", calls=[ToolCall(id=name, name=tool, arguments=arguments)], id=id)


def test_texts_are_trimmed_and_foreign_fields_passed_over():  # plan-5
    found = read_plan({"explanation": " why ", "plan": [{"step": " x ", "status": "pending", "id": 7}], "more": 1})

    assert (found.explanation, found.items) == ("why", (PlanItem(step="x", status="pending"),))


def test_an_empty_list_clears_the_plan():  # plan-5
    history = History(
        [asks("1", "update_plan", plan=[ANALYZE]), Message.tool("1", "ok"), asks("2", "update_plan", plan=[])]
    )

    cleared = hydrate(history.append(Message.tool("2", "ok")))

    assert hydrate(history).plan.items[0].step == "Analyze evidence"
    assert (cleared.plan.items, bool(cleared.plan)) == ((), False)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"plan": [ANALYZE] * 21}, "plan"),
        ({"plan": [{"step": "  ", "status": "pending"}]}, "plan[0].step"),
        ({"plan": [ANALYZE, {"step": "x" * 1001, "status": "pending"}]}, "plan[1].step"),
        ({"plan": [{"step": "x", "status": "done"}]}, "plan[0].status"),
        ({"plan": [{"step": "x"}]}, "plan[0].status"),
        ({"plan": [ANALYZE], "explanation": "x" * 2001}, "explanation"),
        ({"plan": [ANALYZE], "explanation": 3}, "explanation"),
        ({"plan": "x"}, "plan"),
        ({}, "plan"),
    ],
)
def test_what_the_limits_forbid_is_refused_with_its_path_and_changes_nothing(arguments, path):  # plan-5
    history = History([asks("1", "update_plan", **arguments), Message.tool("1", "ok")])

    with pytest.raises(BadRequest) as caught:
        read_plan(arguments)

    assert [item["path"] for item in caught.value.details["problems"]] == [path]
    assert hydrate(history).plan is None


def test_the_limits_themselves_are_allowed():
    found = read_plan({"plan": [{"step": "x" * 1000, "status": "completed"}] * 20, "explanation": "y" * 2000})

    assert (len(found.items), len(found.explanation)) == (20, 2000)


def test_the_tool_says_the_limits():
    properties = UPDATE_PLAN.parameters["properties"]

    assert (properties["explanation"]["maxLength"], properties["plan"]["maxItems"]) == (2000, 20)
    assert properties["plan"]["items"]["properties"]["step"]["maxLength"] == 1000


def test_an_answer_that_says_superseded_sets_no_plan():
    history = History(
        [
            asks("1", "update_plan", plan=[ANALYZE]),
            Message.tool("1", '{"ok":true,"superseded":true,"supersededBy":"2"}'),
        ]
    )

    assert hydrate(history).plan is None


# ---- progress


def planned(**more):
    return Plan(
        items=(PlanItem(step="Analyze evidence"),), call_id="plan-1", sequence=1, **({"message_id": "p"} | more)
    )


def test_steps_and_results_since_the_update_are_counted():  # plan-1
    history = History(
        [
            asks("plan-1", "update_plan", "p", plan=[ANALYZE]),
            Message.tool("plan-1", "ok"),
            asks("search-1", "web_search"),
            Message.tool("search-1", "found"),
            Message.assistant("Interim reasoning"),
        ]
    )

    seen = plan_progress(history, planned(updated_at="2026-09-09T00:00:00.000Z"), turn=3)

    assert seen.as_json() == {
        "agentId": "main",
        "toolCallId": "plan-1",
        "updatedAt": "2026-09-09T00:00:00.000Z",
        "currentModelTurn": 3,
        "anchorFound": True,
        "modelStepsSinceUpdate": 2,
        "toolResultsSinceUpdate": 1,
    }


def test_the_answer_of_the_update_itself_does_not_count():  # plan-3
    history = History([asks("plan-1", "update_plan", "p", plan=[ANALYZE]), Message.tool("plan-1", "ok")])

    seen = plan_progress(history, planned(), turn=2, agent_id="reviewer")

    assert (seen.model_steps_since_update, seen.tool_results_since_update) == (0, 0)
    assert (seen.agent_id, "updatedAt" in seen.as_json()) == ("reviewer", False)


@pytest.mark.parametrize(
    "history",
    [
        pytest.param(History(), id="folded"),
        pytest.param(History([asks("other", "update_plan", "p")]), id="another call"),
    ],
)
def test_without_its_call_there_are_no_counters(history):
    seen = plan_progress(history, planned(), turn=2).as_json()

    assert seen == {"agentId": "main", "toolCallId": "plan-1", "currentModelTurn": 2, "anchorFound": False}


def test_a_call_id_that_comes_again_for_another_tool_counts():
    history = History(
        [
            asks("plan-1", "update_plan", "p", plan=[ANALYZE]),
            Message.tool("plan-1", "ok"),
            asks("plan-1", "bash"),
            Message.tool("plan-1", "listing"),
            Message.tool("nobody", "an orphan"),
        ]
    )

    assert plan_progress(history, planned(), turn=2).tool_results_since_update == 1


def test_a_newer_update_is_counted_from_anew():
    observer = PlanObserver()
    history = History([asks("1", "update_plan", plan=[ANALYZE]), Message.tool("1", "ok"), Message.assistant("hm")])
    longer = history.append(asks("2", "update_plan", plan=[ANALYZE]), Message.tool("2", "ok"))

    before = observer.observe(history, hydrate(history).plan, turn=1)
    after = observer.observe(longer, hydrate(longer).plan, turn=2)

    assert (before.model_steps_since_update, after.model_steps_since_update) == (1, 0)


@given(operations)
def test_observing_turn_by_turn_counts_what_observing_once_counts(script):
    run, observer = played(script, unique=True), PlanObserver()
    state = DurableState()
    for turn, history in enumerate(run.stages):
        state = hydrated(history, state)
        if state.plan is not None:
            stepwise = observer.observe(history, state.plan, turn=turn)

            assert stepwise == plan_progress(history, state.plan, turn=turn)
            assert stepwise == counted_by_hand(history, state.plan, turn)


def counted_by_hand(history, plan, turn):
    from dataclasses import replace

    behind = plan_progress(History(), plan, turn=turn)
    anchor = history.find(plan.message_id)
    steps = [step for step in history.steps() if history[step.head].role == "assistant"]
    results = [
        position
        for step in steps
        for call, position in zip(history[step.head].calls, history.answers_of(step), strict=True)
        if position is not None
        and position > anchor
        and call.name != "update_plan"
        and not history[position].result.interim
    ]
    later = [step for step in steps if step.head > anchor]
    return replace(
        behind, anchor_found=True, model_steps_since_update=len(later), tool_results_since_update=len(results)
    )
