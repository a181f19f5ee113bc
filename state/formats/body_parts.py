"""What the writers of request bodies share."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from ..diagnostics import Diagnostic
from ..messages import ToolCall
from .arguments import RAW, given_arguments, says_object
from .repairs import Repairs

__all__ = ["Body", "check_names", "image_type", "tool_specs", "valid_call"]

NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What one provider's API takes."""

    value: dict[str, Any]
    """The JSON object, without model and options."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What was left out or changed on the way."""


def valid_call(call: ToolCall, extras: dict[str, Any] | None, id: str, repairs: Repairs) -> ToolCall:
    """Give the call with `extras` and, if they are the text of an object, its arguments byte for byte."""
    if call.extras is None:
        return call
    if RAW in call.extras:
        same, raw = given_arguments(call.arguments, call.extras)
        if same and isinstance(raw, str) and _is_object_text(raw):
            return replace(call, extras={**(extras or {}), RAW: raw})
        if same and not says_object(raw):
            repairs.note(
                'arguments that are no JSON object go out as {} or {"_raw": text}', call.id or id, severity="warning"
            )
    return replace(call, extras=extras)


def _is_object_text(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def tool_specs(
    tools: Sequence[Mapping[str, Any]], make: Callable[[str, str, Any], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Write tool specs by `make(name, description, parameters)`."""
    return [
        make(tool["name"], tool.get("description") or "", tool.get("parameters") or NO_PARAMETERS) for tool in tools
    ]


def check_names(
    tools: Sequence[Mapping[str, Any]], calls: Sequence[ToolCall], pattern: re.Pattern[str], repairs: Repairs
) -> None:
    """Report names of tools and of called tools that the provider does not take."""
    names = dict.fromkeys([*(tool["name"] for tool in tools), *(call.name for call in calls)])
    for name in names:
        if not pattern.fullmatch(name):
            repairs.note(f"the provider takes no tool named {name!r}", name, severity="error")


def image_type(media_type: str, data: str) -> str:
    """Give the media type of base64 image data, from its first bytes where it is not said."""
    if media_type:
        return media_type
    starts = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lG": "image/gif", "UklG": "image/webp"}
    return next((type for start, type in starts.items() if data.startswith(start)), "image/png")
