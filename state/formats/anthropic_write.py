"""Canonical messages into Anthropic messages: results that belong together share one user message.

The key `turngraph` of a foreign message that holds several canonical ones is `{"messages": […]}`, a key for each
in order; that of a result also names its `call`, so that it is found when a host took a block away.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..messages import Message, Part, Text, ToolCall, ToolResult
from .anthropic_parts import ABSENT, content_value, write_block, write_result
from .anthropic_read import read_messages
from .facts import Facts, facts_of, whole_of
from .json_values import fresh, is_object
from .keyed import hollow, keyed, simple_key, with_key
from .keys import KEY, key_of
from .registry import ANTHROPIC

__all__ = ["groups", "plain_group", "write_messages"]


def write_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Write messages with their keys, so that reading them gives equal ones."""
    written: list[dict[str, Any]] = []
    after_results = False
    for group in groups(messages):
        value = None if after_results else _simple_group(group)
        if value is not None:
            after_results = group[0].role == "tool"
            written.append(value)
            continue
        found = _write_group(group, after_results=after_results)
        if found is None:
            written += [_write_alone(message) for message in group]
            after_results = False
        else:
            value, after_results = found
            written.append(value)
    return written


def groups(messages: Sequence[Message]) -> list[list[Message]]:
    """Part messages into those that share one foreign message."""
    found: list[list[Message]] = []
    for message in messages:
        if found and _joins(found[-1][-1], message):
            found[-1].append(message)
        else:
            found.append([message])
    return found


def _joins(before: Message, message: Message) -> bool:
    facts, earlier = facts_of(message.extras, ANTHROPIC), facts_of(before.extras, ANTHROPIC)
    if "part" in facts or "part" in earlier:
        return _follows(earlier.get("part"), facts.get("part"))
    return message.role == before.role == "tool" and not facts.get("apart")


def _follows(before: Any, part: Any) -> bool:
    """Tell whether `k/n@call` and `k+1/n@call` stand there."""
    if not isinstance(before, str) or not isinstance(part, str):
        return False
    place, _, rest = before.partition("/")
    return place.isdecimal() and part == f"{int(place) + 1}/{rest}"


class _Group(NamedTuple):
    value: dict[str, Any]
    kept: list[list[int]]


def _simple_group(group: list[Message]) -> dict[str, Any] | None:
    """Write a message of texts and calls, or results of one text each, none with facts; `None` for any other."""
    blocks: list[Any] = []
    for message in group:
        if message.extras is not None or message.name is not None:
            return None
        found = [block for part in message.content for block in _simple_block(part, message)]
        if len(found) != len(message.content):
            return None
        blocks += found
    first = group[0]
    if not blocks or (first.role == "tool" and len(blocks) != len(group)):
        return None
    value = {
        "role": "user" if first.role == "tool" else first.role,
        "content": content_value(blocks, as_list=first.role == "tool"),
    }
    keys = [simple_key(message) for message in group]
    if len(keys) == 1:
        return with_key(value, keys[0])
    for key, message in zip(keys, group, strict=True):
        if key and message.result is not None:
            key["call"] = message.result.call_id
    return with_key(value, {"messages": keys} if any(keys) else {})


def _simple_block(part: Part, message: Message) -> list[Any]:
    if isinstance(part, ToolResult) and message.role == "tool":
        text = part.content[0] if len(part.content) == 1 else None
        plain = isinstance(text, Text) and text.extras is None and part.extras is None
        return [write_result(part)[0]] if plain and part.ref is None and not part.interim else []
    if isinstance(part, Text | ToolCall) and part.extras is None and message.role != "tool":
        return write_block(part, calls=message.role == "assistant")
    return []


def _write_group(group: list[Message], *, after_results: bool) -> tuple[dict[str, Any], bool] | None:
    """Write a group, and whether it holds results alone; `None` if its plain reading would not part like it."""
    plain = plain_group(group)
    if plain is None:
        return None
    read = read_messages(plain.value, after_results=after_results)
    if len(read) != len(group):
        return None
    keys: list[dict[str, Any]] = []
    for message, back, kept in zip(group, read, plain.kept, strict=True):
        found = back.result.content if back.role == "tool" and back.result is not None else back.content
        if len(found) != len(kept):
            return None
        key = key_of(message, back, kept)
        if key and len(group) > 1 and message.result is not None:
            key["call"] = message.result.call_id
        keys.append(key)
    said = keys[0] if len(group) == 1 else {"messages": keys} if any(keys) else {}
    return with_key(plain.value, said), all(back.role == "tool" for back in read)


def _write_alone(message: Message) -> dict[str, Any]:
    def read(value: dict[str, Any]) -> Message:
        return read_messages(value, after_results=False)[0]

    return keyed(message, hollow(), read)


def plain_group(group: Sequence[Message]) -> _Group | None:
    """Write what the format can say of messages that share one foreign message."""
    first = group[0]
    if len(group) == 1 and (whole := whole_of(ANTHROPIC, first)) is not None:
        return _Group(whole, [[0]])
    facts = facts_of(first.extras, ANTHROPIC)
    keys = facts.get("keys")
    out: Facts = {key: fresh(value) for key, value in keys.items() if key != KEY} if is_object(keys) else {}
    out["role"] = "user" if len(group) > 1 or first.role == "tool" else first.role
    if first.name is not None:
        out["name"] = first.name
    blocks: list[Any] = []
    kept: list[list[int]] = []
    for message in group:
        if message.role == "tool":
            if message.result is None or len(message.content) != 1:
                return None
            block, inside = write_result(message.result)
            blocks.append(block)
            kept.append(inside)
        else:
            kept.append(_add_blocks(blocks, message))
    _put_content(out, facts, blocks, results=len(group) > 1 or first.role == "tool")
    return _Group(out, kept)


def _add_blocks(blocks: list[Any], message: Message) -> list[int]:
    written = [
        (index, block)
        for index, part in enumerate(message.content)
        for block in write_block(part, calls=message.role == "assistant", results=message.role == "user")
    ]
    blocks += [block for _, block in written]
    return [index for index, _ in written]


def _put_content(out: Facts, facts: Facts, blocks: list[Any], *, results: bool) -> None:
    shape = facts.get("content")
    if blocks:
        out["content"] = content_value(blocks, as_list=results or shape == "list")
    elif shape == ABSENT:
        out.pop("content", None)
    elif "content" not in out:
        out["content"] = []
