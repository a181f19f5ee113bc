"""The statements of a SQL store, each in the transaction of its caller."""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, Insert, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from .pages import after_lines
from .sql_chunks import ChunkIndex, cut, digest_of
from .sql_tables import CHUNKS, OUTPUTS

__all__ = ["Damaged", "Row", "Slices", "chunk", "drop", "find", "held", "index_of", "keep", "whole"]

_BATCH = 64
"""Chunks that are sent at once: 4 MB."""


class Damaged(Exception):
    """A body in the store is not what was put there."""


class Row(NamedTuple):
    """What is known of a body."""

    ref: str
    digest: str
    size: int
    tool: str | None
    expired: bool
    chunk_index: bytes | None


def find(connection: Connection, ref: str) -> Row | None:
    """Give the row of a reference, that of an expired body included."""
    columns = [OUTPUTS.c[name] for name in Row._fields]
    found = connection.execute(select(*columns).where(OUTPUTS.c.ref == ref)).first()
    return None if found is None else Row(*found)


def held(connection: Connection) -> list[tuple[str, int, float]]:
    """Give reference, size and time of all bodies, oldest first."""
    columns = (OUTPUTS.c.ref, OUTPUTS.c.size, OUTPUTS.c.stored_at)
    wanted = select(*columns).where(OUTPUTS.c.expired.is_(False)).order_by(OUTPUTS.c.stored_at, OUTPUTS.c.ref)
    return [(ref, size, stored_at) for ref, size, stored_at in connection.execute(wanted)]


def index_of(row: Row) -> ChunkIndex:
    """Read the index of a body.

    Raises:
        Damaged: It is not what was written.
    """
    try:
        return ChunkIndex.unpack(row.chunk_index or b"")
    except ValueError as error:
        raise Damaged(str(error)) from error


def chunk(connection: Connection, ref: str, number: int, digest: bytes) -> bytes:
    """Read one chunk.

    Raises:
        Damaged: It is missing or does not match its digest.
    """
    wanted = select(CHUNKS.c.data).where(CHUNKS.c.ref == ref, CHUNKS.c.number == number)
    data = connection.execute(wanted).scalar()
    return _checked(data, number, digest)


def whole(connection: Connection, row: Row) -> bytes:
    """Read a body and compare it with its digest; only what matches is UTF-8 for certain.

    Raises:
        Damaged: It does not match.
    """
    wanted = select(CHUNKS.c.data).where(CHUNKS.c.ref == row.ref).order_by(CHUNKS.c.number)
    data = b"".join(connection.execute(wanted).scalars())
    digest = hashlib.sha256(data).hexdigest()
    if digest != row.digest or not digest.startswith(row.ref.rpartition("-")[2]):
        raise Damaged(f"{len(data)} of {row.size} bytes, which do not match their digest")
    return data


def keep(connection: Connection, ref: str, data: bytes, *, tool: str | None, now: float) -> bool:
    """Keep a body under a reference; false if another text is held there.

    The first statement writes: a transaction of SQLite that begins by reading cannot wait for another writer.
    """
    digest = hashlib.sha256(data).hexdigest()
    fresh = {"ref": ref, "digest": digest, "size": len(data), "tool": tool, "stored_at": now, "expired": False}
    if connection.execute(_insert(connection).values(fresh).returning(OUTPUTS.c.ref)).first():
        _write(connection, ref, data)
        return True
    locked = select(OUTPUTS.c.ref).where(OUTPUTS.c.ref == ref).with_for_update()
    connection.execute(locked)
    row = find(connection, ref)
    if row is None:  # rows never go, so somebody emptied the table by hand between two statements
        return keep(connection, ref, data, tool=tool, now=now)
    intact = not row.expired and _is_intact(connection, row)
    if intact and row.digest != digest:
        return False
    if not intact:
        connection.execute(delete(CHUNKS).where(CHUNKS.c.ref == ref))
        _write(connection, ref, data)
    change = {"digest": digest, "size": len(data), "tool": row.tool or tool, "stored_at": now, "expired": False}
    connection.execute(update(OUTPUTS).where(OUTPUTS.c.ref == ref).values(change))
    return True


def drop(connection: Connection, ref: str, *, not_after: float | None = None) -> bool:
    """Remove a body and leave its mark; false if there is none, or none stored so long ago."""
    gone = {"expired": True, "tool": None, "size": 0, "chunk_index": None}
    change = update(OUTPUTS).where(OUTPUTS.c.ref == ref)
    if not_after is not None:
        change = change.where(OUTPUTS.c.stored_at <= not_after, OUTPUTS.c.expired.is_(False))
    if not connection.execute(change.values(gone)).rowcount:
        return False
    connection.execute(delete(CHUNKS).where(CHUNKS.c.ref == ref))
    return True


def _insert(connection: Connection) -> Insert:
    """Make the insertion that another row of that reference turns into nothing."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(OUTPUTS).on_conflict_do_nothing()
    return sqlite.insert(OUTPUTS).on_conflict_do_nothing()


def _write(connection: Connection, ref: str, data: bytes) -> None:
    chunks = list(cut(data))
    index = ChunkIndex.of(chunks).pack()
    for first in range(0, len(chunks), _BATCH):
        batch = chunks[first : first + _BATCH]
        connection.execute(insert(CHUNKS), [{"ref": ref, "number": item.number, "data": item.data} for item in batch])
    connection.execute(update(OUTPUTS).where(OUTPUTS.c.ref == ref).values(chunk_index=index))


def _is_intact(connection: Connection, row: Row) -> bool:
    try:
        index_of(row)
        whole(connection, row)
    except Damaged:
        return False
    return True


def _checked(data: bytes | None, number: int, digest: bytes) -> bytes:
    if data is None:
        raise Damaged(f"chunk {number} is missing")
    if digest_of(data) != digest:
        raise Damaged(f"chunk {number} does not match its digest")
    return data


class Slices:
    """A body by code points and lines; each look-up reads the chunks that it needs, the last one read is kept.

    Args:
        ref: Its reference.
        index: Its index.
        read: Gives one chunk by reference, number and digest.
    """

    def __init__(self, ref: str, index: ChunkIndex, read: Callable[[str, int, bytes], bytes]) -> None:
        self._ref, self._index, self._read = ref, index, read
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
            last = number, self._read(self._ref, number, self._index.digests[number]).decode()
            self._last = last
        return last[1]
