"""The graph as data: nodes, edges, bounds, guards. What the proofs read and the pictures show."""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...state.node import Outcome, Services, View

__all__ = ["END", "FAILED", "Bound", "Edge", "Guard", "Node", "NodeFunction", "Terminal", "Wiring"]

NodeFunction: TypeAlias = Callable[..., Any]
"""A node: `(view)` or `(view, services)` to an outcome or a coroutine of one; `compile()` checks it."""


class Terminal(enum.Enum):
    """Where a run ends."""

    END = "END"
    """The run did what it was for."""
    FAILED = "FAILED"
    """The run ended for a stated reason; the outcome that led here says which."""

    def __repr__(self) -> str:
        return self.name


END = Terminal.END
FAILED = Terminal.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """How often one run may take a bounded edge."""

    label: str
    """`node.Outcome`: the name of the loop counter."""
    index: int
    """Position of the counter among the counters of the graph."""
    upper: int
    """The number itself, or the upper limit that the field declares: never more than this."""
    preset: int
    """The number itself, or the default of the field, at least 1; what the transition cover counts with."""
    path: tuple[str, ...] = ()
    """State field, then attributes, when the bound is a field; empty for a number."""

    @property
    def at_most(self) -> int | str:
        """The bound as written: a number, or the dotted name of a field."""
        return ".".join(self.path) or self.upper

    def within(self, owner: object) -> int:
        """Read the bound below the object that its first name stands for; between 0 and the upper limit.

        Raises:
            TypeError: the value is no whole number.
        """
        value: object = owner
        for name in self.path[1:]:
            value = getattr(value, name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"bound {self.at_most!r} of {self.label} is no whole number: {value!r}")
        return max(0, min(value, self.upper))

    def limit(self, state: Mapping[str, object]) -> int:
        """Give the bound in this state."""
        return self.within(state[self.path[0]]) if self.path else self.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What follows when a node returns an outcome."""

    source: str
    outcome: str
    target: str
    """A node, or `END` or `FAILED`."""
    bound: Bound | None = None
    """Set when a run may take this edge only so often."""
    exhausted: bool = False
    """True for the `otherwise` of a bounded edge: taken when the bound is spent."""
    writes: frozenset[str] = frozenset()
    """Fields that the outcome writes."""

    @property
    def name(self) -> str:
        """The outcome; with a `!` behind it when the bound is spent."""
        return f"{self.outcome}!" if self.exhausted else self.outcome

    @property
    def label(self) -> str:
        """`node.Outcome`, with a `!` when the bound is spent."""
        return f"{self.source}.{self.name}"

    @property
    def at_most(self) -> int | str | None:
        """The bound as written; None for a plain edge."""
        return self.bound.at_most if self.bound else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as its signature declares it."""

    name: str
    phase: str
    function: NodeFunction = field(repr=False)
    view: type[View] = field(repr=False)
    outcomes: tuple[type[Outcome], ...]
    """In the order of the return annotation."""
    services: type[Services] | None = None
    """What the second parameter asks for; None without one."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The fields that the view names."""
        return self.view.view_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """`gate` stands before `before`, and nothing it covers changes in between."""

    gate: str
    before: str
    covers: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """A whole graph, immutable. While `compile()` collects problems it may be incomplete."""

    name: str
    entry: str
    nodes: Mapping[str, Node]
    """In the order in which they were added."""
    edges: tuple[Edge, ...]
    """By node, then outcome; the exhaustion edge follows its bounded edge."""
    guards: tuple[Guard, ...]
    given: frozenset[str]
    """State fields that are there when a run starts."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds, in the order of their counters."""
        return tuple(edge.bound for edge in self.edges if edge.bound is not None)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Source and target of each edge."""
        return [(edge.source, edge.target) for edge in self.edges]

    def after(self, node: str) -> tuple[Edge, ...]:
        """Give the edges that leave a node."""
        return tuple(edge for edge in self.edges if edge.source == node)
