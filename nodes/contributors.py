"""The registry of contributors: code that gives sections, attachments and messages for one turn.

Frozen before turn one. Contributors are ordered by id, by code points, never by locale or by who is done first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args, runtime_checkable

from ..state.errors import BadRequest, UsageError
from ..state.history import History
from ..state.sections import Contribution, Scope, id_problem

__all__ = ["ContributionRequest", "Contributor", "ContributorFactory", "ContributorRegistry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionRequest:
    """What a contributor gets to see; immutable."""

    context_id: str
    scope: Scope
    turn: int
    history: History
    latest_user_input: str
    """The newest real user prompt."""
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The durable state that it declared to read."""
    deadline_s: float | None = None


@runtime_checkable
class Contributor(Protocol):
    """Gives a contribution for one turn. Optional attributes: `scopes` (default all), `required` (default true)."""

    @property
    def id(self) -> str:
        """`[a-z][a-z0-9]*([._-][a-z0-9]+)*`, unique in a run."""
        ...

    def contribute(self, request: ContributionRequest) -> Any:
        """Give a `Contribution`, or an awaitable of one in an async run."""
        ...


@runtime_checkable
class ContributorFactory(Protocol):
    """Makes the contributors of one run."""

    @property
    def id(self) -> str:
        """As for contributors; unique among factories."""
        ...

    def create(self, *, context_id: str, scope: Scope) -> Contributor | Sequence[Contributor]:
        """Make one or several contributors."""
        ...


class ContributorRegistry:
    """The contributors of a run.

    Raises:
        BadRequest: An id of wrong form, a second contributor of one id, a scope that does not exist.
        UsageError: Registration after `freeze`.
    """

    def __init__(self, contributors: Sequence[Contributor] = ()) -> None:
        self._by_id: dict[str, Contributor] = {}
        self._frozen = False
        for contributor in contributors:
            self.register(contributor)

    def register(self, contributor: Contributor) -> None:
        """Add one contributor."""
        if self._frozen:
            raise UsageError(f"Contributor {contributor.id!r}: the registry is frozen; register before the first turn")
        problem = id_problem(contributor.id)
        if problem is None and contributor.id in self._by_id:
            problem = f"contributor {contributor.id!r} is registered already"
        unknown = sorted(set(scopes_of(contributor)) - set(get_args(Scope)))
        if problem is None and unknown:
            problem = f"contributor {contributor.id!r} names unknown scopes {unknown}"
        if problem is not None:
            raise BadRequest(problem, details={"problems": [{"path": "contributors", "value": contributor.id}]})
        self._by_id[contributor.id] = contributor

    def freeze(self) -> "ContributorRegistry":
        """Refuse further registrations."""
        self._frozen = True
        return self

    def of_scope(self, scope: Scope) -> list[Contributor]:
        """List the contributors of a scope, by id."""
        return [self._by_id[name] for name in sorted(self._by_id) if scope in scopes_of(self._by_id[name])]

    def __len__(self) -> int:
        return len(self._by_id)

    def __repr__(self) -> str:
        return f"<ContributorRegistry of {sorted(self._by_id)}>"


def scopes_of(contributor: Contributor) -> Sequence[Scope]:
    """Give the scopes that a contributor speaks in."""
    return getattr(contributor, "scopes", get_args(Scope))


def is_required(contributor: Contributor) -> bool:
    """Tell whether the assembly fails when this contributor does."""
    return bool(getattr(contributor, "required", True))


EMPTY = Contribution()
