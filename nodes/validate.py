"""validate: the last gate. It checks the final input independently of how it was made.

A span of the shared log that passed once is not read again: the check continues from the length already seen.
"""

import json
from collections.abc import Iterator

from ..state.cleaning import no_object
from ..state.errors import AssemblyError, ValidationFailed
from ..state.given import Given
from ..state.history import History
from ..state.messages import Message, Text, ToolCall, ToolResult
from ..state.model_input import ModelInput
from ..state.node import Outcome, View
from ..state.products import Admitted, Limits, Prompt
from ..state.rope import MessageView, Span
from .render import governed_tools
from .services import AssemblyServices

__all__ = ["Invalid", "Valid", "message_problems", "validate"]

SHOWN = 20
"""So many problems are listed one by one."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=dict)


class ValidateView(View):
    """The input, and what it has to agree with."""

    model_input: ModelInput
    history: History
    admitted: Admitted
    prompt: Prompt
    given: Given
    limits: Limits


class Valid(Outcome):
    """The input may be sent."""


class Invalid(Outcome):
    """The input breaks a rule; all problems are in the error."""

    error: AssemblyError


def validate(view: ValidateView, services: AssemblyServices) -> Valid | Invalid:
    """Check system text, tools, pairing, roles, well-formedness and the total. Cost: O(new messages)."""
    model_input, history = view.model_input, view.history
    problems = [
        f"a protected section of {len(text)} characters is not in the system text byte for byte"
        for text in view.admitted.protected
        if text not in model_input.system
    ]
    problems += _tool_problems(view, stored=services.outputs is not None)
    problems += _text_problem("the system text", model_input.system)
    total = view.prompt.system_tokens + view.prompt.tools_tokens
    spans = model_input.messages.spans if isinstance(model_input.messages, MessageView) else ()
    sent = history.sent
    sums = sent.prices(services.pricer)
    any_message = False
    for source, start, stop in spans:
        any_message = True
        if source is sent.messages:
            total += sums[stop] - sums[start]
            seen = sent.seen_from(start)
            if seen < stop:
                found = list(message_problems(source, seen, stop))
                if not found:
                    sent.note_seen(start, stop)
                problems += found
        else:
            total += services.pricer.messages(source[start:stop])
            problems += message_problems(source, start, stop)
    problems += _doubled_messages(history, spans)
    if not any_message:
        problems.append("there is no message to send")
    if total > view.limits.limit:
        problems.append(f"the input costs {total} tokens, the limit is {view.limits.limit}")
    if not problems:
        return Valid()
    shown = problems[:SHOWN] + ([f"and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else [])
    return Invalid(
        error=ValidationFailed(
            "The input was not sent, it breaks rules: " + "; ".join(shown), details={"problems": shown}
        )
    )


def _tool_problems(view: ValidateView, *, stored: bool) -> list[str]:
    wanted = governed_tools(view.given.tools, stored=stored, history=view.history)
    tools = view.model_input.tools
    if tools == wanted or tools is wanted:
        return []
    names, expected = {tool.name for tool in tools}, {tool.name for tool in wanted}
    if names != expected:
        return [f"tools {sorted(names ^ expected)} are not in both the input and the governed set"]
    return ["a tool's schema differs from the governed set"]


def message_problems(source: list[Message], start: int, stop: int) -> Iterator[str]:
    """Check a span of messages by the rules that every provider shares; one line per broken rule.

    The span begins and ends between steps: no call may be open at its end.
    """
    open_ids: list[str] = []
    for position in range(start, stop):
        message = source[position]
        result = message.result
        if message.role == "tool":
            if result is None:
                yield f"{message.id}: a tool message without a result"
            elif not open_ids:
                yield f"{message.id}: result for call {result.call_id!r} without its call, or a second one"
            elif open_ids.pop(0) != result.call_id:
                yield f"{message.id}: result for call {result.call_id!r} out of the declared order"
        else:
            if open_ids:
                yield f"{message.id}: calls {open_ids} before it are not answered"
            open_ids = [call.id for call in message.calls]
            if len(set(open_ids)) != len(open_ids) or not all(open_ids):
                yield f"{message.id}: call ids {open_ids} are doubled or empty"
            if not message.content:
                yield f"{message.id}: an empty {message.role} message"
        yield from _content_problems(message)
    if open_ids:
        yield f"{source[stop - 1].id}: calls {open_ids} at the end are not answered"


def _content_problems(message: Message) -> Iterator[str]:
    for part in message.content:
        if isinstance(part, Text):
            if message.role != "tool" and not part.text.strip():
                yield f"{message.id}: an empty text block"
            yield from _text_problem(message.id, part.text)
        elif isinstance(part, ToolCall):
            yield from _call_problems(message, part)
        elif isinstance(part, ToolResult):
            for inner in part.content:
                if isinstance(inner, Text):
                    yield from _text_problem(message.id, inner.text)


def _call_problems(message: Message, call: ToolCall) -> Iterator[str]:
    if no_object(call):
        yield f"{message.id}: arguments of call {call.id!r} are no JSON object"
    try:
        _ENCODER.encode(call.arguments).encode()
    except (TypeError, ValueError) as error:
        yield f"{message.id}: arguments of call {call.id!r} are no JSON: {error}"


def _text_problem(where: str, text: str) -> list[str]:
    if text.isascii():
        return []
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return [f"{where}: not UTF-8: {error.reason} at {error.start}"]
    return []


def _doubled_messages(history: History, spans: tuple[Span, ...]) -> list[str]:
    """Slices of one list must ascend: then no message of it goes out twice."""
    last = 0
    for source, start, stop in spans:
        if source is history.sent.messages:
            if start < last:
                return [f"messages {start} to {stop} of the history go out twice or out of order"]
            last = stop
    return []
