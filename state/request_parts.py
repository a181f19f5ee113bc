"""The parts of an AssemblyRequest. Field docstrings become the descriptions of the published schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from .given import Recovery, Turn
from .outputs import REF_GRAMMAR
from .sections import ALL_SCOPES, Attachment, Scope, Section, Slot, ToolSpec, Trust
from .strict import Count, Items, Name, Positive, SectionId, SourceName, Strict, VersionOne, Whole, wrong

__all__ = [
    "AttachmentItem",
    "DurableItem",
    "FilesOutputs",
    "HistoryItem",
    "MemoryOutputs",
    "ModelItem",
    "OutputsItem",
    "RecoveryItem",
    "SectionItem",
    "SummarizerItem",
    "ToolItem",
    "TurnItem",
    "later",
]


def later(*nothing: object) -> BeforeValidator:
    """Refuse what only a later version of turngraph does; the values of `nothing` ask for nothing."""

    def check(value: object) -> object:
        if any(value == item and type(value) is type(item) for item in nothing):
            return value
        raise wrong("is not in this version yet: leave it out or empty")

    return BeforeValidator(check)


class HistoryItem(Strict):
    """The conversation so far, in the format of its provider."""

    format: Name
    """Name of the format of `messages`, one that `turngraph doctor` lists as readable."""
    messages: Annotated[list[Any], WithJsonSchema({"type": "array", "items": {"type": "object"}})]
    """The provider's own list of messages, oldest first."""
    system: Any = None
    """The system text that the format keeps beside the list, as it has it; null for none."""


class SectionItem(Strict):
    """A piece of the system prompt, rendered anew every turn."""

    id: SectionId
    """Unique among the sections."""
    slot: Slot
    """Where it stands; slots follow one another in the order listed."""
    content: str
    """The text, in which code points are counted."""
    protected: bool = False
    """Never shortened and never dropped: the assembly fails rather."""
    order: Whole = 0
    """Sorts sections inside their slot, smallest first; equal ones are sorted by id."""
    scopes: Items[Scope] = ALL_SCOPES
    """The scopes in which it appears."""

    def given(self) -> Section:
        """Give the section."""
        return Section(
            id=self.id,
            slot=self.slot,
            content=self.content,
            protected=self.protected,
            order=self.order,
            scopes=self.scopes,
        )


class AttachmentItem(Strict):
    """Data shown to the model as a hidden user message in an envelope that it cannot close or forge."""

    id: SectionId
    """Unique among the attachments."""
    source: SourceName
    """Where the data comes from; the model sees it."""
    trust: Trust = "untrusted_data"
    """How far the model may trust it; data has no authority in any case."""
    content: str
    """The text."""

    def given(self) -> Attachment:
        """Give the attachment."""
        return Attachment(id=self.id, source=self.source, content=self.content, trust=self.trust)


class ToolItem(Strict):
    """A tool that the model may call."""

    name: Name
    """Unique among the tools."""
    description: str = ""
    """What the model is told of it."""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])
    """JSON schema of the arguments, an object."""
    deferred: Annotated[Literal[False], later(False)] = False
    """Hidden until the model asks for it; a later version of turngraph takes true."""

    def given(self) -> ToolSpec:
        """Give the tool."""
        return ToolSpec(name=self.name, description=self.description, parameters=self.parameters)


class TurnItem(Strict):
    """Which model turn of the session this is."""

    number: Positive = 1
    """Counts from 1."""
    first_step_of_turn: bool = False
    """A user prompt has just opened a turn."""

    def given(self) -> Turn:
        """Give the turn."""
        return Turn(number=self.number, first_step_of_turn=self.first_step_of_turn)


class RecoveryItem(Strict):
    """Your own provider call refused the last input as too large: asks for the one forced pass."""

    attempt: Positive = 1
    """1; more is the error `overflow_again`."""
    reason: Literal["model-input-overflow"] = "model-input-overflow"
    """Why."""
    limit: Positive | None = None
    """The limit in tokens that the provider's error named: the whole window, the reserve is subtracted from it."""
    failed_tokens: Positive | None = None
    """`report.tokens.total` of the input that was refused; the new one is strictly smaller."""

    def given(self) -> Recovery:
        """Give the recovery."""
        return Recovery(attempt=self.attempt, reason=self.reason, limit=self.limit, failed_tokens=self.failed_tokens)


