"""The assembly graph: which node follows which outcome, and what the loops are bounded by."""

from functools import cache

from pydantic import BaseModel, ConfigDict

from ..nodes.admit import Admitted, ProtectedTooLarge, admit
from ..nodes.call import CallFailed, Calls, Overflowed, ProviderOverflow, Replied, call
from ..nodes.cap_messages import Counted, cap_messages
from ..nodes.checkpoints import Built
from ..nodes.collect import Collected, RequiredFailed, collect
from ..nodes.compose import Composed, Composition, compose
from ..nodes.emit import Emitted, Ready, emit
from ..nodes.fallback import Extracted, GaveUp, fallback
from ..nodes.fold import Folded, fold
from ..nodes.judge import Accepted, Rejected, judge
from ..nodes.measure import Fits, FixedTooLarge, NotSmaller, Pressed, measure
from ..nodes.model import Reply
from ..nodes.prune import Insufficient, Relieved, prune
from ..nodes.recover import Forced, Hopeless, recover
from ..nodes.remind import Staged, remind
from ..nodes.render import Rendered, render
from ..nodes.restore import Restored, restore
from ..nodes.select import NothingToSummarise, Selected, select
from ..nodes.settle import Changed, Stuck, Unchanged, settle
from ..nodes.summarise import Drafted, Failed, TooLong, summarise
from ..nodes.validate import Invalid, Valid, validate
from ..nodes.window import CannotFit, Narrowed, Windowed, window
from ..state import products
from ..state.budget import Budget
from ..state.errors import AssemblyError
from ..state.given import Given
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.model_input import ModelInput
from .engine import END, FAILED, CompiledGraph, StateGraph

__all__ = ["AssemblyInput", "AssemblyState", "assembly_graph"]


class AssemblyInput(BaseModel):
    """What a run starts with."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    history: History
    given: Given
    budget: Budget
    memory: PressureMemory
    pressure: products.PressurePass
    left_out: products.Window
    calls: Calls


class AssemblyState(AssemblyInput):
    """Everything that nodes read and write; a field that nobody has written yet is absent."""

    limits: products.Limits
    count: products.Counted
    staged: products.Staged
    collected: products.Collected
    admitted: products.Admitted
    prompt: products.Prompt
    bill: products.Bill
    plan: products.FoldPlan
    draft: products.Draft
    checkpoint: Built
    composition: Composition
    model_input: ModelInput
    sent: products.Bill
    result: History
    reply: Reply
    overflow: ProviderOverflow
    error: AssemblyError


@cache
def assembly_graph() -> CompiledGraph:
    """Compile the assembly graph, once per process. Raises `GraphError` if a proof fails."""
    graph = StateGraph(AssemblyState, inputs=AssemblyInput)
    for phase, nodes in (
        ("input", (restore, cap_messages, remind)),
        ("context", (collect, admit, render, measure)),
        ("pressure", (prune, select, summarise, judge, fallback, fold, settle)),
        ("output", (compose, window, validate, emit)),
        ("model", (call, recover)),
    ):
        for node in nodes:
            graph.add_node(node, phase=phase)

    graph.on(restore, Restored, cap_messages)
    graph.on(cap_messages, Counted, remind)
    graph.on(remind, Staged, collect)
    graph.on(collect, Collected, admit)
    graph.on(collect, RequiredFailed, FAILED)
    graph.on(admit, Admitted, render)
    graph.on(admit, ProtectedTooLarge, FAILED)
    graph.on(render, Rendered, measure)

    graph.on(measure, Fits, compose)
    graph.on(measure, Pressed, prune, at_most=1, otherwise=compose)
    graph.on(measure, FixedTooLarge, FAILED)
    graph.on(measure, NotSmaller, FAILED)

    graph.on(prune, Relieved, settle)
    graph.on(prune, Insufficient, select)
    graph.on(select, Selected, summarise)
    graph.on(select, NothingToSummarise, settle)
    graph.on(summarise, Drafted, judge)
    graph.on(summarise, TooLong, select, at_most=1, otherwise=fallback)
    graph.on(summarise, Failed, fallback)
    graph.on(judge, Accepted, fold)
    graph.on(judge, Rejected, summarise, at_most="budget.compaction_summary_retries", otherwise=fallback)
    graph.on(fallback, Extracted, fold)
    graph.on(fallback, GaveUp, settle)
    graph.on(fold, Folded, settle)
    graph.on(settle, Changed, remind)
    graph.on(settle, Unchanged, compose)
    graph.on(settle, Stuck, FAILED)

    graph.on(compose, Composed, window)
    graph.on(window, Windowed, validate)
    graph.on(window, Narrowed, remind, at_most=1, otherwise=validate)
    graph.on(window, CannotFit, FAILED)
    graph.on(validate, Valid, emit)
    graph.on(validate, Invalid, FAILED)
    graph.on(emit, Emitted, END)
    graph.on(emit, Ready, call)
    graph.on(call, Replied, END)
    graph.on(call, Overflowed, recover, at_most=1, otherwise=FAILED)
    graph.on(call, CallFailed, FAILED)
    graph.on(recover, Forced, prune)
    graph.on(recover, Hopeless, FAILED)

    graph.guard(validate, before=emit)
    graph.guard(validate, before=call)
    return graph.compile(name="assembly")
