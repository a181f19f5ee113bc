"""Our own message JSON, read strictly: every problem with its path, all of them at once."""

from collections.abc import Callable
from typing import Any, get_args

from ..messages import (
    File,
    Image,
    Message,
    Opaque,
    Origin,
    OriginKind,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from .checks import Problems
from .json_values import is_object
from .origins import recognised

__all__ = [
    "ROLES",
    "check_message",
    "check_origin",
    "check_part",
    "check_places",
    "message_from_json",
    "part_from_json",
]

ROLES: tuple[Role, ...] = get_args(Role)
_KINDS: tuple[OriginKind, ...] = get_args(OriginKind)


def message_from_json(given: Any, path: str = "message") -> Message:
    """Read one message; unknown keys and wrong types raise `BadRequest` that lists all of them with their path.

    The arguments, extras and opaque values of the message are those of `given`, not copies.
    """
    problems = Problems()
    message = check_message(given, path, problems)
    problems.raise_any("not a message of format 'turngraph'")
    return message


def part_from_json(given: Any, path: str = "part") -> Part:
    """Read one part as strictly as `message_from_json`."""
    problems = Problems()
    part = check_part(given, path, problems)
    problems.raise_any("not a content part of format 'turngraph'")
    assert part is not None
    return part


_MESSAGE_KEYS = ("id", "role", "content", "name", "origin", "hidden", "extras")


def check_message(given: Any, path: str, problems: Problems) -> Message:
    """Read one message, noting what is wrong with it."""
    known = problems.object(given, path, _MESSAGE_KEYS)
    role = problems.one_of(known, "role", path, ROLES)
    content = _parts(known, path, problems)
    check_places(role, content, path, problems)
    given_origin: dict[str, Any] = {}
    if "origin" in known:
        given_origin["origin"] = check_origin(known["origin"], f"{path}.origin", problems)
    message = Message(
        role=role,
        content=content,
        id=problems.maybe_text(known, "id", path) or "",
        name=problems.maybe_text(known, "name", path),
        hidden=problems.flag(known, "hidden", path),
        extras=problems.maybe_object(known, "extras", path),
        **given_origin,
    )
    return message if given_origin else recognised(message)


def _parts(given: dict[str, Any], path: str, problems: Problems) -> tuple[Part, ...]:
    parts: list[Part] = []
    for index, value in enumerate(problems.array(given, "content", path)):
        part = check_part(value, f"{path}.content[{index}]", problems)
        if part is not None:
            parts.append(part)
    return tuple(parts)


def check_places(role: Role, content: tuple[Part, ...], path: str, problems: Problems) -> None:
    """Note calls and results that stand where they may not."""
    results = sum(isinstance(part, ToolResult) for part in content)
    if role == "tool" and (results != 1 or len(content) != 1):
        problems.add(f"{path}.content", len(content), "a tool message holds exactly one tool_result")
    if role != "tool" and results:
        problems.add(f"{path}.content", role, "a tool_result stands in a tool message only")
    if role != "assistant" and any(isinstance(part, ToolCall) for part in content):
        problems.add(f"{path}.content", role, "a tool_call stands in an assistant message only")


def check_origin(given: Any, path: str, problems: Problems) -> Origin:
    """Read an origin; its other keys are facts of its kind."""
    if not is_object(given):
        problems.add(path, given, "an object is expected")
        return Origin("unknown")
    kind = problems.one_of(given, "kind", path, _KINDS)
    data = {key: value for key, value in given.items() if key != "kind"}
    return Origin(kind, data or None)


_KEYS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "tool_call": ("id", "name", "arguments"),
    "tool_result": ("call_id", "content", "is_error", "ref", "interim"),
    "reasoning": ("text", "signature", "encrypted", "id"),
    "image": ("media_type", "data", "url", "width", "height"),
    "file": ("name", "media_type", "data", "url"),
    "opaque": ("format", "value"),
}


