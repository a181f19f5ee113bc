"""What the run was agreed to reach."""

from collections.abc import Sequence

from ...state.durable import Goal
from ...state.sections import ALL_SCOPES, Scope
from .base import FixedSection

__all__ = ["RunContract"]


class RunContract(FixedSection):
    """Contributes the host's run contract: a protected section in slot run_contract.

    Only what the host hands over speaks here. A goal that a tool call set is model-written; it is shown as data.
    """

    def __init__(self, contract: Goal, *, scopes: Sequence[Scope] = ALL_SCOPES) -> None:
        text = contract.as_markdown()
        content = f"## Run contract\n{text}" if text.strip() else ""
        super().__init__(id="run.contract", slot="run_contract", content=content, protected=True, scopes=scopes)
