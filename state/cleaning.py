"""What a message looks like on its way out: no empty blocks, arguments that are objects, nothing a provider refuses."""

from dataclasses import replace

from .messages import Message, Part, Text, ToolCall, ToolResult
from .wellformed import well_formed, well_formed_json

__all__ = ["clean", "outgoing"]


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
        elif isinstance(part, ToolCall) and part.extras and "raw_arguments" in part.extras:
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
