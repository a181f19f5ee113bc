"""What providers see of a history: steps in order, each call answered in place, nothing orphaned or doubled.

It is kept beside the log and continued from the length already seen. Only a result for a call of an earlier step, or a
checkpoint that replaces another one, changes what was there: then it is copied up to that step and continued from it.
"""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from .diagnostics import Diagnostic
from .messages import Message
from .pricing import Pricer
from .projection import Repair, left_out, project
from .rope import Span
from .steps import StepTable

__all__ = ["Sent"]


class _Seen(NamedTuple):
    """A range of messages that begins and ends between steps and passed the validator."""

    start: int = 0
    stop: int = 0


class _Lists:
    """What all views of one log share; append-only."""

    __slots__ = ("lock", "messages", "notes", "prices", "seen", "starts")

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.starts = array("q")
        """Per step where it begins in `messages`; a step of which nothing is sent begins where the next one does."""
        self.notes: list[tuple[int, Diagnostic]] = []
        """What was repaired, with the number of the step."""
        self.prices: dict[int, tuple[Pricer, array[int]]] = {}
        """By counter, cumulative: entry k prices the messages before k."""
        self.seen = _Seen()
        self.lock = threading.Lock()
        """Held while prices are added up."""

    def cut(self, number: int) -> "_Lists":
        """Copy what stands before a step."""
        stop = self.starts[number]
        made = _Lists()
        made.messages = self.messages[:stop]
        made.starts = self.starts[:number]
        made.notes = list(takewhile(lambda note: note[0] < number, self.notes))
        made.prices = {key: (pricer, sums[: stop + 1]) for key, (pricer, sums) in self.prices.items()}
        made.seen = _Seen(min(self.seen.start, stop), min(self.seen.stop, stop))
        return made


class Sent:
    """The outgoing form of a history of one length. Positions are those in `messages`, not those of the history."""

    __slots__ = ("_lists", "_notes", "count", "stop")

    def __init__(self, lists: _Lists | None = None) -> None:
        self._lists = lists if lists is not None else _Lists()
        self.count = len(self._lists.starts)
        """Number of steps."""
        self.stop = len(self._lists.messages)
        """Number of messages."""
        self._notes = len(self._lists.notes)

    def continued(self, table: StepTable, repairs: Sequence[Repair], length: int, *, first: int = 0) -> "Sent":
        """Give what is sent of the same log when it has `length` messages. Cost: O(messages from `first` on).

        Args:
            table: Its steps.
            repairs: Messages that go out otherwise than they stand, by ascending position.
            length: Number of its messages.
            first: The first step whose form may have changed.
        """
        lists = self._lists if first >= len(self._lists.starts) else self._lists.cut(first)
        _continue(lists, table, repairs, length)
        return Sent(lists)

    @property
    def messages(self) -> list[Message]:
        """The shared list behind this view; its tail may be longer."""
        return self._lists.messages

    def start(self, number: int) -> int:
        """Give where a step begins; for the step behind the last one, the end."""
        return self._lists.starts[number] if number < self.count else self.stop

    def is_start(self, position: int) -> bool:
        """Tell whether a position stands between two steps."""
        return self.start(bisect_left(self._lists.starts, position, 0, self.count)) == position

    def span(self, first: int, last: int) -> Span:
        """Give the messages of the steps `first` to `last` (exclusive)."""
        return Span(self._lists.messages, self.start(first), self.start(last))

    def step(self, number: int) -> list[Message]:
        """Give the messages of one step; empty when nothing of it is sent."""
        return self._lists.messages[self.start(number) : self.start(number + 1)]

    def diagnostics(self, most: int) -> list[Diagnostic]:
        """Give the first of what was repaired or left out."""
        return [note for _, note in self._lists.notes[: min(most, self._notes)]]

    @property
    def repaired(self) -> int:
        """How much was repaired or left out."""
        return self._notes

    # ---- prices

    def prices(self, pricer: Pricer) -> "array[int]":
        """Give cumulative prices: entry k is the price of the first k messages. Cost: O(new messages)."""
        lists = self._lists
        with lists.lock:
            sums = lists.prices.setdefault(id(pricer.counter), (pricer, array("q", [0])))[1]
            if len(sums) <= self.stop:
                total = sums[-1]
                for message in lists.messages[len(sums) - 1 : self.stop]:
                    total += pricer.message(message)
                    sums.append(total)
        return sums

    def price(self, pricer: Pricer, first: int = 0, last: int | None = None) -> int:
        """Price the steps `first` to `last` (exclusive)."""
        sums = self.prices(pricer)
        return sums[self.stop if last is None else self.start(last)] - sums[self.start(first)]

    def step_price(self, pricer: Pricer, number: int) -> int:
        """Price one step."""
        return self.price(pricer, number, number + 1)

    # ---- what the validator has seen

    def seen_from(self, start: int) -> int:
        """Give how far the validator has seen what begins at a position; the position itself if it has not."""
        seen = self._lists.seen
        return max(start, min(seen.stop, self.stop)) if seen.start <= start and self.is_start(start) else start

    def note_seen(self, start: int, stop: int) -> None:
        """Note that a range passed the validator; it counts if it begins and ends between steps."""
        if not (self.is_start(start) and self.is_start(stop)):
            return
        seen = self._lists.seen
        if start <= seen.stop and seen.start <= stop:
            start, stop = min(start, seen.start), max(stop, seen.stop)
        self._lists.seen = _Seen(start, stop)


def _continue(lists: _Lists, table: StepTable, repairs: Sequence[Repair], length: int) -> None:
    """Append the steps that are not there yet. Cost: O(their messages)."""
    first, count = len(lists.starts), table.count(length)
    if first >= count:
        return
    begin = table.starts[first]
    newest = takewhile(lambda item: item.position >= begin, reversed(table.dropped))
    dropped = {item.position: item.reason for item in newest if item.position < length}
    stale = table.stale(length)
    dropped.update((at, "a checkpoint that a newer one replaced") for at in stale[bisect_left(stale, begin) :])
    mended = takewhile(lambda item: item.position >= begin, reversed(repairs))
    repaired = {item.position: item for item in mended if item.position < length}
    odd = {table.number_at(position) for position in (*dropped, *repaired)}
    odd.update(number for number in takewhile(lambda number: number >= first, reversed(table.loose)) if number < count)
    if length < table.seen and not table.step(count - 1, length).closed:
        odd.add(count - 1)  # a shorter view may cut a step that was closed later
    cursor = first
    for number in sorted(odd):
        _regular(lists, table, cursor, number, table.starts[number])
        head = table.starts[number]
        if head in dropped:
            made = left_out(table.messages[head], dropped[head])
        else:
            made = project(table, number, length, repaired.get(head))
        lists.starts.append(len(lists.messages))
        lists.messages += made.messages
        lists.notes += [(number, note) for note in made.diagnostics]
        cursor = number + 1
    _regular(lists, table, cursor, count, length)


def _regular(lists: _Lists, table: StepTable, first: int, last: int, end: int) -> None:
    """Append steps that go out as they stand, up to position `end`, without results of other steps among them."""
    if first >= last:
        return
    position = table.starts[first]
    strays = table.strays
    for stop in [*strays[bisect_left(strays, position) : bisect_left(strays, end)], end]:
        shift = len(lists.messages) - position
        until = bisect_left(table.starts, stop, first, last)
        lists.starts.extend([head + shift for head in table.starts[first:until]])
        lists.messages += table.messages[position:stop]
        first, position = until, stop + 1
