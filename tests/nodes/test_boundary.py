"""The tool-result boundary: declared order whatever finishes first, and state that a turn can rely on."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph import History, Message, Text, ToolCall, ToolResult, UsageError
from turngraph.nodes.boundary import ToolResultBoundary
from turngraph.state.durable import DurableState, SkillCatalogue, hydrate

LOOK = {"step": "look", "status": "pending"}


def asks(*calls, id="a"):
    """An assistant message that makes calls `(id, tool)` or `(id, tool, arguments)`."""
    made = [ToolCall(id=name, name=tool, arguments=dict(*more)) for name, tool, *more in calls]
    return Message.assistant("", calls=made, id=id)


def declared(*calls, **more):
    boundary = ToolResultBoundary(**more)
    boundary.declare(asks(*calls))
    return boundary


def answered(committed):
    return [message.result.call_id for message in committed.messages]


def interim(call_id):
    return ToolResult(call_id=call_id, content=(Text("still running"),), interim=True)


def test_results_leave_in_declared_order_and_each_once():
    boundary = declared(("a", "task"), ("b", "task"), ("c", "task"))

    last, first, middle = (boundary.complete(name, name) for name in "cab")

    assert [answered(item) for item in (last, first, middle)] == [[], ["a"], ["b", "c"]]
    assert [(item.first, item.closed) for item in (last, first, middle)] == [(0, False), (0, False), (1, True)]


@given(st.permutations(range(5)))
def test_the_state_does_not_depend_on_who_finishes_first(order):
    calls = [(f"c{at}", "task", {"n": at}) for at in range(5)]
    boundary = declared(*calls)

    for at in order:
        state = boundary.complete(f"c{at}", f'"{at}"').state

    assert [(item.call_id, item.sequence, item.result) for item in state.delegations.records] == [
        (f"c{at}", at + 1, str(at)) for at in range(5)
    ]


def test_a_state_that_a_turn_took_stays_as_it_was():
    boundary = declared(("a", "task"), ("b", "task"))
    taken = boundary.state

    boundary.complete("a", "1")

    assert not taken.delegations
    assert len(boundary.state.delegations.records) == 1


def test_nothing_is_in_the_state_before_it_is_committed():
    boundary = declared(("a", "bash"), ("b", "task"))

    waiting = boundary.complete("b", "1")

    assert not waiting.state.delegations
    assert boundary.complete("a", "1").state.delegations


def test_of_several_plan_updates_the_last_wins_and_the_others_are_answered():  # plan-6
    boundary = ToolResultBoundary()
    message = asks(
        ("p1", "update_plan", {"plan": []}), ("s", "web_search"), ("p2", "update_plan", {"plan": [LOOK]}), id="a"
    )

    to_run = boundary.declare(message)
    search, plan = boundary.complete("s", "found"), boundary.complete("p2", "ok")

    assert [call.id for call in to_run] == ["s", "p2"]
    assert answered(search) == ["p1", "s"]
    assert search.messages[0].text == '{"ok":true,"superseded":true,"supersededBy":"p2"}'
    assert plan.closed
    assert [item.step for item in plan.state.plan.items] == ["look"]


def test_a_superseded_update_that_was_carried_out_all_the_same_counts_for_nothing():
    boundary = declared(("p1", "update_plan", {"plan": [LOOK]}), ("p2", "update_plan", {"plan": []}))

    ignored = boundary.complete("p1", "ok")
    done = boundary.complete("p2", "boom", is_error=True)

    assert "superseded" in ignored.messages[0].text
    assert (answered(done), done.state.plan) == (["p2"], None)


def test_a_failed_result_updates_nothing_and_is_committed():
    done = declared(("a", "task")).complete("a", "boom", is_error=True)

    assert done.messages[0].result.is_error
    assert not done.state.delegations


def test_an_interim_result_lets_the_others_pass_and_the_late_one_counts():
    boundary = declared(("a", "task"), ("b", "task"))
    history = History([asks(("a", "task"), ("b", "task"))])

    started, other = boundary.complete("a", interim("a")), boundary.complete("b", "2")
    late = boundary.complete("a", "1")

    assert (answered(started), answered(other), answered(late)) == (["a"], ["b"], ["a"])
    assert (started.closed, other.closed, late.closed) == (False, False, True)
    assert [record.result for record in late.state.delegations.records] == [1, 2]
    assert hydrate(history.extend([*started.messages, *other.messages, *late.messages])) == boundary.state


def test_an_id_that_two_open_steps_use_is_answered_as_the_history_pairs_it():
    first, second = asks(("x", "task", {"n": 1}), id="a1"), asks(("q", "bash"), ("x", "task", {"n": 2}), id="a2")
    boundary = ToolResultBoundary()
    boundary.declare(first)
    history = History([first]).extend(boundary.complete("x", interim("x")).messages).append(second)
    boundary.declare(second)

    newest = boundary.complete("x", "two")
    oldest = boundary.complete("x", "one")
    freed = boundary.complete("q", "listing")
    history = history.extend([*newest.messages, *oldest.messages, *freed.messages])

    assert (answered(newest), answered(oldest), answered(freed)) == ([], [], ["q", "x", "x"])
    assert {record.args["n"]: record.result for record in boundary.state.delegations.records} == {1: "one", 2: "two"}
    assert hydrate(history) == boundary.state


def test_a_step_can_be_named():
    boundary = ToolResultBoundary()
    for id in ("a1", "a2"):
        boundary.declare(asks(("x", "task", {"of": id}), id=id))

    boundary.complete("x", "new", message_id="a2")
    done = boundary.complete("x", "old", message_id="a1")

    assert done.state.delegations.records[0].args == {"of": "a1"}


@pytest.mark.parametrize("call_id", ["unknown", "done"])
def test_a_call_that_nobody_waits_for_is_refused_with_what_is_pending(call_id):
    boundary = declared(("done", "task"), ("open", "task"))
    boundary.complete("done", "1")

    with pytest.raises(UsageError, match="No declared step waits") as caught:
        boundary.complete(call_id, "2")

    assert caught.value.details == {"call_id": call_id, "pending": ["open"]}


def test_declaring_twice_is_refused():
    boundary = declared(("a", "task"))

    with pytest.raises(UsageError, match="declared already"):
        boundary.declare(asks(("a", "task")))


def test_an_answer_without_calls_needs_no_declaration():
    assert ToolResultBoundary().declare(Message.assistant("done", id="a")) == ()


def test_the_time_of_a_plan_comes_from_the_service():
    boundary = declared(("p", "update_plan", {"plan": [LOOK]}), now=lambda: "2026-09-09T00:00:00Z")

    assert boundary.complete("p", "ok").state.plan.updated_at == "2026-09-09T00:00:00Z"


def test_the_revision_comes_from_the_catalogue():
    catalogue = SkillCatalogue.from_json([{"id": "tidy", "revision": 7}])

    done = declared(("s", "read_skill", {"skillId": "tidy"}), catalogue=catalogue).complete("s", "body")

    assert [(skill.id, skill.revision) for skill in done.state.skills] == [("tidy", 7)]


def test_a_resumed_conversation_goes_on_where_it_stopped():
    message = asks(("a", "task"), ("b", "task"))
    history = History([message, Message.tool("a", "1")])
    boundary = ToolResultBoundary(DurableState.from_json(hydrate(history).as_json()))

    boundary.hydrate(history)
    to_run = boundary.declare(message)
    done = boundary.complete("b", "2")

    assert [call.id for call in to_run] == ["b"]
    assert (answered(done), done.closed) == (["b"], True)
    assert [record.call_id for record in done.state.delegations.records] == ["a", "b"]
    assert hydrate(history.extend(done.messages)) == boundary.state


def test_many_threads_commit_each_result_once_and_in_order():
    names = [f"c{at}" for at in range(40)]
    boundary = declared(*((name, "task") for name in names))
    together = threading.Barrier(8)

    def work(lane):
        together.wait()
        return [boundary.complete(name, name) for name in names[lane::8]]

    with ThreadPoolExecutor(8) as pool:
        done = [item for lane in pool.map(work, range(8)) for item in lane]

    parts = sorted((item for item in done if item.messages), key=lambda item: item.first)
    assert [name for item in parts for name in answered(item)] == names
    assert [item.closed for item in done].count(True) == 1
    assert [record.call_id for record in boundary.state.delegations.records] == names[-5:]


def test_coroutines_may_call_it():
    boundary = declared(("slow", "task"), ("fast", "task"))

    async def run(name, turns):
        for _ in range(turns):
            await asyncio.sleep(0)
        return boundary.complete(name, name)

    async def both():
        return await asyncio.gather(run("slow", 3), run("fast", 1))

    slow, fast = asyncio.run(both())

    assert (answered(fast), answered(slow)) == ([], ["slow", "fast"])


def test_a_result_that_names_another_call_gets_the_right_id():
    done = declared(("a", "bash")).complete("a", ToolResult(call_id="other", content=(Text("x"),), ref="tool-output-0"))

    assert (answered(done), done.messages[0].result.ref) == (["a"], "tool-output-0")


def test_the_repr_says_what_waits():
    boundary = declared(("a", "task"), ("b", "task"))

    assert repr(boundary) == "<ToolResultBoundary: 2 calls pending, <DurableState after 2 calls: empty>>"