def check_part(given: Any, path: str, problems: Problems) -> Part | None:
    """Read one part, noting what is wrong with it; `None` if it is no part at all."""
    if not is_object(given):
        problems.add(path, given, "an object is expected")
        return None
    type: Any = given.get("type")
    keys = _KEYS.get(type) if isinstance(type, str) else None
    if keys is None:
        problems.add(f"{path}.type", type, f"one of {', '.join(_KEYS)} is expected")
        return None
    known = ("type", *keys) if type == "opaque" else ("type", "extras", *keys)
    for key in given:
        if key not in known:
            problems.add(f"{path}.{key}", given[key], "unknown key")
    return _READ[type](given, path, problems)


def _text(given: dict[str, Any], path: str, problems: Problems) -> Part:
    return Text(problems.text(given, "text", path), extras=problems.maybe_object(given, "extras", path))


def _call(given: dict[str, Any], path: str, problems: Problems) -> Part:
    arguments: Any = given.get("arguments")
    if not is_object(arguments):
        problems.add(f"{path}.arguments", arguments, "an object is expected")
        arguments = {}
    return ToolCall(
        id=problems.text(given, "id", path),
        name=problems.text(given, "name", path),
        arguments=arguments,
        extras=problems.maybe_object(given, "extras", path),
    )


def _result(given: dict[str, Any], path: str, problems: Problems) -> Part:
    content = _parts(given, path, problems)
    for index, part in enumerate(content):
        if isinstance(part, ToolCall | ToolResult):
            problems.add(f"{path}.content[{index}]", None, "calls and results do not stand inside a result")
    return ToolResult(
        call_id=problems.text(given, "call_id", path),
        content=content,
        is_error=problems.flag(given, "is_error", path),
        ref=problems.maybe_text(given, "ref", path),
        interim=problems.flag(given, "interim", path),
        extras=problems.maybe_object(given, "extras", path),
    )


def _reasoning(given: dict[str, Any], path: str, problems: Problems) -> Part:
    return Reasoning(
        text=problems.text(given, "text", path),
        signature=problems.maybe_text(given, "signature", path),
        encrypted=problems.maybe_text(given, "encrypted", path),
        id=problems.maybe_text(given, "id", path),
        extras=problems.maybe_object(given, "extras", path),
    )


def _size(given: dict[str, Any], key: str, path: str, problems: Problems) -> int | None:
    value: Any = given.get(key)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    problems.add(f"{path}.{key}", value, "a whole number of pixels above 0 is expected")
    return None


def _source(given: dict[str, Any], path: str, problems: Problems) -> tuple[str | None, str | None]:
    data, url = problems.maybe_text(given, "data", path), problems.maybe_text(given, "url", path)
    if (data is None) == (url is None):
        problems.add(path, sorted(given), "exactly one of data and url is expected")
    return data, url


def _image(given: dict[str, Any], path: str, problems: Problems) -> Part:
    data, url = _source(given, path, problems)
    return Image(
        media_type=problems.text(given, "media_type", path),
        data=data,
        url=url,
        width=_size(given, "width", path, problems),
        height=_size(given, "height", path, problems),
        extras=problems.maybe_object(given, "extras", path),
    )


def _file(given: dict[str, Any], path: str, problems: Problems) -> Part:
    data, url = _source(given, path, problems)
    return File(
        media_type=problems.text(given, "media_type", path),
        data=data,
        url=url,
        name=problems.maybe_text(given, "name", path),
        extras=problems.maybe_object(given, "extras", path),
    )


def _opaque(given: dict[str, Any], path: str, problems: Problems) -> Part:
    if "value" not in given:
        problems.add(f"{path}.value", None, "a value is expected")
    return Opaque(format=problems.text(given, "format", path), value=given.get("value"))


_READ: dict[str, Callable[[dict[str, Any], str, Problems], Part]] = {
    "text": _text,
    "tool_call": _call,
    "tool_result": _result,
    "reasoning": _reasoning,
    "image": _image,
    "file": _file,
    "opaque": _opaque,
}
