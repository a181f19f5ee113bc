"""The body of an OpenAI chat request."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..messages import File, Image, Message, Opaque, Part, Reasoning, Text, ToolCall
from .body_parts import Body, check_names, image_type, tool_specs, valid_call
from .facts import facts_of, whole_of
from .json_values import is_object
from .openai_write import plain_message
from .registry import OPENAI_CHAT
from .repairs import Repairs
from .settling import clean_id, settle

__all__ = ["openai_body"]

_LONGEST_ID = 40
"""https://platform.openai.com/docs/api-reference/chat refuses longer call ids."""
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_USER_NAME = re.compile(r"[^\s<|\\/>]+")
_IMAGE_FOLLOWS = "(see the message that follows the tool results)"


def openai_body(system: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Body:
    """Write `{"messages", "tools"?}`; `tools` is left out when there are none, as the API refuses an empty list."""
    repairs = Repairs(OPENAI_CHAT)
    settled = settle(messages, repairs, _name)
    out: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    moved: list[Part] = []
    for message in settled:
        if message.role != "tool" and moved:
            out.append(_moved(moved))
            moved = []
        if message.role == "tool":
            out.append(_tool(message, moved, repairs))
        elif (said := _conversation(message, repairs)) is not None:
            out.append(said)
    if moved:
        out.append(_moved(moved))
    calls = [call for message in settled for call in message.calls]
    check_names(tools, calls, _TOOL_NAME, repairs)
    value: dict[str, Any] = {"messages": out}
    if tools:
        value["tools"] = tool_specs(tools, _spec)
    return Body(value=value, diagnostics=repairs.diagnostics())


def _spec(name: str, description: str, parameters: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _name(id: str) -> str:
    return id if 0 < len(id) <= _LONGEST_ID else clean_id(id, _LONGEST_ID)


def _conversation(message: Message, repairs: Repairs) -> dict[str, Any] | None:
    if whole_of(OPENAI_CHAT, message) is not None:
        repairs.note("a message of an unknown role is left out", message.id, severity="warning")
        return None
    content = [kept for part in message.content if (kept := _part(part, message, repairs)) is not None]
    name = message.name
    if name is not None and not _USER_NAME.fullmatch(name):
        repairs.note(f"the name {name!r} is left out: the provider does not take it", message.id)
        name = None
    spoken = ("refusal", "audio") if message.role == "assistant" else ()  # what only a model says
    extras = repairs.keep(message.extras, message.id, keys=("role", *spoken), facts=("content",))
    if not content and not facts_of(extras, OPENAI_CHAT).get("keys", {}).keys() & {"refusal", "audio"}:
        repairs.note("a message without content is left out", message.id)
        return None
    value = plain_message(replace(message, content=tuple(content), name=name, extras=extras)).value
    if message.role != "assistant" and not value.get("content"):
        repairs.note("a message without content is left out", message.id)
        return None
    return value


def _part(part: Part, message: Message, repairs: Repairs) -> Part | None:
    """Give what the API takes of a part in a message of that role."""
    if isinstance(part, Text):
        extras = repairs.keep(part.extras, message.id, keys=("cache_control",))
        return (part if part.extras is None else Text(part.text, extras=extras)) if part.text else None
    if isinstance(part, ToolCall):
        extras = repairs.keep(part.extras, message.id, facts=("type",))
        if facts_of(extras, OPENAI_CHAT).get("type") != "custom":
            extras = None
        return valid_call(part, extras, message.id, repairs)
    if isinstance(part, Reasoning) and message.role == "assistant" and facts_of(part.extras, OPENAI_CHAT):
        return part
    if isinstance(part, Opaque) and part.format == OPENAI_CHAT and is_object(part.value) and "type" in part.value:
        return part
    if message.role == "user" and (media := _media(part, message, repairs)) is not None:
        return media
    repairs.lost(part, message.id)
    return None


def _media(part: Part, message: Message, repairs: Repairs) -> Part | None:
    if isinstance(part, Image):
        extras = repairs.keep(part.extras, message.id, keys=("cache_control",), facts=("inner",))
        type = part.media_type if part.data is None else image_type(part.media_type, part.data)
        return replace(part, media_type=type, extras=extras)
    if isinstance(part, File) and part.data is not None:
        extras = repairs.keep(part.extras, message.id, keys=("cache_control",), facts=("inner", "type"))
        return replace(part, extras=extras)
    return None


def _tool(message: Message, moved: list[Part], repairs: Repairs) -> dict[str, Any]:
    """Write a result as text; its images and files are added to `moved`."""
    result = message.result
    assert result is not None
    texts: list[Part] = []
    media: list[Part] = []
    for part in result.content:
        if isinstance(part, Text):
            extras = repairs.keep(part.extras, message.id, keys=("cache_control",))
            texts.append(part if part.extras is None else Text(part.text, extras=extras))
        elif (kept := _media(part, message, repairs)) is not None:
            media.append(kept)
        else:
            repairs.lost(part, message.id)
    if media:
        repairs.note("images of a result are moved into a user message behind the results", message.id)
        moved += [Text(f"From the result of call {result.call_id}:"), *media]
    if len(texts) > 1:
        texts = [part for part in texts if not isinstance(part, Text) or part.text] or texts[:1]
    if not texts:
        texts = [Text(_IMAGE_FOLLOWS if media else "")]
    extras = repairs.keep(message.extras, message.id, facts=("content",))
    plain = replace(message, content=(replace(result, content=tuple(texts)),), extras=extras)
    return plain_message(plain).value


def _moved(parts: list[Part]) -> dict[str, Any]:
    return plain_message(Message.user(parts)).value
