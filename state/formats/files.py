"""Reading a conversation from a file or a stream."""

import io
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

from ..diagnostics import Diagnostic
from ..errors import UnknownFormat, UnreadableInput
from .detection import detect_document, is_later, is_message, refuse, sniff
from .json_values import NotJson, is_array, is_object
from .lines import Line, Progress, scan
from .reading import AUTO, READERS, Reading, read_entries, take_apart
from .records import skipped
from .registry import OPENAI_CHAT, resolve
from .split import split

__all__ = ["read_path", "read_stream"]

T = TypeVar("T")

_UNDECIDED_LINES = 1000
_UNDECIDED_BYTES = 8 << 20
_JUNK_LINES = 1000
_BUFFER_BYTES = 1 << 18
_OTHER_FILES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xff\xfe": "UTF-16 text; convert it to UTF-8",
    b"\xfe\xff": "UTF-16 text; convert it to UTF-8",
    b"SQLite format 3\x00": "a SQLite database",
}


def read_path(path: str | Path, format: str = AUTO, progress: Progress | None = None) -> Reading:
    """Read a transcript file: JSON lines, or one JSON document.

    Raises `UnreadableInput` for a file that cannot be opened or in which nothing is readable, `UnknownFormat`
    for JSON that no reader knows. Damage inside is survived: one diagnostic a line, the raw line in `rest`.
    """
    place = Path(path)
    if "\0" in str(path):
        raise UnreadableInput(f"no file has the name {str(path)!r}", details={"path": str(path)})
    try:
        with place.open("rb", buffering=_BUFFER_BYTES) as stream:
            return read_stream(stream, format, progress, name=str(path), total=place.stat().st_size)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableInput(f"cannot read {str(path)!r}: {reason}", details={"path": str(path)}) from error


def read_stream(
    stream: BinaryIO, format: str = AUTO, progress: Progress | None = None, *, name: str = "-", total: int = 0
) -> Reading:
    """Read a transcript from an open binary stream, as `read_path` does."""
    wanted = AUTO if format == AUTO else resolve(format, "read")
    start = stream.tell() if stream.seekable() else None
    lines = scan(stream, total=total, progress=progress)
    first = next(lines, None)
    if first is None:
        raise UnreadableInput(f"{name!r} is empty", details={"path": name})
    for magic, what in _OTHER_FILES.items():
        if first.raw.startswith(magic):
            raise UnreadableInput(f"{name!r} is {what}, not JSON", details={"path": name})
    if first.damage and not first.values:
        return _read_whole(first.raw, stream, wanted, _Source(name, start, total, progress))
    if _is_document(first):
        return _read_single(first, lines, wanted)
    return _read_lines(chain([first], lines), wanted, name, "")


class _Source(NamedTuple):
    name: str
    start: int | None
    """Where the stream was when it came; `None` if it cannot go back."""
    total: int
    progress: Progress | None


def _read_whole(begun: bytes, stream: BinaryIO, wanted: str, source: _Source) -> Reading:
    """Read a document of many lines; if it is none, its lines one by one."""
    if source.start is None:
        data = begun + stream.read()
    else:
        stream.seek(source.start)
        data = stream.read()
    try:
        document = split(data)
        if not document.has_messages:
            refuse([document.outer])
        found = detect_document(document.outer, document) if wanted == AUTO else wanted
        reading = read_entries(document.outer, document, found)
    except NotJson as error:
        lines = scan(io.BytesIO(data), total=source.total, progress=source.progress)
        return _read_lines(lines, wanted, source.name, str(error))
    if source.progress is not None:
        source.progress(len(data), len(data))
    return reading


def _is_document(line: Line) -> bool:
    value = line.values[0]
    return is_array(value) or (is_object(value) and is_array(value.get("messages")))


def _read_single(first: Line, lines: Iterator[Line], wanted: str) -> Reading:
    """Read the document of the first line; what stands behind it is damage."""
    outer, entries = take_apart(first.values.pop(0), wanted)
    if wanted == AUTO:
        wanted = detect_document(outer, entries)
    reading = read_entries(outer, _drained(entries), wanted)
    behind = [line for line in chain([first], lines) if line.values or line.damage]
    for line in behind:
        reading.rest.append(line.raw)
        problem = f"{_place(line)}stands behind the first document; kept aside"
        reading.diagnostics.append(skipped(reading.format, problem))
    return reading


def _read_lines(lines: Iterable[Line], wanted: str, name: str, reason: str) -> Reading:
    source = iter(lines)
    pending, wanted = _decide(source, wanted, name, reason)
    reader = READERS[wanted]()
    feed = reader.feed
    rest: list[bytes] = []
    diagnostics: list[Diagnostic] = []
    for line in chain(_drained(pending), source):
        whole = not line.lost
        for value in line.values:
            if feed(value, line) != "read":
                whole = False
        if line.damage:
            diagnostics.append(_damaged(wanted, line))
        if not whole:
            rest.append(line.raw)
    diagnostics += reader.finish()
    if not reader.understood:
        raise UnknownFormat(f"no line of {name!r} is of format {wanted!r}", details={"path": name, "format": wanted})
    return Reading(messages=reader.messages, system=reader.system, format=wanted, diagnostics=diagnostics, rest=rest)


def _drained(items: list[T]) -> Iterator[T]:
    """Give the items in order and forget each on the way."""
    items.reverse()
    while items:
        yield items.pop()


def _decide(source: Iterator[Line], wanted: str, name: str, reason: str) -> tuple[list[Line], str]:
    """Look at lines until one decides the format; give those that were looked at and the format."""
    pending: list[Line] = []
    size, values, plain = 0, 0, False
    for line in source:
        pending.append(line)
        size += len(line.raw)
        values += len(line.values)
        for value in line.values:
            found = sniff(value) if wanted == AUTO else wanted
            if found is not None:
                return pending, found
            if wanted == AUTO and is_later(value):
                refuse([value])
            plain = plain or is_message(value)
        if (not values and len(pending) >= _JUNK_LINES) or len(pending) >= _UNDECIDED_LINES or size > _UNDECIDED_BYTES:
            break
    if not values:
        because = f": {reason}" if reason else ""
        raise UnreadableInput(f"nothing in {name!r} can be read as JSON{because}", details={"path": name})
    if plain:
        return pending, OPENAI_CHAT
    return refuse([value for line in pending[:3] for value in line.values])


def _place(line: Line) -> str:
    return f"line {line.number} (byte {line.offset}) "


def _damaged(format: str, line: Line) -> Diagnostic:
    kept = f"{len(line.values)} of its documents read, the raw line kept" if line.values else "kept raw"
    if not line.lost:
        return skipped(format, f"{_place(line)}is damaged: {line.damage}; all of it was read", "info")
    return skipped(format, f"{_place(line)}is damaged: {line.damage}; {kept}")
