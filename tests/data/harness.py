"""Assembles a transcript at a window and checks what comes out, with exact tokenizers and an independent checker."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from turngraph import Assembler, Assembly, Budget, History, MemoryOutputStore, Message
from turngraph.state.formats import Reading, message_to_json, read_path
from turngraph.state.pricing import Pricer
from turngraph.state.tokens import TiktokenCounter

from .checker import problems

RESERVE = 1000
STATED = {"fixed_part_over_limit", "window_over_limit"}


ENCODINGS = ("o200k_base", "cl100k_base")


@cache
def exact(encoding: str) -> Pricer:
    return Pricer(TiktokenCounter(encoding))


def exact_totals(assembly: Assembly) -> list[int]:
    """The whole input by each exact tokenizer; by its own where the run counted with one."""
    given = assembly.model_input
    own = assembly.report.as_json()["tokens"]["counter"].removeprefix("tiktoken:")
    pricers = [exact(encoding) for encoding in ENCODINGS if own in (encoding, "conservative")]
    return [
        pricer.system(given.system) + pricer.tools(given.tools) + pricer.messages(given.messages) for pricer in pricers
    ]


@dataclass
class Checked:
    """One assembly and what is wrong with it."""

    code: str
    """`ok`, or why it failed."""
    found: list[str] = field(default_factory=list)


def assembler(
    window: int, store: MemoryOutputStore, *, counter: str = "conservative", preview_bytes: int = 2048
) -> Assembler:
    budget = Budget(model_max_tokens=window, output_reserve_tokens=RESERVE, compaction_tool_preview_bytes=preview_bytes)
    return Assembler(budget=budget, outputs=store, counter=counter)


def as_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [message_to_json(message) for message in messages]


def check(assembly: Assembly, source: History, store: MemoryOutputStore, window: int) -> Checked:
    """Check one assembly of `source`."""
    if not assembly.ok:
        found = [] if assembly.error.code in STATED else [f"not a stated reason: {assembly.error!r}"]
        if assembly.history is not assembly.given_history:
            found.append("the history was changed by a failure")
        return Checked(assembly.error.code, found)
    over = [f"{total} exact tokens" for total in exact_totals(assembly) if total > window - RESERVE]
    found = problems(as_json(source), as_json(assembly.model_input.messages), as_json(assembly.history), store.items)
    return Checked("ok", over + found)


def read(path: Path) -> tuple[Reading, History]:
    reading = read_path(path)
    return reading, History(reading.messages, format=reading.format, system=reading.system)


def once(path: Path, window: int, **more: Any) -> Checked:
    """Assemble a whole transcript at once."""
    _, history = read(path)
    store = MemoryOutputStore()
    return check(assembler(window, store, **more).attempt(history), history, store, window)


def replay(path: Path, window: int, **more: Any) -> list[Checked]:
    """Assemble before every answer of the model, carrying the history on, as a runtime does."""
    _, whole = read(path)
    store = MemoryOutputStore()
    assembling = assembler(window, store, **more)
    messages = [message.with_id(f"t{at}") for at, message in enumerate(whole)]  # the host's own ids
    history, seen = History(), 0
    checked: list[Checked] = []
    for at, message in enumerate(messages):
        if message.role == "assistant" and at > seen:
            history = history.append(*messages[seen:at])
            seen = at
            done = assembling.attempt(history)
            checked.append(check(done, History(messages[:at]), store, window))
            history = done.history
    return checked
