"""The one bounded reader of stored tool outputs, behind the command line and the tool."""

from typing import Final, NamedTuple

from ..errors import UsageError
from ..wellformed import well_formed
from .pages import PAGE_BYTES, Match, Page, after_lines, clip, count_lines
from .search import Span, find_literal
from .slices import SlicedText, WholeText, open_text
from .store import OutputStore

__all__ = ["MAX_QUERY_CHARS", "read_page"]

MAX_QUERY_CHARS: Final = 4096
"""The longest query, in code points."""

_BETWEEN: Final = "\n[...]\n"

Range = tuple[int | None, int | None]


def read_page(
    store: OutputStore,
    ref: str,
    *,
    query: str | None = None,
    lines: Range | None = None,
    chars: Range | None = None,
    case_sensitive: bool = False,
    context_chars: int = 500,
    max_matches: int = 5,
    limit_bytes: int = PAGE_BYTES,
) -> Page:
    """Read one page of a stored text, in at most one of three modes; with none, lines from the first.

    Linear in the text; in lines and code points only the page counts, if the store gives slices (`SlicedStore`).
    A range past the end is an empty page, no error.

    Args:
        store: Where the text is.
        ref: Its reference.
        query: A literal text of 1 to 4,096 code points, not blank; its matches are given with their context.
        lines: First and last line, from 1; None leaves that end open.
        chars: First code point, from 0, and the one behind the last; None leaves that end open.
        case_sensitive: Compare code points; else full case foldings.
        context_chars: Code points before and behind each match.
        max_matches: Matches shown at most; all are counted.
        limit_bytes: A bound for the text below that of a page.

    Raises:
        UsageError: Two modes, a blank or too long query, a range that runs backwards or begins too early.
        OutputRefError: The store cannot give the text: malformed, unknown or expired.
    """
    modes = {"query": query, "lines": lines, "chars": chars}
    given = [name for name, value in modes.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"only one of {', '.join(modes)} can be read at a time, got {' and '.join(given)}")
    first, last = _checked_range(lines, chars)
    if query is not None:
        query = well_formed(query)
        _check_search(query, context_chars, max_matches)
    limit = min(limit_bytes, PAGE_BYTES)
    if query is not None:
        text = store.get(ref)
        source = _Source(ref, store.tool_of(ref), WholeText(text if text.isascii() else well_formed(text)), limit)
        return _query(source, query, case_sensitive=case_sensitive, context=context_chars, at_most=max_matches)
    source = _Source(ref, store.tool_of(ref), open_text(store, ref), limit)
    return _chars(source, first, last) if chars is not None else _lines(source, first, last)


def _checked_range(lines: Range | None, chars: Range | None) -> tuple[int, int | None]:
    """Give the bounds with the open beginning filled in."""
    name, bounds, lowest = ("chars", chars, 0) if chars is not None else ("lines", lines or (None, None), 1)
    first = lowest if bounds[0] is None else bounds[0]
    last = bounds[1]
    if first < lowest or (last is not None and last < first):
        raise UsageError(
            f"{name} run from {lowest} upwards, got {first}:{'' if last is None else last}",
            details={"mode": name, "range": [first, last]},
        )
    return first, last


def _check_search(query: str, context_chars: int, max_matches: int) -> None:
    if not query.strip():
        raise UsageError("the query is blank")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(
            f"a query has at most {MAX_QUERY_CHARS} code points, got {len(query)}",
            details={"got": len(query)},
        )
    if context_chars < 0 or max_matches < 1:
        raise UsageError(
            f"context_chars is at least 0 and max_matches at least 1, got {context_chars} and {max_matches}"
        )


class _Source(NamedTuple):
    """One text with the bound of a page."""

    ref: str
    tool: str | None
    text: SlicedText
    limit_bytes: int

    def piece(self, start: int, end: int) -> str:
        """Give a slice, cut to whole code points of at most a page."""
        text = self.text.slice(start, min(end, start + self.limit_bytes))
        return clip(text, 0, len(text), self.limit_bytes)


def _lines(source: _Source, first: int, last: int | None) -> Page:
    """Give whole lines; a first line wider than the page is cut, its rest is for mode chars."""
    total, chars = source.text.lines, source.text.chars
    start = source.text.line_start(first)
    piece = source.piece(start, chars)
    wanted = None if last is None else last - first + 1
    next_char = None
    truncated = False
    if wanted is not None and piece.count("\n") >= wanted:
        piece = piece[: after_lines(piece, 0, wanted)]
    elif start + len(piece) < chars:
        truncated = True
        whole = piece.rfind("\n") + 1
        if whole:
            piece = piece[:whole]
        else:
            next_char = start + len(piece)
    stop = first + count_lines(piece) - 1
    return Page(
        ref=source.ref,
        tool=source.tool,
        mode="lines",
        text=piece,
        range=(first, stop),
        total=total,
        next=stop + 1 if stop < total and next_char is None else None,
        next_char=next_char,
        truncated=truncated,
    )


def _chars(source: _Source, first: int, last: int | None) -> Page:
    """Give a range of code points."""
    total = source.text.chars
    start = min(first, total)
    end = total if last is None else max(start, min(last, total))
    piece = source.piece(start, end)
    stop = start + len(piece)
    return Page(
        ref=source.ref,
        tool=source.tool,
        mode="chars",
        text=piece,
        range=(start, stop),
        total=total,
        next=stop if stop < total else None,
        truncated=stop < end,
    )


def _query(source: _Source, query: str, *, case_sensitive: bool, context: int, at_most: int) -> Page:
    """Give the matches that fit, each with its context; contexts that touch become one piece."""
    text = source.text.slice(0, source.text.chars)
    found = find_literal(text, query, case_sensitive=case_sensitive, at_most=at_most)
    pieces: list[Span] = []
    matches: list[Match] = []
    room, cut = source.limit_bytes, False
    line, counted = 1, 0
    for span in found.spans:
        window = Span(max(0, span.start - context), min(len(text), span.end + context))
        joins = bool(pieces) and window.start <= pieces[-1].end
        fresh = Span(pieces[-1].end, max(window.end, pieces[-1].end)) if joins else window
        cost = _bytes(source, fresh) + (len(_BETWEEN) if pieces and not joins else 0)
        if cost > room:
            if pieces:
                break
            # Four bytes are the most that a code point takes; the match itself always fits.
            narrow = (source.limit_bytes - _bytes(source, span)) // 8
            window = Span(max(0, span.start - narrow), min(len(text), span.end + narrow))
            cost, cut = _bytes(source, window), True
        room -= cost
        if joins:
            pieces[-1] = Span(pieces[-1].start, fresh.end)
        else:
            pieces.append(window)
        line, counted = line + text.count("\n", counted, span.start), span.start
        matches.append(Match(span.start, span.end, line))
    return Page(
        ref=source.ref,
        tool=source.tool,
        mode="query",
        text=_BETWEEN.join(text[piece.start : piece.end] for piece in pieces),
        range=(pieces[0].start, pieces[-1].end) if pieces else (0, 0),
        total=found.total,
        matches=tuple(matches),
        truncated=cut or len(matches) < found.total,
    )


def _bytes(source: _Source, span: Span) -> int:
    """Price a piece in UTF-8 bytes; one that is over the bound whatever its code points is not encoded."""
    if span.end - span.start > source.limit_bytes:
        return span.end - span.start
    return len(source.text.slice(span.start, span.end).encode())
