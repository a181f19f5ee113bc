"""settle: every way out of a pressure pass. The only place that decides on collecting again."""

from dataclasses import replace

from ..state.errors import AssemblyError, OverflowNoProgress
from ..state.history import History
from ..state.memory import Fruitless, PressureMemory
from ..state.node import Outcome, View
from ..state.products import Limits, PressurePass

__all__ = ["Changed", "Stuck", "Unchanged", "settle"]


class SettleView(View):
    """What the pass did."""

    history: History
    limits: Limits
    memory: PressureMemory
    pressure: PressurePass


class Changed(Outcome):
    """Model-visible history changed: collect again."""

    pressure: PressurePass
    memory: PressureMemory


class Unchanged(Outcome):
    """Nothing was freed; go on with what there is."""

    pressure: PressurePass
    memory: PressureMemory


class Stuck(Outcome):
    """The forced pass changed nothing: sending the same input again would overflow again."""

    error: AssemblyError
    pressure: PressurePass


def settle(view: SettleView) -> Changed | Unchanged | Stuck:
    """Close the pass and note what the next turns should know of it."""
    record, history = view.pressure, view.history
    done = replace(record, recollected=record.changed)
    seen = history[-1].id if len(history) else None
    if record.changed:
        memory = replace(view.memory, fruitless=None, last_seen=seen)
        return Changed(pressure=replace(done, changed=False), memory=memory)
    if record.forced and not _smaller_anyway(record, view.limits):
        return Stuck(
            error=OverflowNoProgress(
                f"The input overflowed at {record.ceiling} tokens and nothing in the history can be shortened "
                "or folded; sending it again would overflow again",
                details={"total": record.entered_at, "failed_tokens": record.ceiling},
            ),
            pressure=done,
        )
    excess = max(1, record.entered_at - view.limits.pressure)
    memory = replace(view.memory, fruitless=Fruitless(record.entered_at, excess), last_seen=seen)
    return Unchanged(pressure=done, memory=memory)


def _smaller_anyway(record: PressurePass, limits: Limits) -> bool:
    """Tell whether what is sent next is smaller though nothing changed.

    The input is below what the host says overflowed, or a provider named a limit, to which the window keeps.
    """
    ceiling = record.ceiling if record.ceiling is not None else record.entered_at
    return record.entered_at < ceiling or limits.limit < ceiling - 1
