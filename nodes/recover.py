"""recover: the provider overflowed. One forced pass, towards the limit that it named, if that can help at all."""

from dataclasses import replace

from ..state.budget import Budget
from ..state.errors import AssemblyError, ProviderFailed
from ..state.given import Given
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.node import Outcome, View
from ..state.products import Bill, Limits, PressurePass
from .call import ProviderOverflow
from .restore import limits_below, limits_of

__all__ = ["Forced", "Hopeless", "messages_to_keep", "named_limit", "recover"]


class RecoverView(View):
    """What overflowed and what the provider said."""

    history: History
    overflow: ProviderOverflow
    sent: Bill
    limits: Limits
    budget: Budget
    given: Given
    memory: PressureMemory
    pressure: PressurePass


class Forced(Outcome):
    """Start the forced pass."""

    limits: Limits
    memory: PressureMemory
    pressure: PressurePass


class Hopeless(Outcome):
    """A smaller input is not the cure."""

    error: AssemblyError


def named_limit(budget: Budget, limit: int) -> int:
    """Give the input limit that follows from a window which a provider named: the output reserve is kept free."""
    reserve = budget.output_reserve_tokens
    return max(1, limit - reserve if limit > reserve else limit // 2)


def messages_to_keep(allowed: int | None, sent: int) -> int:
    """Give how many of the newest messages may stay where a provider refused their number: half, so as to go on."""
    return max(1, min(sent, allowed or sent) // 2)


def recover(view: RecoverView) -> Forced | Hopeless:
    """Lower the limit to the named one, for this run and for later turns of the model."""
    overflow, record = view.overflow, view.pressure
    if overflow.output_reserve:
        return Hopeless(
            error=ProviderFailed(
                "The provider has no room for the requested output, the input itself is small: lower max_tokens "
                f"(output_reserve_tokens is {view.budget.output_reserve_tokens}); nothing was folded. "
                f"It said: {overflow.message}",
                error_class="context_overflow",
                details={"reason": "output_reserve", "parsed": overflow.parsed},
            )
        )
    limits, memory = view.limits, view.memory
    named = overflow.parsed.get("limit")
    if named is not None:
        learned = named_limit(view.budget, named)
        if learned < limits.limit:
            limits = limits_of(view.budget, learned)
            memory = memory.with_limit(view.given.model, learned)
    sent = len(view.history) - view.history.lead
    keep = messages_to_keep(overflow.parsed.get("limit_messages"), sent) if overflow.by_count else None
    return Forced(
        limits=limits_below(view.budget, limits, view.sent.total),
        memory=memory,
        pressure=replace(
            record,
            reason="forced",
            forced=True,
            over_count=record.over_count or overflow.by_count,
            keep_messages=keep,
            recollected=False,
            ceiling=view.sent.total,
            entered_at=view.sent.total,
            freed=0,
            source_cap=None,
            recoveries=record.recoveries + 1,
            recovery_reason="model-input-overflow",
        ),
    )