class DurableItem(Strict):
    """The `durable` of an earlier result, handed back as it was."""

    version: VersionOne
    """Of this object."""
    pressure: dict[str, Any] | None = None
    """What the pressure handling remembers; opaque. Without it only the back-off is lost."""


class MemoryOutputs(Strict):
    """A store of tool outputs that lives in the documents: hand `outputs` of each result back as `items`."""

    kind: Literal["memory"]
    """Selects this store."""
    items: Annotated[
        dict[str, str],
        WithJsonSchema(
            {
                "type": "object",
                "propertyNames": {"pattern": f"^{REF_GRAMMAR}$"},
                "additionalProperties": {"type": "string"},
            }
        ),
    ] = Field(default_factory=dict[str, str])
    """Whole texts by reference: `tool-output-` and 16 to 64 lower-case hex digits."""


class FilesOutputs(Strict):
    """A store of tool outputs in a folder, which `turngraph output show` reads too."""

    kind: Literal["files"]
    """Selects this store."""
    path: Name
    """The folder; made when the first output is stored."""


OutputsItem = Annotated[MemoryOutputs | FilesOutputs, Field(discriminator="kind")]


class TextReply(Strict):
    """A scripted checkpoint text."""

    text: str
    """What the summariser answers."""
    finish_reason: str | None = None
    """`length` means that the text was cut off."""


class ErrorReply(Strict):
    """A scripted failure."""

    error: str
    """Its message; the attempt fails at once."""


class OverflowReply(Strict):
    """A scripted refusal of a source that is too large."""

    overflow: Literal[True]
    """Asks for a smaller source."""


class HangReply(Strict):
    """A scripted summariser that never answers."""

    hang: Literal[True]
    """It ends at its time limit."""


def _kind_of_reply(value: object) -> str | None:
    if isinstance(value, str):
        return "<plain>"
    fields: object = type(value).model_fields if isinstance(value, BaseModel) else value
    if not isinstance(fields, Mapping):
        return None
    found = next((name for name in ("text", "error", "overflow", "hang") if name in fields), None)
    return f"<{found}>" if found else None


SummaryReplyItem = Annotated[
    Annotated[str, Tag("<plain>")]
    | Annotated[TextReply, Tag("<text>")]
    | Annotated[ErrorReply, Tag("<error>")]
    | Annotated[OverflowReply, Tag("<overflow>")]
    | Annotated[HangReply, Tag("<hang>")],
    Discriminator(
        _kind_of_reply,
        custom_error_type="turngraph",
        custom_error_message="must be a string, or an object with one of text, error, overflow, hang",
    ),
]


class ExtractiveSummarizerItem(Strict):
    """Rules write the checkpoint, no model."""

    kind: Literal["extractive"]
    """Selects this summariser."""


class ScriptedSummarizerItem(Strict):
    """A double for tests: it answers in order, none left is an error."""

    kind: Literal["scripted"]
    """Selects this summariser."""
    replies: Items[SummaryReplyItem]
    """One answer per attempt."""


class NoSummarizerItem(Strict):
    """Nobody is asked; `budget.summary_fallback` still applies."""

    kind: Literal["none"]
    """Selects no summariser."""


SummarizerItem = Annotated[
    ExtractiveSummarizerItem | ScriptedSummarizerItem | NoSummarizerItem, Field(discriminator="kind")
]


class ScriptedCall(Strict):
    """A tool call in a scripted answer."""

    id: str | None = None
    """Id of the call; made up when it is left out."""
    name: Name
    """The tool."""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The arguments, an object."""
    args: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The same under the name that session scripts use."""


class ScriptedError(Strict):
    """An error as the provider answers it."""

    status: Count | None = None
    """HTTP status, if there is one."""
    body: Any = None
    """The body of the answer, parsed or as text."""
    message: str | None = None
    """The message of the client instead of a body."""


class ScriptedResponse(Strict):
    """One scripted answer: text and calls, or an error."""

    text: str | None = None
    """What the model says."""
    calls: Items[ScriptedCall] | None = None
    """What it calls."""
    usage: dict[str, Any] | None = None
    """Token counts as the provider reports them."""
    finish_reason: str | None = None
    """Why it stopped."""
    error: ScriptedError | None = None
    """The call fails with this instead."""


class ModelItem(Strict):
    """A double for tests: it answers in order, none left is the error `provider_unknown`."""

    kind: Literal["scripted"]
    """Selects this model."""
    responses: Items[ScriptedResponse]
    """One answer per provider request, resent ones included."""
