"""Arguments of a call: always an object inside, byte for byte what they were outside."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from .facts import Extras
from .json_values import MAX_DEPTH, NotJson, compact, is_object, parse, too_deep

__all__ = ["RAW", "Arguments", "given_arguments", "read_arguments", "says_object"]

RAW = "raw_arguments"
"""Key in a call's extras: the arguments as they were given, where writing them anew would differ."""

_LONG_NUMBER = re.compile(r"(?<![0-9.])-?[0-9]{19}")


class Arguments(NamedTuple):
    """What a reader keeps of arguments."""

    value: dict[str, Any]
    """The object: what was given, `{}` for nothing, `{"_raw": text}` for what is no object."""
    extras: dict[str, Any]
    """Empty, or `raw_arguments`."""


def read_arguments(given: Any) -> Arguments:
    """Take arguments in any shape: an object, JSON text, nothing, or what a cut generation left."""
    if is_object(given):
        return Arguments(given, {})
    if given is None:
        return Arguments({}, {RAW: None})
    if not isinstance(given, str):
        return Arguments({"_raw": compact(given)}, {RAW: given})
    value = _parsed(given)
    if is_object(value):
        return Arguments(value, {} if compact(value) == given else {RAW: given})
    if value is None and given.strip() in {"", "null"}:
        return Arguments({}, {RAW: given})
    return Arguments({"_raw": given}, {RAW: given})


def says_object(given: Any) -> bool:
    """Tell whether arguments are an object or the JSON text of one."""
    return is_object(given) or (isinstance(given, str) and is_object(_parsed(given)))


def _parsed(text: str) -> Any:
    try:
        value = parse(text.encode()) if _LONG_NUMBER.search(text) else orjson.loads(text)
    except ValueError:
        try:
            value = parse(text.encode())
        except NotJson:
            return None
    deep = text.count("{") + text.count("[") > MAX_DEPTH and too_deep(value)
    return None if deep else value


def given_arguments(arguments: Mapping[str, Any], extras: Extras | None) -> tuple[bool, Any]:
    """Give (True, the arguments as they were given) while they still say the same as `arguments`."""
    if extras is None or RAW not in extras:
        return False, None
    raw = extras[RAW]
    return read_arguments(raw).value == arguments, raw
