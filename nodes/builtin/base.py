"""What the built-in contributors share."""

from collections.abc import Sequence

from ...state.sections import ALL_SCOPES, Contribution, Scope, Section, Slot
from ..contributors import ContributionRequest

__all__ = ["NOTHING", "BuiltIn", "FixedSection"]

NOTHING = Contribution()


class BuiltIn:
    """A contributor of ours: known not to hang or to flood, so that it needs no worker of its own."""

    id: str
    """Unique in a run."""
    required: bool = True
    scopes: tuple[Scope, ...] = ALL_SCOPES
    state_reads: tuple[str, ...] = ()
    """The channels that it reads."""

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give what there is to say this turn. Cost: at most 50 µs."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class FixedSection(BuiltIn):
    """Contributes one section of the system prompt, the same bytes every turn; nothing where it is blank."""

    def __init__(
        self,
        *,
        id: str,
        slot: Slot,
        content: str,
        protected: bool = False,
        order: int = 0,
        scopes: Sequence[Scope] = ALL_SCOPES,
    ) -> None:
        self.id = id
        self.required = protected
        self.scopes = tuple(scopes)
        section = Section(id=id, slot=slot, content=content, protected=protected, order=order, scopes=self.scopes)
        self._contribution = Contribution(sections=(section,)) if content.strip() else NOTHING

    def contribute(self, request: ContributionRequest) -> Contribution:  # noqa: ARG002 - fixed
        """Give the section."""
        return self._contribution
