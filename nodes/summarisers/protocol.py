"""What a summariser is asked and what it answers."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...state.checkpoint import Checkpoint
from ...state.messages import Message

__all__ = ["SourceTooLong", "Summarizer", "SummaryReply", "SummaryRequest"]


class SourceTooLong(Exception):
    """The summariser cannot take a source of this size: the engine offers a smaller one, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """A candidate checkpoint."""

    text: str
    finish_reason: str | None = None
    """`"length"` (or a provider's word for it) means that the text was cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """One request to fold some steps into a checkpoint."""

    steps: Sequence[Sequence[Message]]
    """The steps to fold, oldest first, each as it would be sent; without the old checkpoint."""
    previous: Checkpoint | None
    """The standing checkpoint that the new one replaces."""
    max_tokens: int
    """What the reply may cost at most."""
    attempt: int = 1
    told: tuple[str, ...] = ()
    """Why earlier candidates of this pass were rejected, in plain words."""
    deadline_s: float | None = None
    """Seconds that are left for the reply."""


class Summarizer(Protocol):
    """Anything that writes a checkpoint: a rule, a script, a model."""

    @property
    def name(self) -> str:
        """The word in reports."""
        ...

    @property
    def window_tokens(self) -> int | None:
        """The largest source it takes, in tokens; `None`: no limit of its own is known, the run's is used."""
        ...

    def summarize(self, request: SummaryRequest) -> SummaryReply | str | Awaitable[SummaryReply | str]:
        """Write a candidate.

        Raises:
            SourceTooLong: The source does not fit; a smaller one is offered once.
            Exception: Anything else is a failed attempt; nothing is folded.
        """
        ...
