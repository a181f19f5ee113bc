"""The kernel: which edge an outcome takes. No I/O, no clock, no node is called here.

`CompiledGraph.advance` and all drivers go through the same tables: `Post` (a node ready to run) and `Move`
(an edge ready to be taken). Counters are one tuple of numbers, replaced only when a bounded edge is taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self, cast

from ...state.errors import UsageError
from ...state.node import View
from .wiring import Edge, NodeFunction, Terminal, Wiring

__all__ = ["Cursor", "Move", "Post", "posts_of", "take"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a run stands; immutable, hashable, and a few bytes of JSON."""

    node: str
    """The node that runs next, or `END` or `FAILED`."""
    counters: tuple[tuple[str, int], ...] = ()
    """Bounded edges taken so far, as `(node.Outcome, times)`; those never taken are left out."""

    def as_json(self) -> dict[str, object]:
        """Give `{node, counters}`."""
        return {"node": self.node, "counters": dict(self.counters)}

    @classmethod
    def from_json(cls, document: Mapping[str, object]) -> Self:
        """Read what `as_json` gave.

        Raises:
            UsageError: the document is no cursor.
        """
        node, counters = document.get("node"), document.get("counters", {})
        if not isinstance(node, str) or not isinstance(counters, Mapping):
            raise UsageError(f"no cursor: {document!r}")
        pairs = cast("Mapping[str, int]", counters)
        return cls(node=node, counters=tuple((str(label), int(times)) for label, times in pairs.items()))


@dataclass(slots=True, eq=False)
class Move:
    """An edge ready to be taken."""

    edge: Edge
    post: "Post | None"
    """The node that follows; None at a terminal."""
    otherwise: "Move | None" = None
    """What is taken once the bound is spent; None for a plain edge."""


@dataclass(slots=True, eq=False)
class Post:
    """A node ready to run, with all that the driver looks at laid out."""

    name: str
    function: NodeFunction
    view: type[View]
    reads: tuple[str, ...]
    wants_services: bool
    moves: dict[type[object], Move] = field(default_factory=dict[type[object], Move])


def posts_of(wiring: Wiring) -> dict[str, Post]:
    """Lay the wiring out for running."""
    posts = {
        name: Post(name, node.function, node.view, node.reads, node.services is not None)
        for name, node in wiring.nodes.items()
    }
    for name, post in posts.items():
        classes = {outcome.__name__: outcome for outcome in wiring.nodes[name].outcomes}
        moves: dict[str, Move] = {}
        for edge in wiring.after(name):
            move = Move(edge, posts.get(edge.target))
            if edge.exhausted:
                moves[edge.outcome].otherwise = move
            else:
                moves[edge.outcome] = move
        post.moves.update((classes[outcome], move) for outcome, move in moves.items())
    return posts


def take(move: Move, spent: tuple[int, ...], state: Mapping[str, object]) -> tuple[Move, tuple[int, ...]]:
    """Take a bounded edge once more, or its `otherwise` when the bound is spent. Pure.

    `state` is the state after the outcome was written; a bound that is a field is read from it.
    """
    bound = move.edge.bound
    if bound is None or move.otherwise is None:
        return move, spent
    index = bound.index
    if spent[index] >= bound.limit(state):
        return move.otherwise, spent
    return move, (*spent[:index], spent[index] + 1, *spent[index + 1 :])


def spent_of(cursor: Cursor, labels: Mapping[str, int]) -> tuple[int, ...]:
    """Give the counters of a cursor in the order of the graph.

    Raises:
        UsageError: the cursor counts an edge that the graph does not bound.
    """
    spent = [0] * len(labels)
    for label, times in cursor.counters:
        if label not in labels:
            raise UsageError(f"cursor counts {label!r}, which is no bounded edge of this graph")
        spent[labels[label]] = times
    return tuple(spent)


def cursor_at(place: Post | Terminal, spent: tuple[int, ...], labels: Mapping[str, int]) -> Cursor:
    """Give the cursor at a node or a terminal."""
    counters = tuple((label, spent[index]) for label, index in labels.items() if spent[index])
    return Cursor(node=place.name, counters=counters)
