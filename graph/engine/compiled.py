"""A compiled graph: proved, immutable, shared by any number of runs."""

from collections.abc import AsyncIterator, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, TypedDict, Unpack

from ...state.errors import UsageError
from ...state.node import Outcome, Services
from .cover import Cover, prove_cover, transition_cover
from .drive import CancelSignal, Clock, Track, drive_async, drive_sync
from .fields import Inputs, StateFields
from .frames import Frame
from .kernel import Cursor, cursor_at, posts_of, spent_of, take
from .proofs import Proof, prove
from .run import Run
from .unfold import WorstCase, limits_of, prove_worst_case, worst_case
from .wiring import Edge, Node, Terminal, Wiring

if TYPE_CHECKING:
    from ..draw import Format

__all__ = ["CompiledGraph", "RunOptions"]


PROOFS = ("outcomes", "reachability", "loops", "worst_case", "guards", "assignment", "cover")


class RunOptions(TypedDict, total=False):
    """How to run; all optional."""

    record: bool
    """Keep frames (default). Without them there is nothing to rewind, and a run costs less."""
    deadline_s: float
    """Seconds from the start of the run after which it stops, between nodes and inside awaits."""
    cancel: CancelSignal
    """Stops the run between nodes once it is set."""
    clock: Clock
    """Where durations and the deadline are read; `time.perf_counter` by default."""


