"""Reading a conversation: JSON in memory, a file, a stream."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from ..diagnostics import Diagnostic
from ..errors import BadRequest, UnknownFormat, UnreadableInput
from ..messages import Message
from .chats import AnthropicChat, Chat, OpenAIChat, TurngraphChat
from .checks import Problems
from .claude_code import ClaudeCode
from .codex import Codex
from .detection import detect, detect_document, is_later, is_message, refuse, sniff
from .json_values import NotJson, compact, is_array, is_object, own, parse, parse_fast
from .lines import Line, Progress, scan
from .records import Reader, skipped
from .registry import ANTHROPIC, CLAUDE_CODE, CODEX, OPENAI_CHAT, TURNGRAPH, resolve
from .tools import read_tools

__all__ = ["Reading", "read", "read_path", "read_stream"]

AUTO = "auto"
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
_READERS: dict[str, Callable[[], Reader]] = {
    TURNGRAPH: TurngraphChat,
    OPENAI_CHAT: OpenAIChat,
    ANTHROPIC: AnthropicChat,
    CLAUDE_CODE: ClaudeCode,
    CODEX: Codex,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found."""

    messages: list[Message]
    """In order. Ids are those that the source carries, else empty: numbering is the history's."""
    system: Any | None = None
    """System text that stood beside the messages: a string or blocks, as it was."""
    format: str
    """Canonical name of the format."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What was passed over, with line numbers and byte offsets."""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Tool specs of a provider body, `{name, description, parameters, deferred?}` each."""
    rest: list[bytes] = field(default_factory=list[bytes])
    """Raw lines that are no part of the conversation or were not understood."""


# JSON in memory


def read(value: Any, format: str = AUTO, *, system: Any = None, path: str = "messages") -> Reading:
    """Read a list of messages (for a transcript format: of its lines), or an object with `messages`.

    Nothing of `value` is kept but its strings. `system` stands for a system text beside the list and wins over
    one in the object. Raises `UnknownFormat`, and `BadRequest` for what is no JSON, no message, or a malformed
    `turngraph` key; `path` is the name of the list in its problems. Cost: linear.
    """
    wanted = AUTO if format == AUTO else resolve(format, "read")
    try:
        document = own(value)
    except NotJson as error:
        raise BadRequest(
            f"not a conversation: {error}", details={"problems": [{"path": path, "problem": str(error)}]}
        ) from None
    return _read_document(document, wanted, system=system, path=path)


def _read_document(document: Any, wanted: str, *, system: Any = None, path: str = "messages") -> Reading:
    """Read a document and take it apart on the way."""
    if is_array(document):
        outer: dict[str, Any] = {}
        entries: list[Any] = document
    elif is_object(document) and is_array(document.get("messages")):
        outer = document
        entries = outer["messages"]
    elif is_object(document) and wanted in {AUTO, CLAUDE_CODE, CODEX} and sniff(document) in {CLAUDE_CODE, CODEX}:
        outer, entries = {}, [document]
    else:
        refuse([document])
    if wanted == AUTO:
        wanted = detect_document(outer) if outer else detect(entries)
    reader = _READERS[wanted]()
    rest: list[bytes] = []
    problems = Problems()
    for index, entry in enumerate(entries):
        entries[index] = None  # each is dropped when it has been read
        if isinstance(reader, Chat):
            reader.take(entry, f"{path}[{index}]", problems)
        elif reader.feed(entry, f"entry {index}") != "read":
            rest.append(compact(entry).encode())
    problems.raise_any("malformed messages")
    diagnostics = reader.finish()
    tools, left_out = read_tools(outer.get("tools"))
    if left_out:
        diagnostics.append(_hosted_tools(wanted, left_out))
    beside = outer.get("system") if reader.system is None else reader.system
    return Reading(
        messages=reader.messages,
        system=system if system is not None else beside,
        format=wanted,
        diagnostics=diagnostics,
        tools=tools,
        rest=rest,
    )


def _hosted_tools(format: str, names: list[str]) -> Diagnostic:
    return Diagnostic(
        code="PROJECTION_REPAIRED",
        severity="info",
        source=f"read.{format}",
        message=f"tools of the provider itself are left out: {', '.join(names)}",
    )


# Files and streams


def read_path(path: str | Path, format: str = AUTO, progress: Progress | None = None) -> Reading:
    """Read a transcript file: JSON lines, or one JSON document.

    Raises `UnreadableInput` for a file that cannot be opened or in which nothing is readable, `UnknownFormat`
    for JSON that no reader knows. Damage inside is survived: one diagnostic a line, the raw line in `rest`.
    """
    place = Path(path)
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
    lines = scan(stream, total=total, progress=progress)
    first = next(lines, None)
    if first is None:
        raise UnreadableInput(f"{name!r} is empty", details={"path": name})
    for magic, what in _OTHER_FILES.items():
        if first.raw.startswith(magic):
            raise UnreadableInput(f"{name!r} is {what}, not JSON", details={"path": name})
    if first.damage and not first.values:
        data = first.raw + stream.read()
        try:
            document = _parse_document(data)
        except NotJson as error:
            return _read_lines(scan(io.BytesIO(data), total=total, progress=progress), wanted, name, str(error))
        del data, first
        return _read_document(document, wanted)
    if _is_document(first):
        return _read_single(first, lines, wanted)
    return _read_lines(chain([first], lines), wanted, name, "")


def _parse_document(data: bytes) -> Any:
    try:
        document = parse_fast(data)
    except NotJson:
        document = parse(data)
    if is_array(document) or is_object(document):
        return document
    raise NotJson("neither an object nor an array")


def _is_document(line: Line) -> bool:
    value = line.values[0]
    return is_array(value) or (is_object(value) and is_array(value.get("messages")))


def _read_single(first: Line, lines: Iterator[Line], wanted: str) -> Reading:
    """Read the document of the first line; what stands behind it is damage."""
    document = first.values.pop(0)
    reading = _read_document(document, wanted)
    behind = [line for line in chain([first], lines) if line.values or line.damage]
    for line in behind:
        reading.rest.append(line.raw)
        reading.diagnostics.append(
            skipped(reading.format, _place(line) + "stands behind the first document; kept aside")
        )
    return reading


def _read_lines(lines: Iterable[Line], wanted: str, name: str, reason: str) -> Reading:
    source = iter(lines)
    pending, wanted = _decide(source, wanted, name, reason)
    reader = _READERS[wanted]()
    feed = reader.feed
    rest: list[bytes] = []
    diagnostics: list[Diagnostic] = []
    for line in chain(_drain(pending), source):
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


def _drain(lines: list[Line]) -> Iterator[Line]:
    lines.reverse()
    while lines:
        yield lines.pop()


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
