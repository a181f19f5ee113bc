"""How a SQL store cuts a body: chunks on code point boundaries, and the index that finds code points and lines.

The index is one blob per body: for each chunk its code points, its line ends and half of its SHA-256. A page needs
the index and the one or two chunks it lies in, and what is read of them is checked.
"""

import hashlib
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

__all__ = ["CHUNK_BYTES", "Chunk", "ChunkIndex", "cut", "digest_of"]

CHUNK_BYTES: Final = 64 * 1024
"""Bytes of a chunk at most: a page touches two or three, and 100 MB have an index of 38 KB."""

_ENTRY: Final = struct.Struct(">II16s")
_TOP_BITS, _CONTINUES = 0xC0, 0x80
"""A byte of UTF-8 that begins with the bits 10 continues a code point."""


class Chunk(NamedTuple):
    """Some bytes of a body and their place among the others."""

    number: int
    data: bytes


def cut(data: bytes) -> Iterator[Chunk]:
    """Cut UTF-8 into chunks, none of them empty or with a broken code point; an empty body has none."""
    start = number = 0
    while start < len(data):
        end = min(start + CHUNK_BYTES, len(data))
        while end < len(data) and data[end] & _TOP_BITS == _CONTINUES:
            end -= 1
        yield Chunk(number, data[start:end])
        start, number = end, number + 1


def digest_of(data: bytes) -> bytes:
    """Give the first 128 bits of the SHA-256 of a chunk: enough against accident, which is what it is for."""
    return hashlib.sha256(data).digest()[:16]


class ChunkIndex:
    """Where code points and lines are. Building it is linear in the number of chunks, looking up logarithmic.

    Args:
        counts: Code points and line ends of each chunk.
        digests: The digest of each chunk.
        open_end: Something stands behind the last line end.
    """

    def __init__(self, counts: Sequence[tuple[int, int]], digests: Sequence[bytes], *, open_end: bool) -> None:
        self.counts, self.digests, self.open_end = counts, digests, open_end
        self._chars = [0, *accumulate(chars for chars, _ in counts)]
        self._ends = [0, *accumulate(ends for _, ends in counts)]

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> "ChunkIndex":
        """Index the chunks of a body. Linear in its bytes."""
        counts = [(len(chunk.data.decode()), chunk.data.count(b"\n")) for chunk in chunks]
        open_end = bool(chunks) and not chunks[-1].data.endswith(b"\n")
        return cls(counts, [digest_of(chunk.data) for chunk in chunks], open_end=open_end)

    @classmethod
    def unpack(cls, blob: bytes) -> "ChunkIndex":
        """Read what `pack` wrote.

        Raises:
            ValueError: It is not that, down to the last bit.
        """
        digest, content = blob[:16], blob[16:]
        if digest_of(content) != digest:
            raise ValueError("the index does not match its digest")
        rows = list(_ENTRY.iter_unpack(content[1:]))
        return cls(
            [(chars, ends) for chars, ends, _ in rows], [own for _, _, own in rows], open_end=content[:1] == b"1"
        )

    def pack(self) -> bytes:
        """Write the index with its own digest in front."""
        rows = [_ENTRY.pack(*counts, own) for counts, own in zip(self.counts, self.digests, strict=True)]
        content = b"".join([b"1" if self.open_end else b"0", *rows])
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
        return range(bisect_right(self._chars, start) - 1, bisect_left(self._chars, end, hi=len(self.counts)))

    def first_char(self, number: int) -> int:
        """Give the first code point of a chunk."""
        return self._chars[number]

    def chunk_of_end(self, count: int) -> tuple[int, int] | None:
        """Give the chunk with the `count`-th line end, from 1, and how manieth it is there; None if there is none."""
        if count > self._ends[-1]:
            return None
        number = bisect_left(self._ends, count) - 1
        return number, count - self._ends[number]
