"""A count that is never too high: the pieces into which both published patterns cut a text before they merge bytes.

cl100k_base and o200k_base first split a text by a pattern (letters; up to three digits; signs; line ends; blanks) and
never merge across a split, so each piece costs a token at least. Where short words repeat, pieces are what they cost.
"""

__all__ = ["pieces_in"]

_EDGE, _LETTER, _DIGIT, _SIGN, _BLANK, _LINE, _NUMBER = range(7)


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
_BEGINNINGS = {
    # a run of letters begins
    *((before, _LETTER) for before in (_EDGE, _DIGIT, _SIGN, _BLANK, _LINE)),
    # a run of signs ends; before letters it may go with them
    *((_SIGN, after) for after in (_EDGE, _DIGIT, _BLANK, _LINE)),
    # a line ends behind a word or a number; behind signs its end goes with them
    (_LETTER, _LINE),
    (_DIGIT, _LINE),
    # blanks at the end have no word to go with
    (_BLANK, _EDGE),
}
_OTHER_PAIRS = bytes(pair for pair in range(256) if (pair >> 4, pair & 15) not in _BEGINNINGS)
_ONE, _TWO, _THREE, _GROUP = (bytes(classes) for classes in ([_DIGIT], [_DIGIT] * 2, [_DIGIT] * 3, [_NUMBER]))


def pieces_in(data: bytes) -> int:
    """Give a number of tokens that the larger of both encodings does not go below. Linear, whole-buffer operations.

    Characters beyond ASCII are taken for letters, which can only make the number smaller.
    """
    classes = data.translate(_CLASSES)
    whole = int.from_bytes(classes, "little")
    pairs = (whole | whole << 12).to_bytes(len(data) + 1, "little")  # each byte: the class before it, its own
    found = len(pairs.translate(None, _OTHER_PAIRS))
    if _ONE in classes:
        grouped = classes.replace(_THREE, _GROUP)
        found += grouped.count(_GROUP) + grouped.count(_ONE) - grouped.count(_TWO)
    return found
