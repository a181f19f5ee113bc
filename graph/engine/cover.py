"""A small set of scripted runs that together take every edge of a graph."""

from collections import deque
from collections.abc import Collection, Sequence
from typing import TypeAlias

from .structure import Proof
from .unfold import LIMIT, Place, Steps
from .wiring import Edge, Wiring

__all__ = ["Cover", "prove_cover", "transition_cover"]

Cover: TypeAlias = tuple[list[list[Edge]], list[Edge]]
"""Runs as the edges they take, and the edges that no run takes."""

_Step: TypeAlias = tuple[Place, Edge, Place]


def transition_cover(wiring: Wiring, limits: Sequence[int]) -> Cover:
    """Give runs from the entry to a terminal, and the edges that no run can take.

    Greedy, so small but not the smallest: each run goes on to the nearest edge not yet taken while there
    is one ahead, then out the shortest way. Each search looks at no more than `LIMIT` states.
    """
    steps = Steps(wiring, limits)
    left = {edge.label: edge for edge in wiring.edges}
    runs: list[list[Edge]] = []
    while left:
        place = steps.start
        run: list[Edge] = []
        while way := _nearest(steps, place, left):
            for _, edge, _ in way:
                left.pop(edge.label, None)
                run.append(edge)
            place = way[-1][2]
        if not run:
            break
        run.extend(edge for _, edge, _ in _nearest(steps, place, None))
        runs.append(run)
    return runs, list(left.values())


def _nearest(steps: Steps, start: Place, wanted: Collection[str] | None) -> list[_Step]:
    """Give the shortest way that ends with a wanted edge, or without `wanted` in a terminal; else nothing."""
    came: dict[Place, _Step] = {}
    queue = deque([start])
    while queue and len(came) < LIMIT:
        place = queue.popleft()
        out = steps.out_of(place)
        if wanted is None and not out:
            return _walk(came, start, place)
        for edge, follower in out:
            if wanted is not None and edge.label in wanted:
                return [*_walk(came, start, place), (place, edge, follower)]
            if follower != start and follower not in came:
                came[follower] = (place, edge, follower)
                queue.append(follower)
    return []


def _walk(came: dict[Place, _Step], start: Place, place: Place) -> list[_Step]:
    walk: list[_Step] = []
    while place != start:
        walk.append(came[place])
        place = came[place][0]
    return walk[::-1]


def prove_cover(wiring: Wiring, cover: Cover) -> Proof:
    """Every edge is taken by some run."""
    runs, left = cover
    problems = [f"no run takes edge {edge.label}: {_reason(edge)}" for edge in left]
    steps = sum(map(len, runs))
    return Proof.of("cover", problems, f"{len(runs)} runs of {steps} steps take all {len(wiring.edges)} edges")


def _reason(edge: Edge) -> str:
    if edge.exhausted:
        return "its bound cannot be spent in one run; make it a plain edge"
    return "drop it or lead a run to it"
