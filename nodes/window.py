"""window: leave out whole steps where the input would still be too large; they stay in history and are listed."""

from ..state.budget import Budget
from ..state.diagnostics import Diagnostic
from ..state.errors import AssemblyError, WindowOverLimit
from ..state.history import History
from ..state.model_input import ModelInput
from ..state.node import Outcome, View
from ..state.products import Admitted, Bill, Collected, Limits, Prompt
from ..state.products import Window as Windowing
from ..state.rope import MessageView, Span
from .compose import Composition
from .services import AssemblyServices

__all__ = ["CannotFit", "Narrowed", "Windowed", "window"]


class WindowView(View):
    """The composition and everything that shares the limit with it."""

    composition: Composition
    admitted: Admitted
    collected: Collected
    prompt: Prompt
    bill: Bill
    limits: Limits
    budget: Budget


class Windowed(Outcome):
    """A model input that fits."""

    model_input: ModelInput
    sent: Bill
    left_out: Windowing


class Narrowed(Outcome):
    """It fits, but something that a projection calls visible is gone: collect once more with the truth."""

    model_input: ModelInput
    sent: Bill
    left_out: Windowing


class CannotFit(Outcome):
    """Even the smallest window is over the limit."""

    error: AssemblyError


def window(view: WindowView, services: AssemblyServices) -> Windowed | Narrowed | CannotFit:
    """Keep everything if it fits. Cost: O(new messages) then; O(steps kept) where something must go."""
    history, budget = view.composition.history, view.budget
    other = view.bill.total - view.bill.history
    room = view.limits.limit - other
    everything = history.sent.price(services.pricer)
    bounded = budget.window_rounds is not None or budget.window_messages is not None
    count = history.step_count
    if everything <= room and not bounded:
        ranges, price = [(0, count)], everything
        left_out = Windowing(kept=len(history) - history.lead)
    else:
        ranges, price = _choose(history, budget, room, services)
        left_out = _left_out(history, ranges)
        if price > room:
            return CannotFit(error=_cannot_fit(price, room, view))
    spans = [history.sent.span(first, last) for first, last in ranges]
    spans += [Span(list(own), 0, len(own)) for own in (view.admitted.messages, view.admitted.attachments)]
    sent = Bill(
        system=view.bill.system,
        tools=view.bill.tools,
        messages=view.bill.messages,
        attachments=view.bill.attachments,
        history=price,
    )
    model_input = ModelInput(system=view.prompt.system, messages=MessageView(spans), tools=view.prompt.tools)
    if view.collected.visible.intersection(left_out.removed):
        return Narrowed(model_input=model_input, sent=sent, left_out=left_out)
    return Windowed(model_input=model_input, sent=sent, left_out=left_out)


def _choose(
    history: History, budget: Budget, room: int, services: AssemblyServices
) -> tuple[list[tuple[int, int]], int]:
    """Choose the steps: anchor, checkpoint, open steps and the newest always; then the newest others that fit."""
    count, sent = history.step_count, history.sent
    fixed = {history.step_at(position) for position in history.anchor()}
    checkpoint = history.checkpoint()
    if checkpoint is not None:
        fixed.add(history.step_at(checkpoint))
    fixed.update(step.number for step in history.open_steps())
    if history.newest_step >= 0:
        fixed.add(history.newest_step)
    price = sum(sent.step_price(services.pricer, number) for number in fixed)
    first_wanted = _first_wanted(history, budget)
    first = count
    while first > first_wanted:
        number = first - 1
        if number not in fixed:
            cost = sent.step_price(services.pricer, number)
            if price + cost > room:
                break
            price += cost
        first = number
    ranges = [(number, number + 1) for number in sorted(fixed) if number < first]
    return [*ranges, (first, count)], price


def _first_wanted(history: History, budget: Budget) -> int:
    """Give the first step that a window of rounds or messages asks for; rounds win."""
    if budget.window_rounds is not None:
        prompts = [at for at in history.prompts() if history[at].origin.kind == "prompt"]
        if len(prompts) < budget.window_rounds:
            return 0  # what stands before the first prompt is a round of its own
        return history.step_at(prompts[-budget.window_rounds])
    if budget.window_messages is not None:
        left, first = budget.window_messages, history.step_count
        while first > 0:
            left -= len(history.step(first - 1).positions)
            if left < 0:
                break
            first -= 1
        return first
    return 0


def _left_out(history: History, ranges: list[tuple[int, int]]) -> Windowing:
    kept = {number for first, last in ranges for number in range(first, last)}
    gone = sorted(
        position
        for number in range(history.step_count)
        if number not in kept
        for position in history.step(number).positions
    )
    removed = tuple([history[position].id for position in gone])
    total = len(history) - history.lead
    notes: tuple[Diagnostic, ...] = ()
    if removed:
        notes = (
            Diagnostic(
                code="CONTEXT_HISTORY_WINDOWED",
                severity="info",
                source="window",
                message=f"Kept {total - len(removed)} of {total} history messages; the rest stays in history",
                wanted=None,
            ),
        )
    return Windowing(kept=total - len(removed), removed=removed, diagnostics=notes)


def _cannot_fit(price: int, room: int, view: WindowView) -> WindowOverLimit:
    limit, total = view.limits.limit, view.bill.total - view.bill.history + price
    return WindowOverLimit(
        f"The smallest window (active request, checkpoint, open calls, newest step) makes the input {total} tokens, "
        f"the limit is {limit}: history {price}, room for it {room}. Give an output store so that bodies can be "
        "shortened, or raise model_max_tokens; nothing was sent",
        details={"limit": limit, "total": total, "history": price, "room": room, "by_source": view.bill.by_source()},
    )
