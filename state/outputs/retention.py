"""What a store may forget: too old or too much of it, and never what a live history still leads to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, cast, runtime_checkable

from ..errors import OutputRefError, UsageError
from ..messages import Message
from .files import FileOutputStore
from .memory import MemoryOutputStore
from .refs import find_refs, is_ref
from .store import OutputStore

__all__ = ["Held", "Pruned", "RetainedStore", "Retention", "live_refs", "prune_outputs"]

GRACE_S: Final = 3600.0
"""What was stored within the last hour stays: the run that stored it may not have returned its history yet."""


class Held(NamedTuple):
    """One body that a store holds."""

    ref: str
    size: int
    """Bytes of UTF-8."""
    stored_at: float | None
    """Seconds since 1970; `None` where the store does not know."""


@runtime_checkable
class RetainedStore(Protocol):
    """What a store offers beside `OutputStore` if it can be pruned; files and memory need not."""

    def inventory(self) -> Sequence[Held]:
        """List what is held, oldest first."""
        ...

    def expire_older(self, ref: str, stored_at: float) -> bool:
        """Expire a body unless it was stored again after `stored_at`; tell whether it went."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How much a store keeps; what is `None` does not count.

    Raises:
        UsageError: A negative number.
    """

    max_bytes: int | None = None
    """Bodies of all together, in bytes of UTF-8; the oldest go first."""
    max_age_s: float | None = None
    """Seconds since a body was stored; does not hold for a store that does not know when."""
    grace_s: float = GRACE_S
    """Seconds for which a body stays whatever its age and size, where the store knows when it came."""

    def __post_init__(self) -> None:
        """Refuse negative numbers."""
        for name in ("max_bytes", "max_age_s", "grace_s"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise UsageError(f"{name} is at least 0, got {value!r}", details={"field": name, "value": value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What went and what is left."""

    removed: tuple[Held, ...]
    """Oldest first."""
    kept_bytes: int
    """All bodies that are left."""
    over_bytes: int
    """So much more than `max_bytes`: bodies that are live or new."""


def prune_outputs(store: OutputStore, retention: Retention, live: Iterable[str], *, now: float) -> Pruned:
    """Expire what is over the limits and what no live reference leads to.

    A live body may name others, as the transcript of folded messages does: those are live too. What goes leaves the
    mark of an expired body. Cost: a list of the store, and reading the live bodies.

    Args:
        store: In memory, of files, in a database, or any other `RetainedStore`.
        retention: The limits.
        live: References that any history still holds, as `live_refs` collects them.
        now: Seconds since 1970.

    Raises:
        UsageError: The store cannot list what it holds.
        OSError: What keeps the bodies is not there.
    """
    bodies = _inventory(store)
    kept = _reachable(store, live, {held.ref for held in bodies})
    total = sum(held.size for held in bodies)
    removed: list[Held] = []
    for held in bodies:
        age = None if held.stored_at is None else now - held.stored_at
        too_old = retention.max_age_s is not None and age is not None and age > retention.max_age_s
        too_much = retention.max_bytes is not None and total > retention.max_bytes
        fresh = age is not None and age < retention.grace_s
        if (too_old or too_much) and not fresh and held.ref not in kept and _expire(store, held):
            removed.append(held)
            total -= held.size
    limit = retention.max_bytes
    return Pruned(removed=tuple(removed), kept_bytes=total, over_bytes=0 if limit is None else max(0, total - limit))


def live_refs(messages: Iterable[Message], *, durable: Any = None) -> frozenset[str]:
    """Collect the references that a history holds: of results, in previews, arguments, checkpoints, in any text.

    Args:
        messages: A history, or the messages of several.
        durable: A durable state as JSON, which holds references too.
    """
    found = set(_refs_in(durable))
    for message in messages:
        for part in (*message.content, message.extras, message.origin.data):
            found.update(_refs_in(part))
    return frozenset(found)


def _refs_in(value: object) -> Iterable[str]:
    """Give the references in every string of a JSON value or of a part of a message."""
    if isinstance(value, str):
        yield from find_refs(value)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield from _refs_in(key)
            yield from _refs_in(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _refs_in(item)
    elif value is not None and hasattr(value, "__slots__"):  # a part: plain data with fields
        for name in cast("tuple[str, ...]", getattr(value, "__slots__")):  # noqa: B009 - a name that checkers know otherwise
            yield from _refs_in(getattr(value, name, None))


def _reachable(store: OutputStore, live: Iterable[str], held: set[str]) -> set[str]:
    """Follow the references from body to body."""
    waiting = [ref for ref in live if is_ref(ref)]
    seen = set(waiting)
    while waiting:
        ref = waiting.pop()
        if ref not in held:
            continue
        try:
            named = find_refs(store.get(ref))
        except OutputRefError:  # gone or damaged by now: it leads nowhere
            continue
        waiting += [other for other in named if other not in seen]
        seen.update(named)
    return seen


def _inventory(store: OutputStore) -> Sequence[Held]:
    if isinstance(store, RetainedStore):
        return store.inventory()
    if isinstance(store, MemoryOutputStore):
        return [Held(ref, len(text.encode()), None) for ref, text in store.items.items()]
    if isinstance(store, FileOutputStore):
        return _files(store)
    raise UsageError(f"{type(store).__name__} cannot list what it holds: it has no `inventory`")


def _files(store: FileOutputStore) -> list[Held]:
    found: list[Held] = []
    for path in store.path.glob("tool-output-*.txt"):
        if not is_ref(path.stem) or path.is_symlink():
            continue
        try:
            facts = path.stat()
        except FileNotFoundError:  # another process expired it
            continue
        found.append(Held(path.stem, facts.st_size, facts.st_mtime))
    return sorted(found, key=lambda held: (held.stored_at, held.ref))


def _expire(store: OutputStore, held: Held) -> bool:
    """Expire a body, unless it was stored again since it was listed."""
    if isinstance(store, RetainedStore):
        return store.expire_older(held.ref, held.stored_at or 0.0)
    if isinstance(store, FileOutputStore):
        try:
            if (store.path / f"{held.ref}.txt").stat().st_mtime != held.stored_at:
                return False
        except FileNotFoundError:
            return False
    if isinstance(store, MemoryOutputStore | FileOutputStore):
        store.expire(held.ref)
    return True
