"""The tables of a SQL store, and the engine that reaches them. The only modules that import SQLAlchemy at once."""

import os
import sqlite3
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.schema import CreateTable

from ..errors import UsageError

__all__ = ["CHUNKS", "OUTPUTS", "engine_of", "make_tables", "parsed_url"]

BUSY_S: Final = 10.0
"""How long a writer of SQLite waits for another one; PostgreSQL waits as its own settings say."""
_CONNECT_S: Final = 10
"""How long a server may take to answer."""
_MAKING: Final = 0x7475726E
"""Key of the lock under which PostgreSQL makes the tables: it has no `IF NOT EXISTS` that two sessions survive."""

_META: Final = MetaData()
OUTPUTS: Final = Table(
    "turngraph_outputs",
    _META,
    Column("ref", String(76), primary_key=True),
    Column("digest", String(64), nullable=False, doc="SHA-256 of the body, of which `ref` is a prefix"),
    Column("size", BigInteger, nullable=False, doc="bytes of the body"),
    Column("tool", Text),
    Column("stored_at", Float(53), nullable=False, doc="seconds since 1970, of the last `put`"),
    Column("expired", Boolean, nullable=False, doc="the body was held once"),
    Column("chunk_index", LargeBinary, doc="packed `ChunkIndex`; null once expired"),
)
CHUNKS: Final = Table(
    "turngraph_output_chunks",
    _META,
    Column("ref", String(76), ForeignKey("turngraph_outputs.ref"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)


def parsed_url(url: str) -> URL:
    """Read the address of a database; `postgresql://` means the driver `psycopg`.

    Raises:
        UsageError: It is none, it names no SQLite file, or it names a database of another kind.
    """
    try:
        parsed = make_url(url)
        name = parsed.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise UsageError(f"a store is a URL as sqlite:///PATH or postgresql://HOST/NAME, got {url[:100]!r}") from error
    if name == "postgresql":
        return parsed.set(drivername="postgresql+psycopg") if parsed.drivername == name else parsed
    if name != "sqlite":
        raise UsageError(f"outputs are kept in sqlite or postgresql, not in {name!r}")
    if parsed.database in {None, "", ":memory:"} or parsed.query:
        raise UsageError("a SQLite store is a file, sqlite:///PATH; in memory use `MemoryOutputStore`")
    return parsed.set(database=os.fspath(Path(str(parsed.database)).expanduser().resolve()))


def engine_of(url: URL) -> Engine:
    """Make the engine; nothing is connected and no file is made.

    Raises:
        UsageError: The driver is not installed.
    """
    sqlite = url.get_backend_name() == "sqlite"
    asked: dict[str, Any] = {"timeout": BUSY_S} if sqlite else {"connect_timeout": _CONNECT_S}
    try:
        engine = create_engine(url, connect_args=asked, pool_pre_ping=not sqlite, hide_parameters=True)
    except (ImportError, NoSuchModuleError) as error:
        raise UsageError(
            f"the driver of {url.drivername!r} is not installed; for PostgreSQL: pip install 'turngraph[postgres]'"
        ) from error
    if sqlite:
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """Let us begin transactions ourselves, and several processes read while one writes."""
    connection.isolation_level = None
    # Before the first table, or it has no effect: what is expired gives its room back to the disk.
    connection.execute("PRAGMA auto_vacuum = FULL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def make_tables(engine: Engine) -> None:
    """Make what is missing: for SQLite a file 0600, in folders 0700; the tables. Processes may do so at once."""
    if engine.dialect.name == "sqlite":
        _make_file(Path(str(engine.url.database)))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MAKING})
        for table in (OUTPUTS, CHUNKS):
            connection.execute(CreateTable(table, if_not_exists=True))


def _make_file(path: Path) -> None:
    """Make the file before SQLite does, which would let others read it; its log takes the same permissions."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return
