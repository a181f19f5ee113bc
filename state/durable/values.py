"""JSON values as durable state keeps them: one text each, immutable, comparable, bounded."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from ..messages import ToolResult, texts_of
from ..wellformed import well_formed

__all__ = [
    "ReadResult",
    "bounded_arguments",
    "bounded_result",
    "is_fields",
    "is_items",
    "json_text",
    "parsed",
    "read_result",
]

_MAY_BE_JSON = frozenset('{["-0123456789tfn')


def is_fields(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, Mapping)


def is_items(value: object) -> TypeGuard[Sequence[Any]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list | tuple)


class ReadResult(NamedTuple):
    """What a tool answered."""

    value: Any
    """The JSON value that the text spells, else the text itself."""
    failed: bool
    superseded: bool
    """The call was not carried out, as a later one of its step replaced it."""


def read_result(result: ToolResult) -> ReadResult:
    """Read a result. It failed if it is flagged, or its JSON says `{"ok": false}` or `{"error": {"code": text}}`.

    Only text counts; images and files are no value. Cost: linear in the text.
    """
    text = "\n".join(texts_of(result.content))
    value = parsed(text)
    if not is_fields(value):
        return ReadResult(value, result.is_error, superseded=False)
    error: object = value.get("error")
    coded = is_fields(error) and isinstance(error.get("code"), str)
    failed = result.is_error or value.get("ok") is False or coded
    return ReadResult(value, failed, superseded=value.get("superseded") is True)


def parsed(text: str) -> Any:
    """Give the JSON value that a text spells; a text that is no JSON is its own value."""
    from ..formats.json_values import NotJson, parse_fast

    if text.lstrip()[:1] not in _MAY_BE_JSON:
        return text
    try:
        return parse_fast(well_formed(text).encode())
    except NotJson:
        return text


def json_text(value: Any) -> str:
    """Write a JSON value compactly, well-formed; what is no JSON is written as the text that says so."""
    from ..formats.json_values import compact, own

    try:
        return compact(own(value))
    except (ValueError, RecursionError) as error:
        return compact(f"[no JSON: {error}]")


def bounded_result(value: Any, most: int) -> str:
    """Write what `read_result` read; over `most` code points its beginning and a notice, itself a JSON string."""
    from ..formats.json_values import compact

    value = well_formed(value) if isinstance(value, str) else value
    text = compact(value)
    if len(text) <= most:
        return text
    return compact(_shortened(value if isinstance(value, str) else text, most))


def bounded_arguments(arguments: Mapping[str, Any], most: int) -> str:
    """Write the arguments of a call; over `most` code points as `{"truncated_value": their beginning}`."""
    text = json_text(dict(arguments))
    if len(text) <= most and text.startswith("{"):
        return text
    return json_text({"truncated_value": _shortened(text, most)})


def _shortened(text: str, most: int) -> str:
    return f"{text[:most]}\n[shortened: {len(text)} characters in all]" if len(text) > most else text
