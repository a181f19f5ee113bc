"""What a caller hands over for one assembly: read, checked, made ours."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from ..state.diagnostics import Diagnostic
from ..state.errors import BadRequest
from ..state.given import Given, Recovery, Turn
from ..state.history import History, shape_problem
from ..state.memory import PressureMemory
from ..state.messages import Message
from ..state.sections import (
    Attachment,
    Section,
    ToolSpec,
    id_problem,
    source_problem,
    word_problem,
)
from .outcome import Assembly

if TYPE_CHECKING:
    from .engine import CancelSignal

__all__ = ["HistoryLike", "TurnOptions", "as_history", "as_tool", "check_given"]

HistoryLike = History | Sequence[Message] | Sequence[Mapping[str, Any]]
"""A history, a list of our messages, or a list of dicts in any readable format."""


class TurnOptions(TypedDict, total=False):
    """What one assembly may be given beside the history; all optional."""

    tools: Iterable[ToolSpec | Mapping[str, Any]]
    """Tool schemas, as `ToolSpec` or `{name, description, parameters}`."""
    sections: Iterable[Section]
    """Pieces of the system prompt for this turn."""
    attachments: Iterable[Attachment]
    """Data for this turn."""
    messages: Iterable[Message]
    """Contributed user messages for this turn."""
    turn: Turn | None
    """Number of the turn."""
    recovery: Recovery | None
    """The host's own call overflowed: make the one forced pass."""
    memory: PressureMemory | None
    """Pressure memory of the last turn; left out: what travels with the history in process."""
    deadline_s: float | None
    """Seconds for the whole assembly."""
    previous: Assembly | None
    """The last assembly, to report how much of its input is repeated."""
    cancel: "CancelSignal | None"
    """Stops the run between nodes once it is set."""


def as_history(value: HistoryLike) -> tuple[History, Sequence[Diagnostic]]:
    """Make a `History` of whatever a caller holds; linear unless it is one already."""
    if isinstance(value, History):
        return value, ()
    if all(isinstance(item, Message) for item in value):
        return History(cast("Sequence[Message]", value)), ()
    from ..state.formats import read

    reading = read(list(value))
    return History(reading.messages, format=reading.format, system=reading.system), reading.diagnostics


def as_tool(value: ToolSpec | Mapping[str, Any]) -> ToolSpec:
    """Make a `ToolSpec` of `{name, description?, parameters?}`.

    Raises:
        BadRequest: Other fields, or no name.
    """
    if isinstance(value, ToolSpec):
        return value
    extra = sorted(set(value) - {"name", "description", "parameters"})
    if extra or not isinstance(value.get("name"), str):
        raise BadRequest(
            f"A tool needs `name` and may have `description` and `parameters`; found {sorted(value)}",
            details={"problems": [{"path": "tools", "value": dict(value)}]},
        )
    return ToolSpec(
        name=value["name"], description=value.get("description") or "", parameters=value.get("parameters") or {}
    )


def check_given(given: Given) -> None:
    """Refuse ids and names that are wrong or doubled, all problems at once.

    Raises:
        BadRequest: `details["problems"]` lists path, value and problem.
    """
    problems: list[dict[str, Any]] = []

    def check(kind: str, names: Sequence[str], judge: Callable[[str], str | None]) -> None:
        seen: set[str] = set()
        for at, name in enumerate(names):
            problem = judge(name) or (f"{name!r} is there twice" if name in seen else None)
            seen.add(name)
            if problem:
                problems.append({"path": f"{kind}[{at}]", "value": name, "problem": problem})

    check("sections", [item.id for item in given.sections], id_problem)
    check("attachments", [item.id for item in given.attachments], id_problem)
    check("tools", [tool.name for tool in given.tools], lambda name: None if name else "a tool needs a name")
    for at, item in enumerate(given.attachments):
        if problem := source_problem(item.source):
            problems.append({"path": f"attachments[{at}].source", "value": item.source, "problem": problem})
    worded: list[tuple[str, Section | Attachment]] = []
    worded += [(f"sections[{at}]", section) for at, section in enumerate(given.sections)]
    worded += [(f"attachments[{at}]", attachment) for at, attachment in enumerate(given.attachments)]
    for path, entry in worded:
        if problem := word_problem(entry):
            problems.append({"path": path, "value": entry.id, "problem": problem})
    for at, message in enumerate(given.messages):
        if message.role == "user" and (problem := shape_problem(message)):  # another role is refused by the run
            problems.append({"path": f"messages[{at}]", "value": message.id, "problem": problem})
    if problems:
        lines = "; ".join(f"{item['path']}: {item['problem']}" for item in problems)
        raise BadRequest(f"What was handed over is wrong: {lines}", details={"problems": problems})
