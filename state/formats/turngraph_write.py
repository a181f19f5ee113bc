"""Our own message JSON, written exactly as the contract has it."""

from collections.abc import Callable, Sequence
from typing import Any

from ..messages import File, Image, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from .json_values import fresh
from .origins import origin_to_json

__all__ = ["message_to_json", "part_to_json", "parts_to_json"]


def message_to_json(message: Message) -> dict[str, Any]:
    """Give the message of the contract; `id` is left out while the message has none."""
    out: dict[str, Any] = {"id": message.id} if message.id else {}
    out["role"] = message.role
    out["content"] = parts_to_json(message.content)
    if message.name is not None:
        out["name"] = message.name
    out["origin"] = origin_to_json(message.origin)
    if message.hidden:
        out["hidden"] = True
    if message.extras:
        out["extras"] = fresh(message.extras)
    return out


def parts_to_json(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Give every part as JSON."""
    return [part_to_json(part) for part in parts]


def part_to_json(part: Part) -> dict[str, Any]:
    """Give one part as JSON; absent facts are left out, `extras` appear when there are any."""
    if isinstance(part, Opaque):
        return {"type": "opaque", "format": part.format, "value": fresh(part.value)}
    out = _WRITE[type(part)](part)
    if part.extras:
        out["extras"] = fresh(part.extras)
    return out


def _members(part: Part, type: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {"type": type}
    for key in needed:
        out[key] = getattr(part, key)
    for key in optional:
        value = getattr(part, key)
        if value is not None:
            out[key] = value
    return out


def _call(part: ToolCall) -> dict[str, Any]:
    return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": fresh(part.arguments)}


def _result(part: ToolResult) -> dict[str, Any]:
    out: dict[str, Any] = {
        "type": "tool_result",
        "call_id": part.call_id,
        "content": parts_to_json(part.content),
        "is_error": part.is_error,
    }
    if part.ref is not None:
        out["ref"] = part.ref
    if part.interim:
        out["interim"] = True
    return out


_WRITE: dict[type, Callable[[Any], dict[str, Any]]] = {
    Text: lambda part: {"type": "text", "text": part.text},
    ToolCall: _call,
    ToolResult: _result,
    Reasoning: lambda part: _members(part, "reasoning", ("text",), ("signature", "encrypted", "id")),
    Image: lambda part: _members(part, "image", ("media_type",), ("data", "url", "width", "height")),
    File: lambda part: _members(part, "file", ("media_type",), ("data", "url", "name")),
}
