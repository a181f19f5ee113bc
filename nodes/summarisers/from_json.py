"""The `summarizer` field of a request, read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ...state.errors import BadRequest, UnknownSummarizer
from .extractive import ExtractiveSummarizer
from .protocol import Summarizer
from .scripted import ScriptedReply, ScriptedSummarizer

__all__ = ["summarizer_from_json"]

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "extractive": ("kind",),
    "scripted": ("kind", "replies"),
    "none": ("kind",),
}
_ANSWERS = ("text", "error", "overflow", "hang")


def summarizer_from_json(value: Any, count: Callable[[str], int]) -> Summarizer | None:
    """Make the summariser that a request asks for; `None` for `{"kind": "none"}`.

    Args:
        value: The JSON value of the field.
        count: Tokens of a text, for a summariser that keeps to a size by itself.

    Raises:
        UnknownSummarizer: The kind is none of the known ones.
        BadRequest: Anything else is wrong; `details["problems"]` lists all of it as `{path, value, problem}`.
    """
    fields = _object(value)
    if fields is None:
        raise _bad([_problem("summarizer", value, "must be an object with a `kind`")])
    kind = fields.get("kind")
    if not isinstance(kind, str):
        raise _bad([_problem("summarizer.kind", kind, f"must be one of {', '.join(_FIELDS)}")])
    if kind not in _FIELDS:
        raise UnknownSummarizer(
            f"unknown summarizer {kind!r}; known kinds are {', '.join(_FIELDS)}",
            details={"kind": kind, "known": list(_FIELDS)},
        )
    problems = [
        _problem(f"summarizer.{name}", item, f"is no field of the kind {kind!r}")
        for name, item in fields.items()
        if name not in _FIELDS[kind]
    ]
    replies = _replies(fields.get("replies"), problems) if kind == "scripted" else []
    if problems:
        raise _bad(problems)
    if kind == "none":
        return None
    return ScriptedSummarizer(replies) if kind == "scripted" else ExtractiveSummarizer(count)


def _replies(value: Any, problems: list[dict[str, Any]]) -> list[str | ScriptedReply]:
    items = _list(value)
    if items is None:
        problems.append(_problem("summarizer.replies", value, "must be a list of strings and objects"))
        return []
    return [_reply(item, f"summarizer.replies[{index}]", problems) for index, item in enumerate(items)]


def _reply(item: Any, path: str, problems: list[dict[str, Any]]) -> str | ScriptedReply:
    if isinstance(item, str):
        return item
    fields = _object(item)
    if fields is None:
        problems.append(_problem(path, item, "must be a string or an object"))
        return ""
    before = len(problems)
    given = [name for name in _ANSWERS if name in fields]
    if len(given) != 1:
        problems.append(_problem(path, fields, f"must have exactly one of {', '.join(_ANSWERS)}"))
    for name, value in fields.items():
        rule = _field_rule(name, value, given)
        if rule:
            problems.append(_problem(f"{path}.{name}", value, rule))
    return ScriptedReply(**fields) if len(problems) == before else ""


def _field_rule(name: str, value: Any, given: list[str]) -> str | None:
    """Say what is wrong with one field of a reply, or give `None`."""
    if name in {"text", "error"}:
        return None if isinstance(value, str) else "must be a string"
    if name in {"overflow", "hang"}:
        return None if value is True else "must be true"
    if name == "finish_reason":
        if "text" not in given:
            return "goes with text only"
        return None if value is None or isinstance(value, str) else "must be a string"
    return "is no field of a reply"


def _problem(path: str, value: Any, problem: str) -> dict[str, Any]:
    return {"path": path, "value": value, "problem": problem}


def _bad(problems: list[dict[str, Any]]) -> BadRequest:
    said = "; ".join(f"{item['path']} {item['problem']}, not {item['value']!r:.80}" for item in problems)
    return BadRequest(f"the request's summarizer is wrong: {said}", details={"problems": problems})


def _object(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None  # JSON objects have string keys


def _list(value: Any) -> Sequence[Any] | None:
    return cast("Sequence[Any]", value) if isinstance(value, list) else None
