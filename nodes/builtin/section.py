"""A section in one line."""

from collections.abc import Callable, Sequence

from ...state.sections import ALL_SCOPES, Contribution, Scope, Section, Slot
from ..contributors import ContributionRequest
from .base import NOTHING

__all__ = ["SectionContributor"]


class SectionContributor:
    """Contributes one section of the system prompt: a text, or what a function of the request gives.

    Args:
        id: Of the contributor and of its section.
        slot: Where it stands.
        content: The text, or a function that makes it each turn; `None` or a blank text contributes nothing.
        protected: Never shortened, never dropped.
        order: Sorts inside the slot.
        scopes: Where it speaks.
        required: Whether the assembly fails when the function does.
        state_reads: The channels of durable state that the function reads from `request.state`.
    """

    def __init__(
        self,
        id: str,
        slot: Slot,
        content: str | Callable[[ContributionRequest], str | None],
        *,
        protected: bool = False,
        order: int = 0,
        scopes: Sequence[Scope] = ALL_SCOPES,
        required: bool = True,
        state_reads: Sequence[str] = (),
    ) -> None:
        self.id = id
        self.required = required
        self.scopes = tuple(scopes)
        self.state_reads = tuple(state_reads)
        self._slot: Slot = slot
        self._content = content
        self._protected = protected
        self._order = order

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give the section."""
        text = self._content if isinstance(self._content, str) else self._content(request)
        if text is None or not text.strip():
            return NOTHING
        section = Section(
            id=self.id,
            slot=self._slot,
            content=text,
            protected=self._protected,
            order=self._order,
            scopes=self.scopes,
        )
        return Contribution(sections=(section,))

    def __repr__(self) -> str:
        return f"<SectionContributor {self.id}>"
