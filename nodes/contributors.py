"""The registry of contributors: code that gives sections, attachments and messages for one turn.

Frozen before turn one. Contributors are ordered by id, by code points, never by locale or by who is done first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args, runtime_checkable

from ..state.errors import BadRequest, ContributorFailed, UsageError
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
    """The contributors of a run, and the factories that make some of them when the registry is frozen.

    Raises:
        BadRequest: An id of wrong form, a second contributor or factory of one id, a scope that does not exist.
        UsageError: Registration after `freeze`.
    """

    def __init__(self, contributors: Sequence[Contributor | ContributorFactory] = ()) -> None:
        self._by_id: dict[str, Contributor] = {}
        self._factories: dict[str, ContributorFactory] = {}
        self._frozen = False
        for contributor in contributors:
            self.register(contributor)

    def register(self, contributor: Contributor | ContributorFactory) -> None:
        """Add one contributor or factory."""
        if self._frozen:
            raise UsageError(f"Contributor {contributor.id!r}: the registry is frozen; register before the first turn")
        if isinstance(contributor, Contributor):
            self._add_contributor(contributor)
        else:
            _check(contributor.id, "factory", self._factories)
            self._factories[contributor.id] = contributor

    def _add_contributor(self, contributor: Contributor) -> None:
        _check(contributor.id, "contributor", self._by_id)
        unknown = sorted(set(scopes_of(contributor)) - set(get_args(Scope)))
        if unknown:
            raise _refusal(contributor.id, f"contributor {contributor.id!r} names unknown scopes {unknown}")
        self._by_id[contributor.id] = contributor

    def freeze(self, *, context_id: str = "default", scope: Scope = "main") -> "ContributorRegistry":
        """Let the factories make their contributors, then refuse further registrations.

        Raises:
            ContributorFailed: A factory raised.
        """
        for factory in self._factories.values() if not self._frozen else ():
            try:
                made = factory.create(context_id=context_id, scope=scope)
            except Exception as error:
                raise ContributorFailed(
                    f"Factory {factory.id} failed: {type(error).__name__}: {error}", details={"factory": factory.id}
                ) from error
            for contributor in made if isinstance(made, Sequence) else (made,):
                self._add_contributor(contributor)
        self._frozen = True
        return self

    def of_scope(self, scope: Scope) -> list[Contributor]:
        """List the contributors of a scope, by id."""
        return [self._by_id[name] for name in sorted(self._by_id) if scope in scopes_of(self._by_id[name])]

    def __len__(self) -> int:
        return len(self._by_id)

    def __repr__(self) -> str:
        return f"<ContributorRegistry of {sorted(self._by_id)}>"


def _check(name: str, kind: str, taken: Mapping[str, object]) -> None:
    problem = id_problem(name)
    if problem is None and name in taken:
        problem = f"{kind} {name!r} is registered already"
    if problem is not None:
        raise _refusal(name, problem)


def _refusal(name: str, problem: str) -> BadRequest:
    return BadRequest(problem, details={"problems": [{"path": "contributors", "value": name, "problem": problem}]})


def scopes_of(contributor: Contributor) -> Sequence[Scope]:
    """Give the scopes that a contributor speaks in."""
    return getattr(contributor, "scopes", get_args(Scope))


def is_required(contributor: Contributor) -> bool:
    """Tell whether the assembly fails when this contributor does."""
    return bool(getattr(contributor, "required", True))


EMPTY = Contribution()
