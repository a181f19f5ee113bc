"""JSON pieces of a trace. What was written for one document is not written again for the next."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import is_
from typing import Any, Final, NamedTuple, cast

import orjson

from ...state.formats import message_to_json
from ...state.messages import Message, Part, Text, ToolCall, ToolResult
from ...state.wellformed import well_formed, well_formed_json
from .redaction import Redactor

__all__ = ["Encoder", "Pieces", "array", "camel", "camel_keys", "joined", "plain"]

Pieces = list[bytes | memoryview]
"""A JSON text in pieces that are written one behind the other: a history is never copied to be put into a document."""

_BLOCK: Final = 32
"""So many messages are written in one go. Where a history was cut, so many at most are written again."""
_MEMO_CHARS: Final = 64
"""Shorter strings (roles, types, ids) come again and again: each is redacted once per document."""


@cache
def camel(name: str) -> str:
    """Give `durationMs` for `duration_ms`."""
    first, *rest = name.split("_")
    return first + "".join([word.capitalize() for word in rest])


def camel_keys(value: Mapping[str, Any]) -> dict[str, Any]:
    """Give an object of ours with its keys in camelCase, and those of objects in it; lists stay as they are."""
    return {
        camel(key): camel_keys(cast("dict[str, Any]", item)) if isinstance(item, dict) else item
        for key, item in value.items()
    }


def plain(value: Any) -> Any:
    """Give what a run keeps as JSON: records under camelCase names without what they do not know, sets sorted.

    What knows its own JSON gives it. What is no value becomes its `repr`.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Message):
        return message_to_json(value)
    if callable(own := getattr(value, "as_json", None)):
        return own()
    if is_dataclass(value) and not isinstance(value, type):
        known = ((item.name, getattr(value, item.name)) for item in fields(value))
        return {camel(name): plain(item) for name, item in known if item is not None}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, Any]", value).items()}
    if isinstance(value, set | frozenset):
        return sorted([plain(item) for item in cast("Iterable[Any]", value)])
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[Any]", value)]
    return repr(value)


def joined(pairs: Iterable[tuple[str, Pieces]]) -> Pieces:
    """Put an object together."""
    out: Pieces = []
    for name, pieces in pairs:
        out.append(f'{"," if out else "{"}"{name}":'.encode())
        out += pieces
    out.append(b"}" if out else b"{}")
    return out


def array(items: Iterable[Pieces]) -> Pieces:
    """Put an array together."""
    out: Pieces = []
    for pieces in items:
        out.append(b"," if out else b"[")
        out += pieces
    out.append(b"]" if out else b"[]")
    return out


class _Block(NamedTuple):
    messages: Sequence[Message]
    data: memoryview


class Encoder:
    """Writes values as JSON, redacted. Not for several threads. Keeps the pieces of the last document."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        self._redactor = redactor
        self._old: dict[int, tuple[object, bytes]] = {}
        self._known: dict[int, tuple[object, bytes]] = {}
        self._old_blocks: dict[int, _Block] = {}
        self._blocks: dict[int, _Block] = {}
        """By the identity of their first message."""
        self._short: dict[str, str] = {}

    def begin(self) -> None:
        """Begin a document: pieces that the last one did not use are forgotten."""
        self._old, self._known = self._known, {}
        self._old_blocks, self._blocks = self._blocks, {}
        self._short = {}

    def piece(self, value: Any) -> Pieces:
        """Write a JSON value."""
        return [self._written(value)]

    def once(self, item: object, make: Callable[[Any], Any] = plain) -> Pieces:
        """Write an immutable object, or give what was written for it before."""
        known = self._known.get(id(item)) or self._old.get(id(item))
        if known is None or known[0] is not item:
            known = (item, self._written(make(item)))
        self._known[id(item)] = known
        return [known[1]]

    def each(self, items: Iterable[object]) -> Pieces:
        """Write an array of immutable objects, each once."""
        return array(map(self.once, items))

    def messages(self, messages: Sequence[Message]) -> Pieces:
        """Write an array of messages: blocks that were written before and still stand together are used again."""
        blocks: list[Pieces] = []
        fresh: list[Message] = []
        at, count = 0, len(messages)
        while at < count:
            block = self._block_at(messages, at)
            if block is not None:
                if fresh:
                    blocks.append(self._fresh_block(fresh))
                    fresh = []
                blocks.append([block.data])
                at += len(block.messages)
                continue
            fresh.append(messages[at])
            at += 1
            if len(fresh) == _BLOCK:
                blocks.append(self._fresh_block(fresh))
                fresh = []
        if fresh:
            blocks.append(self._fresh_block(fresh))
        return array(blocks)

    def _block_at(self, messages: Sequence[Message], at: int) -> _Block | None:
        name = id(messages[at])
        block = self._blocks.get(name) or self._old_blocks.get(name)
        if block is None or not all(map(is_, block.messages, messages[at : at + len(block.messages)])):
            return None
        if at + len(block.messages) > len(messages):
            return None
        self._blocks[name] = block
        return block

    def _fresh_block(self, messages: list[Message]) -> Pieces:
        data = memoryview(self._written([_message_json(message) for message in messages]))[1:-1]
        self._blocks[id(messages[0])] = _Block(messages, data)
        return [data]

    def _written(self, value: Any) -> bytes:
        if self._redactor is not None:
            value = self._redacted(value, self._redactor)
        try:
            return orjson.dumps(value)
        except (TypeError, orjson.JSONEncodeError):  # lone surrogates, integers over 64 bits, values that are no JSON
            text = json.dumps(well_formed_json(plain(value)), ensure_ascii=False, separators=(",", ":"))
            return well_formed(text).encode()

    def _redacted(self, value: Any, redact: Redactor) -> Any:
        if isinstance(value, str):
            return self._redacted_text(value, redact)
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {key: self._redacted(item, redact) for key, item in items}
        if isinstance(value, list | tuple):
            return [self._redacted(item, redact) for item in cast("list[Any]", value)]
        return value

    def _redacted_text(self, text: str, redact: Redactor) -> str:
        if len(text) >= _MEMO_CHARS:
            return _checked(redact(text))
        known = self._short.get(text)
        if known is None:
            known = self._short[text] = _checked(redact(text))
        return known


def _checked(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"the redactor gave {type(text).__name__}, not a string")
    return text


def _message_json(message: Message) -> dict[str, Any]:
    """Give what `message_to_json` gives, three times faster where a message is a usual one; shares its arguments."""
    content: list[dict[str, Any]] = []
    for part in message.content:
        known = _part_json(part)
        if known is None:
            return message_to_json(message)
        content.append(known)
    if message.origin.data or message.extras or not message.id:
        return message_to_json(message)
    out: dict[str, Any] = {"id": message.id, "role": message.role, "content": content}
    if message.name is not None:
        out["name"] = message.name
    out["origin"] = {"kind": message.origin.kind}
    if message.hidden:
        out["hidden"] = True
    return out


def _part_json(part: Part) -> dict[str, Any] | None:
    if isinstance(part, Text) and not part.extras:
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall) and not part.extras:
        return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
    if isinstance(part, ToolResult) and not (part.extras or part.interim):
        content = [_part_json(inner) for inner in part.content]
        if None in content:
            return None
        out = {"type": "tool_result", "call_id": part.call_id, "content": content, "is_error": part.is_error}
        return out if part.ref is None else out | {"ref": part.ref}
    return None
