"""The user's own words behind a checkpoint: which folded prompts are quoted, and how.

A quote is length-prefixed, so that it is read back exactly whatever the user wrote:
`[message m3, 214 characters]`, a newline, that many code points, a newline.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .envelopes import escape
from .wellformed import well_formed

__all__ = [
    "NEXT_ENTRY",
    "Quote",
    "QuoteChoice",
    "choose_quotes",
    "id_text",
    "quote_block",
    "read_ids",
    "read_quotes",
]

SHORTEST_TOKENS = 64
"""A prompt that does not fit is shortened only where this much room is left; less says too little."""
_HEAD_SHARE = 0.65
"""Part of a shortened prompt that comes from its beginning, as in previews of tool results."""

_PLAIN_ID = re.compile(r"[A-Za-z0-9._:/@+-]{1,80}")
_ID = r'([A-Za-z0-9._:/@+-]{1,80}|"(?:[^"\\\n]|\\.)*+")'
_PREFIX = re.compile(rf"\[message {_ID}, ([0-9]{{1,12}}) characters(, shortened)?\]\n")
_OTHER_LINE = r"\[no longer quoted: |\[folded messages: ref="
NEXT_ENTRY = re.compile(rf"^(?:{_PREFIX.pattern}|{_OTHER_LINE})", re.MULTILINE)
"""Where a damaged quote ends: any line with which another entry of the engine's part begins."""
_WRITTEN_ID = re.compile(_ID)
_CUT = re.compile(r"\n\[… ([0-9]{1,12}) characters left out …\]\n")


@dataclass(frozen=True, slots=True)
class Quote:
    """A user prompt as it is quoted."""

    id: str
    text: str
    whole: bool = True
    """False: the text is head and tail with one line between them that counts what is left out."""


class QuoteChoice(NamedTuple):
    """What of the candidates is quoted."""

    quotes: tuple[Quote, ...]
    """In the order of the candidates, escaped and well-formed."""
    kept: tuple[str, ...]
    """Ids of the quoted ones, shortened ones included."""
    omitted: tuple[str, ...]
    """Ids of the candidates that found no room, in their order."""


# ---- writing and reading


def id_text(id: str) -> str:
    """Give an id as it is written: plain, or as a JSON string where it holds anything unusual."""
    return id if _PLAIN_ID.fullmatch(id) else json.dumps(id).replace("<", "\\u003c")


def _entry(quote: Quote) -> str:
    state = "" if quote.whole else ", shortened"
    return f"[message {id_text(quote.id)}, {len(quote.text)} characters{state}]\n{quote.text}\n"


def _clean(quote: Quote) -> Quote:
    text = escape(well_formed(quote.text))
    return quote if text is quote.text else replace(quote, text=text)


def quote_block(quotes: Iterable[Quote]) -> str:
    """Write the quotes, one behind the other, each ending with a newline."""
    return "".join(_entry(_clean(quote)) for quote in quotes)


class QuotesRead(NamedTuple):
    """The quotes that stand in a text."""

    quotes: tuple[Quote, ...]
    end: int
    """The place behind the last one."""


def read_quotes(text: str, start: int) -> QuotesRead:
    """Read the quotes that stand in `text` from `start` on.

    A length that does not lead to a line's end is damaged: that quote ends where the next one begins. Never
    raises; linear.
    """
    quotes: list[Quote] = []
    position = start
    while (prefix := _PREFIX.match(text, position)) is not None:
        begin = prefix.end()
        end = begin + int(prefix[2])
        if text[end : end + 1] != "\n" and end != len(text):
            following = NEXT_ENTRY.search(text, begin)
            end = max(begin, following.start() - 1) if following else len(text)
        quotes.append(Quote(_read_id(prefix[1]), text[begin:end], whole=prefix[3] is None))
        position = end + 1
    return QuotesRead(tuple(quotes), min(position, len(text)))


def _read_id(written: str) -> str:
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written))
    except ValueError:  # a damaged id is still better than none
        return written.strip('"')


def read_ids(text: str) -> tuple[str, ...]:
    """Read ids that were written one behind the other with `id_text`."""
    return tuple(_read_id(written) for written in _WRITTEN_ID.findall(text))


# ---- choosing


