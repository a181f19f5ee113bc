"""Read a node off its signature: view, outcomes, services, sync or async."""

import inspect
import typing
from collections.abc import Mapping

from ...state.node import Outcome, Services, View
from .annotations import compatible, members, shown
from .wiring import Node, NodeFunction

__all__ = ["node_name", "read_node"]

_FORM = "write def name(view: SomeView) -> A | B, or with a second parameter services: SomeServices"


def node_name(function: NodeFunction) -> str:
    """Give the name under which a function is a node; a callable without one shows its type."""
    return str(getattr(function, "__name__", f"<{type(function).__name__}>"))


def read_node(function: NodeFunction, phase: str, annotations: Mapping[str, object], problems: list[str]) -> Node:
    """Read one node against the fields of the state; what is wrong goes to `problems`.

    Where the signature cannot be read the node has the empty view or no outcomes, so that the proofs go on.
    """
    name = node_name(function)
    view: object = View
    services: object = None
    outcomes: tuple[type[Outcome], ...] = ()
    try:
        hints = typing.get_type_hints(function)
        parameters = list(inspect.signature(function).parameters)
    except (NameError, TypeError, ValueError, AttributeError) as error:
        problems.append(f"node {name!r}: its annotations cannot be read ({error}); {_FORM}")
    else:
        view = hints.get(parameters[0]) if 1 <= len(parameters) <= 2 else None
        if not (isinstance(view, type) and issubclass(view, View)):
            problems.append(f"node {name!r} does not take a view; {_FORM}")
        elif len(parameters) == 2:
            services = hints.get(parameters[1])
            if not (isinstance(services, type) and issubclass(services, Services)):
                problems.append(f"node {name!r}: its second parameter is no Services class; {_FORM}")
        outcomes = _outcomes(name, hints.get("return"), problems)
    node = Node(
        name=name,
        phase=phase,
        function=function,
        view=view if isinstance(view, type) and issubclass(view, View) else View,
        outcomes=outcomes,
        services=services if isinstance(services, type) and issubclass(services, Services) else None,
    )
    try:
        _check_view(name, node.view, annotations, problems)
    except NameError as error:
        problems.append(f"node {name!r}: the annotations of {node.view.__name__} cannot be read ({error})")
    for outcome in outcomes:
        if not outcome.__pydantic_complete__ and outcome.model_rebuild(raise_errors=False) is not True:
            problems.append(f"node {name!r} outcome {outcome.__name__!r}: its annotations cannot be read")
        _check_outcome(name, outcome, annotations, problems)
    return node


def _outcomes(name: str, returned: object, problems: list[str]) -> tuple[type[Outcome], ...]:
    found: dict[str, type[Outcome]] = {}
    for member in members(returned):
        if not (isinstance(member, type) and issubclass(member, Outcome)) or member is Outcome:
            problems.append(f"node {name!r} returns what is no subclass of Outcome: {member!r}; {_FORM}")
        elif found.get(member.__name__, member) is not member:
            problems.append(f"node {name!r} has two outcomes named {member.__name__!r}: rename one")
        else:
            found[member.__name__] = member
    return tuple(found.values())


def _check_view(name: str, view: type[View], annotations: Mapping[str, object], problems: list[str]) -> None:
    hints = typing.get_type_hints(view, include_extras=True)
    for field in view.view_fields:
        if field not in annotations:
            problems.append(
                f"node {name!r} reads {field!r} ({view.__name__}), which is no field of the state: "
                f"add it to the state or drop it from the view"
            )
        elif not compatible(annotations[field], hints[field]):
            problems.append(
                f"node {name!r} reads {field!r} as {shown(hints[field])} ({view.__name__}), "
                f"the state holds {shown(annotations[field])}"
            )


def _check_outcome(name: str, outcome: type[Outcome], annotations: Mapping[str, object], problems: list[str]) -> None:
    for field, info in outcome.model_fields.items():
        if field not in annotations:
            problems.append(
                f"node {name!r} outcome {outcome.__name__!r} writes {field!r}, "
                f"which is no field of the state: add it to the state or drop it from the outcome"
            )
        elif not compatible(info.annotation, annotations[field]):
            problems.append(
                f"node {name!r} outcome {outcome.__name__!r} writes {field!r} as {shown(info.annotation)}, "
                f"the state holds {shown(annotations[field])}"
            )
