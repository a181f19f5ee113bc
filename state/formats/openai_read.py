"""OpenAI chat messages into canonical ones.

Facts of a message: `keys`, `whole` · `content`: `list` (where a string or null would be written), `absent` ·
`tool_call_id`: `absent` · `calls` (entries of `tool_calls` that are not understood, with their places).
"""

from typing import Any

from ..messages import Message, Part, Role, Text, ToolResult
from .facts import Facts, note, stored_ref, unread
from .json_values import is_array
from .openai_parts import ABSENT, read_block, read_call, read_function, read_reasoning
from .origins import recognised
from .registry import OPENAI_CHAT

__all__ = ["ROLES", "read_message"]

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_REASONING = ("reasoning_content", "reasoning")


def read_message(given: dict[str, Any]) -> Message:
    """Read one message without its key `turngraph`; nothing of it is lost."""
    name = given.get("role")
    role = ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        return unread(OPENAI_CHAT, given)
    content = given.get("content")
    if len(given) == 2 and isinstance(content, str) and name == role != "tool":
        return Message(role=role, content=(Text(content),))
    facts: Facts = {}
    keys: Facts = {} if name == role else {"role": name}
    parts = _content(given, role, facts, keys)
    if role == "tool":
        return _tool(given, parts, facts, keys)
    if role == "assistant":
        parts = _assistant(given, parts, facts, keys)
    label = _rest(given, ("role", "content"), keys)
    return recognised(Message(role=role, content=tuple(parts), name=label, extras=note(OPENAI_CHAT, facts, keys)))


def _content(given: dict[str, Any], role: Role, facts: Facts, keys: Facts) -> list[Part]:
    content = given.get("content")
    if isinstance(content, str):
        return [Text(content)]
    if is_array(content):
        parts = [read_block(block) for block in content]
        if (not parts and role == "assistant") or (
            len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None
        ):
            facts["content"] = "list"
        return parts
    if "content" not in given:
        facts["content"] = ABSENT
    elif content is not None or role != "assistant":
        keys["content"] = content
    return []


def _assistant(given: dict[str, Any], content: list[Part], facts: Facts, keys: Facts) -> list[Part]:
    parts: list[Part] = []
    for key in _REASONING:
        if key in given:
            text = given[key]
            if isinstance(text, str) and not parts:
                parts.append(read_reasoning(key, text))
            else:
                keys[key] = text
    parts += content
    entries = given.get("tool_calls")
    if is_array(entries) and entries:
        calls = [read_call(entry) for entry in entries]
        parts += [call for call in calls if call is not None]
        odd = [[place, entries[place]] for place, call in enumerate(calls) if call is None]
        if odd:
            facts["calls"] = odd
    elif "tool_calls" in given:
        keys["tool_calls"] = entries
    if "function_call" in given:
        call = read_function(given["function_call"])
        if call is None:
            keys["function_call"] = given["function_call"]
        else:
            parts.append(call)
    return parts


def _tool(given: dict[str, Any], parts: list[Part], facts: Facts, keys: Facts) -> Message:
    name = _rest(given, ("role", "content", "tool_call_id"), keys)
    id = given.get("tool_call_id")
    if not isinstance(id, str):
        if "tool_call_id" in given:
            keys["tool_call_id"] = id
        elif given["role"] != "function":
            facts["tool_call_id"] = ABSENT
        id = (name or "") if given["role"] == "function" else ""
    elif given["role"] == "function":
        keys["tool_call_id"] = id
    result = ToolResult(call_id=id, content=tuple(parts), ref=stored_ref(given))
    return Message(role="tool", content=(result,), name=name, extras=note(OPENAI_CHAT, facts, keys))


_ASSISTANT = ("role", "content", "tool_calls", "function_call", *_REASONING)


def _rest(given: dict[str, Any], known: tuple[str, ...], keys: Facts) -> str | None:
    """Note the keys that nobody reads; give the name."""
    if given["role"] == "assistant":
        known = _ASSISTANT
    name = given.get("name")
    for key, value in given.items():
        if key not in known and not (key == "name" and isinstance(name, str)):
            keys[key] = value
    return name if isinstance(name, str) else None
