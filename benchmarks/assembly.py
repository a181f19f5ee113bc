"""What an assembly costs: a warm turn, a cold start, pruning, formats, the import. All in one run.

`python benchmarks/assembly.py` prints the tables; `--quick` leaves out the largest sizes. Writes nothing that stays.
`memory.py` measures memory, `engine.py` the engine alone.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from conversations import chat, conversation, with_irregular
from machine import machine

from turngraph import Assembler, Assembly, Attachment, Budget, FileOutputStore, History, Message, OutputStore, Section
from turngraph.state.formats import read
from turngraph.state.messages import ToolCall
from turngraph.testing import MemoryOutputStore

CLOCK = time.process_time
"""CPU seconds: what else the machine does counts for little, and an assembly waits for nothing but its file store."""
WARM_MS = 5.0
"""A warm turn at 200,000 messages."""
WARM_RATIO, WARM_MORE_MS = 2.0, 0.3
"""A warm turn on 20,000 messages against one on 200: so many times it, or so much more, whichever allows more."""
COLD_RATIO = 2.2
"""A cold assembly of twice the messages."""
PRUNE_MS = 100.0
IMPORT_MS = 150.0

WIDE = Budget(model_max_tokens=1_000_000_000, compaction_trigger_messages=1_000_000_000)
"""Nothing is ever under pressure."""
TOOLS: list[dict[str, Any]] = [
    {
        "name": f"tool_{number}",
        "description": "Looks things up where they are kept and says what it found, in a few words. " * 3,
        "parameters": {
            "type": "object",
            "properties": {
                f"field_{k}": {"type": "string", "description": "What to look for, and where, in a sentence."}
                for k in range(6)
            },
            "required": ["field_0"],
        },
    }
    for number in range(20)
]
EXTRAS: dict[str, Any] = {
    "tools": TOOLS,
    "sections": [
        Section(id=f"rules.part{number}", slot="governance", content=f"Rule {number}. " * 100) for number in range(5)
    ],
    "attachments": [
        Attachment(id=f"memory.part{number}", source="memory", content=f"Fact {number}. " * 200) for number in range(3)
    ],
}
"""20 tools given as dicts, 5 sections and 3 attachments, given anew each turn."""


# A warm turn


class Talk:
    """A conversation that grows by a call and its result, assembled each time."""

    def __init__(self, messages: list[Message], options: dict[str, Any]) -> None:
        self.assembler, self.options = Assembler(budget=WIDE), options
        self.history = self.assembler.assemble(History(messages), **options).history
        self.times: list[float] = []

    def turns(self, count: int) -> None:
        """Take turns; what is timed is all that a host does: append, assemble, keep the new history."""
        for _ in range(count):
            name = f"turn_{len(self.times)}"
            call = ToolCall(id=name, name="read_log", arguments={"path": f"log/{name}.txt"})
            new = [Message.assistant("I look again.", calls=[call]), Message.tool(name, "nothing new there\n" * 10)]
            began = CLOCK()
            self.history = self.assembler.assemble(self.history.extend(new), **self.options).history
            self.times.append(CLOCK() - began)

    @property
    def ms(self) -> float:
        """The median turn."""
        return median(self.times) * 1e3


class Kind(NamedTuple):
    """A kind of conversation, and what is given beside it."""

    irregular: bool
    extras: bool

    def __str__(self) -> str:
        with_what = ", 5 sections, 3 attachments, 20 tools" if self.extras else ""
        return (
            "an orphan, an open, a displaced and an interim result early" if self.irregular else "clean"
        ) + with_what


KINDS = [Kind(irregular, extras) for extras in (False, True) for irregular in (False, True)]


def warm(sizes: list[int], kinds: list[Kind], *, rounds: int = 10, turns: int = 30) -> dict[Kind, list[float]]:
    """Give the median turn in ms by kind and size; sizes take turns, so that a busy machine slows all of them."""
    found: dict[Kind, list[float]] = {}
    for kind in kinds:
        start = [conversation(size) for size in sizes]
        options = EXTRAS if kind.extras else {}
        talks = [Talk(with_irregular(messages) if kind.irregular else messages, options) for messages in start]
        for _ in range(rounds):
            for talk in talks:
                talk.turns(turns)
        found[kind] = [talk.ms for talk in talks]
    return found


def warm_bound(small_ms: float) -> float:
    """Give what a turn on 20,000 messages may take, in ms."""
    return max(small_ms * WARM_RATIO, small_ms + WARM_MORE_MS)


# A cold start


def cold(sizes: list[int], *, source: str, budget: Budget = WIDE, rounds: int = 3) -> list[float]:
    """Give the best time in ms to assemble a list of so many messages, or of so many chat dicts, for the first time."""
    make: Callable[[int], list[Any]] = conversation if source == "messages" else chat
    best = [float("inf")] * len(sizes)
    assembler = Assembler(budget=budget)
    assembler.assemble(make(50))
    for _ in range(rounds):
        for place, size in enumerate(sizes):
            given = make(size)
            began = CLOCK()
            assembler.assemble(given)
            best[place] = min(best[place], (CLOCK() - began) * 1e3)
    return best


# Pruning


class Pruning(NamedTuple):
    """How 1,600 results of 8 KB are pruned."""

    files: bool = False
    refs: bool = True
    """The bodies are in the store, and the messages name them."""
    priced: bool = True
    """A History whose messages were counted in earlier turns."""
    over: bool = False
    """What pruning leaves is still over the limit: the extractive summariser must step in."""

    def __str__(self) -> str:
        words = [
            "files" if self.files else "memory",
            "stored, with references" if self.refs else "not stored yet",
            "prices known" if self.priced else "nothing counted yet",
            "then folded by the fallback" if self.over else "then within the limit",
        ]
        return ", ".join(words)


class Failing:
    """A summariser that would take any source, and is down."""

    name = "failing"
    window_tokens = 1_000_000_000

    def summarize(self, _request: object) -> str:
        raise RuntimeError("the summariser is down")


PRUNINGS = [
    Pruning(),
    Pruning(refs=False),
    Pruning(files=True),
    Pruning(files=True, refs=False),
    Pruning(priced=False),
    Pruning(over=True),
]
RESULTS, RESULT_BYTES = 1600, 8192


class Pruned(NamedTuple):
    """Times in ms."""

    prune: float
    """The node alone."""
    assembly: float
    """The whole assembly."""


def pruning(case: Pruning, *, rounds: int = 5) -> Pruned:
    """Prune, then ask a summariser that fails; give the best of several assemblies."""
    best = Pruned(float("inf"), float("inf"))
    window = 200_000 if case.over else _window_after_pruning()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="turngraph-bench-") as folder:
            store: OutputStore = FileOutputStore(folder) if case.files else MemoryOutputStore()
            assembler, history = _results(case, store, window)
            run = assembler.start(history)
            spent = {}
            while not run.finished:
                began = CLOCK()
                node = run.step().node
                spent[node] = spent.get(node, 0.0) + (CLOCK() - began) * 1e3
            pressure: Any = run.state["pressure"]
            assert len(pressure.pruned) > 0.9 * RESULTS
            assert [item.reason for item in pressure.rejections] == ["error"]
            assert pressure.outcome == ("fallback" if case.over else "kept")
            best = Pruned(min(best.prune, spent["prune"]), min(best.assembly, sum(spent.values())))
    return best


def _results(case: Pruning, store: OutputStore, window: int) -> tuple[Assembler, History]:
    line = "0123456789abcdef lines of a log, some words, a path/to/file.py and so on\n"
    messages = [Message.user("Go through all of the logs.")]
    for number in range(RESULTS):
        name = f"call_{number}"
        body = (f"log {number}\n" + line * (RESULT_BYTES // len(line) + 1))[:RESULT_BYTES]
        call = ToolCall(id=name, name="read_log", arguments={"path": f"log/{number}.txt"})
        ref = store.put(body, tool="read_log") if case.refs else None
        messages += [Message.assistant(calls=[call]), Message.tool(name, body, ref=ref)]
    budget = Budget(model_max_tokens=window, compaction_trigger_messages=1_000_000)
    assembler = Assembler(budget=budget, summarizer=Failing(), outputs=store)
    history = History(messages)
    if case.priced:
        history.sent.prices(assembler.pricer)
    return assembler, history


def _window_after_pruning() -> int:
    """Give a window that all of the previews fill to nine tenths: over the pressure line, under the limit."""
    assembler, history = _results(Pruning(), MemoryOutputStore(), 200_000)
    run = assembler.start(history)
    run.run_until("select")
    pressure: Any = run.state["pressure"]
    return int((pressure.entered_at - pressure.freed) / 0.9) + 16_384


# Formats and import


def formats(sizes: list[int], *, rounds: int = 3) -> dict[str, list[float]]:
    """Give the best time in ms of what is linear by nature: reading chat dicts, writing provider bodies."""
    found: dict[str, list[float]] = {"read chat dicts": [], '`.to("openai")`': [], '`.to("anthropic")`': []}
    for size in sizes:
        given = chat(size)
        assembly: Assembly = Assembler(budget=WIDE).assemble(given)
        assert assembly.model_input is not None
        jobs = (
            lambda given=given: read(given, "openai-chat"),
            lambda sent=assembly.model_input: sent.to("openai"),
            lambda sent=assembly.model_input: sent.to("anthropic"),
        )
        for name, job in zip(found, jobs, strict=True):
            found[name].append(min(_timed(job) for _ in range(rounds)))
    return found


def _timed(job: Callable[[], object]) -> float:
    began = CLOCK()
    job()
    return (CLOCK() - began) * 1e3


_START = """
import time, sys
began = time.perf_counter()
import turngraph
print((time.perf_counter() - began) * 1e3)
for name in ("Assembler", "Budget", "History", "Message"):
    getattr(turngraph, name)
