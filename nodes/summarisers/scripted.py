"""A summariser that answers what a script says: the double for tests, cases and requests."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .protocol import SourceTooLong, SummaryReply, SummaryRequest

__all__ = ["Hangs", "ScriptExhausted", "ScriptedFailure", "ScriptedReply", "ScriptedSummarizer"]


class Hangs(Exception):
    """The script says that no answer ever comes: the time limit has passed, without anybody sleeping."""


class ScriptedFailure(Exception):
    """The script says that the summariser fails with this message."""


class ScriptExhausted(Exception):
    """The script has no answer left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One entry of a script that is more than a text. Exactly one of the four is set."""

    text: str | None = None
    error: str | None = None
    """Fail at once, with this message."""
    overflow: bool = False
    """Ask for a smaller source."""
    hang: bool = False
    """Never answer."""
    finish_reason: str | None = None
    """Goes with `text`."""


@dataclass(slots=True)
class ScriptedSummarizer:
    """Answers in the order of the script; `requests` are those it got."""

    replies: Sequence[str | ScriptedReply]
    requests: list[SummaryRequest] = field(default_factory=list[SummaryRequest], init=False)

    @property
    def name(self) -> str:
        """The word in reports."""
        return "scripted"

    @property
    def window_tokens(self) -> int | None:
        """No limit of its own: the run's is used."""
        return None

    def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Give the next answer.

        Raises:
            SourceTooLong: The script says `overflow`.
            Hangs: The script says `hang`.
            ScriptedFailure: The script says `error`.
            ScriptExhausted: None is left.
        """
        self.requests.append(request)
        place = len(self.requests)
        if place > len(self.replies):
            raise ScriptExhausted(f"the script holds {len(self.replies)} replies; this is request {place}")
        reply = self.replies[place - 1]
        if isinstance(reply, str):
            return SummaryReply(text=reply)
        if reply.overflow:
            raise SourceTooLong("the script says that the source is too long")
        if reply.hang:
            raise Hangs("the script never answers")
        if reply.error is not None:
            raise ScriptedFailure(reply.error)
        return SummaryReply(text=reply.text or "", finish_reason=reply.finish_reason)
