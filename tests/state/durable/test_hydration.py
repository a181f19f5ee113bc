"""Hydration: what is read from a history is what the live boundary wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph import History, Message, Origin, ToolCall
from turngraph.state.durable import DurableRules, DurableState, hydrate
from turngraph.state.durable.ledger import MAX_SEEN

from .conversations import folded, hydrated, operations, played

rules = st.builds(
    DurableRules,
    records=st.integers(1, 6),
    value_chars=st.sampled_from([20, 3000]),
    failures=st.sampled_from([(), ("delegations", "reviews")]),
)


@given(operations, rules)
def test_hydrating_a_history_gives_the_live_state(script, rules):
    run = played(script, rules)

    assert hydrated(run.history, rules=rules) == run.boundary.state


@given(operations)
def test_hydrating_again_what_the_boundary_wrote_changes_nothing(script):
    run = played(script)

    assert hydrated(run.history, run.boundary.state) is run.boundary.state


@given(operations, st.sets(st.integers(0, 40)))
def test_hydrating_in_parts_is_hydrating_at_once_through_json_too(script, stops):
    run = played(script)

    state = DurableState()
    for at in sorted(stops):
        if at < len(run.stages):
            state = DurableState.from_json(hydrated(run.stages[at], state).as_json())

    assert hydrated(run.history, state) == run.boundary.state


@given(operations, operations, st.integers(1, 4), st.integers(1, 4))
def test_a_fold_takes_nothing_out_and_numbering_goes_on(before, after, keep, keep_again):
    plain, short = played(before), played(before)
    state = hydrated(short.history)
    for operation in after:
        plain.do(operation)
        short.history = folded(short.history, keep)
        assert hydrated(short.history, state) == state
        short.do(operation)
        state = hydrated(short.history, state)
    state = hydrated(folded(short.history, keep_again), state)

    assert state == hydrated(short.history, state)
    assert state.sequence == plain.boundary.state.sequence
    assert state.channels == short.boundary.state.channels


def task(name, number=0):
    return Message.assistant("", calls=[ToolCall(id=name, name="task", arguments={"n": number})])


def test_a_result_after_hydration_is_the_newest():  # dur-11: a number that is given anew loses it in the reference
    messages = [message for n in range(5) for message in (task(f"old{n}"), Message.tool(f"old{n}", "{}"))]
    history = History(messages).append(task("new"))

    state = hydrate(History(messages)).declare(history[-1])
    state = state.with_result(history[-1], 0, Message.tool("new", "{}").result)

    assert [(item.call_id, item.sequence) for item in state.delegations.records] == [
        ("old1", 2),
        ("old2", 3),
        ("old3", 4),
        ("old4", 5),
        ("new", 6),
    ]


def test_a_result_without_its_call_is_no_record():  # dur-9
    history = History([Message.tool("t1", "{}"), task("t1"), Message.tool("", "x")])

    assert not hydrate(history).delegations


def test_one_call_id_in_two_steps_is_two_records():
    history = History([task("call_0", 1), Message.tool("call_0", "1"), task("call_0", 2), Message.tool("call_0", "2")])

    assert [record.args["n"] for record in hydrate(history).delegations.records] == [1, 2]


def test_results_out_of_order_are_kept_in_declared_order():
    calls = [ToolCall(id=name, name="task", arguments={}) for name in "ab"]
    history = History([Message.assistant("", calls=calls), Message.tool("b", "2"), Message.tool("a", "1")])

    assert [record.call_id for record in hydrate(history).delegations.records] == ["a", "b"]


@pytest.mark.parametrize("placeholder", ["interim", "settled"])
def test_a_placeholder_is_no_result_and_the_late_one_counts(placeholder):
    from dataclasses import replace

    stand_in = Message.tool("t", "still running")
    if placeholder == "interim":
        stand_in = replace(stand_in, content=(replace(stand_in.result, interim=True),))
    else:
        stand_in = replace(stand_in, origin=Origin("unknown", {"placeholder": True}))
    history = History([task("t"), stand_in])
    waiting = hydrate(history)
    late = history.append(Message.user("go on"), Message.tool("t", '"done"'))
    in_place = history.rebuilt([history[0], Message.tool("t", '"done"', id="m1")])

    assert not waiting.delegations
    assert [record.result for record in hydrate(late, waiting).delegations.records] == ["done"]
    assert [record.result for record in hydrate(in_place, waiting).delegations.records] == ["done"]


def test_a_shorter_view_of_a_grown_history_shows_what_stood_there():
    short = History([task("a")])
    short.append(Message.tool("a", "{}"))

    assert not hydrate(short).delegations
    assert [step.message_id for step in hydrate(short).open] == ["m0"]


def test_how_far_was_read_is_a_bounded_note():
    history = History([message for n in range(100) for message in (task(f"t{n}"), Message.tool(f"t{n}", "{}"))])

    assert len(hydrate(history).seen) == MAX_SEEN
    assert hydrate(history).sequence == 100


def test_only_new_steps_are_looked_at():
    class Counting(History):
        """Counts the steps that are read."""

        __slots__ = ("asked",)

        def step(self, number):
            self.asked = getattr(self, "asked", 0) + 1
            return super().step(number)

    messages = [message for n in range(500) for message in (task(f"t{n}"), Message.tool(f"t{n}", "{}"))]
    state = hydrate(History(messages))
    grown = Counting([*messages, task("new"), Message.tool("new", "{}")])

    assert hydrate(grown, state).sequence == 501
    assert grown.asked == 1
