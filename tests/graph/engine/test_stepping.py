"""Stepping, breakpoints, going back, forking, and looking at what changed."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict

from turngraph.graph.engine import END, Bounded, Outcome, StateGraph, View
from turngraph.state.errors import UsageError


@dataclass(frozen=True)
class Message:
    id: str
    text: str
    tokens: int


Messages = Annotated[tuple[Message, ...], Bounded]


class State(BaseModel):
    model_config = ConfigDict(frozen=True)
    messages: Messages
    rounds: int
    note: str


class Talk(View):
    messages: Messages
    rounds: int


class Said(Outcome):
    messages: Messages
    rounds: int


class Quiet(Outcome):
    note: str


class Folded(Outcome):
    messages: Messages


def speak(view: Talk) -> Said | Quiet:
    if view.rounds == 2:
        return Quiet(note="enough")
    number = view.rounds + 1
    spoken = Message(id=f"m{number}", text="x" * number, tokens=number)
    return Said(messages=(*view.messages, spoken), rounds=number)


def fold(view: Talk) -> Folded:
    first, *rest = view.messages
    return Folded(messages=(Message(id="sum", text=first.text, tokens=1), *rest[1:]))


@pytest.fixture(scope="module")
def graph():
    built = StateGraph(State, inputs={"messages", "rounds"})
    built.add_node(speak)
    built.add_node(fold)
    built.on(speak, Said, speak, at_most=5, otherwise=fold)
    built.on(speak, Quiet, fold)
    built.on(fold, Folded, END)
    return built.compile(name="talk")


@pytest.fixture
def run(graph):
    return graph.start({"messages": (Message(id="m0", text="", tokens=7),), "rounds": 0})


def test_a_step_runs_one_node(run):
    frame = run.step()

    assert (frame.node, frame.to, frame.index, run.cursor.node, run.finished) == ("speak", "speak", 0, "speak", False)
    assert repr(run) == "<Run of talk: before speak, 1 nodes finished>"


def test_run_until_stops_before_the_named_node(run):
    frame = run.run_until("fold")

    assert (frame.node, run.cursor.node, repr(run.frames)) == ("speak", "fold", "<3 frames>")


def test_run_until_stops_after_the_frame_that_satisfies_the_predicate(run):
    frame = run.run_until(lambda f: "note" in f.written)

    assert (frame.index, frame.outcome) == (2, Quiet(note="enough"))


def test_run_until_gives_none_when_the_run_ends_first(run):
    assert run.run_until(lambda f: f.node == "nobody") is None
    assert run.terminal is END


def test_run_until_an_unknown_node_is_refused(run):
    with pytest.raises(UsageError, match="graph 'talk' has no node 'folded'"):
        run.run_until("folded")


@pytest.mark.parametrize(
    ("stop", "place"),
    [
        ({"before": "fold"}, ("fold", 3)),
        ({"after": "fold"}, ("END", 4)),
        ({"on": Quiet}, ("fold", 3)),
        ({"on": "Said"}, ("speak", 1)),
    ],
)
def test_a_breakpoint_stops_the_run_between_nodes(run, stop, place):
    run.break_at(**stop)

    run.resume()

    assert (run.cursor.node, len(run.frames)) == place


def test_resuming_leaves_a_breakpoint_behind_and_cleared_ones_do_not_stop(run):
    run.break_at(before="speak")
    run.break_at(before="fold")
    stops = [run.resume().index, run.resume().index, run.resume().index]

    run.clear_breakpoints()

    assert stops == [0, 1, 2]
    assert run.resume() is None
    assert run.terminal is END


@pytest.mark.parametrize("wrong", [{"before": "nobody"}, {"after": "nobody"}, {"on": "Nothing"}, {"on": Outcome}])
def test_a_breakpoint_where_nothing_happens_is_refused(run, wrong):
    with pytest.raises(UsageError, match="graph 'talk' has no"):
        run.break_at(**wrong)


def test_rewinding_restores_state_counters_and_place(run):
    run.resume()

    run.rewind(1)

    assert (run.state["rounds"], "note" in run.state, run.finished) == (1, False, False)
    assert (run.cursor.as_json(), run.path) == ({"node": "speak", "counters": {"speak.Said": 1}}, ("speak",))


def test_rewinding_shares_every_value_with_what_was_there(run):
    run.resume()
    before = run.state_at(2)["messages"]

    run.rewind(2)

    assert run.state["messages"] is before


@pytest.mark.parametrize("moment", [-1, 5])
def test_a_moment_that_the_run_does_not_have_is_refused(run, moment):
    run.resume()

    for look in (run.rewind, run.fork, run.state_at, lambda k: run.diff(0, k)):
        with pytest.raises(UsageError, match=f"the run has moments 0 to 4, not {moment}"):
            look(moment)


def test_a_fork_goes_on_from_edited_fields_and_leaves_its_parent_alone(run):
    run.resume()

    child = run.fork(1, rounds=2)
    child.resume()

    assert (child.path, run.path) == (("speak", "speak", "fold"), ("speak", "speak", "speak", "fold"))
    assert (child.parent, child.parent_moment) == (run, 1)
    assert [frame.index for frame in child.frames] == [0, 1, 2]
    assert child.state["messages"][0].id == "sum"


def test_rewinding_a_fork_to_its_beginning_keeps_the_edit_and_further_back_drops_it(run):
    run.resume()
    child = run.fork(1, rounds=2)
    child.resume()

    edited = child.rewind(1).state["rounds"]
    before = child.rewind(0).state["rounds"]
    child.step()

    assert (edited, before, child.state_at(1)["rounds"]) == (2, 0, 1)


def test_a_fork_of_a_fork_knows_the_edits_of_both(run):
    run.resume()
    grandchild = run.fork(1, rounds=2).fork(1, note="edited")

    assert (grandchild.state["rounds"], grandchild.state["note"]) == (2, "edited")


def test_forking_at_the_end_gives_a_finished_run(run):
    run.resume()

    assert run.fork(4).terminal is END


def test_forking_with_an_unknown_field_is_refused(run):
    with pytest.raises(UsageError, match="State has no field 'round'"):
        run.fork(0, round=1)


def test_diff_shows_what_came_what_went_and_what_changed(run):
    run.resume()

    assert [str(change) for change in run.diff(0, 4)] == [
        "~ messages\n  - m0 (-7 tokens)\n  + sum (+1 tokens)\n  + m2 (+2 tokens)",
        "+ note",
        "~ rounds: 0 → 2",
    ]
    assert [str(change) for change in run.diff(2, 1)] == ["~ messages\n  - m2 (-2 tokens)", "~ rounds: 2 → 1"]
    assert [str(change) for change in run.diff(3, 2)] == ["- note"]
    assert run.diff(3, 3) == []


def test_why_gives_the_frames_that_touched_an_item(run):
    run.resume()

    assert [frame.index for frame in run.why("m1")] == [0, 3]
    assert [frame.index for frame in run.why("m2")] == [1]
    assert [frame.index for frame in run.why("m0")] == [3]
    assert run.why("nobody") == []
