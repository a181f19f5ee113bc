"""The canonical history: immutable, with shared structure. Appending costs O(new), whatever went before.

Histories that grew from one another share one append-only log, with everything derived from it: ids, step
boundaries, prices, what providers may see. A history is the log and a length; a change in the middle (pruning,
a fold) makes a new log.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from .cleaning import Survey, clean, outgoing, refused, survey
from .foreign import is_array, is_object
from .memory import PressureMemory
from .messages import Message, ToolCall, ToolResult
from .projection import Repair
from .sent import Sent
from .steps import Step, StepTable

__all__ = ["History", "shape_problem"]

_NUMBERED = re.compile(r"m(0|[1-9][0-9]{0,17})")


class _Log:
    """The shared, append-only part."""

    __slots__ = (
        "base",
        "floor",
        "highest",
        "lock",
        "messages",
        "places",
        "repairs",
        "sent",
        "shown",
        "steps",
    )

    def __init__(self, floor: int) -> None:
        self.messages: list[Message] = []
        self.places: dict[str, int] = {}
        self.highest = floor
        """Highest number ever given as `m<number>`."""
        self.base = floor
        """Numbers up to here were given before this log began."""
        self.floor = floor
        """Numbers up to here were given to messages that are gone; -1 if none is."""
        self.steps = StepTable(self.messages)
        self.repairs: list[Repair] = []
        self.sent = Sent()
        """What providers saw of the whole log when it was last asked for."""
        self.shown: list[int] = []
        """Positions of messages that show the reference of a stored output."""
        self.lock = threading.RLock()

    def append(self, messages: Iterable[Message]) -> None:
        """Take in messages, all or none of them."""
        batch = messages if isinstance(messages, Sequence) else list(messages)
        claimed = {message.id for message in batch if message.id}
        ready: Iterable[tuple[Message, Survey]] = self._checked(batch)
        if self.messages:  # others share what is here already: nothing is added before all is checked
            ready = list(ready)
        for message, found in ready:
            self._append_one(message, found, claimed)
        self.steps.extend()

    def _checked(self, messages: Iterable[Message]) -> Iterator[tuple[Message, Survey]]:
        """Give each message as it can be taken in; refuse what cannot."""
        places: dict[str, int] = {}
        for position, message in enumerate(messages, len(self.messages)):
            problem, fresh, found = shape_problem(message), message, _UNSEEN
            if problem is None:
                try:
                    found = survey(message)
                    fresh = clean(message) if found.dirty else message
                except ValueError as error:
                    problem = str(error)
            if problem is not None:
                raise refused(f"history.messages[{position}]", problem)
            if fresh.id:
                place = self.places.get(fresh.id, places.get(fresh.id))
                if place is not None:
                    raise refused(
                        f"history.messages[{position}].id",
                        f"{fresh.id!r} is already at position {place}; ids are unique in a history",
                    )
                places[fresh.id] = position
            yield fresh, found

    def _append_one(self, fresh: Message, found: Survey, claimed: set[str]) -> None:
        position = len(self.messages)
        if not fresh.id:
            number = self._next_number(position, claimed)
            fresh = fresh.with_id(f"m{number}")
            self.highest = max(self.highest, number)
        elif fresh.id[0] == "m" and (numbered := _NUMBERED.fullmatch(fresh.id)):
            self.highest = max(self.highest, int(numbered[1]))
        name = fresh.id
        if fresh.origin.kind == "checkpoint":
            self.floor = max(self.floor, _gone_below(fresh))
            self.highest = max(self.highest, self.floor)
        self.places[name] = position
        self.messages.append(fresh)
        if found.refers:
            self.shown.append(position)
        if found.repaired:
            sent, reason = outgoing(fresh)
            if sent is not fresh:
                self.repairs.append(Repair(position, sent, reason))

    def _next_number(self, position: int, claimed: set[str]) -> int:
        """Give the number of an id that no message here has, nor one to come with `claimed` ids of its own."""
        name = f"m{position}"
        if position > self.floor and name not in self.places and name not in claimed:
            return position
        number = self.highest + 1
        while f"m{number}" in claimed:
            number += 1
        return number

    def numbers_at(self, length: int) -> tuple[int, int]:
        """Give floor and highest as a history of `length` has them. Cost: O(1); O(length) for an older view."""
        if length == len(self.messages):
            return self.floor, self.highest
        seen = self.messages[:length]
        floor = max([self.base, *map(_gone_below, seen)])
        given = [int(found[1]) for message in seen if (found := _NUMBERED.fullmatch(message.id))]
        return floor, max([floor, *given])

    def sent_at(self, length: int) -> Sent:
        """Give what providers see of the first messages. Cost: O(new messages); O(length) for an older view."""
        with self.lock:
            if length != len(self.messages):
                return Sent().continued(self.steps, self.repairs, length)
            self.sent = self.sent.continued(self.steps, self.repairs, length, first=self.steps.take_changed())
            return self.sent


class History(Sequence[Message]):
    """An immutable conversation. `append` gives a longer one that shares everything with this one.

    Args:
        messages: Messages in order; those without an id get `m<position>` (see the contract, "Messages").
        format: The foreign format it was read from, in which it is written back.
        system: A system text kept beside the list, as that format has it (text or blocks).

    Raises:
        BadRequest: Two messages with one id, a tool message that does not hold exactly one result, a call
            outside an assistant message.
    """

    __slots__ = ("_length", "_log", "_sent", "format", "memory", "system")

    def __init__(self, messages: Iterable[Message] = (), *, format: str = "turngraph", system: Any = None) -> None:
        self.format = format
        self.system = system
        self.memory = PressureMemory()
        """What the pressure handling remembers of earlier turns; not part of equality."""
        self._log = _Log(-1)
        self._log.append(messages)
        self._length = len(self._log.messages)
        self._sent: Sent | None = None

    @classmethod
    def _of(cls, log: _Log, length: int, like: "History", *, sent: Sent | None = None) -> "History":
        made = cls.__new__(cls)
        made.format, made.system, made.memory = like.format, like.system, like.memory
        made._log, made._length, made._sent = log, length, sent  # noqa: SLF001 - its own class
        return made

    def remembering(self, memory: PressureMemory) -> "History":
        """Give the same history with another memory of earlier pressure."""
        if memory == self.memory:
            return self
        made = History._of(self._log, self._length, self, sent=self._sent)
        made.memory = memory
        return made

    # ---- growing and changing

    def append(self, *messages: Message) -> "History":
        """Give this history and `messages` behind it. Cost: O(messages); O(history) on a second branch."""
        return self.extend(messages)

    def extend(self, messages: Iterable[Message]) -> "History":
        """Give this history and `messages` behind it, all or none of them."""
        fresh = list(messages)
        log = self._log
        with log.lock:
            if len(log.messages) != self._length:
                log = self._branch()
            log.append(fresh)
            return History._of(log, len(log.messages), self)

    def _branch(self) -> _Log:
        log = _Log(self._log.numbers_at(self._length)[0])
        log.append(self)
        return log

    def with_messages(self, changes: Mapping[int, Message]) -> "History":
        """Give this history with some messages replaced by others of the same role, calls and ids.

        Cost: one copy of the lists; nothing is split or priced again but what changed.
        """
        if not changes:
            return self
        floor, highest = self._log.numbers_at(self._length)
        old, new = self._log, _Log(floor)
        new.highest = highest
        new.messages.extend(old.messages[: self._length])
        for position, message in changes.items():
            new.messages[position] = message
        if len(old.messages) == self._length:
            new.places = old.places.copy()
            new.steps = old.steps.copy_for(new.messages)
            new.repairs = [item for item in old.repairs if item.position not in changes]
            shown = {at for at in old.shown if at not in changes}
            for position, message in changes.items():
                found = survey(message)
                if found.refers:
                    shown.add(position)
                if found.repaired:
                    sent, reason = outgoing(message)
                    new.repairs.append(Repair(position, sent, reason))
            new.repairs.sort(key=lambda item: item.position)
            new.shown = sorted(shown)
        else:
            messages = new.messages.copy()
            new.messages.clear()
            new.append(messages)
        return History._of(new, self._length, self)

    def rebuilt(self, messages: Iterable[Message]) -> "History":
        """Give a history of `messages` in place of these; ids given once are not given again."""
        log = _Log(self.last_number)
        log.append(messages)
        return History._of(log, len(log.messages), self)

    def next_id(self) -> str:
        """Give an id that no message of this history ever had."""
        return f"m{self.last_number + 1}"

    @property
    def last_number(self) -> int:
        """The highest number that was ever given as `m<number>`, -1 if none was."""
        return self._log.numbers_at(self._length)[1]

    # ---- reading

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self._log.messages[at] for at in range(*index.indices(self._length))]
        at = index + self._length if index < 0 else index
        if not 0 <= at < self._length:
            raise IndexError(f"message {index} of {self._length}")
        return self._log.messages[at]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Message]:
        messages = self._log.messages
        for position in range(self._length):
            yield messages[position]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        same_log = self._log is other._log and self._length == other._length
        return same_log or (self.system == other.system and list(self) == list(other))

    def __hash__(self) -> int:
        return hash((self._length, self.format))

    def __repr__(self) -> str:
        return f"<History of {self._length} messages, {self._log.steps.count(self._length)} steps>"

    @property
    def log(self) -> list[Message]:
        """The shared append-only list behind this history; its tail may be longer than this history."""
        return self._log.messages

    @property
    def lead(self) -> int:
        """How many leading system messages stand before the first step."""
        return min(self._log.steps.lead, self._length)

    @property
    def system_text(self) -> str:
        """All system text that leads: what stands beside the list, then leading messages, joined by newline."""
        texts = _texts_beside(self.system) + [self[at].text for at in range(self.lead)]
        return "\n".join(text for text in texts if text)

    def find(self, message_id: str) -> int | None:
        """Give the position of a message, else `None`."""
        place = self._log.places.get(message_id)
        return place if place is not None and place < self._length else None

    # ---- steps

    @property
    def step_count(self) -> int:
        """Number of steps."""
        return self._log.steps.count(self._length)

    @property
    def newest_step(self) -> int:
        """Number of the newest step of which something is sent, a checkpoint apart; -1 without one."""
        number, sent, checkpoint = self.step_count - 1, self.sent, self.checkpoint()
        while number >= 0 and (sent.start(number) == sent.start(number + 1) or self.step(number).head == checkpoint):
            number -= 1
        return number

    def step(self, number: int) -> Step:
        """Give one step; negative numbers count from the end."""
        return self._log.steps.step(number + self.step_count if number < 0 else number, self._length)

    def steps(self, first: int = 0, last: int | None = None) -> Iterator[Step]:
        """Give the steps `first` to `last` (exclusive)."""
        return self._log.steps.steps(first, self.step_count if last is None else last, self._length)

    def step_at(self, position: int) -> int:
        """Give the number of the step that begins at or before `position`."""
        return self._log.steps.number_at(position)

    def open_steps(self) -> list[Step]:
        """List the steps with an unanswered call, oldest first. Cost: O(irregular steps)."""
        return self._log.steps.open_steps(self._length)

    def answers_of(self, step: Step) -> list[int | None]:
        """Give per call of a step the position of its result, in declared order; `None`: unanswered."""
        return self._log.steps.answers(step.number, self._length)

    def dropped(self) -> dict[int, str]:
        """Give position → reason of the messages that no provider may see."""
        gone = {item.position: item.reason for item in self._log.steps.dropped if item.position < self._length}
        gone.update((position, "a checkpoint that a newer one replaced") for position in self.stale_checkpoints())
        return gone

    def anchor(self) -> list[int]:
        """Positions of the newest real prompt that opened a turn and of every steer after it."""
        return self._log.steps.anchor(self._length)

    def prompts(self) -> list[int]:
        """Positions of all real user prompts and steers, ascending."""
        table = self._log.steps
        return sorted(position for position in table.prompts + table.steers if position < self._length)

    def checkpoint(self) -> int | None:
        """Position of the standing checkpoint, else `None`."""
        return self._log.steps.newest(self._log.steps.checkpoints, self._length)

    def stale_checkpoints(self) -> list[int]:
        """Positions of checkpoints that a newer one replaced."""
        return self._log.steps.stale(self._length)

    # ---- what providers see

    @property
    def sent(self) -> Sent:
        """What providers see of it. Cost: O(new messages); O(history) once for an older view of a log that went on."""
        if self._sent is None:
            self._sent = self._log.sent_at(self._length)
        return self._sent

    @property
    def shows_reference(self) -> bool:
        """Tell whether a message shows the reference of a stored output."""
        shown = self._log.shown
        return bool(shown) and shown[0] < self._length

    def mentions(self, message_id: str) -> bool:
        """Tell whether a message of that id stands here."""
        return self.find(message_id) is not None


def _gone_below(message: Message) -> int:
    """Give the number up to which a checkpoint says that ids were given, -1 for any other message."""
    data = message.origin.data if message.origin.kind == "checkpoint" else None
    number = data.get("last_id") if data else None
    return number if isinstance(number, int) else -1


_UNSEEN = Survey(dirty=False, repaired=False, refers=False)


def shape_problem(message: Message) -> str | None:
    """Say which part stands in a message whose role cannot have it, or give `None`."""
    role, parts = message.role, message.content
    if role == "tool":
        whole = len(parts) == 1 and isinstance(parts[0], ToolResult)
        return None if whole else "a tool message holds exactly one tool_result"
    for part in parts:
        if isinstance(part, ToolResult):
            return f"a tool_result stands in a {role} message"
        if role != "assistant" and isinstance(part, ToolCall):
            return f"a tool_call stands in a {role} message"
    return None


def _texts_beside(system: Any) -> list[str]:
    if isinstance(system, str):
        return [system]
    if is_array(system):
        return [str(block["text"]) for block in system if is_object(block) and "text" in block]
    return []
