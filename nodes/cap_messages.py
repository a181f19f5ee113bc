"""cap_messages: count the messages; whether that alone asks for a fold is decided by `measure`."""

from ..state.budget import Budget
from ..state.history import History
from ..state.node import Outcome, View
from ..state.products import Counted as Count

__all__ = ["Counted", "cap_messages"]


class CapView(View):
    """What is counted against what."""

    history: History
    budget: Budget


class Counted(Outcome):
    """The count is known."""

    count: Count


def cap_messages(view: CapView) -> Counted:
    """Count messages without leading system text; the standing checkpoint counts."""
    messages = len(view.history) - view.history.lead
    return Counted(count=Count(messages=messages, over=messages >= view.budget.compaction_trigger_messages))
