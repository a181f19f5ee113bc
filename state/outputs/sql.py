"""An output store in a database: SQLite, which needs no server, or PostgreSQL, by URL.

A body is cut into chunks with an index, so that a page of it costs the page and not the body. Processes and threads
may share a store. What is read is checked against digests: a damaged body is an error, never a wrong text.
"""

import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, NoReturn

from ..errors import OutputRefExpired
from ..wellformed import well_formed
from .chunks import ChunkedText, ChunkIndex, Damaged
from .refs import candidate_refs, check_ref, encoded, is_ref
from .retention import Held
from .slices import SlicedText
from .store import crowded, expired, unknown

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import Connection

    from .sql_rows import Row

__all__ = ["SqlOutputStore"]


class SqlOutputStore:
    """Keeps bodies in a database, `turngraph_outputs` and `turngraph_output_chunks`; made at the first use.

    Args:
        url: `sqlite:///PATH` (a new file is 0600, new folders 0700) or `postgresql://USER@HOST/NAME`, as SQLAlchemy
            spells it; PostgreSQL needs the extra `postgres`.
        clock: Seconds since 1970; when a body was stored last decides about its retention.

    Raises:
        UsageError: The URL is none of these, or its driver is not installed.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        from .sql_tables import engine_of, parsed_url

        self._url = parsed_url(url)
        self._clock = clock
        self._lock = Lock()
        self._made: Engine | None = None
        self._owner = 0
        engine_of(self._url).dispose()  # a missing driver is told at once

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Keep a body; one that is damaged in the store is replaced. Raises `OSError` if it cannot be written."""
        return self._put(encoded(text)[1], tool)

    def put_pieces(self, pieces: Iterable[str], *, tool: str | None = None) -> str:
        """Keep a body that comes in pieces; it is held once, as UTF-8."""
        data = bytearray()
        for piece in pieces:
            data += encoded(piece)[1]
        return self._put(data, tool)

    def _put(self, data: bytes | bytearray, tool: str | None) -> str:
        from . import sql_rows

        name = well_formed(tool).replace("\0", "\ufffd") if tool else None
        ref = ""
        for ref in candidate_refs(data):
            with self._changing() as connection:
                if sql_rows.keep(connection, ref, data, tool=name, now=self._clock()):
                    return ref
        raise crowded(ref)

    def get(self, ref: str) -> str:
        """Give the body.

        Raises:
            OutputRefExpired: Also for a body that is damaged in the store; `details["damaged"]` says how.
        """
        from . import sql_rows

        with self._reading() as connection:
            row = self._held(connection, ref)
            try:
                return sql_rows.whole(connection, row).decode()
            except Damaged as error:
                _refuse(ref, error)

    def open(self, ref: str) -> SlicedText:
        """Open the body: a slice costs what it holds, one look-up per chunk."""
        with self._reading() as connection:
            row = self._held(connection, ref)
            try:
                index = ChunkIndex.unpack(row.chunk_index or b"")
            except Damaged as error:
                _refuse(ref, error)
        return ChunkedText(index, partial(self._chunk, ref, index))

    def contains(self, ref: str) -> bool:
        """Tell whether a body is held, without reading it; false where the database does not answer."""
        from . import sql_rows

        if not is_ref(ref):
            return False
        try:
            with self._reading() as connection:
                row = sql_rows.find(connection, ref)
        except OSError:
            return False
        return row is not None and not row.expired

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is."""
        from . import sql_rows

        check_ref(ref)
        with self._reading() as connection:
            row = sql_rows.find(connection, ref)
        return None if row is None or row.expired else row.tool

    def expire(self, ref: str) -> None:
        """Remove a body and leave the mark that it was held; once more changes nothing.

        Raises:
            OutputRefMalformed: `ref` has not the form of a reference.
            OutputRefUnknown: The store never held it.
        """
        from . import sql_rows

        check_ref(ref)
        with self._changing() as connection:
            if not sql_rows.drop(connection, ref):
                raise unknown(ref)

    def expire_older(self, ref: str, stored_at: float) -> bool:
        """Expire a body unless it was stored again after `stored_at`; tell whether it went. For `prune`."""
        from . import sql_rows

        with self._changing() as connection:
            return sql_rows.drop(connection, check_ref(ref), not_after=stored_at)

    def inventory(self) -> list[Held]:
        """List what is held, oldest first, without reading it."""
        from . import sql_rows

        with self._reading() as connection:
            return [Held(ref=ref, size=size, stored_at=at) for ref, size, at in sql_rows.held(connection)]

    def close(self) -> None:
        """Close the connections; the next use opens them again."""
        with self._lock:
            if self._made is not None and self._owner == os.getpid():
                self._made.dispose()
            self._made = None

    def _held(self, connection: "Connection", ref: str) -> "Row":
        from . import sql_rows

        row = sql_rows.find(connection, check_ref(ref))
        if row is None:
            raise unknown(ref)
        if row.expired:
            raise expired(ref)
        return row

    def _chunk(self, ref: str, index: ChunkIndex, number: int) -> bytes:
        from . import sql_rows

        with self._reading() as connection:
            try:
                return index.checked(number, sql_rows.chunk(connection, ref, number))
            except Damaged as error:
                self._held(connection, ref)  # expired since it was opened: another error
                _refuse(ref, error)

    @contextmanager
    def _reading(self) -> "Generator[Connection, None, None]":
        with _stated(), self._engine().connect() as connection:
            yield connection

    @contextmanager
    def _changing(self) -> "Generator[Connection, None, None]":
        with _stated(), self._engine().begin() as connection:
            yield connection

    def _engine(self) -> "Engine":
        from .sql_tables import engine_of, make_tables

        with self._lock:
            if self._made is None or self._owner != os.getpid():
                if self._made is not None:  # a fork: the connections belong to the parent
                    self._made.dispose(close=False)
                engine = engine_of(self._url)
                make_tables(engine)
                self._made, self._owner = engine, os.getpid()
            return self._made

    def __repr__(self) -> str:
        return f"SqlOutputStore({self._url.render_as_string(hide_password=True)!r})"


@contextmanager
def _stated() -> Generator[None, None, None]:
    """Say what a database says as what a store may raise; the cause is chained, no address or password is quoted."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        raise OSError(f"the store of tool outputs does not answer as it should: {said.strip()[:300]}") from error


def _refuse(ref: str, error: Exception) -> NoReturn:
    raise OutputRefExpired(
        f"the tool output {ref!r} is damaged in the store ({error}); call the tool again if the output is still needed",
        details={"ref": ref, "damaged": str(error)},
    ) from error
