"""Previews of stored bodies: tool results and long string values in the arguments of calls."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..state.history import History
from ..state.messages import Image, Message, Part, Text, ToolCall, ToolResult
from ..state.outputs import OutputStore, find_previews, preview
from ..state.pricing import Pricer
from ..state.steps import Step

__all__ = ["READ_TOOL", "Previewer"]

READ_TOOL = "read_tool_output"
_NO_REF = "tool-output-" + "0" * 32
"""Stands for the reference when a preview is only priced."""


class Previewer:
    """Makes previews that are strictly smaller, or none.

    Without a store nothing becomes a preview: what cannot be read again stays.
    """

    def __init__(self, outputs: OutputStore | None, pricer: Pricer, *, limit_bytes: int, arguments: bool) -> None:
        self.outputs = outputs
        self.pricer = pricer
        self.limit_bytes = limit_bytes
        self.arguments = arguments
        """Shorten long argument values too."""

    def preview_step(self, history: History, step: Step, *, store: bool = True) -> dict[int, Message]:
        """Give position → smaller message for what in a step can be shortened.

        The call and result structure stays, error flags stay, what is a preview already stays.

        Args:
            history: Where the step stands.
            step: The step.
            store: Put bodies into the store; `False` only to learn the price.
        """
        out: dict[int, Message] = {}
        if self.outputs is None or history[step.head].role != "assistant":
            return out
        names = {call.id: call.name for call in history[step.head].calls}
        for position in step.positions:
            message = history[position]
            if position == step.head:
                small = self._small_call(message, store)
            else:
                small = self._small_result(message, store, names)
            if small is not None and self.pricer.message(small) < self.pricer.message(message):
                out[position] = small
        return out

    def _small_result(self, message: Message, store: bool, names: Mapping[str, str]) -> Message | None:
        result = message.result
        if result is None:
            return None
        tool = names.get(result.call_id)
        texts = [part.text for part in result.content if isinstance(part, Text)]
        others = [part for part in result.content if not isinstance(part, Text)]
        body = "\n".join(texts)
        if find_previews(body):
            return None
        parts: list[Part] = []
        ref = result.ref
        if body and len(body) > self.limit_bytes // 4:
            ref = self._ref(body, ref, store, tool)
            short = preview(body, ref, self.limit_bytes)
            parts.append(Text(short if len(short) < len(body) else body))
        elif body:
            parts.append(Text(body))
        parts += [self._small_part(part, store, tool) for part in others]
        if len(parts) == len(result.content) and all(a == b for a, b in zip(parts, result.content, strict=True)):
            return None
        return replace(message, content=(replace(result, content=tuple(parts), ref=ref),))

    def _small_part(self, part: Part, store: bool, tool: str | None) -> Part:
        """Put an image into the store as a data URL; anything else stays."""
        if not isinstance(part, Image) or part.data is None:
            return part
        url = f"data:{part.media_type or 'application/octet-stream'};base64,{part.data}"
        ref = self._ref(url, None, store, tool)
        return Text(preview(url, ref, 64))

    def _small_call(self, message: Message, store: bool) -> Message | None:
        if not self.arguments or not message.calls:
            return None
        parts = tuple([self._small_arguments(part, store) for part in message.content])
        if all(a is b for a, b in zip(parts, message.content, strict=True)):
            return None
        return replace(message, content=parts)

    def _small_arguments(self, part: Part, store: bool) -> Part:
        if not isinstance(part, ToolCall):
            return part
        arguments = self._small_value(part.arguments, store, part.name)
        if arguments is part.arguments:
            return part
        extras = {key: value for key, value in (part.extras or {}).items() if key != "raw_arguments"}
        return replace(part, arguments=arguments, extras=extras or None)

    def _small_value(self, value: Any, store: bool, tool: str) -> Any:
        if isinstance(value, str):
            if len(value) <= self.limit_bytes // 4 or find_previews(value):
                return value
            short = preview(value, self._ref(value, None, store, tool), self.limit_bytes)
            return short if len(short) < len(value) else value
        if isinstance(value, Mapping):
            items = {key: self._small_value(item, store, tool) for key, item in value.items()}
            return value if all(items[key] is value[key] for key in items) else items
        if isinstance(value, list | tuple):
            fresh = [self._small_value(item, store, tool) for item in value]
            return value if all(a is b for a, b in zip(fresh, value, strict=True)) else fresh
        return value

    def _ref(self, body: str, known: str | None, store: bool, tool: str | None) -> str:
        if self.outputs is None or not store:
            return known or _NO_REF
        if known is not None and self.outputs.contains(known):
            return known
        return self.outputs.put(body, tool=tool)
