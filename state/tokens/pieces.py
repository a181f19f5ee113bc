"""Where both published patterns cut a text before bytes are merged: what lies between two cuts costs a token at least.

cl100k_base and o200k_base first split a text by a pattern (letters; up to three digits; signs; line ends; blanks) and
never merge across a split. Where short words repeat, pieces are all that they cost: `"the, " * 400` is 801 tokens.
"""

from collections.abc import Sequence

__all__ = ["cuts"]

_BLANK, _LINE, _DIGIT, _LETTER, _SIGN, _UNSURE = range(6)

_CUTS = {
    # What follows a word: a blank goes with the next one, a sign or a line end begins a piece.
    *((before, after) for before in (_LETTER, _DIGIT) for after in (_BLANK, _LINE, _SIGN)),
    (_LETTER, _DIGIT),
    (_DIGIT, _LETTER),
    # Signs go with the letters and the line end behind them, with nothing else.
    (_SIGN, _BLANK),
    (_SIGN, _DIGIT),
    # A line begins.
    *((_LINE, after) for after in (_BLANK, _DIGIT, _LETTER, _SIGN)),
    # Letters or signs, whichever it is.
    (_UNSURE, _BLANK),
    (_UNSURE, _DIGIT),
    (_DIGIT, _UNSURE),
    (_LINE, _UNSURE),
}


def _kind_of(signs: str) -> int:
    if " " in signs:
        return _BLANK
    if "\n" in signs:
        return _LINE
    if "0" in signs:
        return _DIGIT
    if signs.isalpha():
        return _LETTER
    return _UNSURE if any(sign.isalpha() for sign in signs) else _SIGN


def cuts(classes: Sequence[str]) -> bytes:
    """Give 1 for each pair of byte classes (first times 16 plus second) between which a piece begins, else 0.

    Bytes beyond ASCII, the last class, are taken for letters, which makes the sum smaller. Only blank lines and tabs
    can make it larger than the number of tokens.
    """
    kinds = [*map(_kind_of, classes), _LETTER]
    return bytes((kinds[pair >> 4], kinds[pair & 15]) in _CUTS for pair in range(256))
