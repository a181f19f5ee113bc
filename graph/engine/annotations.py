"""What annotations say: the members of unions, what may stand for what, which collections grow."""

import types
import typing
from collections import abc, deque
from collections.abc import Iterable

from ...state.node import Bounded

__all__ = ["bare", "compatible", "members", "shown", "unbounded"]

_GROWING: tuple[type, ...] = (
    list,
    dict,
    set,
    frozenset,
    deque,
    abc.Sequence,
    abc.Mapping,
    abc.Set,
    abc.Iterable,
    abc.Collection,
    abc.MutableSequence,
    abc.MutableMapping,
    abc.MutableSet,
)


def bare(annotation: object) -> object:
    """Take off `Annotated`, type aliases and `NewType`."""
    while True:
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif hasattr(annotation, "__value__"):  # a `type X = …` alias of Python 3.12
            annotation = getattr(annotation, "__value__")  # noqa: B009 -- absent from the type of 3.11
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        else:
            return annotation


def members(annotation: object) -> tuple[object, ...]:
    """Give the members of a union, flattened; one member for anything else."""
    annotation = bare(annotation)
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return tuple(inner for part in typing.get_args(annotation) for inner in members(part))
    return (annotation,)


def shown(annotation: object) -> str:
    """Write an annotation the way a person would."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "")


def compatible(given: object, wanted: object) -> bool:
    """Tell whether a value annotated `given` may stand where `wanted` is declared.

    Says no only where it is sure: protocols, type variables and unknown forms pass.
    """
    wants = members(wanted)
    return all(any(_fits(one, want) for want in wants) for one in members(given))


def _fits(given: object, wanted: object) -> bool:
    if given == wanted or wanted is object or wanted is typing.Any or given is typing.Any:
        return True
    if typing.get_origin(given) is typing.Literal:
        return _literal_fits(typing.get_args(given), wanted)
    if typing.get_origin(wanted) is typing.Literal:
        return False
    left, right = _class(given), _class(wanted)
    if left is None or right is None or getattr(right, "_is_protocol", False):
        return True
    if left is not right:
        return issubclass(left, right) or (left is int and right is float)
    inner, outer = typing.get_args(given), typing.get_args(wanted)
    return len(inner) != len(outer) or all(map(compatible, inner, outer))


def _literal_fits(values: tuple[object, ...], wanted: object) -> bool:
    if typing.get_origin(wanted) is typing.Literal:
        return set(values) <= set(typing.get_args(wanted))
    return all(_fits(type(value), wanted) for value in values)


def _class(annotation: object) -> type[object] | None:
    origin = typing.get_origin(annotation) or annotation
    return origin if isinstance(origin, type) else None


def unbounded(annotation: object, *, marks: Iterable[object] = ()) -> str | None:
    """Name the first collection in the annotation that grows and lacks the mark `Bounded`, if any.

    `marks` is what pydantic took off the annotation already.
    """
    if any(mark is Bounded or isinstance(mark, Bounded) for mark in marks):
        return None
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *nested = typing.get_args(annotation)
        return unbounded(inner, marks=nested)
    annotation = bare(annotation)
    origin, args = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin in _GROWING or (origin is tuple and (not args or args[-1] is Ellipsis)):
        return shown(annotation)
    if origin in {tuple, typing.Union, types.UnionType}:
        return next(filter(None, map(unbounded, args)), None)
    return None