class CompiledGraph:
    """What `StateGraph.compile` gives. Safe to share between threads; a run belongs to one."""

    def __init__(self, wiring: Wiring, fields: StateFields) -> None:
        self.wiring = wiring
        self.fields = fields
        self.posts = posts_of(wiring)
        self.counters: Mapping[str, int] = {bound.label: bound.index for bound in wiring.bounds}
        """Label of each bounded edge to the place of its counter."""
        self._required = [(node.name, node.services) for node in wiring.nodes.values() if node.services]
        self._fresh = (0,) * len(self.counters)
        self._worst: dict[tuple[int, ...], WorstCase] = {}

    def __repr__(self) -> str:
        return f"<CompiledGraph {self.name}: {len(self.nodes)} nodes, {len(self.edges)} edges>"

    @property
    def name(self) -> str:
        """The name given to `compile`."""
        return self.wiring.name

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in the order in which they were added."""
        return tuple(self.wiring.nodes.values())

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges by node and outcome; the exhaustion edge of a bounded edge follows it."""
        return self.wiring.edges

    def node(self, name: str) -> Node:
        """Give a node by its name.

        Raises:
            UsageError: there is none.
        """
        if name not in self.wiring.nodes:
            raise UsageError(f"graph {self.name!r} has no node {name!r}")
        return self.wiring.nodes[name]

    def reads(self, node: str) -> tuple[str, ...]:
        """Give the fields that a node reads."""
        return self.node(node).reads

    def writes(self, outcome: type[Outcome] | str) -> tuple[str, ...]:
        """Give the fields that an outcome writes.

        Raises:
            UsageError: no node returns it, or the name stands for several classes with different fields.
        """
        name = outcome if isinstance(outcome, str) else outcome.__name__
        found = {
            tuple(one.model_fields)
            for node in self.nodes
            for one in node.outcomes
            if one is outcome or one.__name__ == outcome
        }
        if len(found) != 1:
            trouble = "has no outcome" if not found else "has several different outcomes named"
            raise UsageError(f"graph {self.name!r} {trouble} {name!r}")
        return found.pop()

    # running

    def start(self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]) -> Run:
        """Begin a run without running a node; drive it with the methods of `Run`.

        Raises:
            UsageError: inputs are missing or unknown, or a node asks for other services.
        """
        return Run(self, self._track(inputs, services, **options))

    async def astart(self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]) -> Run:
        """Begin a run to be driven with the async methods of `Run`; it is the same kind of run."""
        return self.start(inputs, services, **options)

    def run(self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]) -> Run:
        """Run to a terminal, without an event loop, and give the finished run.

        Raises:
            UsageError: as `start`.
            NodeError: a node raised or broke its signature, or is async and had to wait.
            DeadlineExceeded, Cancelled: between two nodes; use `start` and `resume` to go on after that.
        """
        track = self._track(inputs, services, **options)
        run = Run(self, track)
        drive_sync(track)
        return run

    async def arun(self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]) -> Run:
        """Run to a terminal inside an event loop; raises what `run` raises."""
        track = self._track(inputs, services, **options)
        run = Run(self, track)
        await drive_async(track)
        return run

    def stream(
        self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]
    ) -> Iterator[Frame]:
        """Run to a terminal, giving each frame as it happens."""
        return self.start(inputs, services, **options).stream()

    def astream(
        self, inputs: Inputs, services: Services | None = None, **options: Unpack[RunOptions]
    ) -> AsyncIterator[Frame]:
        """Run to a terminal inside an event loop, giving each frame as it happens."""
        return self.start(inputs, services, **options).astream()

    def advance(
        self, cursor: Cursor, outcome: Outcome, state: Mapping[str, object] | None = None
    ) -> tuple[Cursor, Edge]:
        """Tell where an outcome leads: the pure kernel, for drivers of your own.

        `state` is the state after the outcome was written; only bounds that are fields are read from it.

        Raises:
            UsageError: no edge leaves the node of the cursor with this outcome.
        """
        post = self.posts.get(cursor.node)
        move = post.moves.get(type(outcome)) if post else None
        if move is None:
            raise UsageError(f"no edge leaves {cursor.node!r} with {type(outcome).__name__!r}")
        move, spent = take(move, spent_of(cursor, self.counters), state or {})
        place = move.post or Terminal[move.edge.target]
        return cursor_at(place, spent, self.counters), move.edge

    def _track(
        self,
        inputs: Inputs,
        services: Services | None,
        *,
        record: bool = True,
        deadline_s: float | None = None,
        cancel: CancelSignal | None = None,
        clock: Clock = perf_counter,
    ) -> Track:
        for name, wanted in self._required:
            if not isinstance(services, wanted):
                found = type(services).__name__
                raise UsageError(f"node {name!r} needs services of type {wanted.__name__}, got {found}")
        return Track(
            post=self.posts[self.wiring.entry],
            terminal=None,
            state=self.fields.fill(inputs),
            spent=self._fresh,
            services=services,
            record=record,
            clock=clock,
            deadline=None if deadline_s is None else clock() + deadline_s,
            cancel=cancel,
        )

    # proving and drawing

    def worst_case(self, budget: object = None) -> WorstCase:
        """Give what one run can cost at most, exactly; see `WorstCase`.

        `budget` is the object whose fields the bounds name; without it the declared upper limits count.
        Unfolds the graph, once per set of bounds: milliseconds to a second.
        """
        limits = limits_of(self.wiring, budget)
        if limits not in self._worst:
            self._worst[limits] = worst_case(self.wiring, limits)
        return self._worst[limits]

    def transition_cover(self, budget: object = None) -> list[list[tuple[str, str]]]:
        """Give short runs, as the outcome to return at each node, that together take every edge.

        Without a budget a bound that is a field counts as its default, at least 1.
        """
        runs, _ = self._cover(budget)
        return [[(edge.source, edge.outcome) for edge in run] for run in runs]

    def check(self, budget: object = None) -> list[Proof]:
        """Prove everything again, with the worst case and the cover, for a budget or the declared limits."""
        proofs = {proof.name: proof for proof in prove(self.wiring)}
        proofs["worst_case"] = prove_worst_case(self.wiring, self.worst_case(budget))
        proofs["cover"] = prove_cover(self.wiring, self._cover(None))
        return [proofs[name] for name in PROOFS]

    def _cover(self, budget: object) -> Cover:
        return transition_cover(self.wiring, limits_of(self.wiring, budget, preset=True))

    def draw(self, format: "Format" = "mermaid", *, budget: object = None, run: Run | None = None) -> str:
        """Draw the graph as `mermaid`, `dot`, `ascii` or `json`; the same bytes for the same graph.

        With a budget, bounds that are fields show as numbers. With a run, Mermaid shows its path and counts.

        Raises:
            UsageError: the format is unknown, or cannot show a run.
        """
        from ..draw import draw

        return draw(self, format, budget=budget, run=run)

    def to_mermaid(self) -> str:
        """Draw the graph as a Mermaid flowchart."""
        return self.draw("mermaid")
