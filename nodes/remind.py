"""remind: stage reminders for this boundary. It appends nothing; `emit` writes what was staged."""

from ..state.history import History
from ..state.node import Outcome, View
from ..state.products import Staged as Staging

__all__ = ["Staged", "remind"]


class RemindView(View):
    """Where reminders would be found."""

    history: History


class Staged(Outcome):
    """The reminders of this boundary."""

    staged: Staging


_NOTHING = Staging()


def remind(view: RemindView) -> Staged:  # noqa: ARG001 - a reminder provider reads the history
    """Stage nothing: a run without a session has no reminder providers."""
    return Staged(staged=_NOTHING)
