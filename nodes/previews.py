"""Previews of stored bodies: tool results and long string values in the arguments of calls."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..state.budget import Budget
from ..state.errors import OutputRefError
from ..state.foreign import is_array, is_object
from ..state.history import History
from ..state.messages import Image, Message, Part, Reasoning, Text, ToolCall, ToolResult
from ..state.outputs import OutputStore, is_preview, preview
from ..state.pricing import Pricer
from ..state.steps import Step
from .guard_text import shorten_cut
from .services import AssemblyServices

__all__ = ["Previewer", "Small", "previewer_of"]

_NO_REF = "tool-output-" + "0" * 32
"""Stands for the reference when a preview is only priced."""


def previewer_of(services: AssemblyServices, budget: Budget, *, dry: bool = False) -> "Previewer":
    """Make the previewer of a run; `dry` only learns prices and stores nothing."""
    return Previewer(
        services.outputs,
        services.pricer,
        limit_bytes=budget.compaction_tool_preview_bytes,
        arguments=budget.prune_arguments,
        dry=dry,
    )


class Small(NamedTuple):
    """A message with previews in place of bodies."""

    message: Message
    ref: str
    """Reference of the first of them."""


class Previewer:
    """Makes previews that are strictly smaller, or none.

    Without a store, or where the store cannot take a body, nothing becomes a preview: what cannot be read again stays.
    """

    def __init__(
        self, outputs: OutputStore | None, pricer: Pricer, *, limit_bytes: int, arguments: bool, dry: bool
    ) -> None:
        self.outputs = outputs
        self.pricer = pricer
        self.limit_bytes = limit_bytes
        self.arguments = arguments
        """Shorten long argument values too."""
        self.dry = dry
        """Nothing is stored: the previews serve to learn their price."""
        self._made: list[str] = []
        """References of the previews in the message at hand."""

    def preview_step(self, history: History, step: Step) -> dict[int, Small]:
        """Give position → smaller message for what in a step can be shortened.

        The call and result structure stays, error flags stay, what is a preview already stays.
        """
        out: dict[int, Small] = {}
        head = history[step.head]
        if self.outputs is None or head.role != "assistant":
            return out
        names = {call.id: call.name for call in head.calls}
        for position in step.positions:
            message = history[position]
            self._made.clear()
            small = self._small_call(history, step) if position == step.head else self._small_result(message, names)
            if small is not None and self.pricer.message(small) < self.pricer.message(message):
                out[position] = Small(small, self._made[0] if self._made else "")
        return out

    def _small_result(self, message: Message, names: Mapping[str, str]) -> Message | None:
        result = message.result
        if result is None:
            return None
        tool, ref = names.get(result.call_id), result.ref
        cut = self._small_cut(result, tool)
        if cut is not None:
            return message.with_content((replace(result, content=cut),))
        texts = [part for part in result.content if isinstance(part, Text) and not is_preview(part.text)]
        body = "\n".join([part.text for part in texts])
        shown, stored = self._shortened(body, ref, tool)
        parts = [self._small_image(part, tool) for part in result.content if shown is body or part not in texts]
        if shown is not body:
            parts.insert(result.content.index(texts[0]), Text(shown))
            if ref is None or self.outputs is None or not self.outputs.contains(ref):
                ref = stored
        if tuple(parts) == result.content:
            return None
        return message.with_content((replace(result, content=tuple(parts), ref=ref),))

    def _small_cut(self, result: ToolResult, tool: str | None) -> tuple[Part, ...] | None:
        """Shorten what the guard cut at its entry: the whole is stored, and its head and tail stand here."""
        ref, first = result.ref, result.content[0] if result.content else None
        if ref is None or not isinstance(first, Text) or self.outputs is None or not self.outputs.contains(ref):
            return None
        shown = shorten_cut(first.text, ref, self.limit_bytes)
        if shown is None:
            return None
        self._made.append(ref)
        return (Text(shown), *[self._small_image(part, tool) for part in result.content[1:]])

    def _small_image(self, part: Part, tool: str | None) -> Part:
        """Put an image into the store as a data URL; anything else stays."""
        if not isinstance(part, Image) or part.data is None:
            return part
        url = f"data:{part.media_type or 'application/octet-stream'};base64,{part.data}"
        shown, ref = self._shortened(url, None, tool)
        return part if ref is None else Text(shown)

    def _small_call(self, history: History, step: Step) -> Message | None:
        """Shorten arguments. Signed reasoning beside them no longer fits: it goes, or the latest stays whole."""
        message = history[step.head]
        if not self.arguments or not message.calls:
            return None
        signed = any(map(_is_signed, message.content))
        if signed and _is_latest_assistant(history, step):
            return None
        parts = tuple([self._small_arguments(part) for part in message.content])
        if all(a is b for a, b in zip(parts, message.content, strict=True)):
            return None
        return message.with_content(tuple([part for part in parts if not _is_signed(part)]) if signed else parts)

    def _small_arguments(self, part: Part) -> Part:
        if not isinstance(part, ToolCall):
            return part
        arguments = self._small_value(part.arguments, part.name)
        # What a reader kept of the arguments' own text does not hold for the shortened ones.
        return part if arguments is part.arguments else replace(part, arguments=arguments, extras=None)

    def _small_value(self, value: Any, tool: str) -> Any:
        if isinstance(value, str):
            return value if is_preview(value) else self._shortened(value, None, tool)[0]
        if is_object(value):
            items = {key: self._small_value(item, tool) for key, item in value.items()}
            return value if all(items[key] is value[key] for key in items) else items
        if is_array(value):
            fresh = [self._small_value(item, tool) for item in value]
            return value if all(a is b for a, b in zip(fresh, value, strict=True)) else fresh
        return value

    def _shortened(self, body: str, known: str | None, tool: str | None) -> tuple[str, str | None]:
        """Give the preview and its reference, or the body itself and the reference that it had."""
        if len(body) <= self.limit_bytes // 4 or preview(body, _NO_REF, self.limit_bytes) is body:
            return body, known
        ref = self._ref(body, known, tool)
        if ref is None:
            return body, known
        self._made.append(ref)
        return preview(body, ref, self.limit_bytes), ref

    def _ref(self, body: str, known: str | None, tool: str | None) -> str | None:
        if self.outputs is None:
            return None
        if self.dry:
            return known if known is not None and self.outputs.contains(known) else _NO_REF
        if known is not None and self._holds(known, body):
            return known
        try:
            return self.outputs.put(body, tool=tool)
        except OSError:  # the store cannot take it: the body stays where it is
            return None

    def _holds(self, ref: str, body: str) -> bool:
        """Tell whether the store gives exactly this body: a host may have stored something else beside it."""
        try:
            return self.outputs is not None and self.outputs.get(ref) == body
        except (OSError, OutputRefError):
            return False


def _is_signed(part: Part) -> bool:
    return isinstance(part, Reasoning) and bool(part.signature or part.encrypted)


def _is_latest_assistant(history: History, step: Step) -> bool:
    return all(history[later.head].role != "assistant" for later in history.steps(step.number + 1))