print((time.perf_counter() - began) * 1e3)
began = time.perf_counter()
assembler = turngraph.Assembler()
print((time.perf_counter() - began) * 1e3)
began = time.perf_counter()
assembler.assemble(turngraph.History([turngraph.Message.user("hello")]))
print((time.perf_counter() - began) * 1e3)
"""
STARTS = ("import turngraph", "import turngraph with its main names", "the first Assembler()", "the first assemble")


def start_up(rounds: int = 5) -> dict[str, float]:
    """Give the median in ms of fresh interpreters, their own start not counted."""
    runs = []
    for _ in range(rounds + 1):
        out = subprocess.run([sys.executable, "-c", _START], check=True, capture_output=True, text=True)
        runs.append([float(line) for line in out.stdout.split()])
    return dict(zip(STARTS, map(median, zip(*runs[1:], strict=True)), strict=True))


# The tables


def table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Give the lines of a Markdown table; all columns but the first are numbers."""
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'---:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def tables(*, quick: bool) -> Iterator[str]:
    """Measure and give one table after the other."""
    sizes = [200, 2_000, 20_000] if quick else [200, 2_000, 20_000, 200_000]
    yield "### A warm turn: two new messages on N, median of 300, ms\n"
    rows = []
    for kind, times in warm(sizes, KINDS).items():
        held = times[2] <= warm_bound(times[0]) and times[-1] <= WARM_MS
        rows.append([str(kind), *(f"{time_ms:.3f}" for time_ms in times), "yes" if held else "NO"])
    yield from table(["", *(f"N = {size:,}" for size in sizes), "holds"], rows)

    yield "### A cold assembly: N messages for the first time, best of 3\n"
    sizes = [12_500, 25_000, 50_000] if quick else [25_000, 50_000, 100_000, 200_000]
    rows = []
    for name, source, budget in (
        ("a list of messages", "messages", WIDE),
        ("a list of chat dicts", "chat", WIDE),
        ("a list of messages, folded to 200,000 tokens", "messages", Budget(model_max_tokens=200_000)),
    ):
        times = cold(sizes, source=source, budget=budget)
        worst = max(after / before for before, after in pairwise(times))
        cells = [f"{time_ms:,.0f} ms" for time_ms in times]
        rows.append([name, *cells, f"{worst:.2f}", "yes" if worst <= COLD_RATIO else "NO"])
    yield from table(["", *(f"N = {size:,}" for size in sizes), "worst ratio of N to 2 N", "≤ 2.2"], rows)

    yield "### Pruning 1,600 results of 8 KB, the summariser fails, best of 5, ms\n"
    rows = []
    for case in PRUNINGS:
        spent = pruning(case)
        rows.append([str(case), f"{spent.prune:.0f}", f"{spent.assembly:.0f}"])
    yield from table(["store", "pruning", "whole assembly"], rows)

    yield "### Formats: linear, best of 3, ms\n"
    sizes = [200, 2_000, 20_000]
    rows = [[name, *(f"{time_ms:.1f}" for time_ms in times)] for name, times in formats(sizes).items()]
    yield from table(["", *(f"N = {size:,}" for size in sizes)], rows)

    yield "### Starting, median of 5 fresh interpreters, ms\n"
    yield from table(["", "ms"], [[name, f"{time_ms:.0f}"] for name, time_ms in start_up().items()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    quick = parser.parse_args().quick
    print(machine())
    print()
    for line in tables(quick=quick):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
