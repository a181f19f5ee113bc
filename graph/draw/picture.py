"""What every format draws: boxes grouped by phase, and one arrow per edge."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..engine.unfold import limits_of
from ..engine.wiring import Edge, Terminal

if TYPE_CHECKING:
    from ..engine.compiled import CompiledGraph
    from ..engine.run import Run

__all__ = ["Arrow", "Box", "Kind", "Picture", "picture_of"]

Kind: TypeAlias = Literal["plain", "bounded", "exhausted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A node, or a terminal."""

    name: str
    phase: str
    visits: int | None = None
    """How often the overlaid run executed it; None without a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """An edge; two outcomes with the same target are two arrows."""

    source: str
    target: str
    label: str
    """The outcome, its bound as `≤ 1`, a `!` when the bound is spent."""
    kind: Kind
    taken: int | None = None
    """How often the overlaid run took it; None without a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A graph ready to be drawn, everything in a fixed order."""

    title: str
    entry: str
    boxes: tuple[Box, ...]
    """Nodes of a phase stand together, phases and nodes in the order in which they were added."""
    terminals: tuple[Box, ...]
    """Those that an edge leads to, END first."""
    arrows: tuple[Arrow, ...]

    @property
    def phases(self) -> dict[str, list[Box]]:
        """The boxes by phase."""
        grouped: dict[str, list[Box]] = {}
        for box in self.boxes:
            grouped.setdefault(box.phase, []).append(box)
        return grouped


def picture_of(graph: "CompiledGraph", *, budget: object = None, run: "Run | None" = None) -> Picture:
    """Lay out a graph; with a budget the bounds show as numbers, with a run the visits are counted."""
    limits = limits_of(graph.wiring, budget) if budget is not None else None
    visits = Counter(run.path) if run else None
    taken = Counter((f.node, type(f.outcome).__name__, f.exhausted) for f in run.frames) if run else None
    order = {phase: rank for rank, phase in enumerate(dict.fromkeys(node.phase for node in graph.nodes))}
    boxes = [
        Box(name=node.name, phase=node.phase, visits=visits[node.name] if visits is not None else None)
        for node in sorted(graph.nodes, key=lambda node: order[node.phase])
    ]
    targets = {edge.target for edge in graph.edges}
    ended = run.terminal if run else None
    terminals = [
        Box(name=end.name, phase="", visits=int(end is ended) if run else None)
        for end in Terminal
        if end.name in targets
    ]
    arrows = [
        Arrow(
            source=edge.source,
            target=edge.target,
            label=_label(edge, limits),
            kind="exhausted" if edge.exhausted else "bounded" if edge.bound else "plain",
            taken=taken[edge.source, edge.outcome, edge.exhausted] if taken is not None else None,
        )
        for edge in graph.edges
    ]
    return Picture(
        title=graph.name,
        entry=graph.wiring.entry,
        boxes=tuple(boxes),
        terminals=tuple(terminals),
        arrows=tuple(arrows),
    )


def _label(edge: Edge, limits: tuple[int, ...] | None) -> str:
    if edge.bound is None:
        return edge.name
    number = edge.bound.at_most if limits is None else limits[edge.bound.index]
    return f"{edge.name} ≤ {str(number).rpartition('.')[2]}"
