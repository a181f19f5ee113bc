"""A run: stepped, stopped, rewound, forked and looked at. It owns its position, the graph is shared.

A *moment* `k` is the point after `k` finished nodes: 0 is the start, `len(run.frames)` is now.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Self, TypeVar

from ...state.errors import UsageError
from ...state.node import Outcome, View
from .drive import CancelSignal, Halt, Track, drive_async, drive_sync
from .frames import Frame, Frames, Record, frame_of
from .inspection import FieldChange, Pricing, changes_between, own_tokens, touched
from .kernel import Cursor, cursor_at
from .wiring import Terminal

if TYPE_CHECKING:
    from .compiled import CompiledGraph

__all__ = ["Run"]

V = TypeVar("V", bound=View)


class Run:
    """One run of a compiled graph, from `CompiledGraph.start` or `run`.

    Not for several threads or tasks at a time: a second driver is refused.
    """

    def __init__(self, graph: "CompiledGraph", track: Track) -> None:
        self.graph = graph
        self.parent: Run | None = None
        """The run that this one was forked from."""
        self.parent_moment: int | None = None
        """The moment of the parent at which it was forked."""
        self._track = track
        self._edited = {0: (track.state, track.spent)}
        self._stops: set[tuple[str, str]] = set()

    def __repr__(self) -> str:
        place = self.terminal.name if self.terminal else f"before {self.cursor.node}"
        return f"<Run of {self.graph.name}: {place}, {self._track.finished} nodes finished>"

    @property
    def state(self) -> Mapping[str, object]:
        """The fields written so far; read-only."""
        return MappingProxyType(self._track.state)

    @property
    def terminal(self) -> Terminal | None:
        """`END` or `FAILED` once the run is over."""
        return self._track.terminal

    @property
    def finished(self) -> bool:
        """Whether a terminal was reached."""
        return self._track.terminal is not None

    @property
    def cursor(self) -> Cursor:
        """The node that runs next, or the terminal, and the loop counters."""
        place = self._track.post or self._track.terminal
        assert place is not None  # the driver sets one when it clears the other
        return cursor_at(place, self._track.spent, self.graph.counters)

    @property
    def frames(self) -> Frames:
        """One frame per finished node; empty when the run is not recorded."""
        return Frames(self._track.records, tuple(self.graph.counters))

    @property
    def path(self) -> tuple[str, ...]:
        """The nodes in the order of execution; empty when the run is not recorded."""
        return tuple(record.node for record in self._track.records)

    def view(self, view: type[V]) -> V:
        """Read the state through a view, with its types.

        Raises:
            UsageError: a field of the view is not written yet.
        """
        state = self._track.state
        missing = [name for name in view.view_fields if name not in state]
        if missing:
            raise UsageError(f"{view.__name__} reads {', '.join(missing)}: not written yet")
        return view(**{name: state[name] for name in view.view_fields})

    # going on

    def step(self) -> Frame:
        """Run one node.

        Raises:
            UsageError: the run is over.
        """
        frame = self._framed(drive_sync(self._going(), _always))
        assert frame is not None  # the driver was halted after the first node
        return frame

    async def astep(self) -> Frame:
        """Run one node inside an event loop."""
        frame = self._framed(await drive_async(self._going(), _always))
        assert frame is not None  # the driver was halted after the first node
        return frame

    def run_until(self, target: str | Callable[[Frame], bool]) -> Frame | None:
        """Go on until the node named `target` is next, or until a frame satisfies the predicate.

        Runs at least one node. Stops at breakpoints too. Gives the last frame, None when the run ended first.
        """
        return self._framed(drive_sync(self._going(), self._halt(target)))

    async def arun_until(self, target: str | Callable[[Frame], bool]) -> Frame | None:
        """Do what `run_until` does, inside an event loop."""
        return self._framed(await drive_async(self._going(), self._halt(target)))

    def resume(self, *, deadline_s: float | None = None, cancel: CancelSignal | None = None) -> Frame | None:
        """Go on to the next breakpoint or to the end, with a new deadline and signal, by default none.

        Gives the frame at which a breakpoint stopped it, None when the run is over.
        """
        return self._framed(drive_sync(self._limited(deadline_s, cancel), self._halt(None)))

    async def aresume(self, *, deadline_s: float | None = None, cancel: CancelSignal | None = None) -> Frame | None:
        """Do what `resume` does, inside an event loop."""
        return self._framed(await drive_async(self._limited(deadline_s, cancel), self._halt(None)))

    def stream(self) -> Iterator[Frame]:
        """Go on to the end, giving each frame as it happens; breakpoints do not stop it."""
        while not self.finished:
            yield self.step()

    async def astream(self) -> AsyncIterator[Frame]:
        """Do what `stream` does, inside an event loop."""
        while not self.finished:
            yield await self.astep()

    def break_at(
        self, *, before: str | None = None, after: str | None = None, on: str | type[Outcome] | None = None
    ) -> None:
        """Stop `resume` and `run_until` before or after a node, or at an outcome. Breakpoints add up.

        Raises:
            UsageError: the graph has no such node or outcome.
        """
        for node in (before, after):
            if node is not None:
                self.graph.node(node)
        if on is not None:
            self.graph.writes(on)
        name = on if on is None or isinstance(on, str) else on.__name__
        self._stops |= {
            (kind, what) for kind, what in (("before", before), ("after", after), ("on", name)) if what is not None
        }

    def clear_breakpoints(self) -> None:
        """Forget all breakpoints."""
        self._stops.clear()

    # going back

    def state_at(self, moment: int) -> Mapping[str, object]:
        """Give the state at a moment; read-only, shared.

        Raises:
            UsageError: the run has no such moment, or is not recorded.
        """
        return MappingProxyType(self._moment(moment)[0])

    def rewind(self, moment: int) -> Self:
        """Go back to a moment: later frames are dropped, the next step runs that node again.

        Raises:
            UsageError: the run has no such moment, or is not recorded.
        """
        state, spent = self._moment(moment)
        track = self._going(over=True)
        if moment == track.finished:
            return self
        node = track.records[moment].node
        track.records = track.records[:moment]
        track.post, track.terminal = self.graph.posts[node], None
        track.state, track.spent, track.finished = state, spent, moment
        self._edited = {at: kept for at, kept in self._edited.items() if at <= moment}
        return self

    def fork(self, moment: int, **changes: object) -> "Run":
        """Start another run from a moment of this one, with some fields changed.

        It has the frames up to there, the same services and clock, and neither deadline nor breakpoints.
        Changed values are taken as they are.

        Raises:
            UsageError: there is no such moment or field, or the run is not recorded.
        """
        state, spent = self._moment(moment)
        self.graph.fields.change(changes)
        own = self._going(over=True)
        last = moment == own.finished
        track = Track(
            post=own.post if last else self.graph.posts[own.records[moment].node],
            terminal=own.terminal if last else None,
            state=state | changes,
            spent=spent,
            services=own.services,
            record=True,
            clock=own.clock,
            records=own.records[:moment],
            finished=moment,
        )
        child = Run(self.graph, track)
        child._edited = {at: kept for at, kept in self._edited.items() if at < moment}
        child._edited[moment] = (track.state, spent)
        child.parent, child.parent_moment = self, moment
        return child

    # looking

    def diff(self, before: int, after: int, *, tokens: Pricing = own_tokens) -> list[FieldChange]:
        """Compare the states at two moments, field by field; items of sequences by their `id`.

        `tokens` prices an item; by default its own `tokens` counts.

        Raises:
            UsageError: the run has no such moment, or is not recorded.
        """
        return changes_between(self._moment(before)[0], self._moment(after)[0], tokens=tokens)

    def why(self, item_id: str) -> list[Frame]:
        """Give the frames that touched an item: brought it in, took it out, or changed it."""
        return [
            frame for frame in self.frames if touched(self._moment(frame.index)[0], frame.outcome.__dict__, item_id)
        ]

    def _going(self, *, over: bool = False) -> Track:
        if self._track.driving:
            raise UsageError("this run is being driven already; it takes one step at a time")
        if self._track.terminal is not None and not over:
            raise UsageError(f"the run is over: it ended in {self._track.terminal.name}; rewind or fork it")
        return self._track

    def _limited(self, deadline_s: float | None, cancel: CancelSignal | None) -> Track:
        track = self._going()
        track.deadline = None if deadline_s is None else track.clock() + deadline_s
        track.cancel = cancel
        return track

    def _moment(self, moment: int) -> tuple[dict[str, object], tuple[int, ...]]:
        records = self._track.records
        if not self._track.record:
            raise UsageError("the run is not recorded: start it with record=True")
        if not 0 <= moment <= len(records):
            raise UsageError(f"the run has moments 0 to {len(records)}, not {moment}")
        if moment in self._edited:
            return self._edited[moment]
        return records[moment - 1].state, records[moment - 1].spent

    def _framed(self, record: Record | None) -> Frame | None:
        return record and frame_of(record, self._track.finished - 1, tuple(self.graph.counters))

    def _halt(self, target: str | Callable[[Frame], bool] | None) -> Halt | None:
        if isinstance(target, str):
            self.graph.node(target)
        stops, labels = self._stops, tuple(self.graph.counters)
        if target is None and not stops:
            return None

        def halt(record: Record, index: int) -> bool:
            if record.to == target or (
                stops
                and not stops.isdisjoint(
                    (("before", record.to), ("after", record.node), ("on", type(record.outcome).__name__))
                )
            ):
                return True
            return callable(target) and target(frame_of(record, index, labels))

        return halt


def _always(_record: Record, _index: int) -> bool:
    return True
