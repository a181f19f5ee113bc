"""How one step goes out that does not go out as it stands: open, late, displaced, renamed, repaired, or dropped."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .diagnostics import Diagnostic
from .messages import Message, Origin, Text, ToolCall, ToolResult
from .steps import StepTable

__all__ = ["NO_RESULT", "Projected", "Repair", "left_out", "project"]

NO_RESULT = "no result available for this call; do not assume that it succeeded"
_SOURCE = "compose"


class Repair(NamedTuple):
    """A message that goes out otherwise than it stands in history."""

    position: int
    message: Message | None
    """What is sent instead; `None`: nothing."""
    reason: str


class Projected(NamedTuple):
    """A step as it goes out."""

    messages: list[Message]
    diagnostics: list[Diagnostic]


def left_out(message: Message, reason: str) -> Projected:
    """Give the projection of a step that no provider may see."""
    return Projected([], [_repaired(message, f"{reason} left out")])


def project(table: StepTable, number: int, length: int, repair: Repair | None) -> Projected:
    """Give a step as it goes out of a history of `length`: each call answered in place, ids told apart."""
    at = table.starts[number]
    head: Message | None = table.messages[at]
    notes: list[Diagnostic] = []
    if repair is not None:
        notes.append(_repaired(table.messages[at], repair.reason))
        head = repair.message
    if head is None or not head.calls:
        return Projected([] if head is None else [head], notes)
    calls = head.calls
    names = _unique_ids(head, calls)
    renamed = [call.id for call in calls] != names
    if renamed:
        notes.append(_repaired(head, "empty or doubled call ids of one message rewritten"))
        head = _with_call_ids(head, names)
    messages = [head]
    for call, name, position in zip(calls, names, table.answers(number, length), strict=True):
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
        message = table.messages[position]
        if position != at + 1:
            notes.append(_repaired(message, "a displaced result moved behind its call"))
        at = position
        messages.append(_answering(message, name) if renamed else message)
    return Projected(messages, notes)


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
