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
from .bill import smallest_window
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
    return _Choice(view, services).outcome()


class _Choice:
    """The choice of one pass."""

    def __init__(self, view: SelectView, services: AssemblyServices) -> None:
        self.view, self.services = view, services
        self.history = view.history
        checkpoint = view.history.checkpoint()
        self.standing = view.history.step_at(checkpoint) if checkpoint is not None else -1
        """Step of the standing checkpoint, -1 without one."""
        smallest = smallest_window(view.history, view.bill, services.pricer)
        self.room = view.limits.limit - smallest
        """What is left for a checkpoint beside what is always sent."""
        self.stale = [view.history.step_at(position) for position in view.history.stale_checkpoints()]
        """Steps of those that it replaced: they go too, or one of them would stand behind the new checkpoint."""

    def outcome(self) -> Selected | NothingToSummarise:
        history, limits, record = self.history, self.view.limits, self.view.pressure
        kept = {history.step_at(position) for position in history.anchor()}
        kept.update(step.number for step in history.open_steps())
        kept.update([self.standing, *self.stale])
        pressing = self.view.bill.total - record.freed > limits.limit or record.forced
        foldable = [number for number in range(self.suffix()) if number not in kept]
        if pressing and not any(map(self.price, foldable)):  # what is empty, or goes out as nothing, frees nothing
            inside = [number for number in range(history.newest_step) if number not in kept]
            foldable = inside[: (len(inside) + 1) // 2]
        if not foldable and not (pressing and self.crowds()):
            return NothingToSummarise()
        plan = self.plan(foldable)
        if not pressing and not record.over_count and plan.source_tokens < limits.min_clear:
            return NothingToSummarise()
        return Selected(plan=self.bounded(plan))

    def suffix(self) -> int:
        """Give the first step that stays."""
        history, record = self.history, self.view.pressure
        by_tokens = retained_from(history, self.view.limits.retain, self.services)
        if not record.over_count:
            return by_tokens
        keep = self.view.budget.compaction_keep_messages
        if record.keep_messages is not None:
            keep = min(keep, record.keep_messages)
        by_count = 0
        if len(history) - history.lead > keep:
            by_count = min(history.step_at(len(history) - keep), history.newest_step)
        return by_count if record.reason == "message-count" else max(by_tokens, by_count)

    def price(self, number: int) -> int:
        return self.history.sent.step_price(self.services.pricer, number)

    def plan(self, numbers: list[int]) -> FoldPlan:
        """Make the plan that folds these steps and replaces the standing checkpoint."""
        taken = [*self.stale, *([self.standing] if self.standing >= 0 else []), *numbers]
        covered = sorted(position for number in taken for position in self.history.step(number).positions)
        tokens = sum(map(self.price, taken))
        return FoldPlan(steps=tuple(numbers), covered=tuple(covered), source_tokens=tokens, room=self.room)

    def crowds(self) -> bool:
        """Tell whether the standing checkpoint has no room beside what is always sent: a smaller one may."""
        return self.standing >= 0 and self.price(self.standing) > self.room

    def bounded(self, plan: FoldPlan) -> FoldPlan:
        """Take fewer steps where the summariser cannot take them all; do not ask in vain again."""
        summarizer = self.services.summarizer
        if summarizer is None:
            return replace(plan, ask=False)
        window = summarizer.window_tokens
        cap = (self.view.limits.limit if window is None else window) - PROMPT_OVERHEAD
        if self.view.pressure.source_cap is not None:
            cap = min(cap, self.view.pressure.source_cap)
        first = self.history[plan.covered[0]].id
        ask = not self.view.memory.refuses(first, plan.source_tokens)
        if plan.source_tokens <= cap:
            return replace(plan, ask=ask)
        fewer = self.plan(self.fewer(plan.steps, cap))
        if not fewer.steps or fewer.source_tokens < self.view.limits.min_clear:
            return replace(plan, ask=False)  # a checkpoint of so little could not be smaller
        return replace(fewer, ask=ask, whole=plan)

    def fewer(self, numbers: tuple[int, ...], cap: int) -> list[int]:
        """Give the oldest of the steps that cost at most `cap` together with the standing checkpoint."""
        tokens = self.price(self.standing) if self.standing >= 0 else 0
        out: list[int] = []
        for number in numbers:
            tokens += self.price(number)
            if tokens > cap:
                break
            out.append(number)
        return out
