"""Canonical messages: immutable, format-neutral, the only shape that nodes see.

The JSON shapes are those of the public contract ("Messages"). A tool message holds exactly one result.
`extras` holds what a reader did not understand, as JSON values, so that its writer can give it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

__all__ = [
    "File",
    "Image",
    "Message",
    "Opaque",
    "Origin",
    "OriginKind",
    "Part",
    "Reasoning",
    "Role",
    "Text",
    "ToolCall",
    "ToolResult",
]

Role = Literal["system", "user", "assistant", "tool"]
OriginKind = Literal["prompt", "steer", "assistant", "tool", "injection", "checkpoint", "contribution", "unknown"]
Extras = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    extras: Extras | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model made. Ids are scoped to their step: they repeat across turns in real data."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    """Always a JSON object. What was no object is `{}` (empty) or `{"_raw": text}`."""
    extras: Extras | None = None
    """`raw_arguments` holds the text of arguments that were no JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer to one call."""

    call_id: str
    content: "tuple[Part, ...]"
    is_error: bool = False
    ref: str | None = None
    """Reference of the whole body in the output store."""
    interim: bool = False
    """A placeholder: the call still runs, a later real result replaces this one."""
    extras: Extras | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """Thinking of the model. Signed or encrypted blocks travel byte for byte or not at all."""

    text: str = ""
    signature: str | None = None
    encrypted: str | None = None
    id: str | None = None
    extras: Extras | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image, by base64 `data` or by `url`. Priced by its size in pixels, never by its encoded length."""

    media_type: str = ""
    data: str | None = None
    url: str | None = None
    width: int | None = None
    height: int | None = None
    extras: Extras | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file handed to the model, by base64 `data` or by `url`."""

    media_type: str = ""
    data: str | None = None
    url: str | None = None
    name: str | None = None
    extras: Extras | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A content block that no reader of ours understands: given back unchanged to the format it came from."""

    format: str
    value: Any


Part = Text | ToolCall | ToolResult | Reasoning | Image | File | Opaque


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message came from, which decides what may be done with it."""

    kind: OriginKind
    data: Extras | None = None
    """Further facts of the kind: a reminder's variant, the ids a checkpoint covers."""


_BY_ROLE: dict[Role, Origin] = {
    "system": Origin("unknown"),
    "user": Origin("prompt"),
    "assistant": Origin("assistant"),
    "tool": Origin("tool"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation.

    `id` is empty until a `History` gives one. `origin` defaults by role: a user message without origin is a
    prompt. `hidden` marks what a person does not see: contributions, reminders, projections, checkpoints.
    """

    role: Role
    content: tuple[Part, ...]
    id: str = ""
    name: str | None = None
    origin: Origin = field(default=None)  # type: ignore[assignment]  # replaced by the role's default below
    hidden: bool = False
    extras: Extras | None = None
    price_memo: tuple[object, int] | None = field(default=None, init=False, repr=False, compare=False)
    """The counter that priced this message last, and its price in tokens."""

    def remember_price(self, counter: object, price: int) -> None:
        """Note a price, so that a message is counted once in its life."""
        object.__setattr__(self, "price_memo", (counter, price))

    def __post_init__(self) -> None:
        """Fill in the origin that the role implies."""
        if self.origin is None:  # pyright: ignore[reportUnnecessaryComparison]
            object.__setattr__(self, "origin", _BY_ROLE[self.role])

    @classmethod
    def system(cls, text: str, *, id: str = "") -> Self:
        """Make a system message of one text."""
        return cls(role="system", content=(Text(text),), id=id)

    @classmethod
    def user(
        cls,
        content: str | Iterable[Part],
        *,
        id: str = "",
        name: str | None = None,
        origin: Origin | None = None,
        hidden: bool = False,
    ) -> Self:
        """Make a user message of a text or of parts."""
        parts = (Text(content),) if isinstance(content, str) else tuple(content)
        return cls(role="user", content=parts, id=id, name=name, origin=origin or _BY_ROLE["user"], hidden=hidden)

    @classmethod
    def assistant(cls, text: str = "", *, calls: Iterable[ToolCall] = (), id: str = "") -> Self:
        """Make an assistant message of a text and calls; an empty text adds no part."""
        parts: tuple[Part, ...] = (Text(text),) if text else ()
        return cls(role="assistant", content=(*parts, *calls), id=id)

    @classmethod
    def tool(
        cls,
        call_id: str,
        content: str | Iterable[Part],
        *,
        id: str = "",
        is_error: bool = False,
        ref: str | None = None,
        name: str | None = None,
    ) -> Self:
        """Make a tool message: one result for the call `call_id`."""
        parts = (Text(content),) if isinstance(content, str) else tuple(content)
        result = ToolResult(call_id=call_id, content=parts, is_error=is_error, ref=ref)
        return cls(role="tool", content=(result,), id=id, name=name)

    @property
    def text(self) -> str:
        """All text of the message, results included, parts joined by one newline."""
        return "\n".join(texts_of(self.content))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in declared order."""
        return tuple([part for part in self.content if isinstance(part, ToolCall)])

    @property
    def result(self) -> ToolResult | None:
        """The result of a tool message, else `None`."""
        first = self.content[0] if self.content else None
        return first if isinstance(first, ToolResult) else None

    def with_id(self, id: str) -> "Message":
        """Give the same message under `id`."""
        return self._copy(id, self.content, self.price_memo)

    def with_content(self, content: tuple[Part, ...]) -> "Message":
        """Give the same message with other parts."""
        return self._copy(self.id, content, None)

    def _copy(self, id: str, content: tuple[Part, ...], memo: tuple[object, int] | None) -> "Message":
        """Copy ten times faster than `dataclasses.replace`: every message that is read passes here."""
        copy = object.__new__(Message)
        write = object.__setattr__
        write(copy, "role", self.role)
        write(copy, "content", content)
        write(copy, "id", id)
        write(copy, "name", self.name)
        write(copy, "origin", self.origin)
        write(copy, "hidden", self.hidden)
        write(copy, "extras", self.extras)
        write(copy, "price_memo", memo)
        return copy

    def __repr__(self) -> str:
        """Show role, id, and the beginning of the text."""
        calls = "".join(f" {call.name}()" for call in self.calls)
        text = self.text
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        return f"Message({self.role} {self.id or '-'} {shown!r}{calls})"


def texts_of(parts: Sequence[Part]) -> list[str]:
    """List the texts in `parts`, those inside results included."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            found.append(part.text)
        elif isinstance(part, ToolResult):
            found.extend(texts_of(part.content))
    return found
