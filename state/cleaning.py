"""What a message looks like on its way out: no empty blocks, arguments that are objects, nothing a provider refuses."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from .messages import Message, Part, Text, ToolCall, ToolResult
from .wellformed import well_formed, well_formed_json

__all__ = ["REFERENCE_MARKS", "Survey", "clean", "no_object", "outgoing", "survey"]

REFERENCE_MARKS = ("[tool output shortened: ref=", "[folded messages: ref=")
"""What a preview's line and a checkpoint's line begin with (contract, "Envelopes")."""
_SHORTENED, _FOLDED = REFERENCE_MARKS


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
            dirty = dirty or not _encodes(text)
            refers = refers or _SHORTENED in text or _FOLDED in text
        elif isinstance(part, ToolResult):
            dirty = dirty or not _encodes(part.call_id)
            for inner in part.content:
                if isinstance(inner, Text):
                    dirty = dirty or not _encodes(inner.text)
                    refers = refers or _SHORTENED in inner.text
        elif isinstance(part, ToolCall):
            repaired = repaired or (part.extras is not None and no_object(part))
            odd, shown = _look(part.arguments)
            dirty = dirty or odd or not _encodes(part.id) or not _encodes(part.name)
            refers = refers or shown
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


def _look(value: Any) -> tuple[bool, bool]:
    """Look at a JSON value: (ill-formed, shows a reference)."""
    if isinstance(value, str):
        return not _encodes(value), _SHORTENED in value
    if isinstance(value, Mapping):
        odd = shown = False
        for key, item in value.items():
            bad, seen = _look(item)
            odd, shown = odd or bad or not _encodes(str(key)), shown or seen
        return odd, shown
    if isinstance(value, list | tuple):
        found = [_look(item) for item in value]
        return any(bad for bad, _ in found), any(seen for _, seen in found)
    return False, False


def clean(message: Message) -> Message:
    """Give the message with every string well-formed: lone surrogates become U+FFFD. Usually the same object."""
    parts = tuple([_clean_part(part) for part in message.content])
    if all(new is old for new, old in zip(parts, message.content, strict=True)):
        return message
    return replace(message, content=parts)


def _clean_part(part: Part) -> Part:
    if isinstance(part, Text):
        text = well_formed(part.text)
        return part if text is part.text else replace(part, text=text)
    if isinstance(part, ToolCall):
        name, key = well_formed(part.name), well_formed(part.id)
        arguments = well_formed_json(part.arguments)
        same = name is part.name and key is part.id and arguments is part.arguments
        return part if same else replace(part, id=key, name=name, arguments=arguments)
    if isinstance(part, ToolResult):
        inner = tuple([_clean_part(item) for item in part.content])
        key = well_formed(part.call_id)
        same = key is part.call_id and all(a is b for a, b in zip(inner, part.content, strict=True))
        return part if same else replace(part, call_id=key, content=inner)
    return part


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
            extras = {key: value for key, value in part.extras.items() if key != "raw_arguments"}
            parts.append(replace(part, extras=extras or None))
        else:
            parts.append(part)
    if not parts:
        return None, "an empty message left out"
    if len(parts) == len(message.content) and not repairs:
        return message, ""
    return replace(message, content=tuple(parts)), "; ".join(repairs)
