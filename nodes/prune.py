"""prune: bodies of old steps become previews with a reference, oldest first, down to the target.

Steps outside the retained suffix come first; those inside only while the input is still over the limit (in a forced
pass: over the target), the newest last. Cost: linear in the history, once per pass.
"""

from collections.abc import Iterable
from dataclasses import replace

from ..state.budget import Budget
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.messages import Message
from ..state.node import Outcome, View
from ..state.outputs import READ_TOOL_OUTPUT
from ..state.products import Bill, Limits, PressurePass, Prompt, PrunedItem
from ..state.steps import Step
from .previews import Previewer, Small, previewer_of
from .render import reader_tokens
from .services import AssemblyServices

__all__ = ["Insufficient", "Relieved", "prune", "retained_from"]


class PruneView(View):
    """What may be pruned, and how far."""

    history: History
    bill: Bill
    prompt: Prompt
    limits: Limits
    budget: Budget
    memory: PressureMemory
    pressure: PressurePass


class Relieved(Outcome):
    """At or under the pressure line again (a forced pass: at or under the target)."""

    history: History
    pressure: PressurePass


class Insufficient(Outcome):
    """Pruning alone is not enough; what it freed stays freed."""

    history: History
    pressure: PressurePass


def prune(view: PruneView, services: AssemblyServices) -> Relieved | Insufficient:
    """Shorten what is stored and retrievable; a message count alone prunes nothing."""
    record, history, limits = view.pressure, view.history, view.limits
    if services.outputs is None or record.reason == "message-count":
        return Insufficient(history=history, pressure=record)
    previewer = previewer_of(services, view.budget)
    reader = reader_tokens(view.prompt, services.pricer)
    work = _Work(history, previewer, services, total=view.bill.total, reader=reader, last_seen=view.memory.last_seen)
    suffix = retained_from(history, limits.retain, services)
    over = view.bill.total > limits.limit or record.forced
    work.run(history.steps(0, suffix), down_to=limits.target)
    if not over and work.freed < limits.min_clear:
        work.undo()
    line = limits.target if record.forced else limits.limit
    if work.total > line:
        inner = limits.target if record.forced else limits.pressure
        work.run(history.steps(suffix), down_to=inner)
        if work.total > limits.limit:  # nothing else is left: even what was just read goes
            work.take_spared(down_to=limits.limit)
    if work.freed <= 0:  # the tool that reads previews costs more than they free
        work.undo()
    if not work.changes:
        return Insufficient(history=history, pressure=record)
    pruned = replace(record, pruned=record.pruned + tuple(work.items), freed=record.freed + work.freed, changed=True)
    fresh = history.with_messages(work.changes)
    enough = limits.target if record.forced else limits.pressure
    if work.total <= enough and not record.over_count:
        return Relieved(history=fresh, pressure=pruned)
    return Insufficient(history=fresh, pressure=pruned)


def retained_from(history: History, retain: int, services: AssemblyServices) -> int:
    """Give the first step of the retained suffix: the longest run of newest steps that costs at most `retain`.

    The newest step is always inside.
    """
    first, newest = history.step_count, history.newest_step
    cost = 0
    while first > 0:
        cost += history.sent.step_price(services.pricer, first - 1)
        if cost > retain and first <= newest:
            break
        first -= 1
    return first


class _Work:
    """The previews made so far and what they freed."""

    def __init__(
        self,
        history: History,
        previewer: Previewer,
        services: AssemblyServices,
        *,
        total: int,
        reader: int,
        last_seen: str | None,
    ) -> None:
        self.history = history
        self.previewer = previewer
        self.price = services.pricer.message
        self.total = total
        self.reader = reader
        """What the first preview adds to the tool table."""
        self.freed = 0
        self.changes: dict[int, Message] = {}
        self.items: list[PrunedItem] = []
        self.spared: dict[int, Small] = {}
        """Previews of bodies that were just read, by position: not taken unless nothing else is left."""
        seen = history.find(last_seen) if last_seen else None
        self.fresh_from = seen + 1 if seen is not None else 0
        """Reads at or behind this position are new: a body just read is not pruned on the next pass."""

    def run(self, steps: Iterable[Step], *, down_to: int) -> None:
        """Prune step by step until the input costs at most `down_to`."""
        for step in steps:
            if self.total <= down_to:
                return
            for position, small in self.previewer.preview_step(self.history, step).items():
                if self.total <= down_to:
                    return
                if self._just_read(step, position):
                    self.spared[position] = small
                else:
                    self._take(position, small)

    def take_spared(self, *, down_to: int) -> None:
        """Prune also what was just read until the input costs at most `down_to`."""
        for position, small in self.spared.items():
            if self.total <= down_to:
                return
            self._take(position, small)

    def _take(self, position: int, small: Small) -> None:
        message = self.history[position]
        before, after = self.price(message), self.price(small.message)
        freed = before - after - (0 if self.changes else self.reader)
        self.changes[position] = small.message
        self.items.append(PrunedItem(message=message.id, ref=small.ref, before=before, after=after))
        self.freed += freed
        self.total -= freed

    def _just_read(self, step: Step, position: int) -> bool:
        if position == step.head or position < self.fresh_from:
            return False
        reads = [k for k, call in enumerate(self.history[step.head].calls) if call.name == READ_TOOL_OUTPUT]
        if not reads:
            return False
        answers = self.history.answers_of(step)
        return any(answers[k] == position for k in reads)

    def undo(self) -> None:
        """Take back everything: it frees less than disturbing the cached prefix costs."""
        self.total += self.freed
        self.freed = 0
        self.changes.clear()
        self.items.clear()
