"""The JSON shapes of messages and parts, for the published schemas. Reading and writing is `formats`' work."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from .messages import OriginKind, Role
from .strict import Items, Positive, Strict

__all__ = ["ContributedShape", "MessageShape", "ModelInputShape", "PartShape", "ToolShape"]


class _Part(Strict):
    extras: dict[str, Any] | None = None
    """What the format it came from says beside it; given back unchanged."""


class TextShape(_Part):
    """Plain text."""

    type: Literal["text"]
    """Selects this kind of part."""
    text: str
    """The text."""


class ToolCallShape(_Part):
    """A call that the model made; stands in assistant messages."""

    type: Literal["tool_call"]
    """Selects this kind of part."""
    id: str
    """Joins it with its result, inside its step."""
    name: str
    """The tool."""
    arguments: dict[str, Any]
    """The arguments, always an object."""


class ToolResultShape(_Part):
    """The answer to one call; the only part of a tool message."""

    type: Literal["tool_result"]
    """Selects this kind of part."""
    call_id: str
    """Id of the call."""
    content: "list[InnerPart]"
    """What the tool gave."""
    is_error: bool = False
    """The tool failed."""
    ref: str | None = None
    """Reference of the whole body in the output store."""
    interim: bool = False
    """A placeholder: the call still runs."""


class ReasoningShape(_Part):
    """Thinking of the model; signed or encrypted, it travels unchanged or not at all."""

    type: Literal["reasoning"]
    """Selects this kind of part."""
    text: str
    """What may be read of it."""
    signature: str | None = None
    """The provider's signature."""
    encrypted: str | None = None
    """The provider's encrypted payload."""
    id: str | None = None
    """The provider's id."""


class ImageShape(_Part):
    """An image, by exactly one of `data` and `url`."""

    type: Literal["image"]
    """Selects this kind of part."""
    media_type: str
    """MIME type; empty where unknown."""
    data: str | None = None
    """Base64."""
    url: str | None = None
    """Where it is."""
    width: Positive | None = None
    """In pixels."""
    height: Positive | None = None
    """In pixels."""


class FileShape(_Part):
    """A file, by exactly one of `data` and `url`."""

    type: Literal["file"]
    """Selects this kind of part."""
    name: str | None = None
    """Its name."""
    media_type: str
    """MIME type; empty where unknown."""
    data: str | None = None
    """Base64."""
    url: str | None = None
    """Where it is."""


class OpaqueShape(Strict):
    """A block that turngraph does not understand; goes back unchanged to the format it came from."""

    type: Literal["opaque"]
    """Selects this kind of part."""
    format: str
    """The format it came from."""
    value: Any
    """The block."""


InnerPart = Annotated[TextShape | ReasoningShape | ImageShape | FileShape | OpaqueShape, Field(discriminator="type")]
PartShape = Annotated[
    TextShape | ToolCallShape | ToolResultShape | ReasoningShape | ImageShape | FileShape | OpaqueShape,
    Field(discriminator="type"),
]


class OriginShape(Strict):
    """Where a message came from, with further facts of its kind."""

    model_config = ConfigDict(extra="allow")  # the facts

    kind: OriginKind
    """The kind; it decides what may be done with the message."""


class _Spoken(Strict):
    id: str | None = None
    """Unique in its history."""
    name: str | None = None
    """Name of the speaker."""
    origin: OriginShape | None = None
    """Where it came from; absent, the role implies it."""
    hidden: bool = False
    """A person does not see it: contributions, reminders, projections, checkpoints."""
    extras: dict[str, Any] | None = None
    """What the format it came from says beside it; given back unchanged."""


class MessageShape(_Spoken):
    """One message of a conversation."""

    role: Role
    """Who speaks."""
    content: list[PartShape]
    """What is said."""


class ContributedShape(_Spoken):
    """A message for this turn only, never written back to the history. Only the role user is allowed."""

    role: Literal["user"]
    """Any other is the error `contributed_role`."""
    content: str | list[InnerPart]
    """Text, or parts."""


class ToolShape(Strict):
    """A tool as the model is told of it."""

    name: str
    """Its name."""
    description: str
    """What it does."""
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class ModelInputShape(Strict):
    """What the model is sent."""

    system: str
    """All system text that leads."""
    messages: Items[MessageShape]
    """The messages in order."""
    tools: Items[ToolShape]
    """The tools; `read_tool_output` among them once a shortened result is shown."""
