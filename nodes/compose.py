"""compose: put the input together, cached prefix first, without copying the history."""

from ..state.diagnostics import Diagnostic
from ..state.history import History
from ..state.node import Outcome, View
from ..state.products import Admitted

__all__ = ["Composed", "Composition", "compose"]

SHOWN_REPAIRS = 50
"""So many repairs are reported one by one; the rest as a number."""


class Composition:
    """The history whose outgoing form is ready (`history.sent`), before the window; nothing is copied."""

    __slots__ = ("diagnostics", "history")

    def __init__(self, history: History, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.history = history
        self.diagnostics = diagnostics


class ComposeView(View):
    """The history in its final form."""

    history: History
    admitted: Admitted


class Composed(Outcome):
    """Ready for the window."""

    composition: Composition


def compose(view: ComposeView) -> Composed:
    """Project the history. It is stored in the order in which it is sent: anchor, checkpoint, open steps, the rest.

    Contributed messages and attachments follow behind it, never inside a tool exchange: `window` appends them when it
    knows what stays.
    """
    sent = view.history.sent
    notes = sent.diagnostics(SHOWN_REPAIRS)
    if sent.repaired > SHOWN_REPAIRS:
        rest = Diagnostic(
            code="PROJECTION_REPAIRED",
            severity="warning",
            source="compose",
            message=f"{sent.repaired - SHOWN_REPAIRS} further repairs of the same kinds",
        )
        notes = [*notes, rest]
    return Composed(composition=Composition(view.history, tuple(notes)))
