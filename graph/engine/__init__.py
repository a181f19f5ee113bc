"""The engine: typed nodes, proved graphs, runs that can be stepped, rewound and forked."""

from ...state.node import Bounded, Outcome, Services, View
from .builder import StateGraph
from .compiled import CompiledGraph, RunOptions
from .drive import CancelSignal, Clock
from .errors import GraphError, NodeError
from .fields import Inputs
from .frames import Frame, Frames
from .inspection import Comparable, FieldChange, ItemChange, Mentioning, Pricing
from .kernel import Cursor
from .run import Run
from .structure import Proof
from .unfold import WorstCase
from .wiring import END, FAILED, Bound, Edge, Guard, Node, NodeFunction, Terminal, Wiring

__all__ = [
    # to build with
    "StateGraph",
    "Outcome",
    "View",
    "Services",
    "Bounded",
    "END",
    "FAILED",
    "NodeFunction",
    # what compiling gives
    "CompiledGraph",
    "Wiring",
    "Node",
    "Edge",
    "Bound",
    "Guard",
    "Terminal",
    "Proof",
    "WorstCase",
    # running and looking
    "Run",
    "RunOptions",
    "Inputs",
    "Frame",
    "Frames",
    "Cursor",
    "CancelSignal",
    "Clock",
    "FieldChange",
    "ItemChange",
    "Comparable",
    "Mentioning",
    "Pricing",
    # what goes wrong
    "GraphError",
    "NodeError",
]
