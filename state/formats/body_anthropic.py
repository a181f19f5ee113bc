"""The body of an Anthropic Messages request."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..messages import File, Image, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from .anthropic_parts import content_value, write_block, write_result
from .body_parts import Body, check_names, image_type, tool_specs, valid_call
from .facts import facts_of, whole_of
from .json_values import is_array, is_object
from .registry import ANTHROPIC
from .repairs import Repairs
from .settling import clean_id, settle

__all__ = ["anthropic_body"]

_LONGEST_ID = 128
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_EMPTY_ERROR = "(no output)"
_THINKING = {"thinking", "redacted_thinking"}


def anthropic_body(system: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Body:
    """Write `{"system"?, "messages", "tools"?}`: roles take turns, results first in the message behind their calls."""
    repairs = Repairs(ANTHROPIC)
    settled = settle(messages, repairs, _name)
    turns: list[_Turn] = []
    for message in settled:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message, repairs)
        if not blocks:
            repairs.note("a message without content is left out", message.id)
        elif turns and turns[-1].role == role:
            turns[-1].add(blocks)
        else:
            turns.append(_Turn(role, blocks, as_list=_as_list(message)))
    out = [said for turn in turns if (said := turn.value(repairs)) is not None]
    if out and out[0]["role"] != "user":
        repairs.note("the first message is not a user message, which the provider refuses", "", severity="error")
    check_names(tools, [call for message in settled for call in message.calls], _TOOL_NAME, repairs)
    value: dict[str, Any] = {"system": system} if system else {}
    value["messages"] = out
    if tools:
        value["tools"] = tool_specs(tools, _spec)
    return Body(value=value, diagnostics=repairs.diagnostics())


def _spec(name: str, description: str, parameters: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": parameters}


def _name(id: str) -> str:
    return clean_id(id, _LONGEST_ID)


class _Turn:
    """What one role says until the other one speaks."""

    def __init__(self, role: str, blocks: list[Any], *, as_list: bool) -> None:
        self.role = role
        self._blocks = blocks
        self._as_list = as_list

    def add(self, blocks: list[Any]) -> None:
        self._blocks += blocks

    def value(self, repairs: Repairs) -> dict[str, Any] | None:
        while self.role == "assistant" and self._blocks and _type(self._blocks[-1]) in _THINKING:
            self._blocks.pop()
            repairs.note("thinking at the end of a message is left out: the provider refuses it there", "")
        if not self._blocks:
            return None
        return {"role": self.role, "content": content_value(self._blocks, as_list=self._as_list)}


def _type(block: Any) -> Any:
    return block.get("type") if is_object(block) else None


def _as_list(message: Message) -> bool:
    return message.role == "tool" or facts_of(message.extras, ANTHROPIC).get("content") == "list"


def _blocks(message: Message, repairs: Repairs) -> list[Any]:
    if whole_of(ANTHROPIC, message) is not None:
        repairs.note("a message of an unknown role is left out", message.id, severity="warning")
        return []
    repairs.keep(message.extras, message.id)
    if message.role == "system":
        repairs.note("a system message inside the conversation goes out as a user message", message.id)
    if message.role == "tool":
        assert message.result is not None
        return [_result(message.result, message, repairs)]
    return _written(message.content, message, repairs)


def _written(parts: Sequence[Part], message: Message, repairs: Repairs) -> list[Any]:
    blocks: list[Any] = []
    for part in parts:
        if isinstance(part, Text) and not part.text.strip():
            continue
        found = _block(part, message, repairs)
        if not found:
            repairs.lost(part, message.id)
        blocks += found
    return blocks


def _block(part: Part, message: Message, repairs: Repairs) -> list[Any]:
    """Give what the API takes of a part in a message of that role, nothing for what it does not."""
    assistant = message.role == "assistant"
    if isinstance(part, Text):
        extras = repairs.keep(part.extras, message.id, keys=("cache_control", "citations"))
        return write_block(Text(part.text, extras=extras))
    if isinstance(part, ToolCall):
        extras = repairs.keep(part.extras, message.id, keys=("cache_control", "caller"))
        return write_block(valid_call(part, extras, message.id, repairs), calls=assistant)
    if isinstance(part, Reasoning):
        extras = repairs.keep(part.extras, message.id, facts=("type",))
        signed = part.signature or facts_of(extras, ANTHROPIC).get("type") == "redacted_thinking"
        return write_block(replace(part, extras=extras)) if assistant and signed else []
    if isinstance(part, Opaque):
        found = write_block(part, calls=assistant, results=message.role == "user")
        return found if is_object(part.value) else []
    if isinstance(part, Image | File) and not assistant:
        extras = repairs.keep(part.extras, message.id, keys=("cache_control", "citations", "context"))
        return _media(replace(part, extras=extras))
    return []


def _media(part: Image | File) -> list[Any]:
    if isinstance(part, Image):
        type = part.media_type if part.data is None else image_type(part.media_type, part.data)
        return write_block(replace(part, media_type=type))
    if part.data is None or part.media_type == "application/pdf":
        return write_block(part)
    if not part.media_type.startswith("text/"):
        return []
    try:
        text = base64.b64decode(part.data, validate=True).decode()
    except (binascii.Error, ValueError):
        return []
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return [{**block, "source": source} for block in write_block(part)]


def _result(result: ToolResult, message: Message, repairs: Repairs) -> dict[str, Any]:
    extras = repairs.keep(result.extras, message.id, keys=("cache_control",), facts=("content", "is_error"))
    block, _ = write_result(replace(result, content=(), extras=extras))
    blocks = _written(result.content, message, repairs)
    shape = facts_of(extras, ANTHROPIC).get("content")
    if blocks:
        block["content"] = content_value(blocks, as_list=shape == "list")
    elif result.is_error:
        block["content"] = _EMPTY_ERROR
        repairs.note("a failed result without content gets a text: the provider refuses an empty one", message.id)
    elif is_array(block.get("content")):
        block["content"] = ""
    return block
