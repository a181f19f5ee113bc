"""Where a message came from, when nobody says so: by role, and checkpoints by their first line."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..messages import Message, Origin, Part, Role, Text

__all__ = ["CHECKPOINT_NAME", "is_checkpoint", "origin_to_json", "recognised"]

CHECKPOINT_NAME = "summary"
_CHECKPOINT_MARKS = (
    "[turngraph summary checkpoint]",
    "[ScienceDiscovery summary checkpoint]",
    "[ScienceAgent summary checkpoint]",
)
_CHECKPOINT = Origin("checkpoint")


def is_checkpoint(role: Role, name: str | None, content: Sequence[Part]) -> bool:
    """Tell whether a message without origin is a standing summary: a user message by name and first line."""
    if name != CHECKPOINT_NAME or role != "user" or not content:
        return False
    first = content[0]
    return isinstance(first, Text) and first.text.startswith(_CHECKPOINT_MARKS)


def recognised(message: Message) -> Message:
    """Give a message without origin the origin that it shows: a checkpoint is hidden, all else stays."""
    if is_checkpoint(message.role, message.name, message.content):
        return replace(message, origin=_CHECKPOINT, hidden=True)
    return message


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Give `{"kind", …}` of the contract."""
    return {**origin.data, "kind": origin.kind} if origin.data else {"kind": origin.kind}
