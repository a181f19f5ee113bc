"""Where a message came from, when nobody says so: by role, and checkpoints by their first line."""

from dataclasses import replace
from typing import Any

from ..checkpoint import is_checkpoint_message
from ..messages import Message, Origin
from .json_values import fresh

__all__ = ["origin_to_json", "recognised"]

_CHECKPOINT = Origin("checkpoint")


def recognised(message: Message) -> Message:
    """Give a message without origin the origin that it shows: a checkpoint is hidden, all else stays."""
    if is_checkpoint_message(message):
        return replace(message, origin=_CHECKPOINT, hidden=True)
    return message


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Give `{"kind", …}` of the contract."""
    return {**fresh(origin.data), "kind": origin.kind} if origin.data else {"kind": origin.kind}
