"""What the whole input costs after each node of a run, read off what the nodes wrote."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ...state.products import Bill, FoldPlan, PressurePass

if TYPE_CHECKING:
    from ...nodes.checkpoints import Built
    from ..engine import Frame, Run

__all__ = ["tokens_after"]


def tokens_after(run: "Run", frames: "Sequence[Frame]") -> list[int | None]:
    """Give a number per frame of a run; `None` before the first bill.

    `measure` and `window` bill the whole input; between them `prune` and `fold` say what they took off it.
    """
    found: list[int | None] = []
    total: int | None = None
    freed = 0
    for at, frame in enumerate(frames):
        written = frame.outcome.__dict__
        bill = cast("Bill | None", written.get("sent") or written.get("bill"))
        record = cast("PressurePass | None", written.get("pressure"))
        if bill is not None:
            total = bill.total
        elif total is not None and record is not None and frame.node == "prune":
            total -= record.freed - freed
        elif total is not None and frame.node == "fold":
            state = run.state_at(at)
            plan, built = cast("FoldPlan", state["plan"]), cast("Built", state["checkpoint"])
            total += built.tokens - plan.source_tokens
        freed = record.freed if record is not None else freed
        found.append(total)
    return found
