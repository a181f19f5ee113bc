"""Canonical messages into OpenAI chat messages."""

from collections.abc import Iterable
from typing import Any

from ..messages import Message, Part, Reasoning, Text, ToolCall
from .facts import Facts, facts_of, whole_of
from .json_values import fresh, is_array, is_object
from .keyed import Plain, hollow, keyed, simple_key, with_key
from .keys import KEY
from .openai_parts import ABSENT, write_block, write_call, write_function
from .openai_read import ROLES, read_message
from .registry import OPENAI_CHAT

__all__ = ["plain_message", "write_message"]


def write_message(message: Message) -> dict[str, Any]:
    """Write one message with its key, so that reading it gives an equal one."""
    value = simple_message(message)
    if value is not None:
        return with_key(value, simple_key(message))
    return keyed(message, plain_message(message), read_message)


def simple_message(message: Message) -> dict[str, Any] | None:
    """Write a message of texts, calls and one text result without facts; `None` for any other."""
    if message.extras is not None or message.name is not None:
        return None
    role, content = message.role, message.content
    if role == "tool":
        result = message.result
        if result is None or result.extras is not None or result.is_error or result.interim:
            return None
        text = _only_text(result.content) if result.ref is None and len(content) == 1 else None
        return None if text is None else {"role": role, "content": text, "tool_call_id": result.call_id}
    text = _only_text(content[:1])
    rest = content if text is None else content[1:]
    if role != "assistant":
        return None if rest or text is None else {"role": role, "content": text}
    calls: list[dict[str, Any]] = []
    for part in rest:
        if not isinstance(part, ToolCall) or part.extras is not None:
            return None
        calls.append(write_call(part))
    out: dict[str, Any] = {"role": role, "content": text}
    if calls:
        out["tool_calls"] = calls
    return out


def _only_text(content: tuple[Part, ...]) -> str | None:
    if len(content) == 1 and isinstance(part := content[0], Text) and part.extras is None:
        return part.text
    return None


def plain_message(message: Message) -> Plain:
    """Write what the format can say of a message, in the shape that it was read in."""
    whole = whole_of(OPENAI_CHAT, message)
    if whole is not None:
        return Plain(whole, [0])
    facts = facts_of(message.extras, OPENAI_CHAT)
    keys = facts.get("keys")
    out: Facts = {key: fresh(value) for key, value in keys.items() if key != KEY} if is_object(keys) else {}
    odd = out.get("role")
    out["role"] = odd if isinstance(odd, str) and ROLES.get(odd) == message.role else message.role
    if message.name is not None:
        out["name"] = message.name
    if message.role != "tool":
        return _conversation(message, facts, out)
    result = message.result
    if result is None or len(message.content) != 1:
        return hollow()
    if out["role"] == "tool" and (result.call_id or not ("tool_call_id" in out or facts.get("tool_call_id") == ABSENT)):
        out["tool_call_id"] = result.call_id
    kept = _put_content(out, facts, message, enumerate(result.content))
    return Plain(out, kept)


def _conversation(message: Message, facts: Facts, out: Facts) -> Plain:
    kept: list[int] = []
    calls: list[tuple[int, ToolCall]] = []
    content: list[tuple[int, Part]] = []
    for index, part in enumerate(message.content):
        if message.role == "assistant" and isinstance(part, ToolCall):
            calls.append((index, part))
        elif message.role == "assistant" and not kept and isinstance(part, Reasoning) and _key_of(part):
            out[_key_of(part)] = part.text
            kept.append(index)
        else:
            content.append((index, part))
    kept += _put_content(out, facts, message, content)
    kept += _put_calls(out, facts, calls)
    return Plain(out, kept)


def _key_of(part: Reasoning) -> str:
    key = facts_of(part.extras, OPENAI_CHAT).get("type")
    return key if key in {"reasoning_content", "reasoning"} else ""


def _put_content(out: Facts, facts: Facts, message: Message, parts: Iterable[tuple[int, Part]]) -> list[int]:
    written = [(index, part, block) for index, part in parts for block in write_block(part)]
    shape = facts.get("content")
    if not written:
        if shape == ABSENT:
            out.pop("content", None)
        elif "content" not in out:
            out["content"] = None if message.role == "assistant" and shape != "list" else []
        return []
    _, first, block = written[0]
    alone = len(written) == 1 and isinstance(first, Text) and is_object(block) and len(block) == 2
    out["content"] = first.text if alone and shape != "list" else [block for _, _, block in written]  # type: ignore[union-attr]
    return [index for index, _, _ in written]


def _put_calls(out: Facts, facts: Facts, calls: list[tuple[int, ToolCall]]) -> list[int]:
    legacy = [
        (index, call)
        for index, call in calls
        if facts_of(call.extras, OPENAI_CHAT).get("type") == "function_call" and call.id == call.name
    ][-1:]
    usual = [(index, call) for index, call in calls if (index, call) not in legacy]
    entries: list[Any] = [write_call(call) for _, call in usual]
    odd = facts.get("calls")
    for place in odd if is_array(odd) else []:
        if is_array(place) and len(place) == 2 and isinstance(place[0], int):
            entries.insert(place[0], fresh(place[1]))
    if entries:
        out["tool_calls"] = entries
    if legacy:
        out["function_call"] = write_function(legacy[0][1])
    return [index for index, _ in (*usual, *legacy)]
