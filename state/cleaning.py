"""What a message looks like on its way out: no empty blocks, arguments that are objects, nothing a provider refuses."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from .errors import BadRequest
from .foreign import is_array, is_object
from .messages import File, Image, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from .sections import Attachment, Contribution, Section, ToolSpec
from .wellformed import MOST_LEVELS, plain_json, well_formed

__all__ = [
    "REFERENCE_MARKS",
    "Survey",
    "clean",
    "clean_contribution",
    "clean_tool",
    "no_object",
    "outgoing",
    "refused",
    "survey",
]

REFERENCE_MARKS = ("[tool output shortened: ref=", "[folded messages: ref=")
"""What a preview's line and a checkpoint's line begin with (contract, "Envelopes")."""
_SHORTENED, _FOLDED = REFERENCE_MARKS

Contributed = TypeVar("Contributed", Section, Attachment)


class Survey(NamedTuple):
    """What one look at a message found; most messages have none of it."""

    dirty: bool
    """A string may be ill-formed: `clean` it."""
    repaired: bool
    """Something may not go out as it stands: ask `outgoing`."""
    refers: bool
    """It shows the reference of a stored output."""


_PLAIN = Survey(dirty=False, repaired=False, refers=False)


def survey(message: Message) -> Survey:
    """Look at a message once, as it enters a history. Cost: O(size), a few microseconds for a usual one."""
    dirty = refers = False
    repaired = not message.content
    for part in message.content:
        if isinstance(part, Text):
            text = part.text
            repaired = repaired or not text or text.isspace()
            dirty = dirty or not _encodes(text) or _odd(part.extras)
            refers = refers or _SHORTENED in text or _FOLDED in text
        elif isinstance(part, ToolResult):
            dirty = dirty or not _encodes(part.call_id) or _odd(part.extras)
            for inner in part.content:
                if isinstance(inner, Text):
                    dirty = dirty or not _encodes(inner.text)
                    refers = refers or _SHORTENED in inner.text
                else:
                    dirty = dirty or _clean_part(inner) is not inner
        elif isinstance(part, ToolCall):
            repaired = repaired or (part.extras is not None and no_object(part))
            odd, shown = _look(part.arguments)
            dirty = dirty or odd or not _encodes(part.id) or not _encodes(part.name) or _odd(part.extras)
            refers = refers or shown
        else:
            dirty = dirty or _clean_part(part) is not part
    dirty = dirty or _odd_outside(message)
    if dirty or refers or repaired:
        return Survey(dirty, repaired and message.role != "tool", refers)
    return _PLAIN


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_key(key: object) -> bool:
    return isinstance(key, str) and _encodes(key)


def _look(value: Any, depth: int = 0) -> tuple[bool, bool]:
    """Look at a JSON value: (not plain JSON, shows a reference)."""
    if isinstance(value, str):
        return not _encodes(value), _SHORTENED in value
    if is_object(value) and depth <= MOST_LEVELS:
        odd = shown = False
        for key, item in value.items():
            bad, seen = _look(item, depth + 1)
            odd, shown = odd or bad or not _is_key(key), shown or seen
        return odd, shown
    if is_array(value) and depth <= MOST_LEVELS:
        found = [_look(item, depth + 1) for item in value]
        return any(bad for bad, _ in found), any(seen for _, seen in found)
    plain = value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return not plain, False


def clean(message: Message) -> Message:
    """Give the message with every string well-formed and every value plain JSON. Usually the same object.

    Raises:
        ValueError: A value in it is no JSON.
    """
    parts = tuple([_clean_part(part) for part in message.content])
    if all(new is old for new, old in zip(parts, message.content, strict=True)) and not _odd_outside(message):
        return message
    origin = message.origin
    if origin.data is not None:
        origin = replace(origin, data=plain_json(origin.data))
    return replace(
        message,
        content=parts,
        id=well_formed(message.id),
        name=None if message.name is None else well_formed(message.name),
        origin=origin,
        extras=None if message.extras is None else plain_json(message.extras),
    )


def _odd_outside(message: Message) -> bool:
    """Tell whether id, name, origin or extras are ill-formed."""
    name = message.name
    if not _encodes(message.id) or (name is not None and not _encodes(name)):
        return True
    return _odd(message.origin.data) or _odd(message.extras)


def _odd(extras: Mapping[str, Any] | None) -> bool:
    return extras is not None and _look(extras)[0]


def clean_contribution(value: Contribution) -> Contribution:
    """Give what was contributed with every content well-formed.

    Raises:
        BadRequest: A message holds a value that is no JSON.
    """
    messages: list[Message] = []
    for position, message in enumerate(value.messages):
        try:
            messages.append(clean(message))
        except ValueError as error:
            raise refused(f"messages[{position}]", str(error)) from None
    return replace(
        value,
        sections=tuple([_clean_content(section) for section in value.sections]),
        attachments=tuple([_clean_content(attachment) for attachment in value.attachments]),
        messages=tuple(messages),
    )


def refused(path: str, problem: str) -> BadRequest:
    """Make the error for one thing that was handed over wrong."""
    return BadRequest(f"{path}: {problem}", details={"problems": [{"path": path, "problem": problem}]})


def _clean_content(item: Contributed) -> Contributed:
    return item if _encodes(item.content) else replace(item, content=well_formed(item.content))


def clean_tool(tool: ToolSpec) -> ToolSpec:
    """Give a tool with every string well-formed, those of its schema included.

    Raises:
        BadRequest: A value in the schema is no JSON.
    """
    odd = _look(tool.parameters)[0] or not _encodes(tool.name) or not _encodes(tool.description)
    if not odd:
        return tool
    try:
        parameters = plain_json(tool.parameters)
    except ValueError as error:
        raise refused(f"tools.{well_formed(tool.name)}.parameters", str(error)) from None
    return ToolSpec(
        name=well_formed(tool.name),
        description=well_formed(tool.description),
        parameters=parameters,
        deferred=tool.deferred,
    )


_STRINGS: Mapping[type, tuple[str, ...]] = {
    Text: ("text",),
    ToolCall: ("id", "name"),
    ToolResult: ("call_id", "ref"),
    Reasoning: ("text", "signature", "encrypted", "id"),
    Image: ("media_type", "data", "url"),
    File: ("media_type", "data", "url", "name"),
    Opaque: ("format",),
}
"""The fields of each part that hold a string or nothing."""


def _clean_part(part: Part) -> Part:
    changes: dict[str, Any] = {}
    for name in _STRINGS[type(part)]:
        text = getattr(part, name)
        if text is not None and not _encodes(text):
            changes[name] = well_formed(text)
    if isinstance(part, Opaque):
        _note(changes, "value", part.value)
    else:
        _note(changes, "extras", part.extras)
    if isinstance(part, ToolCall):
        _note(changes, "arguments", part.arguments)
    elif isinstance(part, ToolResult):
        inner = tuple([_clean_part(item) for item in part.content])
        if any(new is not old for new, old in zip(inner, part.content, strict=True)):
            changes["content"] = inner
    return replace(part, **changes) if changes else part


def _note(changes: dict[str, Any], name: str, value: Any) -> None:
    if value is not None and _look(value)[0]:
        changes[name] = plain_json(value)


def no_object(call: ToolCall) -> bool:
    """Tell whether the arguments were no JSON object where they came from (`extras.raw_arguments` says what)."""
    if call.extras is None or "raw_arguments" not in call.extras:
        return False
    raw = call.extras["raw_arguments"]
    if not call.arguments:
        return raw is None or (isinstance(raw, str) and raw.strip() in ("", "null"))
    return (
        len(call.arguments) == 1
        and "_raw" in call.arguments
        and (not isinstance(raw, str) or call.arguments["_raw"] == raw)
    )


def outgoing(message: Message) -> tuple[Message | None, str]:
    """Give what a provider may see of the message, and what was repaired ("" when nothing was).

    `None` means that nothing is left: an empty message is refused by most providers.
    """
    repairs: list[str] = []
    parts: list[Part] = []
    for part in message.content:
        if isinstance(part, Text) and not part.text.strip():
            if part.text or message.role != "assistant":
                repairs.append("an empty text block left out")
        elif isinstance(part, ToolCall) and no_object(part):
            repairs.append(f"arguments of call {part.id!r} that were no JSON object sent as an object")
            extras = {key: value for key, value in (part.extras or {}).items() if key != "raw_arguments"}
            parts.append(replace(part, extras=extras or None))
        else:
            parts.append(part)
    if not parts:
        return None, "an empty message left out"
    if len(parts) == len(message.content) and not repairs:
        return message, ""
    return replace(message, content=tuple(parts)), "; ".join(repairs)
