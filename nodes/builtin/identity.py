"""Who the agent is."""

from collections.abc import Sequence

from ...state.sections import ALL_SCOPES, Scope
from .base import FixedSection

__all__ = ["Identity"]


class Identity(FixedSection):
    """Contributes who the agent is: a protected section in slot identity, behind the history's own system text."""

    def __init__(self, text: str, *, scopes: Sequence[Scope] = ALL_SCOPES) -> None:
        super().__init__(id="agent.identity", slot="identity", content=text, protected=True, scopes=scopes)
