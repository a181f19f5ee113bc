"""emit: hand the validated input over; staged reminders become part of the history here and nowhere else."""

from ..state.history import History
from ..state.model_input import ModelInput
from ..state.node import Outcome, View
from ..state.products import Staged
from .services import AssemblyServices

__all__ = ["Emitted", "Ready", "emit"]


class EmitView(View):
    """What was validated, and what was staged."""

    model_input: ModelInput
    history: History
    staged: Staged


class Emitted(Outcome):
    """No model is bound: the caller sends the input."""

    result: History


class Ready(Outcome):
    """A model is bound: send it."""

    result: History


def emit(view: EmitView, services: AssemblyServices) -> Emitted | Ready:
    """Write staged reminders into the resulting history."""
    history = view.history.extend(view.staged.messages) if view.staged.messages else view.history
    return Ready(result=history) if services.model is not None else Emitted(result=history)
