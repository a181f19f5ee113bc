"""The skills that were read, as data: references, never bodies."""

from typing import Any, ClassVar, NamedTuple

from ...state.durable import SkillReference
from ...state.durable.values import json_text
from ...state.history import History
from ...state.messages import Message
from ...state.outputs import find_previews, is_preview
from ...state.sections import Contribution
from ...state.steps import replaceable
from ..contributors import ContributionRequest
from .base import NOTHING
from .projection import Projection, projected
from .reads import LEFT_OUT

__all__ = ["SkillsProjection", "body_of"]

VISIBLE = "instructions visible in the conversation"
UNAVAILABLE = "instructions unavailable, read again"


class _Shown(NamedTuple):
    """What was shown last, and what it was read from."""

    skills: tuple[SkillReference, ...]
    log: list[Message]
    length: int
    bodies: tuple[Message | None, ...]
    """The whole body of each skill."""
    contribution: Contribution


class SkillsProjection(Projection):
    """Shows which skills were read, in which revision, and whether the instructions are still whole in the input.

    A body is whole while the result message that brought it stands in the history as it was: not folded, not a
    preview, not left out by the window.
    """

    channel: ClassVar = "skills"
    id = "durable.skills"
    state_reads = ("skills",)

    def __init__(self) -> None:
        self._last: _Shown | None = None

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give the references. `visible` names the messages of the bodies that it calls visible."""
        skills: tuple[SkillReference, ...] = request.state["skills"]
        if not skills:
            return NOTHING
        history, last = request.history, self._last
        if last is not None and last.skills is not skills:
            last = None
        bodies = self._bodies(history, skills, last)
        gone = set(request.state[LEFT_OUT])
        shown = [body if body is not None and body.id not in gone else None for body in bodies]
        visible = tuple([body.id for body in shown if body is not None])
        if last is not None and last.contribution.visible == visible:
            given = last.contribution
        else:
            items = [_item(skill, body) for skill, body in zip(skills, shown, strict=True)]
            given = Contribution(messages=(projected("skills", json_text({"skills": items})),), visible=visible)
        self._last = _Shown(skills, history.log, len(history), bodies, given)
        return given

    def _bodies(
        self, history: History, skills: tuple[SkillReference, ...], last: _Shown | None
    ) -> tuple[Message | None, ...]:
        """Find the bodies. What stands in a log never changes: a longer history of it needs a look at the missing."""
        if last is None or last.log is not history.log or last.length > len(history):
            return tuple([body_of(history, skill) for skill in skills])
        if last.length == len(history) or None not in last.bodies:
            return last.bodies
        return tuple([body or body_of(history, skill) for body, skill in zip(last.bodies, skills, strict=True)])


def body_of(history: History, skill: SkillReference) -> Message | None:
    """Find the result message that brought the instructions, whole; `None` if it is not whole, or not there."""
    place = history.find(skill.message_id)
    if place is None:
        return None
    step = history.step(history.step_at(place))
    calls = history[place].calls
    for call, position in zip(calls, history.answers_of(step), strict=True):
        if call.id != skill.call_id or call.arguments.get("skillId") != skill.id or position is None:
            continue
        if _is_whole(history[position]):
            return history[position]
    return None


def _is_whole(message: Message) -> bool:
    """Tell whether a result message still carries the whole body: no preview, and not cut where it entered."""
    result, text = message.result, message.text
    if result is None or result.is_error or replaceable(message) or is_preview(text):
        return False
    return result.ref is None or result.ref not in find_previews(text)


def _item(skill: SkillReference, body: Message | None) -> dict[str, Any]:
    """Describe a skill. An unavailable one takes no more room than a visible one.

    So when the window has left a body out, telling the truth does not make it leave out another.
    """
    return {
        "id": skill.id,
        "revision": skill.revision,
        "status": UNAVAILABLE if body is None else VISIBLE,
        "read_with": {"tool": skill.tool_name, "arguments": {"skillId": skill.id}},
    }
