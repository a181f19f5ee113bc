"""A count that is never too high: the pieces into which both published patterns cut a text before they merge bytes.

cl100k_base and o200k_base first split a text by a pattern (letters; up to three digits; signs; line ends; blanks) and
never merge across a split, so each piece costs a token at least. Where short words repeat, pieces are what they cost.
"""

__all__ = ["pieces_in"]

_LETTER, _DIGIT, _SIGN, _BLANK, _LINE = 1, 2, 3, 4, 5


def _class_of(byte: int) -> int:
    char = chr(byte)
    if byte >= 128 or char.isalpha():
        return _LETTER
    if char.isdigit():
        return _DIGIT
    if char in "\r\n":
        return _LINE
    return _BLANK if char.isspace() else _SIGN


_CLASSES = bytes(map(_class_of, range(256)))
_PAIRS = {
    # a run of letters begins
    *((before, _LETTER) for before in (_DIGIT, _SIGN, _BLANK, _LINE, 7)),
    # a run of signs ends; before letters it may go with them
    *((_SIGN, after) for after in (_DIGIT, _BLANK, _LINE, 7)),
    # a line ends behind a word or a number; behind signs its end goes with them
    (_LETTER, _LINE),
    (_DIGIT, _LINE),
}
_OTHER_PAIRS = bytes(pair for pair in range(256) if (pair & 15, pair >> 4) not in _PAIRS)
_THREE_DIGITS, _TWO_DIGITS, _ONE_DIGIT, _NUMBER = b"\2\2\2", b"\2\2", b"\2", b"\6"
_EDGE = bytes((7,))
"""What stands before and behind a text: it ends every run and joins nothing."""


def pieces_in(data: bytes) -> int:
    """Give a number of tokens that the larger of both encodings does not go below. Linear, whole-buffer operations.

    Characters beyond ASCII are taken for letters, which can only make the number smaller.
    """
    classes = data.translate(_CLASSES)
    padded = _EDGE + classes + _EDGE
    first = int.from_bytes(padded[:-1], "little")
    second = int.from_bytes(padded[1:], "little")
    found = len((first | second << 4).to_bytes(len(padded) - 1, "little").translate(None, _OTHER_PAIRS))
    if _ONE_DIGIT in classes:
        grouped = padded.replace(_THREE_DIGITS, _NUMBER)
        found += grouped.count(_NUMBER) + grouped.count(_ONE_DIGIT) - grouped.count(_TWO_DIGITS)
    return found
