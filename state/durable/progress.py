"""How far the conversation has gone since the plan was last updated: an observation, never a rule."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..history import History
from ..messages import Message
from ..steps import replaceable
from .plan import Plan
from .rules import DEFAULT_RULES, ChannelTools

__all__ = ["PlanObserver", "PlanProgress", "plan_progress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProgress:
    """The observation."""

    agent_id: str
    tool_call_id: str
    updated_at: str | None
    current_model_turn: int
    anchor_found: bool
    """Whether the call that set the plan still stands in the history; without it there are no counters."""
    model_steps_since_update: int | None = None
    """Assistant messages behind that call."""
    tool_results_since_update: int | None = None
    """Real results behind it, those of plan updates not counted."""

    def as_json(self) -> dict[str, Any]:
        """Give the `planProgress` of a trace; what is absent is left out."""
        out: dict[str, Any] = {"agentId": self.agent_id, "toolCallId": self.tool_call_id}
        if self.updated_at is not None:
            out["updatedAt"] = self.updated_at
        out |= {"currentModelTurn": self.current_model_turn, "anchorFound": self.anchor_found}
        if self.model_steps_since_update is not None:
            out["modelStepsSinceUpdate"] = self.model_steps_since_update
        if self.tool_results_since_update is not None:
            out["toolResultsSinceUpdate"] = self.tool_results_since_update
        return out


class _Tally(NamedTuple):
    """How far the messages behind an anchor have been counted."""

    log: list[Message] | None
    anchor: int
    length: int
    model_steps: int
    tool_results: int
    plan_calls: frozenset[str]
    """Call ids that belong to a plan update now: an id may come again for another tool."""


_NOTHING = _Tally(None, 0, 0, 0, 0, frozenset())


class PlanObserver:
    """Observes turn after turn; a history that grew is counted from where the last observation ended.

    May be asked by several threads: what it remembers only saves time.
    """

    __slots__ = ("_tally", "_tools")

    def __init__(self, tools: ChannelTools = DEFAULT_RULES.tools) -> None:
        self._tools = frozenset(tools.plan)
        self._tally = _NOTHING

    def observe(self, history: History, plan: Plan, *, turn: int, agent_id: str = "main") -> PlanProgress:
        """Observe. Cost: O(messages since the last observation)."""
        tally = self._counted(history, plan)
        return PlanProgress(
            agent_id=agent_id,
            tool_call_id=plan.call_id,
            updated_at=plan.updated_at,
            current_model_turn=turn,
            anchor_found=tally is not None,
            model_steps_since_update=None if tally is None else tally.model_steps,
            tool_results_since_update=None if tally is None else tally.tool_results,
        )

    def _counted(self, history: History, plan: Plan) -> _Tally | None:
        anchor = history.find(plan.message_id)
        if anchor is None or all(call.id != plan.call_id for call in history[anchor].calls):
            return None
        length, tally = len(history), self._tally
        if tally.log is not history.log or tally.anchor != anchor or tally.length > length:
            own = [call.id for call in history[anchor].calls if call.name in self._tools]
            tally = _Tally(history.log, anchor, anchor + 1, 0, 0, frozenset(own))
        if tally.length < length:
            tally = self._extended(history, tally)
            self._tally = tally
        return tally

    def _extended(self, history: History, tally: _Tally) -> _Tally:
        model_steps, tool_results, plan_calls = tally.model_steps, tally.tool_results, tally.plan_calls
        gone = history.dropped()
        for position in range(tally.length, len(history)):
            message = history[position]
            if message.role == "assistant":
                model_steps += 1
                for call in message.calls:
                    if call.name in self._tools:
                        plan_calls |= {call.id}
                    elif call.id in plan_calls:
                        plan_calls -= {call.id}
            elif message.role == "tool" and position not in gone and not replaceable(message):
                result = message.result
                tool_results += result is not None and result.call_id not in plan_calls
        return _Tally(tally.log, tally.anchor, len(history), model_steps, tool_results, plan_calls)


def plan_progress(
    history: History,
    plan: Plan,
    *,
    turn: int,
    agent_id: str = "main",
    tools: ChannelTools = DEFAULT_RULES.tools,
) -> PlanProgress:
    """Observe once. A pure function; cost: O(messages behind the plan's call).

    Args:
        history: The conversation.
        plan: The standing plan.
        turn: Number of the model turn.
        agent_id: Whose plan it is.
        tools: Whose results do not count, as they are updates of the plan.
    """
    return PlanObserver(tools).observe(history, plan, turn=turn, agent_id=agent_id)
