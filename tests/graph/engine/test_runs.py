"""Running: inputs, services, results, errors, cancellation and deadlines."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field

from turngraph.graph.engine import END, FAILED, Bounded, GraphError, NodeError, Outcome, Services, StateGraph, View
from turngraph.state.errors import BadRequest, Cancelled, DeadlineExceeded, UsageError


class History:
    """Grows with the conversation; whatever looks inside fails."""

    def __iter__(self):
        raise AssertionError("looked inside")

    __eq__ = __getitem__ = __iter__
    __hash__ = None

    def __len__(self):
        return 100_000


class Given(BaseModel):
    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    history: History
    limit: int = 5


class State(Given):
    count: int
    seen: Annotated[tuple[str, ...], Bounded]


class Counting(View):
    count: int


class Reading(View):
    history: History
    limit: int


class Begun(Outcome):
    count: int


class More(Outcome):
    count: int


class Enough(Outcome):
    seen: Annotated[tuple[str, ...], Bounded]


@dataclass
class Tools(Services):
    act: object = None


def begin(view: Reading) -> Begun:
    return Begun(count=0)


def count(view: Counting, services: Tools) -> More | Enough:
    if services.act is not None:
        services.act(view)
    return More(count=view.count + 1) if view.count < 3 else Enough(seen=("done",))


def counting_graph(counting=count):
    graph = StateGraph(State, inputs=Given)
    graph.add_node(begin)
    graph.add_node(counting)
    graph.on(begin, Begun, counting)
    graph.on(counting, More, counting, at_most=9, otherwise=FAILED)
    graph.on(counting, Enough, END)
    return graph.compile(name="counting")


@pytest.fixture(scope="module")
def graph():
    return counting_graph()


def test_a_run_gives_the_state_the_terminal_and_the_path(graph):
    history = History()

    run = graph.run({"history": history, "limit": 7}, Tools())

    assert run.state["history"] is history
    assert (run.state["limit"], run.state["count"], run.state["seen"]) == (7, 3, ("done",))
    assert (run.terminal, run.finished) == (END, True)
    assert run.path == ("begin", "count", "count", "count", "count")
    assert run.cursor.as_json() == {"node": "END", "counters": {"count.More": 3}}
    assert repr(run) == "<Run of counting: END, 5 nodes finished>"


def test_inputs_may_be_a_model_and_defaults_are_filled(graph):
    model = Given(history=History())

    assert graph.run(model, Tools()).state["limit"] == graph.run({"history": History()}, Tools()).state["limit"] == 5


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({}, "history\n  Field required"),
        ({"history": 1}, "instance of History"),
    ],
)
def test_inputs_that_do_not_fit_their_model_are_refused(graph, inputs, reason):
    with pytest.raises(UsageError, match=reason):
        graph.run(inputs, Tools())


class Small(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int
    y: int = 1
    z: list[int] = Field(default_factory=list)


def small_graph(inputs):
    class X(View):
        x: int

    class Ended(Outcome):
        pass

    def only(view: X) -> Ended:
        return Ended()

    bounded = type(BaseModel)(
        "Bounds", (Small,), {"__annotations__": {"z": Annotated[list[int], Bounded]}, "__module__": __name__, "z": []}
    )
    graph = StateGraph(bounded, inputs=inputs)
    graph.add_node(only)
    graph.on(only, Ended, END)
    return graph.compile()


def test_named_inputs_are_asked_for_exactly_and_defaults_are_there():
    graph = small_graph({"x"})

    assert dict(graph.run({"x": 1, "y": 2}).state) == {"x": 1, "y": 2, "z": []}
    with pytest.raises(UsageError, match=r"missing \['x'\], unknown \['w'\]"):
        graph.run({"w": 1})


def test_without_inputs_only_fields_with_a_default_are_there():
    with pytest.raises(GraphError, match="node 'only' reads 'x', which is not written"):
        small_graph(None)


@pytest.mark.parametrize("services", [None, Services()])
def test_services_of_the_wrong_type_are_refused_before_anything_runs(graph, services):
    with pytest.raises(UsageError, match="node 'count' needs services of type Tools, got"):
        graph.run({"history": History()}, services)


def test_the_state_of_a_run_is_read_only(graph):
    run = graph.run({"history": History()}, Tools())

    with pytest.raises(TypeError):
        run.state["count"] = 9


def test_the_state_can_be_read_through_a_view(graph):
    run = graph.start({"history": History()}, Tools())
    with pytest.raises(UsageError, match="Counting reads count: not written yet"):
        run.view(Counting)

    run.resume()

    assert run.view(Counting).count == 3


def test_without_recording_the_result_is_the_same_and_nothing_is_kept(graph):
    run = graph.run({"history": History()}, Tools(), record=False)

    assert (run.state["count"], run.terminal, list(run.frames), run.path) == (3, END, [], ())
    with pytest.raises(UsageError, match="the run is not recorded"):
        run.rewind(0)


def test_a_frame_tells_what_happened(graph):
    ticks = iter(range(100))

    run = graph.run({"history": History()}, Tools(), clock=lambda: next(ticks) / 4)

    assert run.frames[1].as_json() == {
        "index": 1,
        "node": "count",
        "outcome": "More",
        "to": "count",
        "written": ["count"],
        "duration_us": 250_000,
        "counters": {"count.More": 1},
        "exhausted": False,
    }
    assert run.frames[1].outcome == More(count=1)
    assert [frame.index for frame in run.frames[-2:]] == [3, 4]


def test_stream_gives_each_frame_before_the_next_node_runs(graph):
    seen = []
    frames = graph.stream({"history": History()}, Tools(act=lambda view: seen.append(view.count)))

    order = [(frame.node, list(seen)) for frame in frames]

    assert order[:3] == [("begin", []), ("count", [0]), ("count", [0, 1])]


def boom(_view):
    raise ValueError("out of paper")


def test_an_exception_becomes_a_node_error_with_node_frame_digest_and_cause(graph):
    with pytest.raises(NodeError, match="node 'count' raised ValueError: out of paper") as caught:
        graph.run({"history": History()}, Tools(act=boom))

    error = caught.value
    assert (error.node, error.frame, error.details["digest"], error.code) == ("count", 1, error.digest, "internal")
    assert isinstance(error.__cause__, ValueError)
    assert len(error.digest) == 12


def test_an_error_of_ours_passes_through_with_the_node(graph):
    def refuse(_view):
        raise BadRequest("no", details={"path": "x"})

    with pytest.raises(BadRequest) as caught:
        graph.run({"history": History()}, Tools(act=refuse))

    assert caught.value.details == {"path": "x", "node": "count", "frame": 1}


def test_after_an_error_the_run_can_go_on_and_finished_nodes_do_not_run_again(graph):
    calls = []

    def once(view):
        calls.append(view.count)
        if len(calls) == 2:
            raise ValueError

    run = graph.start({"history": History()}, Tools(act=once))
    with pytest.raises(NodeError):
        run.resume()
    run.resume()

    assert calls == [0, 1, 1, 2, 3]
    assert run.path == ("begin", "count", "count", "count", "count")


def test_an_outcome_that_the_signature_does_not_promise_is_an_error():
    def liar(view: Counting) -> More | Enough:
        return Begun(count=1)

    with pytest.raises(NodeError, match="returned Begun, its signature promises More, Enough"):
        counting_graph(liar).run({"history": History()})


def test_an_outcome_that_does_not_fit_its_fields_is_an_error_in_its_node():
    def wrong(view: Counting) -> More | Enough:
        return More(count="many")

    with pytest.raises(NodeError, match="node 'wrong' raised ValidationError"):
        counting_graph(wrong).run({"history": History()})


def test_a_keyboard_interrupt_is_not_wrapped_and_leaves_the_run_resumable(graph):
    interrupted = []

    def interrupt(_view):
        if not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt

    run = graph.start({"history": History()}, Tools(act=interrupt))
    with pytest.raises(KeyboardInterrupt):
        run.resume()

    assert run.resume() is None
    assert run.terminal is END


class Signal:
    def __init__(self):
        self.on = False

    def is_set(self):
        return self.on


def test_a_cancelled_run_stops_between_nodes_and_can_be_resumed(graph):
    signal = Signal()
    run = graph.start({"history": History()}, Tools(act=lambda _view: setattr(signal, "on", True)), cancel=signal)

    with pytest.raises(Cancelled) as caught:
        run.run_until("begin")
    stopped = run.path
    run.resume()

    assert caught.value.details == {"node": "count", "frame": 2}
    assert (stopped, run.terminal) == (("begin", "count"), END)


def test_a_late_run_stops_between_nodes_once_and_can_be_stepped_on(graph):
    now = [0.0]
    run = graph.start(
        {"history": History()},
        Tools(act=lambda _view: now.__setitem__(0, now[0] + 1)),
        deadline_s=2,
        clock=lambda: now[0],
    )

    with pytest.raises(DeadlineExceeded) as caught:
        run.run_until("begin")
    run.step()
    run.resume(deadline_s=10)

    assert caught.value.details == {"node": "count", "frame": 3}
    assert run.terminal is END


def test_what_finished_before_the_deadline_is_kept_although_the_last_node_was_late(graph):
    now = [0.0]

    def last(view):
        now[0] = view.count

    run = graph.run({"history": History()}, Tools(act=last), deadline_s=3, clock=lambda: now[0])

    assert run.terminal is END


async def ready(view: Counting, services: Tools) -> More | Enough:
    return count(view, services)


async def waiting(view: Counting, services: Tools) -> More | Enough:
    await asyncio.sleep(0)
    return count(view, services)


async def sleeping(view: Counting, services: Tools) -> More | Enough:
    await asyncio.sleep(30)
    return count(view, services)


@pytest.mark.parametrize("node", [count, ready, waiting])
def test_an_async_run_takes_sync_and_async_nodes(node):
    run = asyncio.run(counting_graph(node).arun({"history": History()}, Tools()))

    assert (run.state["count"], run.terminal) == (3, END)


def test_a_sync_run_drives_an_async_node_that_never_waits_even_inside_an_event_loop():
    async def inside():
        return counting_graph(ready).run({"history": History()}, Tools())

    assert asyncio.run(inside()).terminal is END
    assert counting_graph(ready).run({"history": History()}, Tools()).terminal is END


def test_a_sync_run_refuses_an_async_node_that_waits_and_says_what_to_use():
    run = counting_graph(waiting).start({"history": History()}, Tools())

    with pytest.raises(NodeError, match=r"node 'waiting' is async and has to wait for something.*use `arun`"):
        run.resume()

    asyncio.run(run.aresume())
    assert run.terminal is END


def test_the_async_twins_do_what_their_sync_halves_do():
    async def drive():
        graph = counting_graph(waiting)
        run = await graph.astart({"history": History()}, Tools())
        first = await run.astep()
        stop = await run.arun_until(lambda frame: frame.written == ("count",) and frame.outcome.count == 2)
        rest = [frame.index async for frame in run.astream()]
        streamed = [frame.node async for frame in graph.astream({"history": History()}, Tools())]
        return first.node, stop.index, rest, streamed, run.terminal

    assert asyncio.run(drive()) == ("begin", 2, [3, 4], ["begin"] + ["waiting"] * 4, END)


def test_a_deadline_ends_an_await_and_the_run_can_go_on():
    async def drive():
        run = counting_graph(sleeping).start({"history": History()}, Tools(), deadline_s=0.01)
        with pytest.raises(DeadlineExceeded) as caught:
            await run.arun_until("begin")
        return caught.value.details, run.cursor.node

    assert asyncio.run(drive()) == ({"node": "sleeping", "frame": 1}, "sleeping")


def test_a_timeout_of_the_node_itself_is_an_error_of_the_node():
    async def impatient(view: Counting, services: Tools) -> More | Enough:
        async with asyncio.timeout(0):
            await asyncio.sleep(30)
        return count(view, services)

    async def drive():
        with pytest.raises(NodeError, match="raised TimeoutError"):
            await counting_graph(impatient).arun({"history": History()}, Tools(), deadline_s=30)

    asyncio.run(drive())


def test_cancelling_the_task_stops_inside_an_await_and_the_run_can_go_on():
    async def drive():
        run = counting_graph(sleeping).start({"history": History()}, Tools())
        task = asyncio.create_task(run.aresume())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run

    run = asyncio.run(drive())
    assert (run.cursor.node, run.path, run.finished) == ("sleeping", ("begin",), False)


def test_an_async_run_of_slow_sync_nodes_lets_others_run_in_between():
    turns = []
    now = [0.0]

    def slow(view):
        now[0] += 1
        turns.append(view.count)

    async def other():
        while len(turns) < 3:
            turns.append("other")
            await asyncio.sleep(0)

    async def drive():
        task = asyncio.create_task(other())
        await counting_graph().arun({"history": History()}, Tools(act=slow), clock=lambda: now[0])
        await task

    asyncio.run(drive())
    assert turns[:3] == [0, "other", 1]


def test_a_run_is_driven_by_one_at_a_time(graph):
    tools = Tools()
    run = graph.start({"history": History()}, tools)
    tools.act = lambda _view: run.step()

    with pytest.raises(UsageError, match="being driven already"):
        run.resume()


def test_a_finished_run_takes_no_step(graph):
    run = graph.run({"history": History()}, Tools())

    for go_on in (run.step, run.resume, lambda: run.run_until("count")):
        with pytest.raises(UsageError, match="the run is over: it ended in END; rewind or fork it"):
            go_on()


def test_the_digest_of_an_error_is_the_same_for_equal_states(graph):
    def digest():
        with pytest.raises(NodeError) as caught:
            graph.run({"history": History()}, Tools(act=boom))
        return caught.value.digest

    assert digest() == digest()


def test_a_bound_that_is_no_number_at_run_time_is_an_error_of_the_node(assembly, script):
    class Wrong:
        compaction_summary_retries = None

    words = "Restored Counted Staged Collected Admitted Rendered Pressed Insufficient Selected Drafted Rejected"
    with pytest.raises(NodeError, match=r"bound 'budget\.compaction_summary_retries' of judge\.Rejected is no whole"):
        assembly.run({"budget": Wrong()}, script(words.split()))


def test_advance_refuses_what_the_graph_does_not_know(graph):
    cursor = graph.start({"history": History()}, Tools()).cursor

    with pytest.raises(UsageError, match="no edge leaves 'begin' with 'More'"):
        graph.advance(cursor, More(count=1))
    with pytest.raises(UsageError, match=r"cursor counts 'x\.Y'"):
        graph.advance(type(cursor)(node="begin", counters=(("x.Y", 1),)), Begun(count=1))
    with pytest.raises(UsageError, match="no cursor"):
        type(cursor).from_json({"nodes": 1})
