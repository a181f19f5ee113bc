"""The drivers: one generator runs nodes, hands out the coroutines of async ones, is given their outcomes.

The sync driver steps such a coroutine once, the async driver awaits it. Everything else is shared, so that
sync, async and stepping runs cannot differ.
"""

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NoReturn, Protocol, TypeAlias, cast

from ...state.errors import Cancelled, DeadlineExceeded, TurngraphError
from ...state.node import Outcome, Services, View
from .digest import digest
from .errors import NodeError
from .frames import Record
from .kernel import Post, take
from .wiring import Terminal

__all__ = ["CancelSignal", "Clock", "Halt", "Track", "drive", "drive_async", "drive_sync"]

Clock: TypeAlias = Callable[[], float]
"""Seconds from any origin, never going back."""


class CancelSignal(Protocol):
    """What says that a run should stop: `threading.Event`, or anything with `is_set()`."""

    def is_set(self) -> bool:
        """Tell whether to stop."""
        ...


Halt: TypeAlias = Callable[[Record, int], bool]
"""Asked after each node, with its record and index: stop here?"""

_Pending: TypeAlias = Coroutine[Any, Any, Outcome] | None
_Driving: TypeAlias = Generator[_Pending, Outcome | None, Record | None]

PACE_S = 0.005
"""An async run of sync nodes gives way to the event loop when it has held it for so long."""


class _Suspended(Exception):
    """An async node waits for something, and its driver is sync: a signal inside that driver."""


@dataclass(slots=True, kw_only=True, eq=False)
class Track:
    """Where a run stands and what it may use; mutable, owned by one run."""

    post: Post | None
    terminal: Terminal | None
    state: dict[str, object]
    spent: tuple[int, ...]
    services: Services | None
    record: bool
    clock: Clock = perf_counter
    deadline: float | None = None
    """By the clock of the run."""
    cancel: CancelSignal | None = None
    records: list[Record] = field(default_factory=list[Record])
    finished: int = 0
    """Nodes finished; the index of the next frame."""
    driving: bool = False

    def watch(self) -> None:
        """Stop between nodes when the run is cancelled or late.

        Raises:
            Cancelled: the signal is set.
            DeadlineExceeded: once; who goes on after it goes on without a deadline.
        """
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled("the run was cancelled")
        if self.deadline is not None and self.clock() >= self.deadline:
            raise self.late()

    def late(self) -> DeadlineExceeded:
        """Use up the deadline and give the error to raise."""
        self.deadline = None
        return DeadlineExceeded("the deadline of the run passed")


def drive(  # noqa: C901, PLR0912, PLR0915 -- the cost per node is this loop; calls would be most of it
    track: Track, halt: Halt | None, *, pace: float | None = None
) -> _Driving:
    """Run nodes until a terminal or until `halt` says so; returns the record at which it was halted.

    Yields coroutines of async nodes, and None where an async driver should give way to its loop. What a node
    did is committed (state, counters, record) once its outcome was found good: in full or not at all.
    """
    track.driving = True
    post, state = track.post, track.state
    services, keep, clock = track.services, track.record, track.clock
    watched = track.deadline is not None or track.cancel is not None
    noted = keep or halt is not None
    new: Callable[[type[View]], View] = object.__new__
    started = elapsed = 0.0
    gave_way = clock() if pace is not None else 0.0
    try:
        while post is not None:
            if pace is not None and clock() - gave_way >= pace:
                yield None
                gave_way = clock()
            try:
                if watched:
                    track.watch()
                view = new(post.view)
                fields = view.__dict__
                for name in post.reads:
                    fields[name] = state[name]
                if noted:
                    started = clock()
                outcome = post.function(view, services) if post.wants_services else post.function(view)
                move = post.moves.get(outcome.__class__)
                if move is None:
                    if isinstance(outcome, Coroutine):
                        outcome = yield cast("_Pending", outcome)
                    move = post.moves.get(outcome.__class__) or _undeclared(post, outcome)
                if noted:
                    elapsed = clock() - started
                writes = outcome.__dict__
                if move.otherwise is not None:
                    move, track.spent = take(move, track.spent, state | writes)
            except TurngraphError as error:
                error.details.setdefault("node", post.name)
                error.details.setdefault("frame", track.finished)
                raise
            except Exception as error:
                raise _node_error(error, post, track) from error
            if keep:
                track.state = state = state | writes
            else:
                state.update(writes)
            edge = move.edge
            left, post = post, move.post
            track.post = post
            if post is None:
                track.terminal = Terminal[edge.target]
            track.finished += 1
            if noted:
                took = int(elapsed * 1e6 + 0.5)
                record = Record(
                    left.name, cast("Outcome", outcome), edge.target, edge.exhausted, track.spent, state, took
                )
                if keep:
                    track.records.append(record)
                if halt is not None and halt(record, track.finished - 1):
                    return record
    finally:
        track.driving = False
    return None


def drive_sync(track: Track, halt: Halt | None = None) -> Record | None:
    """Drive without an event loop; an async node runs as long as it awaits nothing that is not there yet.

    Raises:
        NodeError: a node raised, broke its signature, or has to wait: that needs the async driver.
    """
    driving = drive(track, halt)
    try:
        pending = next(driving)
        while True:
            try:
                outcome = _completed(pending)
            except BaseException as error:  # noqa: BLE001 -- the generator decides and raises it again
                pending = driving.throw(error)
            else:
                pending = driving.send(outcome)
    except StopIteration as stop:
        done: Record | None = stop.value
        return done


async def drive_async(track: Track, halt: Halt | None = None) -> Record | None:
    """Drive inside an event loop: async nodes are awaited, sync nodes run inline.

    Cancelling the task stops inside an await or between nodes, as the deadline does; the unfinished node runs
    again when the run goes on.
    """
    import asyncio

    driving = drive(track, halt, pace=PACE_S)
    try:
        pending = next(driving)
        while True:
            try:
                outcome = await (asyncio.sleep(0) if pending is None else _within(track, pending))
            except BaseException as error:  # noqa: BLE001 -- the generator decides and raises it again
                pending = driving.throw(error)
            else:
                pending = driving.send(outcome)
    except StopIteration as stop:
        done: Record | None = stop.value
        return done


def _completed(pending: _Pending) -> Outcome:
    assert pending is not None  # only an async driver sets a pace
    try:
        pending.send(None)
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome
    pending.close()
    raise _Suspended


async def _within(track: Track, pending: Coroutine[Any, Any, Outcome]) -> Outcome:
    import asyncio

    if track.deadline is None:
        return await pending
    scope = asyncio.timeout(track.deadline - track.clock())
    try:
        async with scope:
            return await pending
    except TimeoutError:
        if scope.expired():
            raise track.late() from None
        raise


def _undeclared(post: Post, outcome: object) -> NoReturn:
    promised = ", ".join(move.edge.outcome for move in post.moves.values())
    raise TypeError(f"returned {type(outcome).__name__}, its signature promises {promised}")


def _node_error(error: Exception, post: Post, track: Track) -> NodeError:
    if isinstance(error, _Suspended):
        what = "is async and has to wait for something, which a sync run cannot: use `arun` or `astart`"
    else:
        what = f"raised {type(error).__name__}: {error}"
    return NodeError(what, node=post.name, frame=track.finished, digest=digest(track.state))