def choose_quotes(candidates: Sequence[Quote], budget_tokens: int, count: Callable[[str], int]) -> QuoteChoice:
    """Choose which user prompts stay quoted, and how much of them.

    Tried in the order oldest, second oldest, newest, third oldest, second newest, and so on. The oldest is whole
    whenever it alone fits. Then come those that take at most half of what is left, so that one long paste does not
    silence the short rules behind it; then the long ones, whole where they fit, else their ends in half of what is
    left (all of it if nobody comes after), where that is at least 64 tokens. The rest is omitted.

    Args:
        candidates: Oldest first: those that the previous checkpoint quotes, then the folded ones.
        budget_tokens: What `quote_block` of the chosen ones costs at most, by `count`.
        count: Tokens of a text. Long texts are priced by a beginning that shows that they do not fit.
    """
    chosen: dict[int, Quote] = {}
    costs: dict[int, int] = {}
    left = budget_tokens
    long: list[int] = []
    for place, index in enumerate(_priority(len(candidates))):
        if left < 1:
            break
        quote = _clean(candidates[index])
        cost = _cost_within(quote, left if place == 0 else left // 2, count)
        if cost is None:
            long.append(index)
            continue
        chosen[index], costs[index] = quote, cost
        left -= cost
    for place, index in enumerate(long):
        fitted = _fitted(_clean(candidates[index]), left, count, last=place == len(long) - 1)
        if fitted is not None:
            chosen[index], costs[index] = fitted
            left -= costs[index]
    _fit_block(chosen, costs, budget_tokens, count)
    quotes = tuple(chosen[index] for index in sorted(chosen))
    omitted = tuple(quote.id for index, quote in enumerate(candidates) if index not in chosen)
    return QuoteChoice(quotes, tuple(quote.id for quote in quotes), omitted)


def _fitted(quote: Quote, left: int, count: Callable[[str], int], *, last: bool) -> tuple[Quote, int] | None:
    """Give a long quote whole or its ends, with the price, or `None` where there is too little room."""
    cost = _cost_within(quote, left, count)
    if cost is not None:
        return quote, cost
    room = left if last else max(SHORTEST_TOKENS, left // 2)
    return _shortened(quote, room, count) if SHORTEST_TOKENS <= room <= left else None


def _priority(length: int) -> list[int]:
    """Give the order 0, 1, n-1, 2, n-2, and so on.

    Two from the beginning, because what harnesses send in the user's role often stands before the first real request.
    """
    first = [0] if length else []
    rest = length - 1
    return first + [1 + (place // 2 if place % 2 == 0 else rest - 1 - place // 2) for place in range(rest)]


def _cost_within(quote: Quote, left: int, count: Callable[[str], int]) -> int | None:
    """Give the price of a whole quote, or `None` if it is over `left`; reads O(left) of a long text."""
    entry = _entry(quote)
    beginning = 16 * left + 1024
    if len(entry) > beginning and count(entry[:beginning]) > left:
        return None
    cost = count(entry)
    return cost if cost <= left else None


def _shortened(quote: Quote, room: int, count: Callable[[str], int]) -> tuple[Quote, int] | None:
    """Give head and tail of a quote that cost at most `room`, with their price, or `None`."""
    head, tail, missing = _ends(quote)
    whole = len(head) + len(tail)
    sample = head[: 4 * room] or tail[: 4 * room]
    keep = int(0.9 * room * len(sample) / max(1, count(sample)))
    keep = max(1, min(keep, whole - 1, 16 * room))
    for _ in range(8):
        first = min(len(head), int(_HEAD_SHARE * keep)) if tail else int(_HEAD_SHARE * keep)
        last = min(keep - first, len(tail) if tail else len(head) - first)
        end = (tail or head)[-last:] if last else ""
        out = missing + whole - first - last
        text = f"{head[:first]}\n[… {out} characters left out …]\n{end}"
        candidate = replace(quote, text=text, whole=False)
        cost = count(_entry(candidate))
        if cost <= room:
            return candidate, cost
        keep = min(keep - 1, int(keep * 0.95 * room / cost))
        if keep < 1:
            return None
    return None


def _ends(quote: Quote) -> tuple[str, str, int]:
    """Give head, tail and what is left out between them already; of a whole quote all is head."""
    cut = None if quote.whole else _CUT.search(quote.text)
    if cut is None:
        return quote.text, "", 0
    return quote.text[: cut.start()], quote.text[cut.end() :], int(cut[1])


def _fit_block(
    chosen: dict[int, Quote], costs: dict[int, int], budget_tokens: int, count: Callable[[str], int]
) -> None:
    """Drop what was chosen last while the block costs more than its parts did and is over the budget."""
    while chosen:
        over = count("".join(_entry(chosen[index]) for index in sorted(chosen))) - budget_tokens
        if over <= 0:
            return
        while over > 0 and chosen:
            index, _ = chosen.popitem()
            over -= max(1, costs[index])
