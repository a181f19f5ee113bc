"""The plan, as data."""

from typing import ClassVar

from ...state.diagnostics import Diagnostic
from ...state.durable import DEFAULT_RULES, ChannelTools, Plan, PlanObserver, PlanProgress
from ...state.durable.values import json_text
from ...state.messages import Message
from ...state.sections import Contribution
from ..contributors import ContributionRequest
from .base import NOTHING
from .projection import Projection, projected

__all__ = ["PlanProjection"]


class PlanProjection(Projection):
    """Shows the standing plan, and notes how far the conversation has gone since; observed, never enforced."""

    channel: ClassVar = "plan"
    id = "durable.plan"
    state_reads = ("plan",)

    def __init__(self, tools: ChannelTools = DEFAULT_RULES.tools) -> None:
        self._observer = PlanObserver(tools)
        self._last: tuple[Plan, Message] | None = None

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give the plan; nothing while there is none or it was cleared."""
        plan: Plan | None = request.state["plan"]
        if not plan:
            return NOTHING
        last = self._last
        if last is None or last[0] is not plan:
            last = self._last = (plan, projected("plan", json_text(plan.shown())))
        progress = self._observer.observe(request.history, plan, turn=request.turn, agent_id=request.scope)
        return Contribution(messages=(last[1],), diagnostics=(_noted(progress),))


def _noted(progress: PlanProgress) -> Diagnostic:
    if progress.anchor_found:
        said = (
            f"{progress.model_steps_since_update} model steps and {progress.tool_results_since_update} tool results "
            "since the plan was updated"
        )
    else:
        said = "the call that set the plan is no longer in the history"
    return Diagnostic(
        code="PLAN_PROGRESS_OBSERVATION",
        severity="info",
        source="durable.plan",
        id=progress.tool_call_id or None,
        message=f"Turn {progress.current_model_turn} of {progress.agent_id}: {said}",
    )
