"""What providers see of a history: steps in order, each call answered in place, nothing orphaned or doubled.

Regular steps go out as they stand, as slices of the shared log. The irregular ones (open, late, displaced, renamed,
repaired, dropped) are projected one by one. Cost: O(irregular steps), never O(history).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from .diagnostics import Diagnostic
from .history import History
from .messages import Message, Origin, Text, ToolCall, ToolResult
from .pricing import Pricer
from .rope import Span
from .steps import Step

__all__ = ["NO_RESULT", "Projected", "history_price", "irregular", "project", "step_messages", "step_price"]

NO_RESULT = "no result available for this call; do not assume that it succeeded"
_SOURCE = "compose"


class Projected(NamedTuple):
    """An irregular step as it goes out."""

    step: Step
    messages: list[Message]
    diagnostics: list[Diagnostic]


def irregular(history: History) -> list[Projected]:
    """Project every irregular step, in order."""
    steps = history.irregular_steps()
    if not steps:
        return []
    gone, repairs = history.dropped(), history.repairs()
    out: list[Projected] = []
    for step in steps:
        if step.head in gone:
            message = history[step.head]
            out.append(Projected(step, [], [_repaired(message, f"{gone[step.head]} left out")]))
            continue
        head: Message | None = history[step.head]
        notes: list[Diagnostic] = []
        if step.head in repairs:
            head, reason = repairs[step.head].message, repairs[step.head].reason
            notes.append(_repaired(history[step.head], reason))
        out.append(_project_step(history, step, head, notes))
    return out


def _project_step(history: History, step: Step, head: Message | None, notes: list[Diagnostic]) -> Projected:
    if head is None:
        return Projected(step, [], notes)
    calls = head.calls
    if not calls:
        return Projected(step, [head], notes)
    answers = history.answers_of(step)
    names = _unique_ids(head, calls)
    renamed = [call.id for call in calls] != names
    if renamed:
        notes.append(_repaired(head, "empty or doubled call ids of one message rewritten"))
        head = _with_call_ids(head, names)
    messages = [head]
    at = step.head
    for call, name, position in zip(calls, names, answers, strict=True):
        if position is None:
            messages.append(_placeholder(head, name))
            notes.append(
                Diagnostic(
                    code="CALL_UNANSWERED",
                    severity="warning",
                    source=_SOURCE,
                    id=call.id or name,
                    message=f"Call {call.name!r} of message {head.id} has no result; a placeholder is sent",
                )
            )
            continue
        message = history[position]
        if position != at + 1:
            notes.append(_repaired(message, "a displaced result moved behind its call"))
        at = position
        messages.append(_answering(message, name) if renamed else message)
    return Projected(step, messages, notes)


def _unique_ids(head: Message, calls: Sequence[ToolCall]) -> list[str]:
    taken = {call.id for call in calls}
    out: list[str] = []
    for number, call in enumerate(calls):
        name = call.id
        if not name or name in out:
            name = f"call_{head.id}_{number}"
            while name in taken:
                name += "_"
            taken.add(name)
        out.append(name)
    return out


def _with_call_ids(head: Message, names: Sequence[str]) -> Message:
    left = list(names)
    parts = tuple([replace(part, id=left.pop(0)) if isinstance(part, ToolCall) else part for part in head.content])
    return replace(head, content=parts)


def _answering(message: Message, call_id: str) -> Message:
    result = message.result
    if result is None or result.call_id == call_id:
        return message
    return replace(message, content=(replace(result, call_id=call_id),))


def _placeholder(head: Message, call_id: str) -> Message:
    result = ToolResult(call_id=call_id, content=(Text(NO_RESULT),), is_error=True)
    origin = Origin("unknown", {"placeholder": True})
    return Message(role="tool", content=(result,), id=f"{head.id}.no-result.{call_id}", origin=origin, hidden=True)


def _repaired(message: Message, reason: str) -> Diagnostic:
    return Diagnostic(
        code="PROJECTION_REPAIRED",
        severity="warning",
        source=_SOURCE,
        id=message.id,
        message=f"Message {message.id}: {reason}",
    )


def step_messages(history: History, step: Step, special: dict[int, Projected]) -> list[Message]:
    """Give one step as it goes out; `special` maps step number → projection of the irregular ones."""
    found = special.get(step.number)
    if found is not None:
        return found.messages
    return [history[position] for position in step.positions]


def step_price(history: History, step: Step, special: dict[int, Projected], pricer: Pricer) -> int:
    """Price one step as it goes out. O(1) for a regular step."""
    found = special.get(step.number)
    if found is not None:
        return pricer.messages(found.messages)
    sums = history.prefix_prices(pricer)
    return sums[step.positions[-1] + 1] - sums[step.head]


def history_price(history: History, pricer: Pricer, special: Iterable[Projected]) -> int:
    """Price the whole history as it goes out, without leading system messages."""
    sums = history.prefix_prices(pricer)
    total = sums[len(history)] - sums[history.lead]
    for item in special:
        total += pricer.messages(item.messages)
        total -= sum(sums[position + 1] - sums[position] for position in item.step.positions)
    return total


def project(history: History, ranges: Iterable[tuple[int, int]], special: Sequence[Projected]) -> list[Span]:
    """Give the spans of some ranges of steps (first, last exclusive), ascending, as they go out."""
    log = history.log
    heads = {item.step.head: item.messages for item in special}
    skipped = sorted(position for item in special for position in item.step.positions)
    count, length = history.step_count, len(history)
    spans: list[Span] = []
    index = 0
    for first, last in ranges:
        if first >= last:
            continue
        cursor = history.step(first).head
        stop = history.step(last).head if last < count else length
        while index < len(skipped) and skipped[index] < cursor:
            index += 1
        while index < len(skipped) and skipped[index] < stop:
            position = skipped[index]
            index += 1
            if position > cursor:
                spans.append(Span(log, cursor, position))
            own = heads.get(position)
            if own:
                spans.append(Span(own, 0, len(own)))
            cursor = position + 1
        if stop > cursor:
            spans.append(Span(log, cursor, stop))
    return spans
