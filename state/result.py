"""The shape of an AssemblyResult, for the published schema. Field docstrings are its descriptions."""

from typing import Any

from .message_shape import ModelInputShape
from .report_shape import ReportShape
from .strict import Items, Strict, VersionOne

__all__ = ["AssemblyResult"]


class HistoryShape(Strict):
    """A conversation in the format of the request."""

    format: str
    """Name of the format."""
    messages: list[dict[str, Any]]
    """The messages as that format has them, oldest first."""
    system: Any = None
    """The system text that the format keeps beside the list."""


class DurableShape(Strict):
    """State to hand back with the next request of this conversation."""

    version: VersionOne
    """Of this object."""
    pressure: dict[str, Any]
    """What the pressure handling remembers; opaque. Who drops it loses only the back-off."""


class CallShape(Strict):
    """A tool call of the reply."""

    id: str
    """Id of the call."""
    name: str
    """The tool."""
    arguments: dict[str, Any]
    """The arguments."""


class ReplyShape(Strict):
    """What the bound model answered; it is not part of `history`."""

    text: str
    """What it said."""
    calls: Items[CallShape]
    """What it calls."""


class ErrorShape(Strict):
    """Why there is no model input."""

    code: str
    """The word of the contract, one for each cause."""
    message: str
    """What is wrong, where, what was found, what to do."""
    details: dict[str, Any]
    """The numbers and names behind the message."""


class AssemblyResult(Strict):
    """What one assembly gave."""

    version: VersionOne
    """Of this document."""
    ok: bool
    """Whether there is a model input."""
    model_input: ModelInputShape | None
    """What to send; null on failure."""
    history: Any
    """The new canonical history, in the format of the request; on failure the one that came in, unchanged."""
    durable: DurableShape | None
    """State to hand back with the next request; on failure what came in."""
    outputs: dict[str, str]
    """Whole tool outputs by reference: what this run stored, and those of the request that `history` still
    refers to. Empty with a `files` store."""
    report: ReportShape
    """What happened."""
    reply: ReplyShape | None
    """The answer of the bound model, if there is one."""
    error: ErrorShape | None
    """Null exactly when `ok` is true."""
