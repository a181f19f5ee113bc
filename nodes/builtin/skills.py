"""The skills that were read, as data: references, never bodies."""

from collections.abc import Collection
from typing import Any, ClassVar, NamedTuple

from ...state.durable import SkillReference
from ...state.durable.values import json_text
from ...state.history import History
from ...state.messages import Message
from ...state.outputs import is_preview
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
    """What was shown last, and what it holds for."""

    skills: tuple[SkillReference, ...]
    log: list[Message]
    length: int
    complete: bool
    """Every body was there, so that a longer history of the same log has them too."""
    gone: frozenset[str]
    """The bodies that the window had left out."""
    contribution: Contribution

    def holds(self, skills: tuple[SkillReference, ...], history: History, left_out: Collection[str]) -> bool:
        """Tell whether it is true of another turn: what stands in a log never changes."""
        if self.skills is not skills or self.log is not history.log:
            return False
        grown = len(history) - self.length
        if grown < 0 or (grown and not self.complete):
            return False
        return self.gone == _among(self.gone, left_out) and not _among(self.contribution.visible, left_out)


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
        history, left_out, last = request.history, request.state[LEFT_OUT], self._last
        if last is not None and last.holds(skills, history, left_out):
            return last.contribution
        bodies = [body_of(history, skill) for skill in skills]
        gone = _among([body.id for body in bodies if body is not None], left_out)
        shown = [body if body is not None and body.id not in gone else None for body in bodies]
        visible = tuple([body.id for body in shown if body is not None])
        if last is not None and last.skills is skills and last.contribution.visible == visible:
            given = last.contribution
        else:
            items = [_item(skill, body) for skill, body in zip(skills, shown, strict=True)]
            given = Contribution(messages=(projected("skills", json_text({"skills": items})),), visible=visible)
        complete = all(body is not None for body in bodies)
        self._last = _Shown(skills, history.log, len(history), complete, gone, given)
        return given


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
        message = history[position]
        result = message.result
        if result is not None and not result.is_error and not replaceable(message) and not is_preview(message.text):
            return message
    return None


def _among(ids: Collection[str], left_out: Collection[str]) -> frozenset[str]:
    return frozenset(ids).intersection(left_out) if left_out else frozenset()


def _item(skill: SkillReference, body: Message | None) -> dict[str, Any]:
    item: dict[str, Any] = {"id": skill.id, "revision": skill.revision, "status": VISIBLE}
    if body is None:
        item |= {"status": UNAVAILABLE, "read_again": {"tool": skill.tool_name, "arguments": {"skillId": skill.id}}}
    return item
