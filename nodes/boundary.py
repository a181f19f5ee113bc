"""The tool-result boundary: where results leave their tools and become messages and durable state.

A runtime declares the assistant message and completes its calls as they finish, in whatever order, from whatever
thread. What comes out keeps the order in which the model declared the calls.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..state.durable import (
    DEFAULT_RULES,
    EMPTY_STATE,
    NO_SKILLS,
    DurableRules,
    DurableState,
    SkillCatalogue,
    hydrate,
    superseded_answer,
)
from ..state.errors import UsageError
from ..state.history import History
from ..state.messages import Message, Text, ToolCall, ToolResult

__all__ = ["Committed", "PendingCall", "ToolResultBoundary"]


class PendingCall(NamedTuple):
    """A call that waits for its result."""

    message_id: str
    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What one completion brought."""

    messages: tuple[Message, ...]
    """Tool messages to append to the history now, in this order. Empty while an earlier call of the step is open."""
    first: int
    """Number of the first of them among all messages of this boundary: threads that append can tell their turn."""
    closed: bool
    """Every call of the step has its real result."""
    state: DurableState
    """The state with everything that is committed."""


@dataclass(slots=True)
class _Slot:
    """One call of a declared step."""

    call: ToolCall
    superseded_by: str | None = None
    result: ToolResult | None = None
    """The newest result, which may be interim."""
    at: str | None = None
    """When the result came."""
    committed: bool = False
    """`result` has left as a message."""

    @property
    def waits(self) -> bool:
        """Whether a real result is still to come."""
        return self.result is None or self.result.interim


@dataclass(slots=True)
class _OpenStep:
    message: Message
    slots: list[_Slot]

    @property
    def closed(self) -> bool:
        return all(slot.committed and not slot.waits for slot in self.slots)


_ANSWERED = ToolResult(call_id="", content=())
"""Stands for a result that the history holds already."""


class ToolResultBoundary:
    """Takes results in and gives messages and durable state out. Safe for threads; never waits, needs no event loop.

    `state` is immutable: a model turn that took it sees the same channels to its end, whatever completes meanwhile.

    Args:
        state: Where to go on, for instance the `durable` of the last assembly.
        rules: Which tool writes which channel, and the bounds.
        catalogue: Where the revision of a skill is looked up when it is read.
        now: Tells the time that is noted with a plan; without it no time is noted.
    """

    def __init__(
        self,
        state: DurableState = EMPTY_STATE,
        *,
        rules: DurableRules = DEFAULT_RULES,
        catalogue: SkillCatalogue = NO_SKILLS,
        now: Callable[[], str] | None = None,
    ) -> None:
        self._state = state
        self._rules = rules
        self._catalogue = catalogue
        self._now = now
        self._steps: list[_OpenStep] = []
        self._count = 0
        self._lock = threading.RLock()

    @property
    def state(self) -> DurableState:
        """The durable state as of now."""
        return self._state

    def hydrate(self, history: History) -> DurableState:
        """Take in what a history holds that this boundary has not seen, as when a conversation is resumed."""
        with self._lock:
            self._state = hydrate(history, self._state, rules=self._rules, catalogue=self._catalogue)
            return self._state

    def declare(self, message: Message) -> tuple[ToolCall, ...]:
        """Take in an assistant message that stands in the history, and give the calls to carry out, in order.

        Of several plan updates only the last is to be carried out; the others are answered here. Of a message that the
        state knows already, as when a conversation is resumed, only the calls that still wait are taken up.

        Raises:
            UsageError: The message has no id yet, or is declared already.
        """
        with self._lock:
            if any(step.message.id == message.id for step in self._steps):
                raise UsageError(f"Message {message.id!r} is declared already")
            self._state = self._state.declare(message)
            waiting = next((step.waiting for step in self._state.open if step.message_id == message.id), ())
            slots = [
                _Slot(call) if at in waiting else _Slot(call, result=_ANSWERED, committed=True)
                for at, call in enumerate(message.calls)
            ]
            plans = [at for at in waiting if slots[at].call.name in self._rules.tools.plan]
            for at in plans[:-1]:
                by = slots[plans[-1]].call.id
                slots[at].superseded_by = by
                slots[at].result = ToolResult(call_id=slots[at].call.id, content=(Text(superseded_answer(by)),))
            if waiting:
                self._steps.append(_OpenStep(message, slots))
            return tuple([slot.call for slot in slots if slot.result is None])

    def complete(
        self, call_id: str, result: ToolResult | str, *, is_error: bool = False, message_id: str | None = None
    ) -> Committed:
        """Take in the result of a call.

        An interim result is committed like any other and changes no channel; the real one may follow at any time.

        Args:
            call_id: The call. Ids repeat; meant is the newest step that waits for this one.
            result: The answer, or its text.
            is_error: Whether a text is the message of an error.
            message_id: The assistant message, where the id alone would not do.

        Raises:
            UsageError: No declared step waits for that call.
        """
        if isinstance(result, str):
            result = ToolResult(call_id=call_id, content=(Text(result),), is_error=is_error)
        elif result.call_id != call_id:
            result = replace(result, call_id=call_id)
        at = self._now() if self._now is not None else None
        with self._lock:
            step, slot = self._waiting(call_id, message_id)
            if slot.superseded_by is None:
                slot.result, slot.at, slot.committed = result, at, False
            first = self._count
            messages = tuple(self._commit())
            self._count += len(messages)
            closed = step.closed
            self._steps = [item for item in self._steps if not item.closed]
            return Committed(messages=messages, first=first, closed=closed, state=self._state)

    def pending(self) -> tuple[PendingCall, ...]:
        """List the calls that wait for a real result, steps and calls in declared order."""
        with self._lock:
            return tuple(
                [PendingCall(step.message.id, slot.call) for step in self._steps for slot in step.slots if slot.waits]
            )

    def _waiting(self, call_id: str, message_id: str | None) -> tuple[_OpenStep, _Slot]:
        """Find the call by the rule by which the history finds it: newest step, the unanswered before the interim."""
        for step in reversed(self._steps):
            if message_id is not None and step.message.id != message_id:
                continue
            own = [slot for slot in step.slots if slot.call.id == call_id and (slot.waits or slot.superseded_by)]
            if own:
                return step, next((slot for slot in own if slot.result is None), own[0])
        raise UsageError(
            f"No declared step waits for a result of call {call_id!r}"
            + (f" of message {message_id!r}" if message_id is not None else "")
            + ": declare the assistant message first, and complete each call once",
            details={"call_id": call_id, "pending": [item.call.id for item in self.pending()]},
        )

    def _commit(self) -> Iterator[Message]:
        """Commit what may leave, the newest step first; each step gives the unbroken beginning of its results."""
        claimed: set[str] = set()
        for step in reversed(self._steps):
            for index, slot in enumerate(step.slots):
                if slot.result is None or slot.call.id in claimed:
                    break  # the history would give the result to the newer step that waits for the same id
                if not slot.committed:
                    slot.committed = True
                    yield self._written(step, index, slot.result, slot.at)
            claimed.update(slot.call.id for slot in step.slots if slot.waits or not slot.committed)

    def _written(self, step: _OpenStep, index: int, result: ToolResult, at: str | None) -> Message:
        if self._state.knows(step.message.id):
            self._state = self._state.with_result(
                step.message, index, result, rules=self._rules, catalogue=self._catalogue, at=at
            )
        return Message(role="tool", content=(result,))

    def __repr__(self) -> str:
        return f"<ToolResultBoundary: {len(self.pending())} calls pending, {self._state!r}>"
