"""Well-formed strings at every border: lone surrogates become U+FFFD, at every depth, keys and values."""

import math
from typing import Any, cast

from .foreign import is_array, is_object

__all__ = ["MOST_LEVELS", "plain_json", "well_formed", "well_formed_json"]

MOST_LEVELS = 200
"""Deepest nesting of a JSON value: `orjson` writes 254 levels, and what goes around a message needs some of them."""


def well_formed(text: str) -> str:
    """Give `text` with each lone surrogate replaced by U+FFFD. Cost: one encode when it is clean already."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair of surrogates that JSON escapes wrote apart is one character: join pairs, replace the rest.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def well_formed_json(value: Any) -> Any:
    """Give a JSON value with every string in it well-formed; the same object when nothing had to change."""
    if isinstance(value, str):
        return well_formed(value)
    if is_object(value):
        items: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            name, fresh = well_formed(str(key)), well_formed_json(item)
            while name in items:  # two keys that only their surrogates told apart
                name += "\ufffd"
            items[name] = fresh
            same = same and name is key and fresh is item
        return value if same else items
    if is_array(value):
        fresh = [well_formed_json(item) for item in value]
        return value if all(a is b for a, b in zip(fresh, value, strict=True)) else fresh
    return value


def plain_json(value: Any, depth: int = 0) -> Any:
    """Give what a Python program calls JSON as JSON: strings well-formed, keys strings, tuples arrays, no NaN (null).

    Raises:
        ValueError: Something in it is no JSON, or it nests deeper than 200 levels.
    """
    if isinstance(value, str):
        return well_formed(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth > MOST_LEVELS:
        raise ValueError(f"nested deeper than {MOST_LEVELS} levels")
    if is_object(value):
        items: dict[str, Any] = {}
        for key, item in value.items():
            name = well_formed(str(key))
            while name in items:  # two keys that only their surrogates told apart
                name += "\ufffd"
            items[name] = plain_json(item, depth + 1)
        return items
    if isinstance(value, list | tuple):
        return [plain_json(item, depth + 1) for item in cast("list[Any]", value)]
    raise ValueError(f"{type(value).__name__} is no JSON value")
