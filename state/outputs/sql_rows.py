"""The statements of a SQL store, each in the transaction of its caller."""

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Insert, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from .chunks import Chunk, ChunkIndex, Damaged, cut
from .sql_tables import CHUNKS, OUTPUTS

__all__ = ["Row", "chunk", "drop", "find", "held", "keep", "whole"]

_BATCH = 64
"""Chunks that are sent at once: 4 MB."""


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


def chunk(connection: Connection, ref: str, number: int) -> bytes | None:
    """Read one chunk; `None` if it is missing."""
    return connection.execute(select(CHUNKS.c.data).where(CHUNKS.c.ref == ref, CHUNKS.c.number == number)).scalar()


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


def keep(connection: Connection, ref: str, data: bytes | bytearray, *, tool: str | None, now: float) -> bool:
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


def _write(connection: Connection, ref: str, data: bytes | bytearray) -> None:
    index = ChunkIndex.of(_sent(connection, ref, cut(data))).pack()
    connection.execute(update(OUTPUTS).where(OUTPUTS.c.ref == ref).values(chunk_index=index))


def _sent(connection: Connection, ref: str, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Send chunks as they pass, some at once."""
    while batch := list(islice(chunks, _BATCH)):
        connection.execute(insert(CHUNKS), [{"ref": ref, "number": item.number, "data": item.data} for item in batch])
        yield from batch


def _is_intact(connection: Connection, row: Row) -> bool:
    try:
        ChunkIndex.unpack(row.chunk_index or b"")
        whole(connection, row)
    except Damaged:
        return False
    return True
