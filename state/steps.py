"""The one step splitter: groups messages into steps and continues from the length already seen.

A step is one assistant message with all its tool results, or one other message. It is closed when every call
has its real result. Call ids are scoped to their step; a result belongs to the newest step that still waits for
its id, wherever it stands. Most steps are *regular*: their results follow the call at once, in declared order,
so a step is a plain range of positions and nothing is stored for it but its start.
"""

import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .checkpoint import is_checkpoint_message
from .messages import Message, ToolCall

__all__ = ["Dropped", "Loose", "Step", "StepTable"]


@dataclass(slots=True)
class Loose:
    """A step that is not (or not yet) a plain range: an open call, a late, displaced or repeated id."""

    head: int
    ids: list[str]
    """Call ids in declared order."""
    answers: list[list[int]]
    """Per call the positions of its results, placeholders before the real one."""
    renamed: bool
    """Ids that are empty or doubled inside the step must be rewritten on the way out."""
    stood_in: bool = False
    """A result stood in for one that may still come: the step is never a plain range again."""

    def answer(self, call: int, length: int) -> int | None:
        """Give the position of the newest result of the call in a history of `length`, else `None`."""
        found = [position for position in self.answers[call] if position < length]
        return found[-1] if found else None


class Dropped(NamedTuple):
    """A message that no provider may see, and why."""

    position: int
    reason: str


class Step(NamedTuple):
    """One step as a history of a given length shows it."""

    number: int
    head: int
    """Position of its first message."""
    positions: Sequence[int]
    """Every canonical position that belongs to it, ascending."""
    closed: bool


def replaceable(message: Message) -> bool:
    """Tell whether a later real result may take the place of this one."""
    result = message.result
    return result is not None and (result.interim or bool((message.origin.data or {}).get("placeholder")))


