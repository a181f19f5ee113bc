"""The error tree: one root, data as attributes, one code per stated failure.

TurngraphError
├── UsageError                 exit 2: the call itself is wrong
│   ├── UnreadableInput            a file or document that cannot be read
│   ├── UnknownFormat              a format name or a file that no reader knows
│   ├── BadRequest                 an AssemblyRequest with wrong fields
│   ├── BudgetInvalid              budget values out of range, all of them at once
│   ├── UnknownMode                a mode that is none of dynamic, shadow, legacy
│   ├── UnknownSummarizer          a summariser kind that nobody registered
│   └── TokenizerUnavailable       an exact tokenizer that is not on this machine
├── AssemblyError              exit 1: the assembly failed for a stated reason
│   ├── ProtectedOverBudget, ContributorFailed, ContributedRole, FixedPartOverLimit,
│   │   WindowOverLimit, ValidationFailed, DeadlineExceeded, Cancelled,
│   │   OverflowAgain, OverflowNoProgress, ProviderFailed, TraceIdInvalid, InternalError
└── OutputRefError             exit 1: a stored tool output that cannot be given
    └── OutputRefMalformed, OutputRefUnknown, OutputRefExpired
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from .wellformed import well_formed_json

__all__ = [
    "AssemblyError",
    "BadRequest",
    "BudgetInvalid",
    "Cancelled",
    "ContributedRole",
    "ContributorFailed",
    "DeadlineExceeded",
    "FixedPartOverLimit",
    "InternalError",
    "OutputRefError",
    "OutputRefExpired",
    "OutputRefMalformed",
    "OutputRefUnknown",
    "OverflowAgain",
    "OverflowNoProgress",
    "ProtectedOverBudget",
    "ProviderFailed",
    "TokenizerUnavailable",
    "TraceIdInvalid",
    "TurngraphError",
    "UnknownFormat",
    "UnknownMode",
    "UnknownSummarizer",
    "UnreadableInput",
    "UsageError",
    "ValidationFailed",
    "WindowOverLimit",
]


class TurngraphError(Exception):
    """Root of all errors of turngraph; catch it to catch everything that we state.

    `code` is the word of the contract, `exit_code` what the command line returns,
    `details` the numbers and names behind the message.
    """

    code: str = "internal"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})
        self.assembly: Any = None
        """The failed `Assembly` with its report, where an assembly was under way."""

    def as_json(self) -> dict[str, Any]:
        """Give the `error` object of an AssemblyResult: `{code, message, details}`."""
        said: dict[str, Any] = well_formed_json({"message": self.message, "details": dict(self.details)})
        return {"code": self.code, **said}


class UsageError(TurngraphError):
    """The call itself is wrong; the caller must change it."""

    code = "usage"
    exit_code = 2


class UnreadableInput(UsageError):
    """A file or document cannot be read at all."""

    code = "unreadable_input"


class UnknownFormat(UsageError):
    """No reader or writer knows this format name or this file."""

    code = "unknown_format"


class BadRequest(UsageError):
    """An AssemblyRequest has wrong fields; `details["problems"]` lists all of them with path and value."""

    code = "bad_request"


class BudgetInvalid(UsageError):
    """Budget values are out of range; `details["problems"]` lists all of them with field, value and rule."""

    code = "budget_invalid"


class UnknownMode(UsageError):
    """The mode is none of dynamic, shadow, legacy."""

    code = "unknown_mode"


class UnknownSummarizer(UsageError):
    """No summariser of that kind is known."""

    code = "unknown_summarizer"


class TokenizerUnavailable(UsageError):
    """The exact tokenizer asked for is not on this machine; the message says what to install."""

    code = "tokenizer_unavailable"


class AssemblyError(TurngraphError):
    """One assembly failed for a stated reason; the canonical history is unchanged."""


class ProtectedOverBudget(AssemblyError):
    """Protected sections alone exceed `prompt_budget_chars`."""

    code = "protected_over_budget"


class ContributorFailed(AssemblyError):
    """A required contributor failed; `details["report"]` is the whole collection report."""

    code = "contributor_failed"


class ContributedRole(AssemblyError):
    """A contributed message has a role other than user."""

    code = "contributed_role"


class FixedPartOverLimit(AssemblyError):
    """What may never be shortened is over the limit; details hold the bill per part."""

    code = "fixed_part_over_limit"


class WindowOverLimit(AssemblyError):
    """Even the smallest window is over the limit."""

    code = "window_over_limit"


class ValidationFailed(AssemblyError):
    """The final input breaks a rule of the validator; nothing was sent."""

    code = "validation_failed"


class DeadlineExceeded(AssemblyError):
    """The deadline of the run passed."""

    code = "deadline_exceeded"


class Cancelled(AssemblyError):
    """The run was cancelled from outside; it can be resumed."""

    code = "cancelled"


class OverflowAgain(AssemblyError):
    """The provider overflowed a second time after the one forced pass."""

    code = "overflow_again"


class OverflowNoProgress(AssemblyError):
    """A forced pass could not make the input strictly smaller than the one that overflowed."""

    code = "overflow_no_progress"


class ProviderFailed(AssemblyError):
    """The provider call failed; `code` is `provider_<class>`."""

    def __init__(self, message: str, *, error_class: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, details=details)
        self.error_class = error_class
        self.code = f"provider_{error_class}"


class TraceIdInvalid(AssemblyError):
    """A context id cannot name a trace folder."""

    code = "trace_id_invalid"


class InternalError(AssemblyError):
    """A defect of turngraph or of code plugged into it; the cause is chained."""

    code = "internal"


class OutputRefError(TurngraphError):
    """A stored tool output cannot be given."""


class OutputRefMalformed(OutputRefError):
    """The text is no reference: `tool-output-` and 16 to 64 lower-case hex digits."""

    code = "output_ref_malformed"


class OutputRefUnknown(OutputRefError):
    """The store never held this reference."""

    code = "output_ref_unknown"


class OutputRefExpired(OutputRefError):
    """The store held this reference once, but its body is gone."""

    code = "output_ref_expired"
