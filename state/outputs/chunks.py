"""How a store cuts a body: chunks on code point boundaries, and the index that finds code points and lines.

The index is one blob per body: for each chunk its bytes, code points, line ends and half of its SHA-256. A page needs
the index and the one or two chunks it lies in, and what is read of them is checked.
"""

import hashlib
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from .pages import after_lines

__all__ = ["CHUNK_BYTES", "Chunk", "ChunkIndex", "ChunkedText", "Damaged", "Extent", "cut", "digest_of"]

CHUNK_BYTES: Final = 64 * 1024
"""Bytes of a chunk at most: a page touches two or three, and 100 MB have an index of 45 KB."""

_ENTRY: Final = struct.Struct(">III16s")
_TOP_BITS, _CONTINUES = 0xC0, 0x80
"""A byte of UTF-8 that begins with the bits 10 continues a code point."""


class Damaged(Exception):
    """What was read is not what was put."""


class Chunk(NamedTuple):
    """Some bytes of a body and their place among the others."""

    number: int
    data: bytes


def cut(data: bytes | bytearray) -> Iterator[Chunk]:
    """Cut UTF-8 into chunks, none of them empty or with a broken code point; an empty body has none."""
    start = number = 0
    while start < len(data):
        end = min(start + CHUNK_BYTES, len(data))
        while end < len(data) and data[end] & _TOP_BITS == _CONTINUES:
            end -= 1
        yield Chunk(number, bytes(data[start:end]))
        start, number = end, number + 1


def digest_of(data: bytes) -> bytes:
    """Give the first 128 bits of the SHA-256 of a chunk: enough against accident, which is what it is for."""
    return hashlib.sha256(data).digest()[:16]


class Extent(NamedTuple):
    """How much a chunk holds."""

    size: int
    """Bytes."""
    chars: int
    ends: int
    """Line ends."""
    digest: bytes

    @classmethod
    def of(cls, data: bytes) -> "Extent":
        """Measure a chunk."""
        return cls(len(data), len(data.decode()), data.count(b"\n"), digest_of(data))


class ChunkIndex:
    """Where code points and lines are. Building it is linear in the number of chunks, looking up logarithmic.

    Args:
        extents: Of each chunk.
        open_end: Something stands behind the last line end.
    """

    def __init__(self, extents: Sequence[Extent], *, open_end: bool) -> None:
        self.extents, self.open_end = extents, open_end
        self._chars = [0, *accumulate(extent.chars for extent in extents)]
        self._ends = [0, *accumulate(extent.ends for extent in extents)]

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> "ChunkIndex":
        """Index the chunks of a body, of which one is held at a time. Linear in its bytes."""
        extents: list[Extent] = []
        open_end = False
        for chunk in chunks:
            extents.append(Extent.of(chunk.data))
            open_end = not chunk.data.endswith(b"\n")
        return cls(extents, open_end=open_end)

    @classmethod
    def unpack(cls, blob: bytes) -> "ChunkIndex":
        """Read what `pack` wrote.

        Raises:
            Damaged: It is not that, down to the last bit.
        """
        digest, content = blob[:16], blob[16:]
        if digest_of(content) != digest:
            raise Damaged("the index does not match its digest")
        return cls([Extent(*row) for row in _ENTRY.iter_unpack(content[1:])], open_end=content[:1] == b"1")

    def pack(self) -> bytes:
        """Write the index with its own digest in front."""
        content = b"".join([b"1" if self.open_end else b"0", *[_ENTRY.pack(*extent) for extent in self.extents]])
        return digest_of(content) + content

    @property
    def chars(self) -> int:
        """All code points of the body."""
        return self._chars[-1]

    @property
    def lines(self) -> int:
        """All lines of the body."""
        return self._ends[-1] + self.open_end

    def chunks_of(self, start: int, end: int) -> range:
        """Give the numbers of the chunks that hold the code points from `start` to before `end`."""
        if start >= min(end, self.chars):
            return range(0)
        return range(bisect_right(self._chars, start) - 1, bisect_left(self._chars, end, hi=len(self.extents)))

    def first_char(self, number: int) -> int:
        """Give the first code point of a chunk."""
        return self._chars[number]

    def chunk_of_end(self, count: int) -> tuple[int, int] | None:
        """Give the chunk with the `count`-th line end, from 1, and how manieth it is there; None if there is none."""
        if count > self._ends[-1]:
            return None
        number = bisect_left(self._ends, count) - 1
        return number, count - self._ends[number]

    def first_byte(self, number: int) -> int:
        """Give the first byte of a chunk. Linear in its number."""
        return sum(extent.size for extent in self.extents[:number])

    def checked(self, number: int, data: bytes | None) -> bytes:
        """Give the bytes of a chunk as they were read.

        Raises:
            Damaged: There are none, or others than were put.
        """
        if data is None:
            raise Damaged(f"chunk {number} is missing")
        if digest_of(data) != self.extents[number].digest:
            raise Damaged(f"chunk {number} does not match its digest")
        return data


class ChunkedText:
    """A body by code points and lines; each look-up reads the chunks that it needs, the last one read is kept.

    Args:
        index: Its index.
        read: Gives the bytes of a chunk by its number, checked.
    """

    def __init__(self, index: ChunkIndex, read: Callable[[int], bytes]) -> None:
        self._index, self._read = index, read
        self._last: tuple[int, str] | None = None

    @property
    def chars(self) -> int:
        """All code points."""
        return self._index.chars

    @property
    def lines(self) -> int:
        """All lines."""
        return self._index.lines

    def slice(self, start: int, end: int) -> str:
        """Give the code points from `start` to before `end`."""
        numbers = self._index.chunks_of(start, end)
        if not numbers:
            return ""
        before = self._index.first_char(numbers.start)
        return "".join(map(self._text, numbers))[start - before : end - before]

    def line_start(self, line: int) -> int:
        """Give the first code point of a line, from 1; the end of the text where there is no such line."""
        if line <= 1:
            return 0
        place = self._index.chunk_of_end(line - 1)
        if place is None:
            return self.chars
        number, count = place
        return self._index.first_char(number) + after_lines(self._text(number), 0, count)

    def _text(self, number: int) -> str:
        last = self._last
        if last is None or last[0] != number:
            last = number, self._read(number).decode()
            self._last = last
        return last[1]
