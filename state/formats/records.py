"""What the readers have in common: they take one record after the other and report what they passed over."""

from abc import ABC, abstractmethod
from typing import Any, Literal

from ..diagnostics import Diagnostic, Severity
from ..messages import Message

__all__ = ["Reader", "Verdict", "skipped"]

Verdict = Literal["read", "aside", "unknown"]
"""`aside`: known, but no part of the conversation; kept raw · `unknown`: not understood; kept raw, reported."""


def skipped(format: str, message: str, severity: Severity = "warning") -> Diagnostic:
    """Make the diagnostic for input that was passed over."""
    return Diagnostic(code="INPUT_LINE_SKIPPED", severity=severity, source=f"read.{format}", message=message)


class Reader(ABC):
    """Reads the records of one conversation, in order."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.messages: list[Message] = []
        self.system: Any | None = None
        self.understood = 0
        """Records that were read or are known."""
        self._tallies: dict[str, tuple[int, str, Severity]] = {}

    @abstractmethod
    def feed(self, record: Any, where: object) -> Verdict:
        """Take one record; the text of `where` names its place in diagnostics."""

    def finish(self) -> list[Diagnostic]:
        """End the reading; give one diagnostic for each kind of record that was passed over."""
        return [
            skipped(self.format, f"{count} {what} (the first: {first})", severity)
            for what, (count, first, severity) in self._tallies.items()
        ]

    def tally(self, what: str, where: object, severity: Severity = "warning") -> None:
        """Count one record that was passed over."""
        count, first, _ = self._tallies.get(what, (0, str(where), severity))
        self._tallies[what] = (count + 1, first, severity)
