"""Contributors of other packages, found by entry point."""

import re
from collections.abc import Sequence
from typing import Any, Final

from ...state.durable.values import is_items
from ...state.sections import Contribution, Scope
from ..contributors import ContributionRequest, Contributor, ContributorFactory

__all__ = ["GROUP", "Unloadable", "entry_point_contributors"]

GROUP: Final = "turngraph.contributors"


class Unloadable:
    """Stands in for an entry point that could not be loaded: it fails each turn, so that every report says why."""

    required = False

    def __init__(self, name: str, problem: str) -> None:
        self.id = f"entry_point.{_id_of(name)}"
        self.problem = problem

    def contribute(self, request: ContributionRequest) -> Contribution:  # noqa: ARG002 - it has nothing to say
        """Raise what was wrong."""
        raise RuntimeError(self.problem)

    def __repr__(self) -> str:
        return f"<Unloadable {self.id}: {self.problem}>"


class _GuardedFactory:
    """A factory of another package: where it raises, a stand-in takes its place."""

    def __init__(self, name: str, factory: ContributorFactory) -> None:
        self.id = factory.id
        self._name = name
        self._factory = factory

    def create(self, *, context_id: str, scope: Scope) -> Contributor | Sequence[Contributor]:
        """Make what the factory makes."""
        try:
            made = self._factory.create(context_id=context_id, scope=scope)
        except Exception as error:  # noqa: BLE001 - whatever foreign code raises is reported, not passed on
            return Unloadable(self._name, f"its factory failed: {type(error).__name__}: {error}")
        wrong = [item for item in _several(made) if not isinstance(item, Contributor)]
        return Unloadable(self._name, f"its factory made {wrong[0]!r}, which is no contributor") if wrong else made

    def __repr__(self) -> str:
        return f"<factory {self.id} of entry point {self._name}>"


def entry_point_contributors() -> tuple[Contributor | ContributorFactory, ...]:
    """Load the contributors that installed packages register in the group `turngraph.contributors`.

    An entry point names a contributor, a factory, a class or function that takes no arguments and makes one, or a
    sequence of these. They come sorted by the name of the entry point. What cannot be loaded, or has an id that an
    earlier one has, is replaced by a stand-in that fails as an optional contributor; it never stops the others.

    Loading runs code of those packages: call this where you trust what is installed.
    """
    from importlib.metadata import entry_points

    found: list[Contributor | ContributorFactory] = []
    taken: set[str] = set()
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        for item in _loaded(point):
            fresh = Unloadable(point.name, f"id {item.id!r} is taken") if item.id in taken else item
            while fresh.id in taken:
                fresh = Unloadable(f"{fresh.id.removeprefix('entry_point.')}.again", f"id {item.id!r} is taken")
            taken.add(fresh.id)
            found.append(fresh)
    return tuple(found)


def _loaded(point: Any) -> list[Contributor | ContributorFactory]:
    """Load one entry point."""
    try:
        value: Any = point.load()
        made = value() if isinstance(value, type) or (callable(value) and not _speaks(value)) else value
        return [_checked(point.name, item) for item in _several(made)]
    except Exception as error:  # noqa: BLE001 - whatever foreign code raises is reported, not passed on
        return [Unloadable(point.name, f"{point.value}: {type(error).__name__}: {error}")]


def _several(made: Any) -> Sequence[Any]:
    """Give what was made as a sequence."""
    return made if is_items(made) else (made,)


def _speaks(value: object) -> bool:
    return isinstance(value, Contributor | ContributorFactory)


def _checked(name: str, item: Any) -> Contributor | ContributorFactory:
    if isinstance(item, Contributor):
        return item
    if isinstance(item, ContributorFactory):
        return _GuardedFactory(name, item)
    return Unloadable(name, f"{item!r} is neither a contributor nor a factory of one")


def _id_of(name: str) -> str:
    """Make an id of the name of an entry point."""
    groups = re.findall(r"[a-z0-9]+", name.lower())
    return ".".join(groups) or "unnamed"
