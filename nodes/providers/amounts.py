"""Whole numbers as people and servers write them: `1,048,576`, `1 048 576`, `200k`, `1M`, `5 MB`."""

import re
from typing import Final

__all__ = ["AMOUNT", "value_of"]

AMOUNT: Final = (
    r"[0-9]+(?:[,._\u00a0\u202f ][0-9]{3}(?![0-9]))*(?:\.[0-9]+)?(?: ?(?:[kmg]i?b|bytes?|million|thousand)\b|[km]\b)?"
)
"""The pattern of one amount in text in lower case, unit included."""
_GROUPED: Final = re.compile(r"[1-9][0-9]{0,2}(?:[,._\u00a0\u202f ][0-9]{3})+")
_PARTS: Final = re.compile(r"([0-9,._\u00a0\u202f ]*[0-9])\s?([a-z]*)")
_SEPARATORS: Final = re.compile(r"[,._\u00a0\u202f ]")
_COUNTS: Final = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}
_BYTES: Final = {
    "b": 1, "byte": 1, "bytes": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1 << 10, "mib": 1 << 20,
    "gib": 1 << 30, "k": 1000, "m": 1000**2,
}  # fmt: skip
"""Decimal: what is below the smaller reading of `5 MB` is below both."""
_LONGEST: Final = 24
"""Digits and separators; longer ones are identifiers."""


def value_of(text: str, *, in_bytes: bool = False) -> int | None:
    """Read one amount; `None` for fractions and for what is no count."""
    if text.isdecimal():
        return int(text) if len(text) <= _LONGEST else None
    parts = _PARTS.match(text.strip())
    if parts is None or len(parts[1]) > _LONGEST:
        return None
    digits, unit = parts[1], parts[2]
    scale = (_BYTES if in_bytes else _COUNTS).get(unit, 1)
    if digits.isdecimal():
        return int(digits) * scale
    if _GROUPED.fullmatch(digits):
        return int(_SEPARATORS.sub("", digits)) * scale
    try:
        value = float(digits) * scale
    except ValueError:
        return None
    return round(value) if scale > 1 else None
