"""Hydration: read from a canonical history what the live boundary would have written."""

from ..history import History
from ..steps import Step, replaceable
from .ledger import Ledger
from .rules import DEFAULT_RULES, DurableRules
from .skills import NO_SKILLS, SkillCatalogue
from .state import EMPTY_STATE, DurableState

__all__ = ["hydrate"]


def hydrate(
    history: History,
    state: DurableState = EMPTY_STATE,
    *,
    rules: DurableRules = DEFAULT_RULES,
    catalogue: SkillCatalogue = NO_SKILLS,
) -> DurableState:
    """Bring a state up to date with a history: go on behind what it has seen, and look at the steps it waits for.

    From the empty state it reads everything. The outcome is what `ToolResultBoundary` would have given, but for
    times. What the history no longer holds stays in the state: a fold takes nothing out of it, nor does an undo; to
    go back, take the state of that time or hydrate anew.

    Cost: O(new messages + steps that wait for results).
    """
    ledger = Ledger(state, rules, catalogue)
    for waiting in ledger.open_steps:
        position = history.find(waiting.message_id)
        if position is not None:
            _answers(ledger, history, history.step(history.step_at(position)), set(waiting.waiting))
    wanted = rules.tools.channel_of
    known = {*state.seen, *(step.message_id for step in state.open)}
    for number in range(_first_new(history, state), history.step_count):
        step = history.step(number)
        message = history[step.head]
        if message.role != "assistant":
            continue
        calls = message.calls
        if not calls or message.id in known:
            continue
        if step.closed and not any(call.name in wanted for call in calls):
            ledger.skip(message, len(calls))
            continue
        ledger.declare(message)
        _answers(ledger, history, step, set(range(len(calls))))
    return ledger.state()


def _first_new(history: History, state: DurableState) -> int:
    """Give the first step behind the newest seen one that still stands here; 0 if none does."""
    for name in reversed(state.seen):
        place = history.find(name)
        if place is not None:
            return history.step_at(place) + 1
    return 0


def _answers(ledger: Ledger, history: History, step: Step, wanted: set[int]) -> None:
    head = history[step.head]
    for index, position in enumerate(history.answers_of(step)):
        if position is None or index not in wanted:
            continue
        message = history[position]
        if message.result is not None and not replaceable(message):
            ledger.result(head, index, message.result)
