"""The bounds that CI holds, one line each; exits with 1 when one is broken. Takes less than a minute.

Ratios are measured in one run, the contenders taking turns, and the best of several rounds counts, in CPU time: a
busy machine slows all of them. Absolute bounds have a margin of three for slow machines, named in the line. The bounds
themselves stand in `engine.py`, `assembly.py` and `memory.py`, the tables in `RESULTS.md`.
"""

import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import assembly
import engine
import memory

SLOW = 3.0
"""What a slow machine may take more than the bound."""
NOISE = 1.15
"""What a ratio of two short measurements may be off."""
BARE_US = 2.0
"""The bare loop on the machine that the engine's bounds in microseconds were set on (design, "Cost")."""


class Bound(NamedTuple):
    """One bound and what was measured."""

    name: str
    measured: float
    most: float
    unit: str = ""

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return self.measured <= self.most

    def __str__(self) -> str:
        word = "ok    " if self.ok else "BROKEN"
        return f"{word} {self.name}: {self.measured:.3g}{self.unit} ≤ {self.most:.3g}{self.unit}"


def of_engine() -> Iterator[Bound]:
    """Hold the engine against the bare loop and LangGraph, by the best rounds."""
    best = {name: fastest for name, (_, fastest) in engine.measure(rounds=9).items()}
    floor, frames = best["bare loop, model_copy"], best["turngraph, frames"]
    bare, recorded = engine.BOUNDS["bare"] / BARE_US, engine.BOUNDS["recorded"] / BARE_US
    yield Bound("engine without recording, times the bare loop", best["turngraph, no recording"] / floor, bare)
    yield Bound("engine with frames, times the bare loop", frames / floor, recorded)
    size = best["turngraph, frames, 100,000 messages"] / best["turngraph, frames, 100 messages"]
    yield Bound("engine at 100,000 messages, times that at 100", size, engine.SIZE_RATIO * NOISE)
    if "LangGraph, invoke" in best:
        share = frames / best["LangGraph, invoke"]
        yield Bound("engine with frames, share of LangGraph", share, 1 / engine.LANGGRAPH_RATIO)


def of_warm_turns() -> Iterator[Bound]:
    """Hold a turn on 20,000 messages against one on 200."""
    kinds = [assembly.Kind(irregular=False, extras=False), assembly.Kind(irregular=True, extras=True)]
    for kind, (small, large) in assembly.warm([200, 20_000], kinds, rounds=8, turns=15).items():
        yield Bound(f"warm turn on 20,000 messages, {kind}", large, assembly.warm_bound(small) * NOISE, " ms")


def of_cold_assemblies() -> Iterator[Bound]:
    """Hold four times the messages against twice the bound of doubling."""
    for source in ("messages", "chat"):
        small, large = assembly.cold([5_000, 20_000], source=source, rounds=5)
        yield Bound(f"cold assembly of 20,000 {source}, times 5,000", large / small, assembly.COLD_RATIO**2 * NOISE)


def of_pruning() -> Iterator[Bound]:
    """Hold pruning against its bound in milliseconds."""
    spent = assembly.pruning(assembly.Pruning(), rounds=3)
    yield Bound("pruning 1,600 results of 8 KB (bound 100 ms)", spent.prune, assembly.PRUNE_MS * SLOW, " ms")


def of_import() -> Iterator[Bound]:
    """Hold the import against its bound in milliseconds."""
    spent = assembly.start_up(rounds=3)["import turngraph"]
    yield Bound("import turngraph (bound 150 ms)", spent, assembly.IMPORT_MS * SLOW, " ms")


def of_memory() -> Iterator[Bound]:
    """Hold peak memory against what a file may take."""
    for found in memory.measure(memory.FEW):
        yield Bound(f"peak memory, {found.case}", found.used / memory.MB, found.bound / memory.MB, " MB")


def main() -> int:
    began = time.perf_counter()
    broken = 0
    for bounds in (of_engine, of_warm_turns, of_cold_assemblies, of_pruning, of_import, of_memory):
        for bound in bounds():
            print(bound, flush=True)
            broken += not bound.ok
    print(f"{broken} broken, {time.perf_counter() - began:.0f} s")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
