"""compose: put the input together, cached prefix first, without copying the history."""

from ..state.diagnostics import Diagnostic
from ..state.history import History
from ..state.node import Outcome, View
from ..state.products import Admitted
from ..state.projection import Projected, irregular

__all__ = ["Composed", "Composition", "compose"]

SHOWN_REPAIRS = 50
"""So many repairs are reported one by one; the rest as a number."""


class Composition:
    """The history as it goes out, before the window: the irregular steps are projected, nothing is copied."""

    __slots__ = ("diagnostics", "history", "special")

    def __init__(self, history: History, special: list[Projected], diagnostics: tuple[Diagnostic, ...]) -> None:
        self.history = history
        self.special = special
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
    special = irregular(view.history)
    notes = [note for item in special for note in item.diagnostics]
    if len(notes) > SHOWN_REPAIRS:
        rest = Diagnostic(
            code="PROJECTION_REPAIRED",
            severity="warning",
            source="compose",
            message=f"{len(notes) - SHOWN_REPAIRS} further repairs of the same kinds",
        )
        notes = [*notes[:SHOWN_REPAIRS], rest]
    return Composed(composition=Composition(view.history, special, tuple(notes)))
