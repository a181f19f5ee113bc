"""Diagnostics: what a run lost, repaired or noticed without failing. The codes are the contract's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .wellformed import well_formed

__all__ = ["Code", "Diagnostic", "Severity"]

Severity = Literal["info", "warning", "error"]
Code = Literal[
    "CONTRIBUTOR_FAILED",
    "CONTEXT_SECTION_TRUNCATED",
    "CONTEXT_SECTION_DROPPED",
    "CONTEXT_ATTACHMENT_TRUNCATED",
    "CONTEXT_ATTACHMENT_DROPPED",
    "CONTEXT_MESSAGES_DROPPED",
    "CONTEXT_HISTORY_WINDOWED",
    "CALL_UNANSWERED",
    "PROJECTION_REPAIRED",
    "SUMMARY_REJECTED",
    "SUMMARY_SHAPE",
    "SUMMARY_UNKNOWN_REF",
    "PLAN_PROGRESS_OBSERVATION",
    "INPUT_LINE_SKIPPED",
    "REMINDER_FAILED",
    "TOKENIZER_FALLBACK",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing that a reader of the report should know."""

    code: Code
    severity: Severity
    source: str
    """The node, reader or contributor that noticed it."""
    message: str
    id: str | None = None
    """Id of the section, attachment, message or call that it is about."""
    wanted: int | None = None
    """Code points that the item has."""
    got: int | None = None
    """Code points that went in, marker included."""

    def as_json(self) -> Mapping[str, Any]:
        """Give the JSON object of the contract; absent facts are left out."""
        out: dict[str, Any] = {"code": self.code, "severity": self.severity, "source": self.source}
        if self.id is not None:
            out["id"] = self.id
        out["message"] = well_formed(self.message)  # it may quote what plugged code said
        if self.wanted is not None:
            out["wanted"] = self.wanted
        if self.got is not None:
            out["got"] = self.got
        return out
