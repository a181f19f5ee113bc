r"""A file line by line: every JSON value in it, and what is damaged, with line number and byte offset.

Lines end at `\n` only: U+2028 and U+0085 are text. Damage never stops the reading and is never silent.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .json_values import DECODER, NotJson, own, parse_fast, too_deep

__all__ = ["Line", "Progress", "scan"]

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the size of the file (0 where it is not known)."""

_PROGRESS_BYTES = 1 << 20
_BLANK = re.compile(r"[\s\x00\ufeff]*")
_RESTART = re.compile(r'(?<![:,\[\s])\{"')
_MOST_RESTARTS = 32
_MOST_FAULTS = 8


class Line(NamedTuple):
    """One line that is not blank."""

    number: int
    """From 1."""
    offset: int
    """Bytes before it in the file."""
    raw: bytes
    values: list[Any]
    """The JSON objects and arrays in it, in order."""
    damage: str
    """What is wrong with it; empty for a sound line."""
    lost: bool
    """Part of it could not be read."""

    def __str__(self) -> str:
        return f"line {self.number}, byte {self.offset}"


def scan(lines: Iterable[bytes], *, total: int = 0, progress: Progress | None = None) -> Iterator[Line]:
    """Give the lines of a binary stream. Cost: linear; memory: a few times the longest line."""
    offset, told = 0, 0
    for number, raw in enumerate(lines, 1):
        if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            offset, raw = 3, raw[3:]  # noqa: PLW2901
        try:
            value = parse_fast(raw)
        except NotJson:
            if not raw.isspace() and raw:
                yield _salvage(number, offset, raw)
        else:
            if isinstance(value, dict | list):
                yield Line(number, offset, raw, [value], "", lost=False)
            else:
                yield Line(number, offset, raw, [], "neither an object nor an array", lost=True)
        offset += len(raw)
        if progress is not None and offset - told >= _PROGRESS_BYTES:
            told = offset
            progress(offset, max(total, offset))
    if progress is not None:
        progress(offset, offset)


def _salvage(number: int, offset: int, raw: bytes) -> Line:
    """Read what can be read of a line that is not one strict JSON value."""
    damage: list[str] = []
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        text = raw.decode(errors="replace")
        damage.append(f"bytes that are no UTF-8 (the first at byte {error.start}) replaced by U+FFFD")
    if "\0" in text:
        damage.append(f"{text.count(chr(0))} NUL bytes passed over")
    values: list[Any] = []
    lost, faults = False, 0
    place: int | None = _skip(text, 0)
    while place is not None and place < len(text):
        try:
            value, end = _read_at(text, place)
        except NotJson as error:
            damage.append(f"{error} at byte {len(text[:place].encode())} of it" if place else str(error))
            lost = True
            faults += 1
            place = _restart(text, place) if faults < _MOST_FAULTS else None
        else:
            values.append(value)
            place = _skip(text, end)
    if len(values) > 1:
        damage.insert(0, f"{len(values)} JSON documents on one line")
    if lost and not raw.endswith(b"\n"):
        damage.append("the file ends in it")
    return Line(number, offset, raw, values, "; ".join(damage), lost)


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _read_at(text: str, place: int) -> tuple[Any, int]:
    if text[place] not in "{[":
        raise NotJson("no JSON object")
    try:
        value, end = DECODER.raw_decode(text, place)
    except RecursionError:
        raise NotJson("JSON nested too deeply") from None
    except ValueError as error:
        reason = (error.msg if isinstance(error, json.JSONDecodeError) else str(error)).removesuffix(" starting at")
        raise NotJson(f"broken JSON ({reason[:1].lower()}{reason[1:]})") from None
    if too_deep(value):
        raise NotJson("JSON nested too deeply")
    return own(value), end


def _restart(text: str, place: int) -> int | None:
    """Find the document behind a torn one: it must reach the end of the line or another document.

    A document behind a torn one does not follow `:`, `,`, `[` or a blank, as the inner ones of the torn one do.
    """
    for tried, found in enumerate(_RESTART.finditer(text, place + 1)):
        if tried == _MOST_RESTARTS:
            return None
        try:
            end = _skip(text, _read_at(text, found.start())[1])
        except NotJson:
            continue
        if end == len(text) or text[end] == "{":
            return found.start()
    return None
