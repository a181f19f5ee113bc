"""How long a provider asks to wait: headers, fields of the body, words. Dates are not read, they would need a clock."""

import re
from itertools import islice
from typing import Any, Final

from .foreign import mapping_of

__all__ = ["WAIT_FIELDS", "wait_from_body", "wait_from_headers", "wait_from_text"]

LONGEST_S: Final = 31 * 86_400.0
"""A longer wait is no wait: the number is something else."""

_HEADERS: Final = (("retry-after-ms", 0.001), ("x-ms-retry-after-ms", 0.001), ("retry-after", 1.0))
WAIT_FIELDS: Final = {
    "retry_after": 1.0, "retryafter": 1.0, "retry_after_s": 1.0, "retry_after_seconds": 1.0, "retryafterseconds": 1.0,
    "retry_after_ms": 0.001, "retryafterms": 0.001, "retrydelay": 1.0, "retry_delay": 1.0, "retry-after": 1.0,
}  # fmt: skip
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_ASKED: Final = re.compile(
    r"(?:(?:try|retry|again|wait|reset|resets|available)[a-z ]{0,30}?(?:after|in|for)|wait)[: ]+(?:about |another )?"
    r"((?:\d+(?:\.\d+)?\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d)\b\s?|\d+[hms])+)"
)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|mil|s|m|h|d)")


def wait_from_text(text: str) -> float | None:
    """Read `try again in 1m30.5s`, `retry after 20 seconds` from text in lower case; seconds."""
    found = _ASKED.search(text)
    if found is None:
        return None
    return _bounded(
        sum(float(number) * _UNITS["ms" if unit == "mil" else unit] for number, unit in _PART.findall(found[1]))
    )


def wait_from_body(key: str, value: Any) -> float | None:
    """Read a field of an error body (`key` in lower case), a number or `"31s"`; seconds."""
    scale = WAIT_FIELDS.get(key)
    return None if scale is None else _seconds(value, scale)


def wait_from_headers(headers: Any) -> float | None:
    """Read `Retry-After` and its relatives from any mapping of headers; seconds."""
    lowered = {str(name).lower(): value for name, value in islice(mapping_of(headers).items(), 200)}
    for name, scale in _HEADERS:
        found = _seconds(lowered.get(name), scale)
        if found is not None:
            return found
    return None


def _seconds(value: Any, scale: float) -> float | None:
    if isinstance(value, bytes):
        value = value[:40].decode("ascii", "replace")
    if isinstance(value, str):
        text = value.strip().lower()[:40]
        part = _PART.fullmatch(text)
        if part is not None:
            return _bounded(float(part[1]) * _UNITS["ms" if part[2] == "mil" else part[2]])
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LONGEST_S * 1000:
        return _bounded(value * scale)
    return None


def _bounded(seconds: float) -> float | None:
    # NaN fails both comparisons.
    return float(seconds) if 0 <= seconds <= LONGEST_S else None
