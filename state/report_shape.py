"""The shape of the report in an AssemblyResult, for the published schema. Field docstrings are its descriptions."""

from typing import Any

from pydantic import Field

from .diagnostics import Code, Severity
from .products import PassReason, RejectionReason, SummaryOutcome
from .strict import Count, Items, Positive, Strict

__all__ = ["ReportShape"]


class StepShape(Strict):
    """One node execution."""

    node: str
    """The node."""
    outcome: str
    """What it returned."""
    to: str
    """Where that led: a node, END or FAILED."""
    us: Count
    """How long it took, in microseconds."""


class CallsShape(Strict):
    """What was asked of others."""

    summary: Count
    """Requests to the summariser."""
    provider: Count
    """Turns of the node `call`."""
    attempts: Count
    """Requests sent to the provider, resent ones included."""
    waits_ms: Items[Count]
    """Waits between attempts, in milliseconds."""


class BySourceShape(Strict):
    """Tokens by source."""

    system: Count
    """The system prompt."""
    tools: Count
    """The tool schemas."""
    messages: Count
    """Contributed messages."""
    attachments: Count
    """Attachments and projections."""
    history: Count
    """The history, as it is sent."""


class BeforeShape(BySourceShape):
    """Tokens by source before anything was freed."""

    total: Count | None = Field(default=None)
    """Their sum."""


class TokensShape(Strict):
    """What the input costs, by one counter."""

    counter: str
    """Who counted."""
    limit: Count
    """The effective input limit."""
    pressure_line: Count
    """Above it, freeing begins."""
    total: Count
    """The whole input: the sum of the sources."""
    by_source: BySourceShape
    """The parts."""
    before: BeforeShape
    """The parts before anything was freed."""


class PrunedShape(Strict):
    """One body that became a preview."""

    message: str
    """Id of its message."""
    ref: str
    """Where the whole body is."""
    before: Count
    """Tokens of the message before."""
    after: Count
    """Tokens of the message now."""


class RejectionShape(Strict):
    """A candidate checkpoint that was not taken."""

    attempt: Positive
    """Which one, from 1."""
    reason: RejectionReason
    """Why."""


class SummaryShape(Strict):
    """What became of summarising."""

    outcome: SummaryOutcome
    """`none`: not asked for; `fallback`: the extractive one was taken; `kept`: nothing was folded."""
    attempts: Count
    """Requests to the summariser."""
    rejections: Items[RejectionShape]
    """What was not taken, in order."""
    source_tokens: Count | None
    """Tokens of what was to be folded."""
    checkpoint_tokens: Count | None
    """Tokens of the new checkpoint."""
    covered: Items[str]
    """Ids of every message that the fold took out."""
    replaced: str | None
    """Id of the checkpoint that the new one replaces."""
    prompts_kept: Items[str]
    """Ids of folded user prompts that are quoted verbatim."""
    prompts_omitted: Items[str]
    """Ids of folded user prompts that no longer fit."""
    warnings: Items[str]
    """What the form of the checkpoint lacks."""


class RecoveryShape(Strict):
    """The forced pass after an overflow."""

    attempt: Count
    """Which one."""
    reason: str | None
    """Why."""


class CompactionShape(Strict):
    """What pressure handling did."""

    reason: PassReason
    """Why it ran; `none`: it did not."""
    before: Count
    """Tokens of the whole input before."""
    after: Count
    """Tokens of the whole input now."""
    pruned: Items[PrunedShape]
    """Bodies that became previews."""
    summary: SummaryShape
    """What became of summarising."""
    recollected: bool
    """Contributions were collected a second time, knowing the changed history."""
    recovery: RecoveryShape | None
    """The forced pass, if there was one."""


class WindowShape(Strict):
    """What the window sent of the history."""

    kept: Count
    """Messages sent."""
    removed: Items[str]
    """Ids of messages left out of the input; they stay in the history."""


class CacheShape(Strict):
    """How much of the previous input is repeated from its start."""

    prefix_tokens: Count
    """Tokens that a provider's cache can serve."""
    moved_by: str | None
    """What ended the common prefix."""


class DiagnosticShape(Strict):
    """One thing lost, repaired or noticed."""

    code: Code
    """What kind of thing."""
    severity: Severity
    """How much it matters."""
    source: str
    """Who noticed it."""
    id: str | None = None
    """The section, attachment, message or call that it is about."""
    message: str
    """In words."""
    wanted: Count | None = None
    """Code points of the item."""
    got: Count | None = None
    """Code points that went in, marker included."""


class ReportShape(Strict):
    """What one assembly did; on failure up to the failing node, the rest null."""

    path: Items[StepShape]
    """The nodes in the order in which they ran."""
    calls: CallsShape | None
    """What was asked of others."""
    tokens: TokensShape | None
    """What the input costs."""
    compaction: CompactionShape | None
    """What pressure handling did."""
    window: WindowShape | None
    """What the window sent."""
    cache: CacheShape | None
    """How much of the previous input is repeated; null where none is known."""
    candidate: dict[str, Any] | None = None
    """In mode shadow alone: the dynamic run beside the legacy one."""
    diagnostics: Items[DiagnosticShape]
    """Everything lost, repaired or noticed."""
