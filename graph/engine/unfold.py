"""Unfold a graph into node by loop counters: a finite DAG on which worst cases are exact.

Why it is finite and acyclic: a counter only grows and never beyond its bound; a step that changes no counter
is a plain edge or an exhaustion edge, and those alone form no cycle (proof `loops`). Each state of the
unfolding therefore occurs at most once on a path, and the longest path is the worst run, exactly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from .algorithms import longest_path
from .structure import TERMINALS, Proof
from .wiring import Edge, Wiring

__all__ = ["LIMIT", "Place", "Steps", "Unfolding", "WorstCase", "limits_of", "prove_worst_case", "worst_case"]

LIMIT = 50_000
"""States of an unfolding; beyond, the worst case is a bound instead of exact."""


Place: TypeAlias = tuple[str, tuple[int, ...]]
"""A state of the unfolding: a node and the counters spent; a terminal has no counters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """What one run can cost at most; terminals are not counted."""

    nodes: int
    """Node executions of the longest run."""
    by_node: Mapping[str, int]
    """Executions of each node, in the run that has most of them; their sum may exceed `nodes`."""
    exact: bool = field(default=True)
    """False when the graph has too many states to unfold; the numbers are upper bounds then."""

    def as_json(self) -> dict[str, object]:
        """Give `{nodes, by_node}`."""
        return {"nodes": self.nodes, "by_node": dict(self.by_node)}


def limits_of(wiring: Wiring, budget: object = None, *, preset: bool = False) -> tuple[int, ...]:
    """Give the number behind each bound: from the budget, else the declared upper limit or the preset.

    `budget` is the object whose fields the bounds name.
    """
    if budget is None:
        return tuple(bound.preset if preset else bound.upper for bound in wiring.bounds)
    return tuple(bound.within(budget) if bound.path else bound.upper for bound in wiring.bounds)


class Steps:
    """The steps of the unfolding, worked out one state at a time."""

    def __init__(self, wiring: Wiring, limits: Sequence[int]) -> None:
        self.start: Place = (wiring.entry, (0,) * len(limits))
        self._limits = limits
        self._leaving = {name: _pairs(wiring.after(name)) for name in wiring.nodes}

    def out_of(self, place: Place) -> list[tuple[Edge, Place]]:
        """Give every edge that can be taken here, with where it leads; none out of a terminal."""
        name, spent = place
        out: list[tuple[Edge, Place]] = []
        for edge, exhausted in self._leaving.get(name, ()):
            taken, after = edge, spent
            if edge.bound is not None and exhausted is not None:
                index = edge.bound.index
                if spent[index] < self._limits[index]:
                    after = (*spent[:index], spent[index] + 1, *spent[index + 1 :])
                else:
                    taken = exhausted
            out.append((taken, (taken.target, () if taken.target in TERMINALS else after)))
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfolding:
    """All states that a run can be in, and the steps between them; state 0 is the start."""

    names: Sequence[str]
    """Node of each state; terminals are states as well."""
    steps: Sequence[Sequence[int]]
    """The states that follow each state, each once."""

    @classmethod
    def of(cls, wiring: Wiring, limits: Sequence[int], *, limit: int = LIMIT) -> "Unfolding | None":
        """Unfold breadth first; None when there are more than `limit` states."""
        places = Steps(wiring, limits)
        numbers = {places.start: 0}
        queue = [places.start]
        steps: list[list[int]] = []
        for place in queue:
            followers: dict[int, None] = {}
            for _, follower in places.out_of(place):
                number = numbers.setdefault(follower, len(queue))
                if number == len(queue):
                    if number >= limit:
                        return None
                    queue.append(follower)
                followers[number] = None
            steps.append(list(followers))
        return cls(names=[name for name, _ in queue], steps=steps)

    def backwards(self) -> list[int]:
        """List the states so that each comes after all that it leads to."""
        order: list[int] = []
        seen = {0}
        stack = [(0, iter(self.steps[0]))]
        while stack:
            state, rest = stack[-1]
            for follower in rest:
                if follower not in seen:
                    seen.add(follower)
                    stack.append((follower, iter(self.steps[follower])))
                    break
            else:
                order.append(state)
                stack.pop()
        return order


def _pairs(edges: Sequence[Edge]) -> list[tuple[Edge, Edge | None]]:
    otherwise = {edge.outcome: edge for edge in edges if edge.exhausted}
    return [(edge, otherwise.get(edge.outcome)) for edge in edges if not edge.exhausted]


def worst_case(wiring: Wiring, limits: Sequence[int], *, limit: int = LIMIT) -> WorstCase:
    """Count the longest run, in all and per node; exact up to `limit` states of the unfolding."""
    unfolding = Unfolding.of(wiring, limits, limit=limit)
    if unfolding is None:
        return _stated(wiring, limits)
    column = {name: index for index, name in enumerate(wiring.nodes)}
    total = len(column)
    longest: dict[int, list[int]] = {}
    for state in unfolding.backwards():
        name = unfolding.names[state]
        ahead = [longest[follower] for follower in unfolding.steps[state]]
        counts = [max(column) for column in zip(*ahead, strict=True)] or [0] * (total + 1)
        if name in column:
            counts[column[name]] += 1
            counts[total] += 1
        longest[state] = counts
    first = longest[0]
    return WorstCase(nodes=first[total], by_node={name: first[index] for name, index in column.items()})


def _stated(wiring: Wiring, limits: Sequence[int]) -> WorstCase:
    """Bound the run: between two bounded steps it follows the acyclic rest, where no node comes twice."""
    rest = [(edge.source, edge.target) for edge in wiring.edges if edge.bound is None and edge.target not in TERMINALS]
    segments = sum(limits) + 1
    nodes = longest_path(rest, wiring.entry) * segments
    return WorstCase(nodes=nodes, by_node=dict.fromkeys(wiring.nodes, segments), exact=False)


def prove_worst_case(wiring: Wiring, found: WorstCase) -> Proof:
    """State the worst case in words: the total, and the nodes that loops repeat."""
    often = ", ".join(f"{name} {count}" for name, count in found.by_node.items() if count > 1)
    kind = "exactly" if found.exact else "no more than"
    detail = f"at most {found.nodes} node executions ({kind}; {often or 'no node twice'})"
    return Proof.of("worst_case", [], f"{detail}, terminals not counted, {len(wiring.bounds)} loop counters")
