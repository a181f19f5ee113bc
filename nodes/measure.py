"""measure: price the whole input by source and decide whether it is under pressure."""

from dataclasses import replace

from ..state.budget import Budget
from ..state.errors import AssemblyError, FixedPartOverLimit, OverflowNoProgress
from ..state.given import Given, Recovery
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.node import Outcome, View
from ..state.products import Admitted, Bill, Counted, Limits, PassReason, PressurePass, Prompt
from .bill import FixedPart, bill_of, fixed_part
from .previews import previewer_of
from .render import reader_tokens
from .restore import limits_below
from .services import AssemblyServices

__all__ = ["Fits", "FixedTooLarge", "NotSmaller", "Pressed", "measure"]


class MeasureView(View):
    """Everything that costs tokens, and the lines."""

    history: History
    prompt: Prompt
    admitted: Admitted
    count: Counted
    limits: Limits
    given: Given
    budget: Budget
    memory: PressureMemory
    pressure: PressurePass


class Fits(Outcome):
    """No pressure, or none that another pass could relieve."""

    bill: Bill
    pressure: PressurePass


class Pressed(Outcome):
    """The input is over the pressure line, the history too long, or the host asks for the forced pass."""

    bill: Bill
    limits: Limits
    pressure: PressurePass


class FixedTooLarge(Outcome):
    """What may never be shortened is over the limit; no summariser and no provider is called."""

    bill: Bill
    error: AssemblyError


class NotSmaller(Outcome):
    """The forced pass did not make the input strictly smaller."""

    bill: Bill
    error: AssemblyError


def measure(view: MeasureView, services: AssemblyServices) -> Fits | Pressed | FixedTooLarge | NotSmaller:
    """Price the input. Cost: O(new messages + contributions); a fixed part is priced only over the limit."""
    bill = bill_of(view.history, view.prompt, view.admitted, services.pricer)
    total, limits = bill.total, view.limits
    record = view.pressure if view.pressure.before is not None else replace(view.pressure, before=bill)
    if total > limits.limit and (failed := _too_large(view, services, bill, record)) is not None:
        return failed
    if record.forced and record.recollected:
        return Fits(bill=bill, pressure=record)
    recovery = view.given.recovery
    if recovery is not None and not record.recollected:
        ceiling = recovery.failed_tokens if recovery.failed_tokens is not None else total
        lowered = limits_below(view.budget, limits, ceiling)
        return Pressed(bill=bill, limits=lowered, pressure=_forced(record, recovery, ceiling, total))
    pressed = total > limits.pressure or _over_cap(bill, view.budget)
    if pressed and total <= limits.limit and view.memory.rests(total):
        pressed = False
    if not pressed and not view.count.over:
        return Fits(bill=bill, pressure=record)
    if record.recollected:  # the one pass is over: the bounded edge leads on to `compose`
        return Pressed(bill=bill, limits=limits, pressure=record)
    reason: PassReason = "pressure" if pressed else "message-count"
    begun = replace(record, reason=reason, over_count=view.count.over, entered_at=total)
    return Pressed(bill=bill, limits=limits, pressure=begun)


def _too_large(
    view: MeasureView, services: AssemblyServices, bill: Bill, record: PressurePass
) -> FixedTooLarge | NotSmaller | None:
    """Fail where what nothing may shorten is over the limit alone."""
    previewer = previewer_of(services, view.budget, dry=True)
    reader = reader_tokens(view.prompt, services.pricer)
    fixed = fixed_part(view.history, bill, services.pricer, previewer, reader)
    if fixed.total <= view.limits.limit:
        return None
    if record.recollected and record.ceiling is not None and fixed.total >= record.ceiling:
        return NotSmaller(bill=bill, error=_no_progress(fixed.total, record.ceiling))
    return FixedTooLarge(bill=bill, error=_fixed_error(fixed, bill, view.limits.limit))


def _forced(record: PressurePass, recovery: Recovery, ceiling: int, total: int) -> PressurePass:
    """Begin the pass that a host asks for after its own call overflowed."""
    return replace(
        record,
        reason="forced",
        forced=True,
        over_count=recovery.keep_messages is not None,
        keep_messages=recovery.keep_messages,
        ceiling=ceiling,
        entered_at=total,
        recoveries=1,
        recovery_reason=recovery.reason,
    )


def _over_cap(bill: Bill, budget: Budget) -> bool:
    """Tell whether the history is over a token cap of its own; the other sources are capped by `admit`."""
    cap = (budget.per_source or {}).get("history")
    return cap is not None and bill.history > cap


def _fixed_error(fixed: FixedPart, bill: Bill, limit: int) -> FixedPartOverLimit:
    parts = {name: tokens for name, tokens in fixed.bill.by_source().items() if tokens}
    listed = ", ".join(f"{name} {tokens}" for name, tokens in parts.items())
    return FixedPartOverLimit(
        f"The part that is never shortened needs {fixed.total} tokens, the limit is {limit} ({listed}; of the history "
        f"the active request {fixed.anchor}, the newest step {fixed.newest_step}). Shorten it, raise model_max_tokens "
        "or lower output_reserve_tokens; nothing was sent and the history is unchanged",
        details={
            "limit": limit,
            "total": fixed.total,
            "by_source": fixed.bill.by_source(),
            "anchor": fixed.anchor,
            "newest_step": fixed.newest_step,
            "whole_input": bill.total,
        },
    )


def _no_progress(total: int, ceiling: int) -> OverflowNoProgress:
    return OverflowNoProgress(
        f"The forced pass left {total} tokens, not strictly less than the {ceiling} that overflowed; "
        "sending it again would overflow again",
        details={"total": total, "failed_tokens": ceiling},
    )
