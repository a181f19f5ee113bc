"""restore: hydrate what is derived from the history and draw the lines of this run."""

from ..state.budget import Budget
from ..state.given import Given
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.node import Outcome, View
from ..state.products import Limits
from .services import AssemblyServices

__all__ = ["Restored", "limits_below", "limits_of", "restore"]


class RestoreView(View):
    """The input of the run."""

    history: History
    given: Given
    budget: Budget
    memory: PressureMemory


class Restored(Outcome):
    """The history is split and priced; the lines are drawn."""

    limits: Limits


def limits_of(budget: Budget, learned: int | None) -> Limits:
    """Draw the lines: the budget's, lowered to a limit that a provider has named."""
    lowered = budget if learned is None or learned >= budget.limit_tokens else budget.with_limit(learned)
    return Limits(
        limit=lowered.limit_tokens,
        pressure=lowered.pressure_tokens,
        target=lowered.target_tokens,
        retain=lowered.retain_tokens,
        keep_prompts=lowered.keep_prompts_tokens,
        min_clear=lowered.min_clear_tokens,
    )


def limits_below(budget: Budget, limits: Limits, ceiling: int) -> Limits:
    """Draw the lines of a forced pass: what overflowed is a limit too, whatever is sent next stays below it."""
    return limits_of(budget, ceiling - 1) if ceiling <= limits.limit else limits


def restore(view: RestoreView, services: AssemblyServices) -> Restored:
    """Continue the derived data from the length already seen (O(new)) and apply a learned limit."""
    view.history.sent.prices(services.pricer)
    learned = (view.memory.limits or {}).get(view.given.model)
    return Restored(limits=limits_of(view.budget, learned))
