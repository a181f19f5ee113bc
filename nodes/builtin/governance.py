"""The rules that the agent works under."""

from collections.abc import Sequence

from ...state.sections import ALL_SCOPES, Scope
from .base import FixedSection

__all__ = ["Governance"]


class Governance(FixedSection):
    """Contributes the rules of the house: a protected section in slot governance."""

    def __init__(self, text: str, *, scopes: Sequence[Scope] = ALL_SCOPES) -> None:
        super().__init__(id="agent.governance", slot="governance", content=text, protected=True, scopes=scopes)
