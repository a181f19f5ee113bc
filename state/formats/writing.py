"""Writing a conversation back in a named format, nothing lost."""

from collections.abc import Sequence
from typing import Any

from ..messages import Message
from .anthropic_write import write_messages
from .openai_write import write_message
from .registry import ANTHROPIC, OPENAI_CHAT, TURNGRAPH, resolve
from .turngraph_write import message_to_json

__all__ = ["write_history"]


def write_history(messages: Sequence[Message], format: str, *, system: Any | None = None) -> dict[str, Any]:
    """Give `{"format", "messages", "system"?}`: what `read` gives back as equal messages.

    Ids, origins and what else a foreign format cannot say travel in its key `turngraph`. A transcript format that
    is only read is written as `turngraph`, which the result's `format` says. Raises `UnknownFormat`. Cost: linear.
    """
    name = resolve(format, "write")
    written: list[dict[str, Any]]
    if name == OPENAI_CHAT:
        written = [write_message(message) for message in messages]
    elif name == ANTHROPIC:
        written = write_messages(messages)
    else:
        name = TURNGRAPH
        written = [message_to_json(message) for message in messages]
    out: dict[str, Any] = {"format": name, "messages": written}
    if system is not None:
        out["system"] = system
    return out
