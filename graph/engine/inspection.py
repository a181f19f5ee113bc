"""Look at a run after the fact: what changed between two moments, and which frames touched an item."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, cast, runtime_checkable

from pydantic import BaseModel

from ...state.node import brief

__all__ = [
    "Comparable",
    "FieldChange",
    "ItemChange",
    "Mentioning",
    "Pricing",
    "changes_between",
    "own_tokens",
    "touched",
]

Kind: TypeAlias = Literal["added", "removed", "changed"]

Pricing: TypeAlias = Callable[[object], int | None]
"""Says how many tokens an item has; None where that is not known."""

_SIGNS: Mapping[Kind, str] = {"added": "+", "removed": "-", "changed": "~"}


@runtime_checkable
class Comparable(Protocol):
    """A value that knows how to compare itself with its successor in the same field."""

    def diff_against(self, other: object) -> object:
        """Describe what changed from `self` (earlier) to `other` (later)."""
        ...


@runtime_checkable
class Mentioning(Protocol):
    """A value that knows whether it holds or names an item, without being walked through."""

    def mentions(self, item_id: str) -> bool:
        """Tell whether the item with this id occurs."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """One item of a sequence, by its id."""

    id: str
    kind: Kind
    tokens: int | None = None
    """Tokens more (or less) than before, where they are known."""

    def __str__(self) -> str:
        tokens = "" if self.tokens is None else f" ({self.tokens:+d} tokens)"
        return f"{_SIGNS[self.kind]} {self.id}{tokens}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One state field that differs between two moments of a run."""

    field: str
    kind: Kind
    before: object = dataclasses.field(repr=False)
    """None when it was added."""
    after: object = dataclasses.field(repr=False)
    """None when it was removed."""
    items: tuple[ItemChange, ...] = ()
    """For sequences whose items have an `id`: what came, went and changed, in the order of the later one."""
    detail: object = None
    """What `diff_against` of the earlier value said, if it has one."""

    def __str__(self) -> str:
        head = f"{_SIGNS[self.kind]} {self.field}"
        if self.items:
            return "\n  ".join([head, *map(str, self.items)])
        if self.detail is not None:
            return f"{head}: {self.detail}"
        return f"{head}: {brief(self.before)} → {brief(self.after)}" if self.kind == "changed" else head


def own_tokens(item: object) -> int | None:
    """Give the `tokens` that an item knows itself."""
    tokens = getattr(item, "tokens", None)
    return tokens if isinstance(tokens, int) else None


def changes_between(
    before: Mapping[str, object], after: Mapping[str, object], *, tokens: Pricing = own_tokens
) -> list[FieldChange]:
    """Compare two states field by field, by name; a value shared by both costs nothing."""
    changes: list[FieldChange] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if name not in before:
            changes.append(FieldChange(field=name, kind="added", before=None, after=new))
        elif name not in after:
            changes.append(FieldChange(field=name, kind="removed", before=old, after=None))
        elif old is not new and old != new:
            own = isinstance(old, Comparable)
            detail = old.diff_against(new) if isinstance(old, Comparable) else None
            items = () if own else _items_between(old, new, tokens)
            changes.append(FieldChange(field=name, kind="changed", before=old, after=new, items=items, detail=detail))
    return changes


def _items_between(old: object, new: object, price: Pricing) -> tuple[ItemChange, ...]:
    before, after = _by_id(old), _by_id(new)
    if before is None or after is None:
        return ()
    found: list[ItemChange] = []
    for key, item in before.items():
        if key not in after:
            found.append(ItemChange(id=key, kind="removed", tokens=_delta(price(item), 0)))
    for key, item in after.items():
        earlier = before.get(key)
        if key not in before:
            found.append(ItemChange(id=key, kind="added", tokens=_delta(0, price(item))))
        elif earlier is not item and earlier != item:
            found.append(ItemChange(id=key, kind="changed", tokens=_delta(price(earlier), price(item))))
    return tuple(found)


def _by_id(value: object) -> dict[str, object] | None:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return None
    items = cast("Sequence[object]", value)
    keyed = {str(key): item for item in items if (key := getattr(item, "id", None)) is not None}
    return keyed if len(keyed) == len(items) else None


def _delta(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def touched(before: Mapping[str, object], written: Mapping[str, object], item_id: str) -> bool:
    """Tell whether what was written brought the item in, took it out, or holds it changed."""
    for name, value in written.items():
        earlier = before.get(name)
        if value is earlier:
            continue
        old, new = list(_found(earlier, item_id)), list(_found(value, item_id))
        if old != new or (isinstance(value, Mentioning) and new):
            return True
    return False


def _found(value: object, item_id: str, depth: int = 6) -> Iterable[object]:
    """Give each place in the value that is the item or names it."""
    if isinstance(value, str):
        if value == item_id:
            yield value
    elif isinstance(value, Mentioning):
        if value.mentions(item_id):
            yield item_id
    elif getattr(value, "id", None) == item_id:
        yield value
    elif depth:
        for inner in _parts(value):
            yield from _found(inner, item_id, depth - 1)


def _parts(value: object) -> Iterable[object]:
    anything: Any = value
    if isinstance(value, BaseModel):
        return value.__dict__.values()
    if isinstance(value, Mapping):
        return [part for pair in anything.items() for part in pair]
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
        parts: Iterable[object] = anything
        return parts
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, part.name) for part in dataclasses.fields(value)]
    return ()
