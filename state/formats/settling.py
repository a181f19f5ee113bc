"""Messages in the order that providers ask for: results right behind their call, in declared order, ids clean.

A composed input is in that order already; here it is made so for any list, and every change is reported.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..messages import Message, Part, ToolCall
from .repairs import Repairs

__all__ = ["PLACEHOLDER", "clean_id", "settle"]

PLACEHOLDER = "no result available for this call; do not assume that it succeeded"
"""Stands for the result of a call that nobody answered."""

_BAD = re.compile(r"[^a-zA-Z0-9_-]")


def clean_id(id: str, longest: int) -> str:
    """Give a call id of letters, digits, `_` and `-` only, at most `longest` characters; the same for the same."""
    clean = _BAD.sub("_", id) or "call"
    if len(clean) <= longest:
        return clean
    return f"{clean[: longest - 9]}-{hashlib.sha256(id.encode()).hexdigest()[:8]}"


def settle(messages: Sequence[Message], repairs: Repairs, rename: Callable[[str], str]) -> list[Message]:
    """Put each result behind its call, answer open calls, leave out orphans, make call ids clean and unique.

    Cost: linear in messages and calls.
    """
    settled: list[Message] = []
    names = _Names(rename, repairs)
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        if message.role == "tool":
            _orphan(message, repairs)
        elif message.role != "assistant" or not message.calls:
            settled.append(message)
        else:
            end = index
            while end < len(messages) and messages[end].role != "assistant":
                end += 1
            settled += _exchange(message, messages[index:end], names, repairs)
            index = end
    return settled


def _orphan(message: Message, repairs: Repairs) -> None:
    repairs.note("a result without its call is left out", message.id, severity="warning")


def _exchange(message: Message, behind: Sequence[Message], names: "_Names", repairs: Repairs) -> list[Message]:
    results: dict[str, list[Message]] = {}
    others: list[Message] = []
    for other in behind:
        result = other.result if other.role == "tool" else None
        if result is None:
            others.append(other)
        else:
            results.setdefault(result.call_id, []).append(other)
    waiting = Counter(call.id for call in message.calls)
    answers_of = {id: iter(_best(results.pop(id, []), count, repairs)) for id, count in waiting.items()}
    for orphans in results.values():
        for orphan in orphans:
            _orphan(orphan, repairs)
    content: list[Part] = []
    answers: list[Message] = []
    for part in message.content:
        if isinstance(part, ToolCall):
            name = names.take(part.id)
            answers.append(_answer(next(answers_of[part.id], None), part.id, name, repairs))
            part = part if name == part.id else replace(part, id=name)  # noqa: PLW2901
        content.append(part)
    return [replace(message, content=tuple(content)), *answers, *others]


def _best(results: list[Message], count: int, repairs: Repairs) -> list[Message]:
    """Give the results for `count` calls of one id: real ones before placeholders."""
    if len(results) <= count:
        return results
    ranked = sorted(results, key=lambda message: message.result is not None and message.result.interim)
    for message in ranked[count:]:
        repairs.note("a second result for a call is left out", message.id, severity="warning")
    return ranked[:count]


def _answer(message: Message | None, id: str, name: str, repairs: Repairs) -> Message:
    if message is None:
        repairs.note(
            "a call without result is answered by a placeholder", id, severity="warning", code="CALL_UNANSWERED"
        )
        return Message.tool(name, PLACEHOLDER, is_error=True)
    result = message.result
    assert result is not None
    return message if result.call_id == name else replace(message, content=(replace(result, call_id=name),))


class _Names:
    """Gives call ids that no earlier call of the request has."""

    def __init__(self, rename: Callable[[str], str], repairs: Repairs) -> None:
        self._rename = rename
        self._repairs = repairs
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, id: str) -> str:
        base = name = self._rename(id)
        while name in self._taken:
            number = self._next.get(base, 2)
            self._next[base] = number + 1
            name = self._rename(f"{base}-{number}")
        self._taken.add(name)
        if name != id:
            self._repairs.note("a call id is rewritten: this provider wants other characters, or each id once", id)
        return name
