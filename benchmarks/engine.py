"""What the engine costs per node, beside a bare loop and LangGraph, all in one run.

`python benchmarks/engine.py` prints a table; `--check` also fails when a bound is broken. Writes nothing.

Ten nodes in a line, each does `x += 1`. Contenders take turns, round by round, so that a busy machine slows all of
them; a row shows the median round and the best. "Bare loop" is the least that keeps a frozen state: ten function
calls with pydantic's `model_copy`. For the size of the state every node reads and writes a history of 100 or 100,000
messages beside `x`. LangGraph is left out where it is not installed.
"""

import argparse
import asyncio
import importlib.metadata
import importlib.util
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import TypedDict

from pydantic import BaseModel, ConfigDict

from turngraph.graph.engine import END, CompiledGraph, Outcome, StateGraph, View

NODES = 10
BOUNDS = {"bare": 6.0, "recorded": 9.0}
"""Microseconds per node."""
LANGGRAPH_RATIO = 15.0
SIZE_RATIO = 1.2


class Count(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int


class CountView(View):
    x: int


class Counted(Outcome):
    x: int


class Log:
    """Stands for a history: one object however many messages it has, checked by one `isinstance`."""

    def __init__(self, size: int) -> None:
        self.messages = [{"role": "user", "content": f"message {number}"} for number in range(size)]


class Talk(BaseModel):
    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    x: int
    history: Log


class TalkView(View):
    x: int
    history: Log


class Talked(Outcome):
    x: int
    history: Log


def count(view: CountView) -> Counted:
    return Counted(x=view.x + 1)


async def count_later(view: CountView) -> Counted:
    return Counted(x=view.x + 1)


def talk(view: TalkView) -> Talked:
    return Talked(x=view.x + 1, history=view.history)


def line(state: type[BaseModel], node: Callable, outcome: type[Outcome], size: int = NODES) -> StateGraph:
    """Build nodes in a line, all of them copies of one."""
    graph = StateGraph(state, inputs=state)
    nodes = []
    for number in range(size):
        copy = type(node)(node.__code__, node.__globals__, f"n{number}")
        copy.__annotations__ = node.__annotations__
        nodes.append(graph.add_node(copy))
    for source, target in zip(nodes, [*nodes[1:], END], strict=True):
        graph.on(source, outcome, target)
    return graph


def bare_loop() -> Callable[[], object]:
    def step(state: Count) -> Count:
        return state.model_copy(update={"x": state.x + 1})

    steps = [step] * NODES
    start = Count(x=0)

    def run() -> None:
        state = start
        for each in steps:
            state = each(state)

    return run


def stepped(graph: CompiledGraph) -> Callable[[], object]:
    def run() -> None:
        going = graph.start({"x": 0})
        while not going.finished:
            going.step()

    return run


def in_loop(loop: asyncio.AbstractEventLoop, call: Callable) -> Callable[[], object]:
    """Run twenty times inside one turn of the loop, so that entering it counts for little."""

    async def several() -> None:
        for _ in range(20):
            await call()

    return lambda: loop.run_until_complete(several())


def langgraph_line() -> object:
    from langgraph.graph import END as LAST
    from langgraph.graph import START
    from langgraph.graph import StateGraph as LangGraph

    class Counter(TypedDict):
        x: int

    graph = LangGraph(Counter)
    for number in range(NODES):
        graph.add_node(f"n{number}", lambda state: {"x": state["x"] + 1})
    for source, target in zip(
        [START, *(f"n{n}" for n in range(NODES))], [*(f"n{n}" for n in range(NODES)), LAST], strict=True
    ):
        graph.add_edge(source, target)
    return graph.compile()


def contenders(loop: asyncio.AbstractEventLoop) -> dict[str, tuple[Callable[[], object], int]]:
    """Name each way of running ten nodes, with how many runs one call makes."""
    graph = line(Count, count, Counted).compile()
    later = line(Count, count_later, Counted).compile()
    small, large = Log(100), Log(100_000)
    talks = line(Talk, talk, Talked).compile()
    found: dict[str, tuple[Callable[[], object], int]] = {
        "bare loop, model_copy": (bare_loop(), 1),
        "turngraph, no recording": (lambda: graph.run({"x": 0}, record=False), 1),
        "turngraph, frames": (lambda: graph.run({"x": 0}), 1),
        "turngraph, frames, async run": (in_loop(loop, lambda: graph.arun({"x": 0})), 20),
        "turngraph, frames, async nodes": (in_loop(loop, lambda: later.arun({"x": 0})), 20),
        "turngraph, step by step": (stepped(graph), 1),
        "turngraph, frames, 100 messages": (lambda: talks.run({"x": 0, "history": small}), 1),
        "turngraph, frames, 100,000 messages": (lambda: talks.run({"x": 0, "history": large}), 1),
    }
    if importlib.util.find_spec("langgraph"):
        peer = langgraph_line()
        found["LangGraph, invoke"] = (lambda: peer.invoke({"x": 0}), 1)
        found["LangGraph, ainvoke"] = (in_loop(loop, lambda: peer.ainvoke({"x": 0})), 20)
    return found


def measure(*, rounds: int = 15, round_s: float = 0.02) -> dict[str, tuple[float, float]]:
    """Give the median and the best round of each contender, in microseconds per node."""
    loop = asyncio.new_event_loop()
    try:
        each = contenders(loop)
        times: dict[str, list[float]] = {name: [] for name in each}
        repeats: dict[str, int] = {}
        for name, (call, _) in each.items():
            call()
            began = time.perf_counter()
            call()
            repeats[name] = max(1, int(round_s / (time.perf_counter() - began)))
        for _ in range(rounds):
            for name, (call, runs) in each.items():
                began = time.perf_counter()
                for _ in range(repeats[name]):
                    call()
                elapsed = time.perf_counter() - began
                times[name].append(elapsed / repeats[name] / runs / NODES * 1e6)
    finally:
        loop.close()
    return {name: (statistics.median(found), min(found)) for name, found in times.items()}


def compile_ms() -> float:
    """Give the best time to compile a line of 20 nodes, the graph library being imported."""
    graph = line(Count, count, Counted, 20)
    graph.compile()
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        graph.compile()
        best = min(best, time.perf_counter() - began)
    return best * 1e3


def machine() -> str:
    """Name the machine and the versions."""
    versions = [
        f"{name} {importlib.metadata.version(name)}"
        for name in ("pydantic", "networkx", "langgraph")
        if importlib.util.find_spec(name)
    ]
    return ", ".join([f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}", *versions])


def verdicts(found: dict[str, tuple[float, float]]) -> list[tuple[str, bool]]:
    """Hold the measurements against the bounds; ratios compare medians of the same rounds."""
    bare, recorded = found["turngraph, no recording"][0], found["turngraph, frames"][0]
    size = found["turngraph, frames, 100,000 messages"][0] / found["turngraph, frames, 100 messages"][0]
    held = [
        (f"no recording: {bare:.1f} ≤ {BOUNDS['bare']} µs per node", bare <= BOUNDS["bare"]),
        (f"frames: {recorded:.1f} ≤ {BOUNDS['recorded']} µs per node", recorded <= BOUNDS["recorded"]),
        (f"100,000 messages cost {size:.2f} times 100, ≤ {SIZE_RATIO}", size <= SIZE_RATIO),
    ]
    if "LangGraph, invoke" in found:
        ratio = found["LangGraph, invoke"][0] / recorded
        held.append(
            (f"LangGraph costs {ratio:.0f} times the run with frames, ≥ {LANGGRAPH_RATIO}", ratio >= LANGGRAPH_RATIO)
        )
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail when a bound is broken")
    check = parser.parse_args().check
    found = measure()
    floor = found["bare loop, model_copy"][0]
    print(machine())
    print()
    print("| ten nodes in a line | µs per node | best | times the bare loop |")
    print("|---|---:|---:|---:|")
    for name, (median, best) in found.items():
        print(f"| {name} | {median:.1f} | {best:.1f} | {median / floor:.1f} |")
    print()
    print(f"Compiling 20 nodes with all proofs: {compile_ms():.1f} ms.")
    held = verdicts(found)
    for sentence, ok in held:
        print(f"{'holds ' if ok else 'BROKEN'}  {sentence}")
    return int(check and not all(ok for _, ok in held))


if __name__ == "__main__":
    sys.exit(main())
