"""The one place where results become durable state; the live boundary and hydration both write through it."""

from collections import deque
from dataclasses import replace
from typing import Any

from ..errors import BadRequest, UsageError
from ..messages import Message, ToolCall, ToolResult
from .goal import Goal, read_goal
from .plan import Plan, read_plan
from .records import Record, RecordChannel
from .rules import DurableRules
from .skills import MAX_SKILL_ID, SkillCatalogue, SkillReference
from .state import DurableState, OpenStep
from .values import ReadResult, bounded_arguments, json_text, read_result

__all__ = ["MAX_OPEN", "MAX_SEEN", "MAX_SKILLS", "Ledger"]

MAX_OPEN = 64
"""So many steps may wait for results at once; of more, the oldest is no longer waited for."""
MAX_SEEN = 32
"""Ids of so many messages are kept to find the place again, whatever an undo or a fold took away."""
MAX_SKILLS = 50
"""The newest so many read skills are remembered."""


class Ledger:
    """A durable state being written. Not shared between threads; `state()` gives the immutable outcome."""

    __slots__ = ("_before", "_catalogue", "_changes", "_open", "_rules", "_seen", "_sequence")

    def __init__(self, before: DurableState, rules: DurableRules, catalogue: SkillCatalogue) -> None:
        self._before = before
        self._rules = rules
        self._catalogue = catalogue
        self._sequence = before.sequence
        self._seen = deque(before.seen, maxlen=MAX_SEEN)
        self._open = {step.message_id: step for step in before.open}
        self._changes: dict[str, Any] = {}

    def state(self) -> DurableState:
        """Give the state as it stands; the one it came from if nothing changed."""
        changes = dict(self._changes)
        if self._sequence != self._before.sequence:
            changes |= {"sequence": self._sequence, "seen": tuple(self._seen)}
        still_open = tuple(self._open.values())
        if still_open != self._before.open:
            changes["open"] = still_open
        return replace(self._before, **changes) if changes else self._before

    def knows(self, message_id: str) -> bool:
        """Tell whether the calls of a message have their numbers."""
        return message_id in self._open or message_id in self._seen

    @property
    def open_steps(self) -> tuple[OpenStep, ...]:
        """The steps that wait for results."""
        return tuple(self._open.values())

    def declare(self, message: Message) -> None:
        """Number the calls of a message, unless they are."""
        count = len(message.calls)
        if not count:
            return
        if not message.id:
            raise UsageError("The assistant message has no id: append it to the history and declare what stands there")
        if self.knows(message.id):
            return
        self._open[message.id] = OpenStep(
            message_id=message.id, sequence=self._sequence + 1, waiting=tuple(range(count))
        )
        self._sequence += count
        self._seen.append(message.id)
        if len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]

    def skip(self, message: Message, count: int) -> None:
        """Number the calls of a closed step that no channel wants to hear of."""
        self._sequence += count
        self._seen.append(message.id)

    def result(self, message: Message, index: int, result: ToolResult, at: str | None = None) -> None:
        """Take in one result."""
        calls = message.calls
        if not 0 <= index < len(calls):
            raise UsageError(f"Message {message.id!r} has {len(calls)} calls; there is no call {index}")
        if result.interim:
            return
        call = calls[index]
        step = self._open.get(message.id)
        if step is not None and index in step.waiting:
            waiting = tuple([other for other in step.waiting if other != index])
            if waiting:
                self._open[message.id] = replace(step, waiting=waiting)
            else:
                del self._open[message.id]
            sequence: int | None = step.sequence + index
        elif self.knows(message.id):
            sequence = self._known(message.id, call)
        else:
            raise UsageError(f"Message {message.id!r} was not declared; its calls have no numbers yet")
        if sequence is not None:
            self._write(message.id, call, sequence, result, at)

    def _known(self, message_id: str, call: ToolCall) -> int | None:
        """Give the number of a call whose result is in a channel already; `None`: it is not, or no longer."""
        channel = self._rules.tools.channel_of.get(call.name)
        if channel in (None, "goal", "plan", "skills"):
            return None
        held: RecordChannel = self._get(channel)
        found = [item.sequence for item in held.records + held.failures if item.key == (message_id, call.id)]
        return found[0] if found else None

    def _get(self, channel: str) -> Any:
        return self._changes[channel] if channel in self._changes else getattr(self._before, channel)

    def _write(self, message_id: str, call: ToolCall, sequence: int, result: ToolResult, at: str | None) -> None:
        channel = self._rules.tools.channel_of.get(call.name)
        if channel is None:
            return
        read = read_result(result)
        if channel == "plan":
            self._plan(message_id, call, sequence, read, at)
        elif channel == "skills":
            self._skill(message_id, call, sequence, read)
        elif channel == "goal":
            self._goal(call, sequence, read)
        elif not read.failed or channel in self._rules.failures:
            record = Record.of(
                message_id=message_id,
                call_id=call.id,
                tool_name=call.name,
                sequence=sequence,
                failed=read.failed,
                arguments=call.arguments,
                value=read.value,
                value_chars=self._rules.value_chars,
            )
            self._changes[channel] = self._get(channel).with_record(record, most=self._rules.records)

    def _plan(self, message_id: str, call: ToolCall, sequence: int, read: ReadResult, at: str | None) -> None:
        standing: Plan | None = self._get("plan")
        if read.failed or read.superseded or (standing is not None and standing.sequence > sequence):
            return
        try:
            snapshot = read_plan(call.arguments)
        except BadRequest:
            return  # whoever ran the tool let it pass; a plan that cannot be read replaces nothing
        self._changes["plan"] = Plan(
            items=snapshot.items,
            explanation=snapshot.explanation,
            message_id=message_id,
            call_id=call.id,
            sequence=sequence,
            updated_at=at,
        )

    def _skill(self, message_id: str, call: ToolCall, sequence: int, read: ReadResult) -> None:
        skill_id: object = call.arguments.get("skillId")
        if read.failed or not isinstance(skill_id, str) or not 1 <= len(skill_id.strip()) <= MAX_SKILL_ID:
            return
        held: tuple[SkillReference, ...] = self._get("skills")
        if any(item.id == skill_id and item.sequence > sequence for item in held):
            return
        reference = SkillReference(
            id=skill_id,
            revision=self._catalogue.revision_of(skill_id),
            message_id=message_id,
            call_id=call.id,
            sequence=sequence,
            tool_name=call.name,
        )
        kept = [item for item in held if item.id != skill_id]
        self._changes["skills"] = tuple(sorted([*kept, reference], key=lambda item: item.sequence)[-MAX_SKILLS:])

    def _goal(self, call: ToolCall, sequence: int, read: ReadResult) -> None:
        standing: Goal | None = self._get("goal")
        if read.failed or (standing is not None and (standing.sequence is None or standing.sequence > sequence)):
            return
        most = self._rules.value_chars
        try:
            fits = len(json_text(dict(call.arguments))) <= most
            goal = read_goal(call.arguments) if fits else Goal(raw=bounded_arguments(call.arguments, most))
        except BadRequest:
            return
        if goal is not None:
            self._changes["goal"] = replace(goal, sequence=sequence)
