"""Texts of which a reader takes slices: whole ones in memory, and those that a store opens without reading all."""

from bisect import bisect_left
from itertools import accumulate
from typing import Final, NamedTuple, Protocol, runtime_checkable

from ..wellformed import well_formed
from .pages import after_lines, count_lines
from .store import OutputStore

__all__ = ["INDEXED_SIZE", "IndexedText", "SlicedStore", "SlicedText", "WholeText", "open_text"]

INDEXED_SIZE: Final = 1024 * 1024
"""From this size on, in bytes or code points, looking for a line in an index is worth keeping one."""
_STEP: Final = 64 * 1024


class SlicedText(Protocol):
    """A stored text by code points and lines; positions past the end are the end."""

    @property
    def chars(self) -> int:
        """All code points."""
        ...

    @property
    def lines(self) -> int:
        r"""All lines; they end at `\n` only, and what follows the last `\n` is a line if it is not empty."""
        ...

    def slice(self, start: int, end: int) -> str:
        """Give the code points from `start` to before `end`."""
        ...

    def line_start(self, line: int) -> int:
        """Give the first code point of a line, from 1; the end of the text where there is no such line."""
        ...


@runtime_checkable
class SlicedStore(Protocol):
    """What a store offers beside `OutputStore` if it can give a part of a body without reading all of it."""

    def open(self, ref: str) -> SlicedText:
        """Open a body. Raises like `get`; so do the methods of what it gives, for a body that is gone by then."""
        ...


class WholeText(NamedTuple):
    """A text that is in memory anyway."""

    text: str

    @property
    def chars(self) -> int:
        """All code points."""
        return len(self.text)

    @property
    def lines(self) -> int:
        """All lines. Linear."""
        return count_lines(self.text)

    def slice(self, start: int, end: int) -> str:
        """Give the code points from `start` to before `end`."""
        return self.text[start:end]

    def line_start(self, line: int) -> int:
        """Give the first code point of a line. Linear, no copy."""
        return after_lines(self.text, 0, line - 1)


class IndexedText:
    """A large text in memory: finding a line costs a look-up. Linear to make, no copy."""

    def __init__(self, text: str) -> None:
        self.text = text
        steps = range(0, len(text), _STEP)
        self._ends = [0, *accumulate(text.count("\n", start, start + _STEP) for start in steps)]

    @property
    def chars(self) -> int:
        """All code points."""
        return len(self.text)

    @property
    def lines(self) -> int:
        """All lines."""
        return self._ends[-1] + (self.text[-1:] not in {"", "\n"})

    def slice(self, start: int, end: int) -> str:
        """Give the code points from `start` to before `end`."""
        return self.text[start:end]

    def line_start(self, line: int) -> int:
        """Give the first code point of a line, from 1; the end of the text where there is no such line."""
        if line <= 1:
            return 0
        if line - 1 > self._ends[-1]:
            return len(self.text)
        step = bisect_left(self._ends, line - 1) - 1
        start = step * _STEP
        return start + after_lines(self.text[start : start + _STEP], 0, line - 1 - self._ends[step])


def open_text(store: OutputStore, ref: str) -> SlicedText:
    """Open a body of any store; of one that offers no slices it is read whole. Raises like `get`."""
    if isinstance(store, SlicedStore):
        return store.open(ref)
    text = store.get(ref)
    return WholeText(text if text.isascii() else well_formed(text))
