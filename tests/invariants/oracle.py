"""What must be true, worked out a second time from the design and in the slowest, plainest way."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from turngraph import File, Image, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
from turngraph.state.tokens import image_tokens

Count = Callable[[str], int]
MARKERS = (
    "[turngraph summary checkpoint]",
    "[ScienceDiscovery summary checkpoint]",
    "[ScienceAgent summary checkpoint]",
)
PREVIEW = re.compile(
    r"^\[tool output shortened: ref=(tool-output-[0-9a-f]{16,64}), ([0-9]+) bytes; "
    r"read_tool_output returns the rest\]$",
    re.MULTILINE,
)
FOLDED = re.compile(
    r"^\[folded messages: ref=(tool-output-[0-9a-f]{16,64}); read_tool_output returns them\]$", re.MULTILINE
)


# ---- prices


def price_of_parts(parts: Iterable[Any], count: Count) -> int:
    total = 0
    for part in parts:
        if isinstance(part, Text):
            total += count(part.text)
        elif isinstance(part, ToolCall):
            total += 6 + count(part.name) + count(json.dumps(part.arguments, ensure_ascii=False))
        elif isinstance(part, ToolResult):
            total += price_of_parts(part.content, count)
        elif isinstance(part, Reasoning):
            total += count(part.text) + count(part.signature or "") + count(part.encrypted or "")
        elif isinstance(part, Image):
            total += image_tokens(part.width, part.height, part.data)
        elif isinstance(part, File):
            text = part.data if part.data and part.media_type.startswith("text/") else ""
            total += 1600 + count(part.name or "") + count(text)
        elif isinstance(part, Opaque):
            total += count(json.dumps(part.value, ensure_ascii=False))
        else:
            raise TypeError(part)
    return total


def price_of(message: Message, count: Count) -> int:
    return 4 + price_of_parts(message.content, count) + (count(message.name) if message.name else 0)


def price_of_all(messages: Iterable[Message], count: Count) -> int:
    return sum(price_of(message, count) for message in messages)


def price_of_input(model_input: Any, count: Count) -> int:
    """The whole input: system text, tools, messages."""
    system = 4 + count(model_input.system) if model_input.system else 0
    tools = sum(8 + count(json.dumps(tool.as_json(), ensure_ascii=False)) for tool in model_input.tools)
    return system + tools + price_of_all(model_input.messages, count)


# ---- what a message shows


def well_formed(value: Any) -> Any:
    """Lone surrogates as U+FFFD, at every depth, keys too."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [well_formed(item) for item in value]
    return value


def is_checkpoint(message: Message) -> bool:
    if message.role != "user":
        return False
    if message.origin.kind == "checkpoint":
        return True
    return message.name == "summary" and message.text.split("\n", 1)[0].strip() in MARKERS


def is_blank(message: Message) -> bool:
    """Nothing of it could be sent."""
    return message.role != "tool" and all(isinstance(part, Text) and not part.text.strip() for part in message.content)


def texts_in(message: Message) -> list[str]:
    """Every text: blocks, results, string values of arguments at any depth."""
    found: list[str] = []

    def look(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, list | tuple):
            for item in value:
                look(item)

    for part in message.content:
        if isinstance(part, Text):
            found.append(part.text)
        elif isinstance(part, ToolResult):
            found.extend(inner.text for inner in part.content if isinstance(inner, Text))
        elif isinstance(part, ToolCall):
            look(part.arguments)
    return found


# ---- steps


@dataclass
class Ref:
    """A step as the plain reading gives it."""

    head: int
    calls: list[ToolCall]
    answers: list[list[int]] = field(default_factory=list)

    @property
    def positions(self) -> list[int]:
        return sorted([self.head, *(at for found in self.answers for at in found)])


@dataclass
class Steps:
    lead: int
    steps: list[Ref]
    orphans: set[int]
    messages: Sequence[Message]

    def replaceable(self, position: int) -> bool:
        message = self.messages[position]
        return message.result.interim or bool((message.origin.data or {}).get("placeholder"))

    def interim(self, position: int) -> bool:
        return self.messages[position].result.interim

    def closed(self, step: Ref) -> bool:
        return all(found and not self.interim(found[-1]) for found in step.answers)

    def of(self, position: int) -> Ref:
        return next(step for step in self.steps if position in step.positions)


def split(messages: Sequence[Message]) -> Steps:
    """Split into steps: a result answers the newest step that still waits for its id; quadratic on purpose."""
    lead = 0
    while lead < len(messages) and messages[lead].role == "system":
        lead += 1
    found = Steps(lead, [], set(), messages)
    for position in range(lead, len(messages)):
        message = messages[position]
        if message.role != "tool":
            made = list(message.calls) if message.role == "assistant" else []
            found.steps.append(Ref(position, made, [[] for _ in made]))
            continue
        chosen: list[int] | None = None
        for step in reversed(found.steps):
            own = [at for at, call in enumerate(step.calls) if call.id == message.result.call_id]
            free = [at for at in own if not step.answers[at]]
            waiting = [at for at in own if step.answers[at] and found.replaceable(step.answers[at][-1])]
            if free or waiting:
                chosen = step.answers[(free or waiting)[0]]
                break
        if chosen is None:
            found.orphans.add(position)
        else:
            chosen.append(position)
    return found


def anchor_of(messages: Sequence[Message]) -> list[int]:
    """The newest real prompt and every steer after it; before any prompt, every steer."""
    prompts = [
        at
        for at, item in enumerate(messages)
        if item.role == "user" and item.origin.kind == "prompt" and not is_checkpoint(item)
    ]
    begin = prompts[-1] if prompts else -1
    steers = [
        at
        for at, item in enumerate(messages)
        if at > begin and item.role == "user" and item.origin.kind == "steer" and not is_checkpoint(item)
    ]
    return prompts[-1:] + steers


def expected_ids(messages: Sequence[Message]) -> list[str]:
    """Ids of what is sent of a history in order; a placeholder stands as `?` and the id of its message."""
    found = split(messages)
    checkpoints = [step.head for step in found.steps if is_checkpoint(messages[step.head])]
    out: list[str] = []
    for step in found.steps:
        head = messages[step.head]
        if step.head in checkpoints[:-1] or is_blank(head):
            continue
        out.append(head.id)
        out += [messages[answer[-1]].id if answer else f"?{head.id}" for answer in step.answers]
    return out


def pairing(messages: Iterable[Message]) -> list[str]:
    """Every way in which results do not follow their calls at once, in declared order."""
    waiting: list[str] = []
    problems: list[str] = []
    for message in messages:
        if message.role == "tool":
            if len(message.content) != 1:
                problems.append(f"{message.id} holds {len(message.content)} parts")
            if not waiting or waiting.pop(0) != message.result.call_id:
                problems.append(f"{message.id} answers {message.result.call_id!r} out of place")
            continue
        if waiting:
            problems.append(f"{waiting} not answered before {message.id}")
        waiting = [part.id for part in message.content if isinstance(part, ToolCall)]
        if len(set(waiting)) < len(waiting) or "" in waiting:
            problems.append(f"{message.id} has call ids {waiting}")
        if message.role != "assistant" and waiting:
            problems.append(f"{message.id} calls as {message.role}")
        if any(isinstance(part, ToolResult) for part in message.content):
            problems.append(f"{message.id} carries a result as {message.role}")
    return problems + ([f"{waiting} not answered at the end"] if waiting else [])
