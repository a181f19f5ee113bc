"""What a run is given beside the history and the budget."""

from dataclasses import dataclass, field
from typing import Literal

from .messages import Message
from .sections import Attachment, Scope, Section, ToolSpec

__all__ = ["Given", "Recovery", "Turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Which turn of the session this is; the default is a standalone call."""

    number: int = 1
    first_step_of_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The host's own provider call overflowed: one forced pass, once."""

    attempt: int = 1
    reason: Literal["model-input-overflow"] = "model-input-overflow"
    limit: int | None = None
    """Limit in tokens that the provider named: whole window, the reserve is subtracted."""
    failed_tokens: int | None = None
    """Price of the input that overflowed, by the same counter; without it this run's own `before.total`."""
    keep_messages: int | None = None
    """Where there were too many messages: so many of the newest may stay. Shorter bodies alone do not cure it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Sections, attachments, contributed messages and tools as the caller handed them over."""

    sections: tuple[Section, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    scope: Scope = "main"
    context_id: str = "default"
    turn: Turn = field(default_factory=Turn)
    recovery: Recovery | None = None
    model: str = "default"
    """Name of the model that limits are remembered for."""
