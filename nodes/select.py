"""select: choose the oldest closed steps to fold, so that about `retain` stays.

The anchor and steps with unanswered calls are carried over, whatever stands around them is folded; the standing
checkpoint is always replaced. Only a prefix is taken: the kept suffix has no holes.
"""

from dataclasses import replace

from ..state.budget import Budget
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.node import Outcome, View
from ..state.products import Bill, FoldPlan, Limits, PressurePass
from ..state.projection import Projected, irregular, step_price
from .prune import retained_from
from .services import AssemblyServices

__all__ = ["NothingToSummarise", "Selected", "select"]

PROMPT_OVERHEAD = 1200
"""Tokens that instructions and the reply's headings take in a summary request."""


class SelectView(View):
    """What stands in the history, and what may be folded."""

    history: History
    bill: Bill
    limits: Limits
    budget: Budget
    memory: PressureMemory
    pressure: PressurePass


class Selected(Outcome):
    """A source to summarise."""

    plan: FoldPlan


class NothingToSummarise(Outcome):
    """No closed step is old enough, or folding would free too little to be worth the cached prefix."""


def select(view: SelectView, services: AssemblyServices) -> Selected | NothingToSummarise:
    """Choose the source. Cost: O(steps), once per pass."""
    history, limits, record = view.history, view.limits, view.pressure
    special = {item.step.number: item for item in irregular(history)}
    total = view.bill.total - record.freed
    pressing = total > limits.limit or record.forced
    suffix = _suffix(view, special, services)
    anchor = {history.step_at(position) for position in history.anchor()}
    checkpoint = history.checkpoint()
    kept = anchor | {step.number for step in history.open_steps()}
    standing = history.step_at(checkpoint) if checkpoint is not None else -1
    foldable = [number for number in range(suffix) if number not in kept and number != standing]
    if not foldable and pressing:
        inside = [n for n in range(history.step_count - 1) if n not in kept and n != standing]
        foldable = inside[: (len(inside) + 1) // 2]
    if not foldable:
        return NothingToSummarise()
    plan = _plan(history, foldable, standing, special, services)
    if not pressing and not record.over_count and plan.source_tokens < limits.min_clear:
        return NothingToSummarise()
    return _bounded(view, plan, foldable, standing, special, services)


def _suffix(view: SelectView, special: dict[int, Projected], services: AssemblyServices) -> int:
    """Give the first step that stays."""
    history, record = view.history, view.pressure
    by_tokens = retained_from(history, view.limits.retain, special, services)
    if not record.over_count:
        return by_tokens
    keep = view.budget.compaction_keep_messages
    by_count = 0
    if len(history) - history.lead > keep:
        by_count = history.step_at(len(history) - keep)
        by_count = min(by_count, history.step_count - 1)
    if record.reason == "message-count":
        return by_count
    return max(by_tokens, by_count)


def _plan(
    history: History, numbers: list[int], standing: int, special: dict[int, Projected], services: AssemblyServices
) -> FoldPlan:
    covered: list[int] = []
    tokens = 0
    for number in [standing, *numbers] if standing >= 0 else numbers:
        step = history.step(number)
        covered += step.positions
        tokens += step_price(history, step, special, services.pricer)
    return FoldPlan(steps=tuple(numbers), covered=tuple(sorted(covered)), source_tokens=tokens)


def _bounded(
    view: SelectView,
    plan: FoldPlan,
    foldable: list[int],
    standing: int,
    special: dict[int, Projected],
    services: AssemblyServices,
) -> Selected:
    """Take fewer steps where the summariser cannot take them all; do not ask in vain again."""
    history, summarizer = view.history, services.summarizer
    if summarizer is not None:
        window = summarizer.window_tokens
        cap = (view.limits.limit if window is None else window) - PROMPT_OVERHEAD
        if view.pressure.source_cap is not None:
            cap = min(cap, view.pressure.source_cap)
        if plan.source_tokens > cap:
            fewer = _fewer(history, foldable, standing, cap, special, services)
            if not fewer:
                return Selected(plan=replace(plan, ask=False))
            plan = _plan(history, fewer, standing, special, services)
    first = history[history.step(plan.steps[0]).head].id
    asks = summarizer is not None and not view.memory.refuses(first, plan.source_tokens)
    return Selected(plan=plan if asks else replace(plan, ask=False))


def _fewer(
    history: History,
    foldable: list[int],
    standing: int,
    cap: int,
    special: dict[int, Projected],
    services: AssemblyServices,
) -> list[int]:
    tokens = step_price(history, history.step(standing), special, services.pricer) if standing >= 0 else 0
    out: list[int] = []
    for number in foldable:
        tokens += step_price(history, history.step(number), special, services.pricer)
        if tokens > cap:
            break
        out.append(number)
    return out
