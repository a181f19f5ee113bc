"""The default estimator: no vocabulary, no I/O, the same number on every machine, and hardly ever too low.

A tokenizer merges bytes, and how well they merge shows in which byte follows which. So each byte gets one of 16
classes, each pair of neighbouring classes has a price, and a text costs the sum over its pairs. Characters beyond ASCII
are priced by their block of 256 code points besides, with a discount for those that are one token in both encodings.
All of it is whole-buffer work of the standard library: about 4 ns a byte, linear, no loop over characters.

The prices stand in `weights.py` and come from `benchmarks/fit_conservative.py`, which fits them so that the estimate is
not below the larger of the counts of o200k_base and cl100k_base.
"""

import re
from functools import cache
from zlib import adler32

from ..wellformed import well_formed
from .pieces import cuts
from .weights import BLOCK_UNITS, COMMON, COMMON_UNITS, EMOJI_UNITS, PAIR_UNITS, UNITS_PER_TOKEN

__all__ = ["BYTE_CLASSES", "ConservativeCounter", "blocks_of", "pairs_of"]

_CONTROLS = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127]))
BYTE_CLASSES = (
    " ",
    "\t\n\r",
    "0123456789",
    "a",
    "e",
    "iou",
    "nt",
    "lrs",
    "cdhm",
    "bfgpwy",
    "jkqvxz&>^|" + _CONTROLS,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "#%+-./=_~",
    "\"'()`{}",
    "!$*,:;<?@[\\]",
)
"""The ASCII characters of each class; the last class, 15, is every byte beyond ASCII.

Found by moving single characters between classes while the fit got better: letters that words are made of apart from
rare ones, and signs that stick together in code apart from signs that stand alone. Control characters stand with rare
letters, since both are a token each where they repeat.
"""

_ASCII = bytes(range(128))
_CLASS_OF = bytes(
    next((number for number, signs in enumerate(BYTE_CLASSES) if chr(byte) in signs), 15) for byte in range(256)
)
_ADLER_MAX = 65_519
"""The largest sum of bytes that adler32 still holds: it counts modulo 65,521, from 1."""
_PAIR_STRETCH = _ADLER_MAX // max(PAIR_UNITS)
_CUTS = cuts(BYTE_CLASSES)
_BLOCK_STRETCH = _ADLER_MAX // max(BLOCK_UNITS)


STRETCH = 4096
"""Characters that are priced together. The larger of two estimates is taken for each stretch, so that short repeated
words in one part of a text are not hidden by another part that the pairs price high."""


class ConservativeCounter:
    """Estimates tokens from above; total over every `str`, linear, without I/O.

    `count(a + b)` is at most 5 above `count(a) + count(b)`. Gives at least 1 for each CJK, kana or Hangul character and
    2 for each astral one. A lone surrogate counts as the U+FFFD that goes out.
    """

    __slots__ = ()
    name: str = "conservative"

    def __repr__(self) -> str:
        return "ConservativeCounter()"

    def count(self, text: str) -> int:
        """Estimate the tokens of `text`; 0 for the empty text, else at least 1."""
        if len(text) <= STRETCH:
            return -(-_units(text) // UNITS_PER_TOKEN) if text else 0
        units = sum(_units(text[start : start + STRETCH]) for start in range(0, len(text), STRETCH))
        return -(-units // UNITS_PER_TOKEN)


def _units(text: str) -> int:
    """Price a stretch of text by its pairs, but no lower than its pieces cost."""
    data = _encoded(text)
    pairs = pairs_of(data)
    units = _sum(pairs.translate(PAIR_UNITS), _PAIR_STRETCH)
    if len(data) != len(text):
        beyond = data.translate(None, _ASCII)
        rest = beyond.decode()
        units += _sum(blocks_of(rest).translate(BLOCK_UNITS), _BLOCK_STRETCH)
        units -= COMMON_UNITS * (len(rest) - len(_common().sub("", rest)))
        units -= EMOJI_UNITS * beyond.count(b"\xf0\x9f")
    return max(units, UNITS_PER_TOKEN * _sum(pairs.translate(_CUTS), _ADLER_MAX))


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate goes out as U+FFFD
        return well_formed(text).encode()


def pairs_of(data: bytes) -> bytes:
    """Give one byte for each neighbouring pair in `data`: the class of the first times 16 plus the class of the second.

    The text is taken to stand between two spaces, so there is one pair more than bytes. Both shifts happen on the whole
    buffer at once, as one long number.
    """
    classes = int.from_bytes(data.translate(_CLASS_OF), "little")
    return (classes | classes << 12).to_bytes(len(data) + 1, "little")


def blocks_of(text: str) -> bytes:
    """Give the number of the block of 256 code points for each character, for an astral one those of its surrogates."""
    return text.encode("utf-16-le")[1::2]


@cache
def _common() -> re.Pattern[str]:
    return re.compile(f"[{COMMON}]+")


def _sum(prices: bytes, stretch: int) -> int:
    """Add up the bytes of a buffer, 10 times as fast as `sum`; no `stretch` of them exceeds `_ADLER_MAX`."""
    if len(prices) <= stretch:
        return (adler32(prices) & 0xFFFF) - 1
    view = memoryview(prices)
    starts = range(0, len(prices), stretch)
    return sum(adler32(view[start : start + stretch]) & 0xFFFF for start in starts) - len(starts)
