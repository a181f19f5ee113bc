"""What is handed over beside the history: sections, attachments, contributed messages, tools."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from .diagnostics import Diagnostic
from .messages import Message

__all__ = [
    "SLOTS",
    "Attachment",
    "Contribution",
    "Scope",
    "Section",
    "Slot",
    "ToolSpec",
    "Trust",
    "id_problem",
    "section_order",
    "source_problem",
    "word_problem",
]

Scope = Literal["main", "subagent", "reviewer"]
Trust = Literal["trusted_data", "untrusted_data"]
Slot = Literal["identity", "governance", "run_contract", "task_state", "capabilities", "working_context", "footer"]
SLOTS: Mapping[Slot, int] = {
    "identity": 100,
    "governance": 200,
    "run_contract": 300,
    "task_state": 400,
    "capabilities": 500,
    "working_context": 600,
    "footer": 900,
}
"""Base priority of each slot; `order` sorts inside a slot and never leaves it."""

ALL_SCOPES: tuple[Scope, ...] = get_args(Scope)
_ID = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
_SOURCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/@-]{0,199}")


def id_problem(value: str) -> str | None:
    """Say what is wrong with an id of a contributor, section or attachment, or give `None`."""
    if _ID.fullmatch(value):
        return None
    return f"id {value!r} is not of the form [a-z][a-z0-9]*([._-][a-z0-9]+)*"


def source_problem(value: str) -> str | None:
    """Say what is wrong with the `source` of an envelope, or give `None`."""
    if _SOURCE.fullmatch(value):
        return None
    return f"source {value!r} is not of the form [A-Za-z0-9][A-Za-z0-9 ._:/@-]{{0,199}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A piece of the system prompt, rendered anew every turn."""

    id: str
    slot: Slot
    content: str
    protected: bool = False
    """Never shortened, never dropped; the assembly fails rather."""
    order: int = 0
    scopes: tuple[Scope, ...] = ALL_SCOPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Data shown to the model as a hidden user message in an envelope."""

    id: str
    source: str
    content: str
    trust: Trust = "untrusted_data"


def word_problem(item: "Section | Attachment") -> str | None:
    """Say which word of a section or attachment is none of those that it may be, or give `None`."""
    if isinstance(item, Attachment):
        known = item.trust in get_args(Trust)
        return None if known else f"trust {item.trust!r} is none of {', '.join(get_args(Trust))}"
    if item.slot not in SLOTS:
        return f"slot {item.slot!r} is none of {', '.join(SLOTS)}"
    unknown = [scope for scope in item.scopes if scope not in ALL_SCOPES]
    return f"scopes {unknown} are none of {', '.join(ALL_SCOPES)}" if unknown else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one contributor gives for one turn. Invocation-local: never written back to history."""

    sections: tuple[Section, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    messages: tuple[Message, ...] = ()
    """User-role messages only."""
    visible: tuple[str, ...] = ()
    """Ids of history messages that the contribution tells the model it can see; it is collected again, knowing
    better, when the window has to leave one of them out."""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON schema of the arguments, an object."""
    deferred: bool = False
    """Hidden until the model asks for it."""
    text_memo: str | None = field(default=None, init=False, repr=False, compare=False)
    """What `as_text` gave."""

    def as_json(self) -> dict[str, Any]:
        """Give `{name, description, parameters}`."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}

    def as_text(self) -> str:
        """Give the schema as one JSON text: what is priced and compared."""
        if self.text_memo is None:
            text = json.dumps(self.as_json(), ensure_ascii=False, default=dict)
            object.__setattr__(self, "text_memo", text)
            return text
        return self.text_memo


def section_order(section: Section) -> tuple[int, int, str]:
    """Sort key: slot, order inside the slot, id by code points (never by locale)."""
    return SLOTS[section.slot], section.order, section.id
