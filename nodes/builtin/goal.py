"""The goal that a tool call set, as data."""

from typing import ClassVar

from ...state.durable import Goal
from ...state.durable.values import json_text
from ...state.sections import Contribution
from ..contributors import ContributionRequest
from .base import NOTHING
from .projection import Projection, projected

__all__ = ["GoalProjection"]


class GoalProjection(Projection):
    """Shows a goal that the model set. One that the host set is the run contract and stands in the prompt."""

    channel: ClassVar = "goal"
    id = "durable.goal"
    required = False
    state_reads = ("goal",)

    def __init__(self) -> None:
        self._last: tuple[Goal, Contribution] | None = None

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give the goal."""
        goal: Goal | None = request.state["goal"]
        if goal is None or goal.sequence is None:
            return NOTHING
        last = self._last
        if last is None or last[0] is not goal:
            shown = {name: value for name, value in goal.as_json().items() if name != "sequence"}
            last = self._last = (goal, Contribution(messages=(projected("goal", json_text(shown)),)))
        return last[1]
