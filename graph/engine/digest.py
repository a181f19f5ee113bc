"""A short digest of a state, to recognise it in an error message. Deterministic, bounded work."""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sized
from typing import Any

from pydantic import BaseModel

__all__ = ["LEAVES", "digest"]

LEAVES = 1_000
"""Values looked at; beyond, and in classes of unknown make, only type and length count."""


def digest(state: Mapping[str, object]) -> str:
    """Give 12 hex digits for a state: the same for equal states, on any machine, in any order of fields.

    A value may bring its own: an attribute `digest` that is a string.
    """
    hasher = hashlib.sha256()
    budget = [LEAVES]
    for name in sorted(state):
        hasher.update(f"{name}={_shown(state[name], budget)};".encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()[:12]


def _shown(value: object, budget: list[int]) -> str:
    budget[0] -= 1
    kind = type(value).__qualname__
    own = getattr(value, "digest", None)
    if value is None or isinstance(value, bool | int | float | bytes | str):
        return repr(value)
    if isinstance(own, str):
        return f"{kind}:{own}"
    parts = _parts(value) if budget[0] > 0 else None
    if parts is None:
        return f"{kind}:{len(value)}" if isinstance(value, Sized) else kind
    return f"{kind}({','.join(f'{name}={_shown(part, budget)}' for name, part in parts)})"


def _parts(value: object) -> Iterable[tuple[object, object]] | None:
    items: Any = value
    if isinstance(value, BaseModel):
        return value.__dict__.items()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(part.name, getattr(value, part.name)) for part in dataclasses.fields(value)]
    if isinstance(value, dict) and len(items) <= LEAVES:
        return sorted(items.items(), key=lambda pair: str(pair[0]))
    if isinstance(value, list | tuple) and len(items) <= LEAVES:
        return enumerate(items)
    if isinstance(value, set | frozenset) and len(items) <= LEAVES:
        return enumerate(sorted(_shown(item, [LEAVES]) for item in items))  # their order is no fact of the state
    return None
