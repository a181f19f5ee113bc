"""A JSON document taken apart without parsing it whole: its messages are parsed one at a time.

A parser needs a multiple of the text that it is given at once. Here that is one message.
"""

import re
from collections.abc import Iterator
from typing import Any

from .json_values import NotJson, parse, parse_fast

__all__ = ["Document", "split"]

_BLANK = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# A string without an end is one token too, so that its quotes are not tried one after the other.
_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,:\[\]{}\"]+")

Span = tuple[int, int]


class Document:
    """An array of messages, or an object that holds one under `messages`."""

    def __init__(self, data: bytes, spans: list[Span] | None, outer: dict[str, Any]) -> None:
        self._data = data
        self._spans = spans
        self.outer = outer
        """The members of the object but `messages`; empty for an array."""

    @property
    def has_messages(self) -> bool:
        """Whether there is an array of messages."""
        return self._spans is not None

    def __iter__(self) -> Iterator[Any]:
        """Parse the messages in order. Raises `NotJson`."""
        for start, end in self._spans or ():
            yield _parsed(self._data[start:end])


def split(data: bytes) -> Document:
    """Take a document apart. Raises `NotJson`, when its messages are parsed at the latest."""
    start = _skip(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    if data[start : start + 1] == b"[":
        spans, end = _array(data, start)
        document = Document(data, spans, {})
    elif data[start : start + 1] == b"{":
        document, end = _object(data, start)
    else:
        raise NotJson("neither an object nor an array")
    if _skip(data, end) != len(data):
        raise NotJson(f"text behind the document at byte {end}")
    return document


def _object(data: bytes, start: int) -> tuple[Document, int]:
    spans: list[Span] | None = None
    outer: dict[str, Any] = {}
    place = _skip(data, start + 1)
    while data[place : place + 1] != b"}":
        if outer or spans is not None:
            place = _skip(data, _expect(data, place, b","))
        key_end = _end_of(data, place)
        key: Any = _parsed(data[place:key_end])
        place = _skip(data, _expect(data, _skip(data, key_end), b":"))
        if key == "messages" and data[place : place + 1] == b"[":
            spans, end = _array(data, place)
        else:
            end = _end_of(data, place)
            outer[str(key)] = _parsed(data[place:end])
        place = _skip(data, end)
    return Document(data, spans, outer), place + 1


def _array(data: bytes, start: int) -> tuple[list[Span], int]:
    spans: list[Span] = []
    place = _skip(data, start + 1)
    while data[place : place + 1] != b"]":
        if spans:
            place = _skip(data, _expect(data, place, b","))
        end = _end_of(data, place)
        spans.append((place, end))
        place = _skip(data, end)
    return spans, place + 1


def _skip(data: bytes, place: int) -> int:
    found = _BLANK.match(data, place)
    return found.end() if found else place


def _expect(data: bytes, place: int, sign: bytes) -> int:
    if data[place : place + 1] == sign:
        return place + 1
    raise NotJson(f"{sign.decode()!r} expected at byte {place}")


def _end_of(data: bytes, start: int) -> int:
    """Find the end of the value that begins at `start`, by its strings and brackets alone."""
    first = data[start : start + 1]
    if first not in {b"{", b"["}:
        found = (_STRING if first == b'"' else _SCALAR).match(data, start)
        if found is None:
            raise NotJson(f"a value expected at byte {start}")
        return found.end()
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(data, start):
        sign = token.group() if token.end() - token.start() == 1 else b""
        if sign in {b"{", b"["}:
            depth += 1
        elif sign in {b"}", b"]"}:
            depth -= 1
            if depth == 0:
                return token.end()
    raise NotJson(f"the value at byte {start} has no end")


def _parsed(data: bytes) -> Any:
    try:
        return parse_fast(data)
    except NotJson:
        return parse(data)
