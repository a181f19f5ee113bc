"""Literal search in stored texts, caseless for all of Unicode, with offsets in the text as it stands.

Two texts are equal without regard to case if their full case foldings are (Unicode, D144): `ß` equals `SS`,
the long s `S`, the Kelvin sign `k`, and `İ` is `i` with a dot above. Folding can lengthen a text, so a match
must begin and end between two code points of the text: `s` is no part of `ß`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Found", "Span", "find_literal"]


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Found(NamedTuple):
    """The first matches, and how many there are."""

    spans: list[Span]
    total: int


def find_literal(text: str, query: str, *, case_sensitive: bool, at_most: int) -> Found:
    """Find a query of at least one code point: leftmost matches that do not overlap.

    Linear in the text; after `at_most` matches they are only counted.
    """
    if not case_sensitive:
        folded = text.casefold()
        if len(folded) != len(text):
            needle = query.casefold()
            matches = _aligned(folded, needle, _Offsets(text)) if needle in folded else iter(())
            return _listed(matches, at_most)
        # No folding is shorter than its code point, so equal lengths mean equal offsets.
        text, query = folded, query.casefold()
    spans: list[Span] = []
    end = 0
    while len(spans) < at_most:
        start = text.find(query, end)
        if start < 0:
            return Found(spans, len(spans))
        end = start + len(query)
        spans.append(Span(start, end))
    return Found(spans, len(spans) + text.count(query, end))


def _listed(matches: Iterator[Span], at_most: int) -> Found:
    spans: list[Span] = []
    total = 0
    for total, span in enumerate(matches, 1):
        if total <= at_most:
            spans.append(span)
    return Found(spans, total)


class _Offsets:
    """Leads from an offset in the folded text back to the text, past the code points that lengthen."""

    def __init__(self, text: str) -> None:
        folds = {point: len(fold) for point in set(text) if len(fold := point.casefold()) > 1}
        self._folded: list[int] = []
        self._text: list[int] = []
        self._widths: list[int] = []
        longer = 0
        for hit in re.finditer(f"[{''.join(sorted(folds))}]", text):
            self._folded.append(hit.start() + longer)
            self._text.append(hit.start())
            self._widths.append(folds[hit.group()])
            longer += folds[hit.group()] - 1

    def original(self, offset: int) -> int | None:
        """Give the offset in the text; None inside the folding of one code point."""
        index = bisect_right(self._folded, offset) - 1
        if index < 0:
            return offset
        into = offset - self._folded[index]
        if into == 0:
            return self._text[index]
        behind = into - self._widths[index]
        return None if behind < 0 else self._text[index] + 1 + behind

    def span(self, start: int, end: int) -> Span | None:
        """Give the range in the text, if both its ends are between code points."""
        first, last = self.original(start), self.original(end)
        return None if first is None or last is None else Span(first, last)


def _aligned(folded: str, needle: str, offsets: _Offsets) -> Iterator[Span]:
    """Give the matches that begin and end between code points.

    A hit that does not costs the length of the needle and moves on by one only. Once these costs exceed the
    text, all further hits are taken from one pass, so that nobody can make the search quadratic.
    """
    free = lost = 0
    while lost <= len(folded):
        hit = folded.find(needle, free)
        if hit < 0:
            return
        span = offsets.span(hit, hit + len(needle))
        if span is None:
            free, lost = hit + 1, lost + len(needle)
        else:
            yield span
            free = hit + len(needle)
    for hit in _all_hits(folded, needle, free):
        if hit >= free:
            span = offsets.span(hit, hit + len(needle))
            if span is not None:
                yield span
                free = hit + len(needle)


def _all_hits(text: str, needle: str, start: int) -> Iterator[int]:
    """Give every hit from `start` on, overlapping ones too (Knuth, Morris and Pratt)."""
    borders = [0] * len(needle)
    width = 0
    for index in range(1, len(needle)):
        while width and needle[index] != needle[width]:
            width = borders[width - 1]
        width += needle[index] == needle[width]
        borders[index] = width
    width = 0
    for index in range(start, len(text)):
        while width and text[index] != needle[width]:
            width = borders[width - 1]
        width += text[index] == needle[width]
        if width == len(needle):
            yield index + 1 - width
            width = borders[width - 1]
