"""A page of a stored tool output, and the arithmetic of its lines and bytes."""

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..errors import UsageError

__all__ = ["PAGE_BYTES", "Match", "Page", "PageMode", "after_lines", "clip", "count_lines", "parse_range"]

PAGE_BYTES: Final = 40 * 1024
"""The largest text of a page, in UTF-8 bytes."""

PageMode = Literal["query", "lines", "chars"]


class Match(NamedTuple):
    """Where a query matched: code points `start` to before `end`; `line` of the start, from 1."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One bounded piece of a stored text. `text` is at most `PAGE_BYTES` of UTF-8."""

    ref: str
    tool: str | None
    """The tool whose output it is, where known."""
    mode: PageMode
    text: str
    """The piece verbatim; in mode query the matches with their context, pieces joined by a line `[...]`."""
    range: tuple[int, int]
    """Lines, inclusive from 1 (empty: `a, a - 1`); else code points, half-open from 0 (empty: `a, a`).
    In mode query from the first piece to the end of the last."""
    total: int
    """All lines, all code points, or all matches."""
    matches: tuple[Match, ...] | None = None
    """The matches shown; only in mode query."""
    next: int | None = None
    """Where reading goes on, in the convention of the mode; None at the end and in mode query."""
    next_char: int | None = None
    """Where the rest of a line begins that is wider than a page, in code points; `next` is None then."""
    truncated: bool
    """Less is shown than was asked for."""

    def as_json(self) -> dict[str, Any]:
        """Give the page of the contract; what does not apply is left out."""
        page: dict[str, Any] = {
            "ref": self.ref,
            "tool": self.tool,
            "mode": self.mode,
            "text": self.text,
            "range": list(self.range),
            "total": self.total,
        }
        if self.matches is not None:
            page["matches"] = [match._asdict() for match in self.matches]
        if self.next is not None:
            page["next"] = self.next
        if self.next_char is not None:
            page["next_char"] = self.next_char
        return page | {"truncated": self.truncated}


def parse_range(text: str) -> tuple[int | None, int | None]:
    """Read `A:B`, as options and arguments spell a range; either number may be left out.

    Raises:
        UsageError: It is spelled otherwise. Whether the numbers make sense is for the reader to say.
    """
    first, colon, last = (part.strip() for part in text.partition(":"))
    if not colon or not all(part == "" or (part.isascii() and part.isdigit()) for part in (first, last)):
        raise UsageError(
            f"a range is spelled A:B with whole numbers, got {text[:100]!r}", details={"value": text[:100]}
        )
    return int(first) if first else None, int(last) if last else None


def count_lines(text: str) -> int:
    r"""Count lines; they end at `\n` only, and what follows the last `\n` is a line if it is not empty."""
    return text.count("\n") + (text[-1:] not in {"", "\n"})


def after_lines(text: str, start: int, count: int) -> int:
    """Give the offset behind `count` line ends from `start` on, or the end of the text. Linear, no copy."""
    end = len(text)
    while count and end - start > 4096:  # halve by counting, which is much faster than finding each line
        middle = (start + end) // 2
        here = text.count("\n", start, middle)
        if here < count:
            start, count = middle, count - here
        else:
            end = middle
    for _ in range(count):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    return start


def clip(text: str, start: int, end: int, limit_bytes: int) -> str:
    """Give `text[start:end]`, cut to whole code points of at most `limit_bytes` of UTF-8."""
    piece = text[start : min(end, start + limit_bytes)]
    data = piece.encode()
    return piece if len(data) <= limit_bytes else data[:limit_bytes].decode("utf-8", "ignore")
