"""Which format a document or a line is in: fixed rules, the first that applies.

Of one message or line, in this order:
* `codex`: `payload` is an object and `type` a string; or an item without payload (`function_call`,
  `function_call_output`, `reasoning`, `message` with `input_text`/`output_text` …), or the head of an old rollout
  (`instructions` and `timestamp`, no role), or `record_type`.
* `claude-code`: `type` user or assistant with an object `message` that has content; or another `type` with
  `sessionId`, `leafUuid` or `parentUuid`; or `file-history-snapshot`.
* `turngraph`: a role with an `origin` that has a kind, `hidden`, or a part that only we write (`tool_call`,
  `opaque`, `tool_result` with `call_id`, an image or file with `media_type`).
* `anthropic`: a role with a block that only Anthropic has (`tool_use`, `tool_result`, `thinking`,
  `redacted_thinking`, `server_tool_use`, …, an image or document with `source`).
* `openai-chat`: role tool, function or developer, a system message of one string, `tool_calls`, `function_call`,
  `reasoning_content`, content null, or a block that only OpenAI has.
Of a document: its own `format`, else the first message that decides, else its tools, else `system` or
`system_prompt` beside the messages (`anthropic`). Messages that nothing decides are `openai-chat`: text alone
means the same in both.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from ..errors import UnknownFormat
from .json_values import is_array, is_object
from .registry import ANTHROPIC, CLAUDE_CODE, CODEX, OPENAI_CHAT, TURNGRAPH, known_formats, resolve

__all__ = ["detect", "detect_document", "is_later", "is_message", "refuse", "sniff"]

_CODEX_ITEMS = {
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "web_search_call",
    "reasoning",
}
_ANTHROPIC_BLOCKS = {
    "tool_use",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "compaction",
    "container_upload",
    "search_result",
}
_OPENAI_KEYS = ("tool_calls", "function_call", "reasoning_content")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def detect(value: Any) -> str:
    """Name the format of a document, or of the first line of a file. Raises `UnknownFormat`."""
    if is_array(value):
        return detect_document({}, value)
    if is_object(value):
        if is_array(value.get("messages")):
            return detect_document(value, value["messages"])
        found = sniff(value)
        if found is not None or is_message(value):
            return found or OPENAI_CHAT
    return refuse([value])


def detect_document(outer: Mapping[str, Any], messages: Iterable[Any]) -> str:
    """Name the format of an array of messages and the object around it. Raises `UnknownFormat`."""
    named = outer.get("format")
    if isinstance(named, str):
        return resolve(named, "read")
    seen: list[Any] = []
    plain = False
    for message in messages:
        found = sniff(message)
        if found is not None:
            return found
        plain = plain or is_message(message)
        if not seen:
            seen.append(message)
    if seen and not plain:
        refuse([{**outer, "messages": []}] if outer else seen)
    tools = outer.get("tools")
    for tool in tools if is_array(tools) else []:
        if is_object(tool) and ("input_schema" in tool or "function" in tool):
            return ANTHROPIC if "input_schema" in tool else OPENAI_CHAT
    return ANTHROPIC if "system" in outer or "system_prompt" in outer else OPENAI_CHAT


def is_message(value: Any) -> bool:
    """Tell whether `value` has the role of a chat message."""
    return is_object(value) and value.get("role") in _ROLES


def sniff(value: Any) -> str | None:
    """Name the format that one message or line decides, `None` if it decides none."""
    if not is_object(value):
        return None
    type: Any = value.get("type")
    if ("role" not in value or type == "message") and (found := _sniff_line(value, type)) is not None:
        return found
    return _sniff_message(value) if is_message(value) else None


def _sniff_line(value: dict[str, Any], type: Any) -> str | None:
    if _is_codex(value, type):
        return CODEX
    return CLAUDE_CODE if isinstance(type, str) and _is_claude_code(value, type) else None


def _is_codex(value: dict[str, Any], type: Any) -> bool:
    if not isinstance(type, str):
        return "record_type" in value or {"instructions", "timestamp"} <= value.keys()
    if type == "message":
        return any(block in {"input_text", "output_text"} for block in _block_types(value))
    item = type in _CODEX_ITEMS and any(key in value for key in ("call_id", "summary", "action"))
    return item or is_object(value.get("payload"))


def _is_claude_code(value: dict[str, Any], type: str) -> bool:
    message = value.get("message")
    if type in {"user", "assistant"} and is_object(message) and "content" in message:
        return True
    return type == "file-history-snapshot" or any(key in value for key in ("leafUuid", "parentUuid", "sessionId"))


def _block_types(value: dict[str, Any]) -> Iterable[str]:
    content = value.get("content")
    for block in content if is_array(content) else []:
        if is_object(block) and isinstance(type := block.get("type"), str):
            yield type


def _sniff_message(value: dict[str, Any]) -> str | None:
    origin, content = value.get("origin"), value.get("content")
    if (is_object(origin) and "kind" in origin) or isinstance(value.get("hidden"), bool):
        return TURNGRAPH
    for block in content if is_array(content) else []:
        if is_object(block) and (found := _sniff_block(block)) is not None:
            return found
    role = value["role"]
    if role in {"tool", "function", "developer"} or any(key in value for key in _OPENAI_KEYS):
        return OPENAI_CHAT
    if (role == "system" and isinstance(content, str)) or (role == "assistant" and content is None):
        return OPENAI_CHAT
    return None


def _sniff_block(block: dict[str, Any]) -> str | None:
    type: Any = block.get("type")
    if not isinstance(type, str):
        return None
    if (
        type in {"tool_call", "opaque"}
        or (type == "tool_result" and "call_id" in block)
        or (type in {"image", "file"} and "media_type" in block)
    ):
        return TURNGRAPH
    sourced = type in {"image", "document"} and is_object(block.get("source"))
    if type in _ANTHROPIC_BLOCKS or type.endswith("tool_result") or sourced:
        return ANTHROPIC
    if type in {"image_url", "input_audio", "refusal"} or (type == "file" and is_object(block.get("file"))):
        return OPENAI_CHAT
    return None


def refuse(values: list[Any]) -> NoReturn:
    """Raise `UnknownFormat` that says what was seen, which later format that may be, and what can be read."""
    seen = [_describe(value) for value in values[:3]]
    later = next((name for value in values if (name := _later(value)) is not None), None)
    readable = [entry["name"] for entry in known_formats() if entry["read"]]
    hint = f" (it looks like {later!r}, which this version does not read)" if later else ""
    raise UnknownFormat(
        f"no reader knows this JSON{hint}: seen {'; '.join(seen) or 'nothing'}; readable are: {', '.join(readable)}",
        details={"seen": seen, "looks_like": later, "formats": readable},
    )


def _describe(value: Any) -> str:
    if is_object(value):
        keys = ", ".join(sorted(value)[:8])
        type: Any = value.get("type")
        return (
            f"an object of type {type!r} with keys {keys}" if isinstance(type, str) else f"an object with keys {keys}"
        )
    if is_array(value):
        return f"an array of {len(value)}" + (f", first {_describe(value[0])}" if value else "")
    return f"a {_type_name(value)}"


def _type_name(value: Any) -> str:
    """Give the JSON name of a scalar's type."""
    if value is None:
        return "null"
    return {"str": "string", "bool": "boolean"}.get(type(value).__name__, "number")


_LATER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("openai-responses", ("input", "model")),
    ("gemini", ("contents",)),
    ("gemini-cli", ("sessionId", "projectHash", "messages")),
    ("inspect", ("eval", "samples")),
    ("swe-agent", ("trajectory",)),
    ("tau-bench", ("traj",)),
    ("tau-bench", ("simulations",)),
    ("pi", ("type", "message", "timestamp")),
    ("pi", ("type", "cwd", "timestamp")),
    ("copilot", ("type", "data", "timestamp")),
    ("kimi-wire", ("type", "protocol_version")),
)


def is_later(value: Any) -> bool:
    """Tell whether a line is of a format whose messages look like ours but are not: Kimi's context."""
    return is_object(value) and str(value.get("role")).startswith("_")


def _later(value: Any) -> str | None:
    if is_array(value):
        return _later(value[0]) if value else None
    if not is_object(value):
        return None
    if is_later(value):
        return "kimi-context"
    return next((name for name, keys in _LATER if all(key in value for key in keys)), None)
