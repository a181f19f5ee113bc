"""Reading a conversation that is JSON in memory."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics import Diagnostic
from ..errors import BadRequest
from ..messages import Message
from .chats import AnthropicChat, Chat, OpenAIChat, TurngraphChat
from .checks import Problems
from .claude_code import ClaudeCode
from .codex import Codex
from .detection import detect_document, refuse, sniff
from .json_values import NotJson, compact, is_object, own
from .records import Reader
from .registry import ANTHROPIC, CLAUDE_CODE, CODEX, OPENAI_CHAT, TURNGRAPH, resolve
from .tools import read_tools

__all__ = ["AUTO", "READERS", "Reading", "read", "read_entries", "take_apart"]

AUTO = "auto"
READERS: dict[str, Callable[[], Reader]] = {
    TURNGRAPH: TurngraphChat,
    OPENAI_CHAT: OpenAIChat,
    ANTHROPIC: AnthropicChat,
    CLAUDE_CODE: ClaudeCode,
    CODEX: Codex,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found."""

    messages: list[Message]
    """In order. Ids are those that the source carries, else empty: numbering is the history's."""
    system: Any | None = None
    """System text that stood beside the messages: a string or blocks, as it was."""
    format: str
    """Canonical name of the format."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What was passed over, with line numbers and byte offsets."""
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Tool specs of a provider body, `{name, description, parameters, deferred?}` each."""
    rest: list[bytes] = field(default_factory=list[bytes])
    """Raw lines that are no part of the conversation or were not understood."""


def read(value: Any, format: str = AUTO, *, system: Any = None, path: str = "messages") -> Reading:
    """Read a list of messages (for a transcript format: of its lines), or an object with `messages`.

    Nothing of `value` is kept but its strings. `system` stands for a system text beside the list and wins over
    one in the object. Raises `UnknownFormat`, and `BadRequest` for what is no JSON, no message, or a malformed
    `turngraph` key; `path` is the name of the list in its problems. Cost: linear.
    """
    wanted = AUTO if format == AUTO else resolve(format, "read")
    outer, entries = take_apart(value, wanted)
    if wanted == AUTO:
        wanted = detect_document(outer, entries)
    try:
        fresh = (own(entry, f"{path}[{index}]") for index, entry in enumerate(entries))
        return read_entries(own(outer), fresh, wanted, system=own(system), path=path)
    except NotJson as error:
        problem = {"path": path, "problem": str(error)}
        raise BadRequest(f"not a conversation: {error}", details={"problems": [problem]}) from None


def take_apart(value: Any, wanted: str) -> tuple[dict[str, Any], list[Any]]:
    """Give the object around the messages, empty for a list, and the messages."""
    if isinstance(value, list | tuple):
        return {}, list(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if is_object(value):
        if isinstance(value.get("messages"), list | tuple):
            return {key: item for key, item in value.items() if key != "messages"}, list(value["messages"])
        if wanted in {AUTO, CLAUDE_CODE, CODEX} and sniff(value) in {CLAUDE_CODE, CODEX}:
            return {}, [value]
    return refuse([value])


def read_entries(
    outer: dict[str, Any], entries: Iterable[Any], wanted: str, *, system: Any = None, path: str = "messages"
) -> Reading:
    """Read the messages or lines of a document in the `wanted` format; the values are kept."""
    reader = READERS[wanted]()
    rest: list[bytes] = []
    problems = Problems()
    for index, entry in enumerate(entries):
        if isinstance(reader, Chat):
            reader.take(entry, f"{path}[{index}]", problems)
        elif reader.feed(entry, f"entry {index}") != "read":
            rest.append(compact(entry).encode())
    problems.raise_any("malformed messages")
    diagnostics = reader.finish()
    tools, left_out = read_tools(outer.get("tools"))
    if left_out:
        diagnostics.append(_hosted_tools(wanted, left_out))
    beside = outer.get("system") if reader.system is None else reader.system
    return Reading(
        messages=reader.messages,
        system=system if system is not None else beside,
        format=wanted,
        diagnostics=diagnostics,
        tools=tools,
        rest=rest,
    )


def _hosted_tools(format: str, names: list[str]) -> Diagnostic:
    return Diagnostic(
        code="PROJECTION_REPAIRED",
        severity="info",
        source=f"read.{format}",
        message=f"tools of the provider itself are left out: {', '.join(names)}",
    )
