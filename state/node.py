"""What a node is made of: the view it reads, the outcome it returns, the services it may use.

A node is a function `def name(view: SomeView) -> A | B`, or with a second parameter
`services: SomeServices`, sync or async. Its signature is the whole declaration: the view names what
it reads, each outcome class names one way on and, with its fields, what is written. The classes live
in this room because nodes import nothing but `state`; `turngraph.graph` exports them again.
"""

import inspect
from typing import TYPE_CHECKING, ClassVar, dataclass_transform

from pydantic import BaseModel, ConfigDict

__all__ = ["Bounded", "Outcome", "Services", "View", "brief"]


def brief(value: object) -> str:
    """Show a value in a few characters: plain scalars as they are, anything else by its type."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"<str of {len(value)}>"
    return f"<{type(value).__name__}>"


class Bounded:
    """Marks a state field whose collection stays small however long the conversation gets.

    `ids: Annotated[tuple[str, ...], Bounded]`. An outcome is validated when it is built, item by item;
    so `compile()` refuses `list`, `dict`, `set` and `tuple[X, ...]` fields without this mark: what grows
    with the conversation has to be a class that is checked by one `isinstance`.
    """

    __slots__ = ()


class Outcome(BaseModel):
    """What a node found: the class chooses the edge, the fields are written to the state.

    Frozen; unknown fields are refused; field types that pydantic does not know are checked by
    `isinstance`. Building one costs O(size of what is new).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={brief(v)}' for k, v in self.__dict__.items())})"

    __str__ = __repr__


@dataclass_transform(kw_only_default=True, frozen_default=True)
class View:
    """What a node may read: a subclass names the fields, with the types they have in the state.

    The engine fills a view from the state without validation; tests build one with keywords. Read-only.
    Reading a name that the view does not declare is an `AttributeError` here and an error for type checkers.
    A field takes no default: it is always there when the node runs, `compile()` proves it.
    """

    view_fields: ClassVar[tuple[str, ...]] = ()
    """Names of the fields, those of base classes first, in order of declaration."""

    def __init_subclass__(cls) -> None:
        names = dict.fromkeys(cls.view_fields)
        for name, annotation in inspect.get_annotations(cls).items():
            if "ClassVar" in str(annotation):
                continue
            if name in cls.__dict__:
                raise TypeError(f"{cls.__name__}.{name}: a view field takes no default")
            names[name] = None
        cls.view_fields = tuple(names)

    def __init__(self, **fields: object) -> None:
        names = self.view_fields
        if len(fields) != len(names) or any(name not in fields for name in names):
            missing = [name for name in names if name not in fields]
            unknown = sorted(fields.keys() - set(names))
            raise TypeError(f"{type(self).__name__}: missing fields {missing}, unknown fields {unknown}")
        self.__dict__.update(fields)

    if not TYPE_CHECKING:  # for a checker these three would make every name readable and writable

        def __getattr__(self, name: str) -> object:
            declared = ", ".join(self.view_fields) or "nothing"
            raise AttributeError(f"{type(self).__name__} does not read {name!r}; it declares {declared}")

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"{type(self).__name__} is read-only: return an outcome that writes {name!r}")

        def __delattr__(self, name: str) -> None:
            raise AttributeError(f"{type(self).__name__} is read-only: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]  # a view may hold values that cannot be hashed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={brief(v)}' for k, v in self.__dict__.items())})"


class Services:
    """What reaches outside (summariser, model, clock, stores): subclass it with typed fields.

    Given to the run as one object and handed to the nodes that ask for it by a parameter annotated with
    the subclass; never a global, so every run can be replayed with recorded services.
    """

    __slots__ = ()
