"""Anthropic messages into canonical ones.

A user message is one canonical message per run of other blocks and one per `tool_result`. Facts of a message:
`keys` (on the first one), `whole` · `content`: `list`, `absent` · `part`: `k/n@call`, where several came from one
that holds more than results (`call`: the first one answered in it) · `apart`: results that follow the results of
another message. Results alone in one message need no facts: results that follow one another are one message unless
they say otherwise.
"""

from dataclasses import replace
from typing import Any

from ..messages import Message, Part, Role, Text, ToolResult
from .anthropic_parts import ABSENT, read_block, read_result
from .facts import Facts, note, others, stored_ref, unread
from .json_values import is_array
from .origins import recognised
from .registry import ANTHROPIC

__all__ = ["ROLES", "read_messages"]

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def read_messages(given: dict[str, Any], *, after_results: bool) -> list[Message]:
    """Read one foreign message without its key `turngraph`, at least one canonical message.

    `after_results`: the foreign message before this one holds results alone.
    """
    name = given.get("role")
    role = ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        return [unread(ANTHROPIC, given)]
    content = given.get("content")
    if len(given) == 2 and isinstance(content, str):
        return [Message(role=role, content=(Text(content),))]
    label = given.get("name")
    named = isinstance(label, str)
    keys = others(given, ("role", "content", "name") if named else ("role", "content"))
    if not is_array(content):
        return [_one(given, role, label if named else None, keys)]
    runs = _runs(content, role)
    if len(runs) == 1 and not isinstance(runs[0], ToolResult):
        facts = {"content": "list"} if _is_plain_text(runs[0]) else {}
        message = Message(
            role=role, content=tuple(runs[0]), name=label if named else None, extras=note(ANTHROPIC, facts, keys)
        )
        return [recognised(message)]
    return _several(runs, label if named else None, keys, after_results=after_results)


def _one(given: dict[str, Any], role: Role, name: str | None, keys: Facts) -> Message:
    content = given.get("content")
    facts: Facts = {}
    parts: tuple[Part, ...] = ()
    if isinstance(content, str):
        parts = (Text(content),)
    elif "content" in given:
        keys["content"] = content
    else:
        facts["content"] = ABSENT
    return recognised(Message(role=role, content=parts, name=name, extras=note(ANTHROPIC, facts, keys)))


def _runs(content: list[Any], role: Role) -> list[list[Part] | ToolResult]:
    if role != "user":
        return [[read_block(block, calls=role == "assistant") for block in content]]
    runs: list[list[Part] | ToolResult] = []
    for block in content:
        result = read_result(block)
        if result is not None:
            runs.append(result)
        elif runs and isinstance(last := runs[-1], list):
            last.append(read_block(block))
        else:
            runs.append([read_block(block)])
    return runs or [[]]


def _is_plain_text(parts: list[Part]) -> bool:
    return len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None


def _several(
    runs: list[list[Part] | ToolResult], name: str | None, keys: Facts, *, after_results: bool
) -> list[Message]:
    mixed = any(not isinstance(run, ToolResult) for run in runs)
    ref = stored_ref(keys) if len(runs) == 1 else None
    call = next(run.call_id for run in runs if isinstance(run, ToolResult))
    messages: list[Message] = []
    for index, run in enumerate(runs):
        facts: Facts = {}
        if mixed:
            facts["part"] = f"{index + 1}/{len(runs)}@{call}"
        elif after_results and index == 0:
            facts["apart"] = True
        extras = note(ANTHROPIC, facts, keys if index == 0 else None)
        label = name if index == 0 else None
        if isinstance(run, ToolResult):
            result = run if ref is None else replace(run, ref=ref)
            messages.append(Message(role="tool", content=(result,), name=label, extras=extras))
        else:
            messages.append(Message(role="user", content=tuple(run), name=label, extras=extras))
    return messages