@dataclass(slots=True)
class StepTable:
    """Step boundaries of an append-only log. Extending costs O(new messages)."""

    messages: list[Message]
    lead: int = 0
    """How many leading system messages stand before the first step."""
    seen: int = 0
    starts: list[int] = field(default_factory=list[int])
    loose: dict[int, Loose] = field(default_factory=dict[int, Loose])
    prompts: list[int] = field(default_factory=list[int])
    steers: list[int] = field(default_factory=list[int])
    checkpoints: list[int] = field(default_factory=list[int])
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    waiting: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, list[tuple[int, int]]])
    """Call id → (step, call) that still accept a result, oldest first."""
    strays: list[int] = field(default_factory=list[int])
    """Positions of results that stand behind the head of a later step."""
    changed: int = sys.maxsize
    """The first step whose form may have changed since `take_changed`; steps that were not there yet apart."""

    def extend(self) -> None:
        """Read the messages that were appended since the last call."""
        messages, lead_done = self.messages, bool(self.starts)
        for position in range(self.seen, len(messages)):
            message = messages[position]
            role = message.role
            if role == "system" and not lead_done:
                self.lead = position + 1
                continue
            lead_done = True
            if role == "tool":
                self._result(position, message)
                continue
            self.starts.append(position)
            if role == "assistant":
                calls = message.calls
                if calls:
                    self._calls(position, calls)
            elif role == "user":
                if is_checkpoint_message(message):
                    if self.checkpoints:
                        self.changed = min(self.changed, self.number_at(self.checkpoints[-1]))
                    self.checkpoints.append(position)
                elif message.origin.kind == "prompt":
                    self.prompts.append(position)
                elif message.origin.kind == "steer":
                    self.steers.append(position)
        self.seen = len(messages)

    def copy_for(self, messages: list[Message]) -> "StepTable":
        """Give the same table for messages of the same structure (same roles, calls and ids)."""
        return StepTable(
            messages=messages,
            lead=self.lead,
            seen=self.seen,
            starts=self.starts.copy(),
            loose={
                number: replace(item, answers=[answers.copy() for answers in item.answers])
                for number, item in self.loose.items()
            },
            prompts=self.prompts.copy(),
            steers=self.steers.copy(),
            checkpoints=self.checkpoints.copy(),
            dropped=self.dropped.copy(),
            waiting={name: entries.copy() for name, entries in self.waiting.items()},
            strays=self.strays.copy(),
        )

    def take_changed(self) -> int:
        """Give the first step whose form may have changed since the last call."""
        changed, self.changed = self.changed, sys.maxsize
        return changed

    def _calls(self, position: int, calls: tuple[ToolCall, ...]) -> None:
        number = len(self.starts) - 1
        ids = [call.id for call in calls]
        renamed = len(set(ids)) != len(ids) or not all(ids)
        self.loose[number] = Loose(position, ids, [[] for _ in ids], renamed)
        for index, name in enumerate(ids):
            self.waiting.setdefault(name, []).append((number, index))

    def _result(self, position: int, message: Message) -> None:
        result = message.result
        name = result.call_id if result else ""
        entries = self.waiting.get(name)
        if not entries:
            self._drop(position, "a result without its call, or a second result for one call")
            return
        number, index = self._choose(entries)
        step = self.loose[number]
        step.answers[index].append(position)
        self.changed = min(self.changed, number)
        if number != len(self.starts) - 1:
            self.strays.append(position)
        if replaceable(message):
            step.stood_in = True
            return
        entries.remove((number, index))
        if not entries:
            del self.waiting[name]
        head, answers = step.head, step.answers
        plain = not step.renamed and not step.stood_in
        if plain and all(found == [head + 1 + k] for k, found in enumerate(answers)):
            del self.loose[number]

    def _choose(self, entries: list[tuple[int, int]]) -> tuple[int, int]:
        """Pick the call that a result answers: newest step, unanswered before placeholders, declared order."""
        newest = entries[-1][0]
        own = [entry for entry in entries if entry[0] == newest]
        return next((entry for entry in own if not self.loose[newest].answers[entry[1]]), own[0])

    def _drop(self, position: int, reason: str) -> None:
        self.starts.append(position)
        self.dropped.append(Dropped(position, reason))

    # ---- what a history of a given length shows

    def count(self, length: int) -> int:
        """Give the number of steps in a history of `length`."""
        return bisect_left(self.starts, length) if length < self.seen else len(self.starts)

    def number_at(self, position: int) -> int:
        """Give the step whose head is the newest at or before `position`."""
        return bisect_left(self.starts, position + 1) - 1

    def step(self, number: int, length: int) -> Step:
        """Give one step as a history of `length` shows it."""
        head = self.starts[number]
        item = self.loose.get(number)
        if item is None:
            following = self.starts[number + 1] if number + 1 < len(self.starts) else self.seen
            # Results of loose steps may stand between: a regular step is as long as its calls say.
            calls = self.messages[head].calls if self.messages[head].role == "assistant" else ()
            end = min(head + 1 + len(calls), following, length)
            return Step(number, head, range(head, end), end - head == 1 + len(calls))
        members = sorted(position for found in item.answers for position in found if position < length)
        last = [item.answer(k, length) for k in range(len(item.ids))]
        closed = all(place is not None and not self._is_interim(place) for place in last)
        return Step(number, head, [head, *members], closed)

    def answers(self, number: int, length: int) -> list[int | None]:
        """Give per call of a step the position of its result, in declared order; `None`: unanswered."""
        item = self.loose.get(number)
        if item is not None:
            return [item.answer(call, length) for call in range(len(item.ids))]
        head = self.messages[self.starts[number]]
        found: list[int | None] = list(self.step(number, length).positions[1:])
        return found + [None] * ((len(head.calls) if head.role == "assistant" else 0) - len(found))

    def _is_interim(self, position: int) -> bool:
        result = self.messages[position].result
        return result is not None and result.interim

    def steps(self, first: int, last: int, length: int) -> Iterator[Step]:
        """Give the steps `first` to `last` (exclusive)."""
        for number in range(first, last):
            yield self.step(number, length)

    def open_steps(self, length: int) -> list[Step]:
        """List the steps with an unanswered call, oldest first. Cost: O(irregular steps)."""
        count = self.count(length)
        numbers = [number for number in self.loose if number < count]
        if count and length < self.seen and count - 1 not in self.loose:
            numbers.append(count - 1)  # a shorter view may cut a step that was closed later
        return [step for step in (self.step(number, length) for number in sorted(numbers)) if not step.closed]

    def newest(self, positions: list[int], length: int) -> int | None:
        """Give the newest of ascending `positions` below `length`, else `None`."""
        index = bisect_left(positions, length)
        return positions[index - 1] if index else None

    def stale(self, length: int) -> list[int]:
        """Positions of checkpoints that a newer one replaced, ascending."""
        return self.checkpoints[: max(0, bisect_left(self.checkpoints, length) - 1)]

    def anchor(self, length: int) -> list[int]:
        """Give the anchor: the newest real prompt that opened a turn and every steer after it."""
        prompt = self.newest(self.prompts, length)
        first = bisect_left(self.steers, prompt if prompt is not None else 0)
        steers = [position for position in self.steers[first:] if position < length]
        return ([] if prompt is None else [prompt]) + steers
