"""JSON values at the border: parse bytes, take over the caller's values, write compact text.

`orjson` does the work; the standard library steps in for what it refuses or would change: lone surrogates,
integers over 64 bits, numbers over the range of a double.
"""

import json
import math
import re
from typing import Any, TypeGuard

import orjson

from ..wellformed import well_formed

__all__ = [
    "DECODER",
    "MAX_DEPTH",
    "NotJson",
    "compact",
    "fresh",
    "is_array",
    "is_object",
    "own",
    "parse",
    "parse_fast",
    "too_deep",
]

MAX_DEPTH = 200
"""Deepest nesting that is read. `orjson` writes 254 levels; an envelope around a message needs some of them."""

_LONG_NUMBER = re.compile(rb"[:,\[\s]-?[0-9]{19}")
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_LONG_ZERO = b"0" * 19
_LARGE = 1 << 18
"""Larger texts go to the standard library, as `orjson` sets aside twelve times what it is given."""


class NotJson(ValueError):
    """A text or value that is no JSON, or JSON that is nested too deeply."""


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether `value` is a JSON array."""
    return isinstance(value, list)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _no_number(_: str) -> None:
    return None


DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_number, strict=False)
"""Reads what Python programs write as JSON: lone surrogates, raw control characters; `NaN` is read as null."""


def parse_fast(data: bytes) -> Any:
    """Parse one strict JSON text; every string in the value is well-formed. Raises `NotJson`."""
    if len(data) > _LARGE or (_LONG_ZERO in data.translate(_DIGITS_AS_ZERO) and _LONG_NUMBER.search(data)):
        return parse(data)
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotJson(str(error)) from None
    if len(data) > MAX_DEPTH and data.count(b"{") + data.count(b"[") > MAX_DEPTH and too_deep(value):
        raise NotJson(f"nested deeper than {MAX_DEPTH} levels")
    return value


def parse(data: bytes) -> Any:
    """Parse one JSON text like `parse_fast`, at the speed of the standard library. Raises `NotJson`."""
    try:
        return own(DECODER.decode(data.decode()))
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None


def too_deep(value: Any) -> bool:
    """Tell whether `value` nests deeper than `MAX_DEPTH`. Cost: one visit per value."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if is_object(item):
                inner.extend(item.values())
            elif is_array(item):
                inner.extend(item)
        if not inner:
            return False
        level = [item for item in inner if isinstance(item, dict | list)]
    return True


def own(value: Any, path: str = "", depth: int = 0) -> Any:
    """Give a JSON value that shares no container with `value`, its strings well-formed; strings are shared.

    Tuples become arrays, other keys than strings their text. Raises `NotJson` naming `path` for anything that
    is no JSON.
    """
    if isinstance(value, str):
        return value if value.isascii() and type(value) is str else well_formed(str.__str__(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth > MAX_DEPTH:
        raise NotJson(f"{path or 'value'}: nested deeper than {MAX_DEPTH} levels")
    if is_object(value):
        fresh: dict[str, Any] = {}
        for key, item in value.items():
            name = well_formed(str(key))
            fresh[name] = own(item, f"{path}.{name}" if path else name, depth + 1)
        return fresh
    if isinstance(value, list | tuple):
        items: list[Any] = []
        for index, item in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            items.append(own(item, f"{path}[{index}]", depth + 1))  # one frame per level
        return items
    raise NotJson(f"{path or 'value'}: {type(value).__name__} is no JSON value")


def fresh(value: Any) -> Any:
    """Give a JSON value that shares no container with `value`: what goes out may be changed by its receiver."""
    if is_object(value):
        return {key: fresh(item) for key, item in value.items()}
    if is_array(value):
        return [fresh(item) for item in value]
    return value


def compact(value: Any) -> str:
    """Write a JSON value without blanks and without escapes that are not needed."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
