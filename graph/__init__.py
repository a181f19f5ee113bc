"""How it is wired, run and shown: engine, assembly graph, drivers, drawing, command line."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..state.node import Bounded, Outcome, Services, View
    from .engine import END, FAILED, CompiledGraph, Frame, GraphError, NodeError, Run, StateGraph

_HOMES = {
    "..state.node": ("Bounded", "Outcome", "Services", "View"),
    ".engine": ("END", "FAILED", "CompiledGraph", "Frame", "GraphError", "NodeError", "Run", "StateGraph"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "END",
    "FAILED",
    "Bounded",
    "CompiledGraph",
    "Frame",
    "GraphError",
    "NodeError",
    "Outcome",
    "Run",
    "Services",
    "StateGraph",
    "View",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value
