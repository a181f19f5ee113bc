"""A read-only sequence of messages made of slices of shared lists: concatenating copies nothing."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, cast, overload

from .messages import Message

__all__ = ["MessageView", "Span"]


class Span(NamedTuple):
    """Messages `start` to `stop` (exclusive) of an append-only list."""

    source: list[Message]
    start: int
    stop: int


class MessageView(Sequence[Message]):
    """The messages of some spans in order. Building costs O(spans), reading one O(log spans)."""

    __slots__ = ("_ends", "spans")

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans: tuple[Span, ...] = tuple([span for span in spans if span.stop > span.start])
        self._ends: list[int] = []
        total = 0
        for span in self.spans:
            total += span.stop - span.start
            self._ends.append(total)

    @classmethod
    def of(cls, messages: Iterable[Message]) -> "MessageView":
        """Make a view of a list of its own."""
        own = list(messages)
        return cls([Span(own, 0, len(own))])

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        length = len(self)
        at = index + length if index < 0 else index
        if not 0 <= at < length:
            raise IndexError(f"message {index} of {length}")
        number = bisect_right(self._ends, at)
        span = self.spans[number]
        return span.source[span.stop - (self._ends[number] - at)]

    def __iter__(self) -> Iterator[Message]:
        for source, start, stop in self.spans:
            if stop - start == 1:
                yield source[start]
            else:
                yield from islice(source, start, stop)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MessageView | list | tuple):
            others = cast("Sequence[object]", other)
            return len(self) == len(others) and all(a == b for a, b in zip(self, others, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash((len(self), tuple(self._ends)))

    def __repr__(self) -> str:
        return f"<{len(self)} messages in {len(self.spans)} spans>"
