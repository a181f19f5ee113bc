"""What the stages of one run hand to one another."""

from dataclasses import dataclass, field
from typing import Literal

from .diagnostics import Diagnostic
from .messages import Message
from .sections import Attachment, Section, ToolSpec

__all__ = [
    "Admitted",
    "Bill",
    "Collected",
    "ContributorReport",
    "Counted",
    "Draft",
    "FoldPlan",
    "Folded",
    "Limits",
    "PassReason",
    "PressurePass",
    "Prompt",
    "PrunedItem",
    "Rejection",
    "RejectionReason",
    "Staged",
    "SummaryOutcome",
    "Window",
]

PassReason = Literal["none", "pressure", "message-count", "forced", "manual"]
RejectionReason = Literal["empty", "refused", "truncated", "not_smaller", "error", "overflow"]
SummaryOutcome = Literal["none", "accepted", "fallback", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The lines of one run, in tokens; all floored."""

    limit: int
    """What the whole input may cost."""
    pressure: int
    target: int
    retain: int
    keep_prompts: int
    min_clear: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many messages the history has, without leading system messages."""

    messages: int
    over: bool
    """At or above `compaction_trigger_messages`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """Reminders that `emit` will write into the history."""

    messages: tuple[Message, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributorReport:
    """How one contributor did."""

    contributor_id: str
    status: Literal["contributed", "failed"]
    required: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Everything contributed for this turn, ordered by contributor id."""

    sections: tuple[Section, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    messages: tuple[Message, ...] = ()
    visible: frozenset[str] = frozenset()
    """Ids of messages that a projection tells the model it can see."""
    contributors: tuple[ContributorReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What fits the character budgets, as it goes out."""

    sections: tuple[Section, ...] = ()
    """Sorted by slot, order, id; protected ones byte-identical."""
    protected: tuple[str, ...] = ()
    """The texts that the validator must find again."""
    messages: tuple[Message, ...] = ()
    attachments: tuple[Message, ...] = ()
    """Attachments in their envelopes, as hidden user messages."""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The rendered system prompt and the tools, with their prices."""

    system: str
    section_ids: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    system_tokens: int
    tools_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The price of a whole input by source, in tokens of one counter."""

    system: int = 0
    tools: int = 0
    messages: int = 0
    attachments: int = 0
    history: int = 0

    @property
    def total(self) -> int:
        """The sum."""
        return self.system + self.tools + self.messages + self.attachments + self.history

    def by_source(self) -> dict[str, int]:
        """Give the five parts under the names of the report."""
        return {
            "system": self.system,
            "tools": self.tools,
            "messages": self.messages,
            "attachments": self.attachments,
            "history": self.history,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunedItem:
    """One body that became a preview."""

    message: str
    ref: str
    before: int
    after: int
    """Tokens of the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why one candidate was not taken."""

    attempt: int
    reason: RejectionReason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A candidate of the summariser."""

    text: str
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldPlan:
    """Which steps the pass wants to fold."""

    steps: tuple[int, ...]
    """Step numbers, ascending; closed steps only."""
    covered: tuple[int, ...]
    """Every position that the fold takes out, the old checkpoint included."""
    source_tokens: int
    """Price of what is taken out, as it is sent."""
    room: int
    """What the checkpoint may cost beside the active request, open calls and the newest step."""
    ask: bool = True
    """False: the summariser is not asked (backing off, or no source fits it)."""
    whole: "FoldPlan | None" = None
    """What would be folded if the summariser could take it all; `None`: this is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What a fold did."""

    checkpoint_id: str
    checkpoint_tokens: int
    covered: tuple[str, ...]
    replaced: str | None
    prompts_kept: tuple[str, ...]
    prompts_omitted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PressurePass:
    """The record of the pressure handling of one run; every stage of the pass adds to it."""

    reason: PassReason = "none"
    forced: bool = False
    over_count: bool = False
    """The message count asks for a fold, whatever pruning frees."""
    keep_messages: int | None = None
    """A provider refused the number of messages: so many of the newest may stay."""
    before: Bill | None = None
    """The first bill of this run."""
    entered_at: int = 0
    """Price of the whole input when the pass began."""
    ceiling: int | None = None
    """A forced pass must end strictly below this."""
    recoveries: int = 0
    recovery_reason: str | None = None
    pruned: tuple[PrunedItem, ...] = ()
    freed: int = 0
    source_cap: int | None = None
    attempts: int = 0
    """Requests sent to the summariser."""
    rejections: tuple[Rejection, ...] = ()
    waits_ms: tuple[int, ...] = ()
    outcome: SummaryOutcome = "none"
    source_tokens: int | None = None
    warnings: tuple[str, ...] = ()
    folded: Folded | None = None
    changed: bool = False
    recollected: bool = False
    diagnostics: tuple[Diagnostic, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What the window kept."""

    kept: int
    removed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
