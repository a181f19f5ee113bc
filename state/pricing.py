"""What a message, a text or a tool costs, in tokens, by one counter. Every stage uses the same `Pricer`."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from .messages import File, Image, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from .sections import ToolSpec
from .tokens import TokenCounter, image_tokens

__all__ = ["PER_CALL", "PER_MESSAGE", "Pricer"]

PER_MESSAGE = 4
"""Role and delimiters of a message: 3 to 4 tokens in the chat templates that providers have published."""
PER_CALL = 6
"""Delimiters and id of a call."""
PER_TOOL = 8
"""Delimiters of a tool schema."""
FILE_TOKENS = 1600
"""A file part beside its text; providers publish no figure, this is the price of an image of unknown size."""
_KEPT_CHARS = 4_000_000
"""Texts of so many characters together are remembered with their price; then all are forgotten."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=dict)


class Pricer:
    """Prices with `counter`; a price is remembered on the message, so a message is counted once in its life."""

    __slots__ = ("_chars", "_texts", "counter")

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._texts: dict[str, int] = {}
        self._chars = 0

    def text(self, text: str) -> int:
        """Count a text that comes again every turn (a section, a schema, an attachment); it is remembered."""
        if not text:
            return 0
        known = self._texts.get(text)
        if known is None:
            known = self.counter.count(text)
            if self._chars + len(text) > _KEPT_CHARS:
                self._texts, self._chars = {}, 0
            self._texts[text] = known
            self._chars += len(text)
        return known

    def system(self, text: str) -> int:
        """Price the system prompt; nothing costs nothing."""
        return PER_MESSAGE + self.text(text) if text else 0

    def message(self, message: Message) -> int:
        """Price a message as it is sent."""
        memo = message.price_memo
        if memo is not None and memo[0] is self.counter:
            return memo[1]
        # Contributions are made anew each turn, mostly with the texts of the last one.
        count = self.text if message.origin.kind == "contribution" else self.counter.count
        price = PER_MESSAGE + _parts_price(message.content, count)
        if message.name:
            price += count(message.name)
        message.remember_price(self.counter, price)
        return price

    def messages(self, messages: Iterable[Message]) -> int:
        """Price several messages."""
        return sum(map(self.message, messages))

    def tools(self, tools: Iterable[ToolSpec]) -> int:
        """Price tool schemas."""
        return sum(PER_TOOL + self.text(tool.as_text()) for tool in tools)


def _parts_price(parts: Iterable[Part], count: Callable[[str], int]) -> int:
    price = 0
    for part in parts:
        if isinstance(part, Text):
            price += count(part.text)
        elif isinstance(part, ToolCall):
            price += PER_CALL + count(part.name) + count(compact(part.arguments))
        elif isinstance(part, ToolResult):
            price += _parts_price(part.content, count)
        else:
            price += _other_price(part, count)
    return price


def _other_price(part: Reasoning | Image | File | Opaque, count: Callable[[str], int]) -> int:
    if isinstance(part, Reasoning):
        return count(part.text) + count(part.signature or "") + count(part.encrypted or "")
    if isinstance(part, Image):
        return image_tokens(part.width, part.height, part.data)
    if isinstance(part, File):
        text = part.data if part.data and part.media_type.startswith("text/") else ""
        return FILE_TOKENS + count(part.name or "") + count(text)
    return count(compact(part.value))


def compact(value: Any) -> str:
    """Write JSON the way models write arguments: non-ASCII as it is, a blank behind `,` and `:`."""
    return _ENCODER.encode(value)
