"""Codex rollout files (JSONL), read only: with `payload` (new) and without (old).

Items that the model made in a row are one assistant message. A call of a hosted tool that has no id of its own
(`web_search_call`, …) is opaque, as nothing ever answers it. `event_msg` lines repeat what the items say and are
left out; `session_meta`, `turn_context`, `compacted` and the like are kept raw. The base instructions are the
system text; developer messages are system messages. What the harness wrote in the user's name (environment,
AGENTS.md, interruption notes, the summary of its own compaction), and what other agents sent, is of origin `unknown`.
"""

from typing import Any

from ..diagnostics import Diagnostic
from ..messages import Image, Message, Opaque, Origin, Part, Reasoning, Text, ToolCall, ToolResult
from .arguments import read_arguments
from .facts import note
from .json_values import compact, is_array, is_object
from .openai_parts import split_data_url
from .records import Reader, Verdict
from .registry import CODEX

__all__ = ["Codex"]

_ITEMS = "openai-responses"
"""Format of opaque items: what a rollout holds are items of that API."""
_UNKNOWN = Origin("unknown")
_PROMPT = Origin("prompt")
_HARNESS = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
_TEXTS = {"input_text", "output_text", "text", "summary_text", "reasoning_text"}


class Codex(Reader):
    """Reads the lines of one rollout."""

    def __init__(self) -> None:
        super().__init__(CODEX)
        self._made: list[Part] = []
        """Parts of the assistant message that is being made."""

    def feed(self, record: Any, where: object) -> Verdict:
        """Take one line."""
        if not is_object(record):
            self.tally("lines that are no object", where)
            return "unknown"
        payload = record.get("payload")
        if is_object(payload):
            kind = record.get("type")
            item = payload
        else:
            kind, item = ("response_item" if "type" in record else None), record
        if kind == "response_item":
            return self._item(item, where)
        self.understood += 1
        if kind == "event_msg":
            return "read"
        if kind == "compacted":
            self._compacted(item)
        elif self.system is None:
            self.system = _instructions(item)
        return "aside"

    def finish(self) -> list[Diagnostic]:
        """End the message that is being made."""
        self._end_made()
        return super().finish()

    def _item(self, item: dict[str, Any], where: object) -> Verdict:
        type = item.get("type")
        if not isinstance(type, str):
            self.tally("items without a type", where)
            return "unknown"
        if type == "message" or (type.endswith("_output") and isinstance(item.get("call_id"), str)):
            self.understood += 1
            return self._message(item) if type == "message" else self._output(item)
        if type == "agent_message":
            self.understood += 1
            self._add_user(_content(item.get("content")), _UNKNOWN)
            return "read"
        part = _made(type, item)
        if part is None:
            if type in {"reasoning", "ghost_snapshot"}:
                self.understood += 1
                return "aside"
            self.tally(f"items of unknown type {type!r}", where)
            return "unknown"
        self.understood += 1
        self._made.append(part)
        return "read"

    def _message(self, item: dict[str, Any]) -> Verdict:
        content = _content(item.get("content"))
        role = item.get("role")
        if role == "assistant":
            self._made.extend(content)
            return "read"
        if role in {"developer", "system"}:
            self._end_made()
            self.messages.append(Message(role="system", content=content))
        else:
            first = content[0].text.lstrip() if content and isinstance(content[0], Text) else ""
            self._add_user(content, _UNKNOWN if first.startswith(_HARNESS) else _PROMPT)
        return "read"

    def _add_user(self, content: tuple[Part, ...], origin: Origin) -> None:
        self._end_made()
        self.messages.append(Message(role="user", content=content, origin=origin))

    def _output(self, item: dict[str, Any]) -> Verdict:
        self._end_made()
        output = item["output"] if "output" in item else item.get("tools")
        failed = False
        if is_object(output) and "content" in output:
            failed = output.get("success") is False
            output = output["content"]
        elif is_object(output):
            output = [output]
        result = ToolResult(call_id=item["call_id"], content=_content(output), is_error=failed)
        self.messages.append(Message(role="tool", content=(result,)))
        return "read"

    def _compacted(self, item: dict[str, Any]) -> None:
        text = item.get("message")
        if isinstance(text, str) and text.strip():
            self._add_user((Text(text),), _UNKNOWN)

    def _end_made(self) -> None:
        if self._made:
            self.messages.append(Message(role="assistant", content=tuple(self._made)))
            self._made = []


def _instructions(item: dict[str, Any]) -> str | None:
    base = item.get("base_instructions")
    text = base.get("text") if is_object(base) else base
    text = item.get("instructions") if text is None else text
    return text if isinstance(text, str) and text else None


def _made(type: str, item: dict[str, Any]) -> Part | None:
    """Read an item that the model made."""
    if type == "reasoning":
        return _reasoning(item)
    if not type.endswith("_call"):
        return None
    id = item.get("call_id")
    if type == "local_shell_call" and id is None:
        id = item.get("id")
    if not isinstance(id, str):
        return Opaque(format=_ITEMS, value=item)
    name = item.get("name")
    if not isinstance(name, str):
        name = type.removesuffix("_call")
    if type == "custom_tool_call":
        text = item.get("input")
        given: Any = {"input": text if isinstance(text, str) else compact(text)}
    else:
        given = item["arguments"] if "arguments" in item else item.get("action")
    arguments, raw = read_arguments(given)
    space = item.get("namespace")
    facts: dict[str, Any] = {"type": type} if type != "function_call" else {}
    if isinstance(space, str):
        facts["namespace"] = space
    valid = "_raw" not in arguments and bool(arguments)
    extras = {**({} if valid or not raw else raw), **(note(CODEX, facts) or {})}
    return ToolCall(id=id, name=name, arguments=arguments, extras=extras or None)


def _reasoning(item: dict[str, Any]) -> Part | None:
    said = item.get("summary") or item.get("content")
    texts = [part.text for part in _content(said) if isinstance(part, Text)]
    encrypted, id = item.get("encrypted_content"), item.get("id")
    if not texts and not isinstance(encrypted, str):
        return None
    return Reasoning(
        text="\n\n".join(texts),
        encrypted=encrypted if isinstance(encrypted, str) else None,
        id=id if isinstance(id, str) else None,
    )


def _content(value: Any) -> tuple[Part, ...]:
    if isinstance(value, str):
        return (Text(value),)
    if not is_array(value):
        return () if value is None else (Text(compact(value)),)
    return tuple([_block(block) for block in value])


def _block(block: Any) -> Part:
    if isinstance(block, str):
        return Text(block)
    if is_object(block):
        text, url = block.get("text"), block.get("image_url")
        if block.get("type") in _TEXTS and isinstance(text, str):
            return Text(text)
        if block.get("type") == "input_image" and isinstance(url, str):
            split = split_data_url(url)
            return Image(url=url) if split is None else Image(media_type=split[0], data=split[1])
    return Opaque(format=_ITEMS, value=block)
