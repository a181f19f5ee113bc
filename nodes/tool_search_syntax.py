"""The syntax of the patterns of `tool_search`, read into a tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["Alternatives", "Node", "Outside", "Place", "Repeat", "Row", "Single", "Where", "parse_pattern"]

MAX_CHARS: Final = 500
"""Of a pattern."""
MAX_DEPTH: Final = 40
"""Of groups in groups."""
MAX_COUNT: Final = 100
"""In a quantifier."""

Where = Literal["^", "$", "b", "B"]
Test = Callable[[str], bool]


class Outside(Exception):
    """The pattern is wrong, outside the language, or over a bound."""


@dataclass(frozen=True, slots=True)
class Single:
    """One character that passes a test; the text is case-folded."""

    test: Test


@dataclass(frozen=True, slots=True)
class Place:
    """No character, but a place that an assertion names."""

    where: Where


@dataclass(frozen=True, slots=True)
class Row:
    """One after the other; none is the empty text."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """So many times, `most` None without end."""

    node: "Node"
    least: int
    most: int | None


Node = Single | Place | Row | Alternatives | Repeat

_CLASSES: Final[dict[str, Test]] = {
    "d": str.isdecimal,
    "D": lambda char: not char.isdecimal(),
    "s": str.isspace,
    "S": lambda char: not char.isspace(),
    "w": lambda char: char.isalnum() or char == "_",
    "W": lambda char: not (char.isalnum() or char == "_"),
}
_PLACES: Final[dict[str, Where]] = {"b": "b", "B": "B", "A": "^", "Z": "$"}
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse_pattern(source: str) -> Node:
    """Read a pattern.

    Raises:
        Outside: It is none of this language.
    """
    if len(source) > MAX_CHARS:
        raise Outside
    reader = _Reader(source.removeprefix("(?i)"))
    tree = reader.alternatives(0)
    if reader.rest:
        raise Outside
    return tree


class _Reader:
    """Reads from left to right."""

    def __init__(self, source: str) -> None:
        self._source, self._at = source, 0

    @property
    def rest(self) -> bool:
        """Something is left."""
        return self._at < len(self._source)

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _take(self) -> str:
        char = self._peek()
        if not char:
            raise Outside
        self._at += 1
        return char

    def _skip(self, text: str) -> bool:
        found = self._source.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def alternatives(self, depth: int) -> Node:
        """Read rows with `|` between them."""
        if depth > MAX_DEPTH:
            raise Outside
        rows = [self._row(depth)]
        while self._skip("|"):
            rows.append(self._row(depth))
        return rows[0] if len(rows) == 1 else Alternatives(tuple(rows))

    def _row(self, depth: int) -> Node:
        nodes: list[Node] = []
        while self.rest and self._peek() not in {"|", ")"}:
            nodes.append(self._repeated(self._atom(depth)))
        return Row(tuple(nodes))

    def _repeated(self, node: Node) -> Node:
        counts = self._counts()
        if counts is None:
            return node
        self._skip("?")  # lazy: whether there is a match is the same
        if self._peek() in {"*", "+", "?"} or self._counts() is not None:
            raise Outside
        return Repeat(node, *counts)

    def _counts(self) -> tuple[int, int | None] | None:
        if self._peek() in _QUANTIFIERS:
            return _QUANTIFIERS[self._take()]
        start = self._at
        if self._skip("{"):
            inner, closed, _ = self._source[self._at :].partition("}")
            least, comma, most = inner.partition(",")
            if closed and (least or most) and _is_count(least) and _is_count(most):
                self._at += len(inner) + 1
                low = int(least or "0")
                high = (int(most) if most else None) if comma else low
                if low > MAX_COUNT or (high is not None and not low <= high <= MAX_COUNT):
                    raise Outside
                return low, high
        self._at = start  # a brace that counts nothing is a brace
        return None

    def _atom(self, depth: int) -> Node:
        char = self._take()
        if char == "(":
            if self._skip("?") and not self._skip(":"):
                raise Outside
            node = self.alternatives(depth + 1)
            if not self._skip(")"):
                raise Outside
            return node
        if char == "[":
            return Single(self._set())
        if char == ".":
            return Single(lambda char: char != "\n")
        if char in {"^", "$"}:
            return Place("^" if char == "^" else "$")
        if char in _QUANTIFIERS:
            raise Outside
        return self._escape() if char == "\\" else _literal(char)

    def _escape(self) -> Node:
        char = self._take()
        if char in _PLACES:
            return Place(_PLACES[char])
        return Single(_CLASSES[char]) if char in _CLASSES else _literal(_escaped(char))

    def _set(self) -> Test:
        negated = self._skip("^")
        tests: list[Test] = []
        ranges: list[tuple[str, str]] = []
        first = True
        while first or self._peek() != "]":
            first = False
            low = self._member(tests)
            if low is None:
                continue
            high = low
            if self._peek() == "-" and self._source[self._at + 1 : self._at + 2] not in {"]", ""}:
                self._take()
                named = self._member(tests)
                if named is None or named < low:
                    raise Outside
                high = named
            ranges.append((low, high))
        self._take()

        def passes(char: str) -> bool:
            shapes = (char, char.upper())
            found = any(low <= shape <= high for shape in shapes for low, high in ranges)
            return (found or any(test(char) for test in tests)) != negated

        return passes

    def _member(self, tests: list[Test]) -> str | None:
        """Read one character of a set; a class goes to `tests`."""
        char = self._take()
        if char != "\\":
            return char
        char = self._take()
        if char in _CLASSES:
            tests.append(_CLASSES[char])
            return None
        return _escaped(char)


def _is_count(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit())


def _escaped(char: str) -> str:
    """Give the character that a backslash and a character stand for."""
    if char in _CONTROLS:
        return _CONTROLS[char]
    if char.isascii() and char.isalnum():  # a reference back, or a class that we do not know
        raise Outside
    return char


def _literal(char: str) -> Node:
    """Make the node of a character, which folding may lengthen."""
    singles = [Single(folded.__eq__) for folded in char.casefold()]
    return singles[0] if len(singles) == 1 else Row(tuple(singles))
