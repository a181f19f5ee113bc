"""fold: replace the covered messages by the checkpoint, in one atomic step.

History is written in the order in which it is composed: anchor (if the fold passed it), checkpoint, carried-over
open steps, the rest. Assembling it again gives the same input.
"""

from dataclasses import replace

from ..state.history import History
from ..state.memory import PressureMemory
from ..state.node import Outcome, View
from ..state.products import Folded as Fold
from ..state.products import FoldPlan, PressurePass
from .checkpoints import Built

__all__ = ["Folded", "fold"]


class FoldView(View):
    """The checkpoint and what it covers."""

    history: History
    plan: FoldPlan
    checkpoint: Built
    memory: PressureMemory
    pressure: PressurePass


class Folded(Outcome):
    """The new canonical history."""

    history: History
    pressure: PressurePass
    memory: PressureMemory


def fold(view: FoldView) -> Folded:
    """Fold. Removed = covered, by message ids."""
    history, covered = view.history, set(view.plan.covered)
    # A covered step may have a late result far behind: the fold has passed what stands before its last head.
    heads = [history.step(number).head for number in view.plan.steps]
    end = max(heads, default=view.plan.covered[0])
    standing = history.checkpoint()
    anchor = set(history.anchor())
    carried_anchor = [at for at in range(history.lead, end) if at not in covered and at in anchor]
    carried = [at for at in range(history.lead, end) if at not in covered and at not in anchor]
    order = [
        *range(history.lead),
        *carried_anchor,
        -1,
        *carried,
        *[at for at in range(end, len(history)) if at not in covered],
    ]
    messages = [view.checkpoint.message if at < 0 else history[at] for at in order]
    fresh = Fold(
        checkpoint_id=view.checkpoint.message.id,
        checkpoint_tokens=view.checkpoint.tokens,
        covered=tuple([history[at].id for at in view.plan.covered]),
        replaced=history[standing].id if standing is not None else None,
        prompts_kept=view.checkpoint.prompts_kept,
        prompts_omitted=view.checkpoint.prompts_omitted,
    )
    return Folded(
        history=history.rebuilt(messages),
        pressure=replace(view.pressure, folded=_joined(view.pressure.folded, fresh), changed=True),
        memory=replace(view.memory, failed_source=None),
    )


def _joined(before: Fold | None, fresh: Fold) -> Fold:
    """Join the folds of a run: a forced pass may fold what an earlier pass has folded already.

    The checkpoint between them was never part of the given history, nor is it of the new one.
    """
    if before is None:
        return fresh
    covered = before.covered + tuple([name for name in fresh.covered if name != before.checkpoint_id])
    return replace(
        fresh,
        covered=covered,
        replaced=before.replaced if fresh.replaced == before.checkpoint_id else fresh.replaced,
        prompts_omitted=tuple(dict.fromkeys(before.prompts_omitted + fresh.prompts_omitted)),
    )
