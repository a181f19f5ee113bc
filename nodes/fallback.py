"""fallback: no summary came. Fold with the extractive checkpoint only if the input is still over the limit."""

from dataclasses import replace

from ..state.budget import Budget
from ..state.checkpoint import parse_sections
from ..state.history import History
from ..state.memory import FailedSource, PressureMemory
from ..state.node import Outcome, View
from ..state.products import Bill, FoldPlan, Limits, PressurePass, Prompt
from .checkpoints import Built, build_checkpoint
from .services import AssemblyServices
from .summarise import request_of
from .summarisers import ExtractiveSummarizer

__all__ = ["Extracted", "GaveUp", "fallback"]


class FallbackView(View):
    """What is left to do without a summary."""

    history: History
    bill: Bill
    plan: FoldPlan
    limits: Limits
    prompt: Prompt
    budget: Budget
    memory: PressureMemory
    pressure: PressurePass


class Extracted(Outcome):
    """The extractive checkpoint is smaller than its source."""

    plan: FoldPlan
    checkpoint: Built
    pressure: PressurePass
    memory: PressureMemory


class GaveUp(Outcome):
    """Nothing is folded; pruning stays."""

    pressure: PressurePass
    memory: PressureMemory


def fallback(view: FallbackView, services: AssemblyServices) -> Extracted | GaveUp:
    """Extract if it must be and helps; remember the source that failed, so that it is not asked for in vain.

    What is extracted is the whole source, however little of it the summariser could take.
    """
    record = view.pressure
    memory = view.memory
    plan = view.plan.whole or view.plan
    if view.plan.ask and record.attempts:
        first = view.history[plan.covered[0]].id
        memory = replace(memory, failed_source=FailedSource(first, plan.source_tokens))
    kept = replace(record, outcome="kept" if record.folded is None else record.outcome)
    over = view.bill.total - record.freed > view.limits.limit or record.forced
    if not over or view.budget.summary_fallback == "none":
        return GaveUp(pressure=kept, memory=memory)
    extractive = ExtractiveSummarizer(services.pricer.counter.count)
    reply = extractive.summarize(request_of(view.history, plan, view.limits, record))
    sections, _ = parse_sections(reply.text)
    built = build_checkpoint(
        sections,
        history=view.history,
        plan=plan,
        limits=view.limits,
        prompt=view.prompt,
        pricer=services.pricer,
        outputs=services.outputs,
    )
    if built.cost >= plan.source_tokens or built.cost > plan.room:
        return GaveUp(pressure=kept, memory=memory)
    done = replace(record, outcome="fallback", source_tokens=plan.source_tokens)
    return Extracted(plan=plan, checkpoint=built, pressure=done, memory=memory)
