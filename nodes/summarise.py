"""summarise: ask the summariser for a checkpoint of the chosen source."""

from dataclasses import replace

from ..state.budget import Budget
from ..state.errors import TurngraphError
from ..state.history import History
from ..state.node import Outcome, View
from ..state.products import Draft, FoldPlan, Limits, PressurePass, Rejection, RejectionReason
from .checkpoints import standing_checkpoint
from .reach import Overran
from .services import AssemblyServices
from .summarisers import (
    ExtractiveSummarizer,
    Hangs,
    ScriptedSummarizer,
    SourceTooLong,
    SummaryReply,
    SummaryRequest,
)

__all__ = ["Drafted", "Failed", "TooLong", "request_of", "summarise"]

TIME_LIMIT_S = 30.0
"""One summary may take this long (contract, `summarizer`), unless the summariser says otherwise: `time_limit_s`."""
REPLY_SHARE = 16
"""A checkpoint is asked for in at most a sixteenth of the limit: `judge` refuses more than a quarter."""
REPLY_LIMIT = 1500
"""And in no more tokens than this: a longer one costs on every later turn. Where there is little room beside the active
request, in a fifth of it: the rest is for the user's own words."""


class SummariseView(View):
    """The source and what was said about earlier candidates."""

    history: History
    plan: FoldPlan
    limits: Limits
    budget: Budget
    pressure: PressurePass


class Drafted(Outcome):
    """A candidate came back."""

    draft: Draft
    pressure: PressurePass


class TooLong(Outcome):
    """The source does not fit the summariser; a smaller one may."""

    pressure: PressurePass


class Failed(Outcome):
    """No candidate: the summariser raised, hung, or was not asked."""

    pressure: PressurePass


def request_of(
    history: History, plan: FoldPlan, limits: Limits, pressure: PressurePass, left_s: float | None = None
) -> SummaryRequest:
    """Make the request for a plan: the steps as they would be sent, and the checkpoint they join.

    Injected messages are covered by the fold but not summarised: they speak of a moment that is over.
    """
    steps = [history.sent.step(number) for number in plan.steps]
    return SummaryRequest(
        steps=[step for step in steps if step and step[0].origin.kind != "injection"],
        previous=standing_checkpoint(history),
        max_tokens=max(64, min(REPLY_LIMIT, limits.limit // REPLY_SHARE, plan.room // 5)),
        attempt=pressure.attempts + 1,
        told=tuple([f"{item.reason}: {item.detail}" if item.detail else item.reason for item in pressure.rejections]),
        deadline_s=left_s,
    )


async def summarise(view: SummariseView, services: AssemblyServices) -> Drafted | TooLong | Failed:
    """Ask once. Whatever the summariser does ends in an outcome; the history is untouched."""
    summarizer, record = services.summarizer, view.pressure
    if summarizer is None or not view.plan.ask:
        return Failed(pressure=record)
    request = request_of(view.history, view.plan, view.limits, record, services.reach.left())
    attempt = record.attempts + 1
    asked = replace(record, attempts=attempt, source_tokens=view.plan.source_tokens)
    ours = isinstance(summarizer, ExtractiveSummarizer | ScriptedSummarizer)
    most_s: float = getattr(summarizer, "time_limit_s", TIME_LIMIT_S)
    try:
        answer = await services.reach.call(summarizer.summarize, request, limit_s=most_s, inline=ours)
    except SourceTooLong as error:
        shrunk = replace(asked, source_cap=view.plan.source_tokens // 2)
        return TooLong(pressure=_rejected(shrunk, attempt, "overflow", str(error)))
    except (Hangs, Overran) as error:
        limit_s = min(most_s, services.reach.left() or most_s)
        waited = replace(asked, waits_ms=(*asked.waits_ms, round(limit_s * 1000)))
        return Failed(pressure=_rejected(waited, attempt, "error", f"no answer in time ({error})"))
    except TurngraphError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever plugged code raises is a failed attempt
        return Failed(pressure=_rejected(asked, attempt, "error", f"{type(error).__name__}: {error}"))
    draft = _draft(answer)
    if draft is None:
        detail = f"the summariser gave {type(answer).__name__}, not a text"
        return Failed(pressure=_rejected(asked, attempt, "error", detail))
    return Drafted(draft=draft, pressure=asked)


def _draft(answer: object) -> Draft | None:
    """Read an answer; no answer at all is an empty text, anything that is none is `None`."""
    if isinstance(answer, SummaryReply):
        return Draft(text=answer.text, finish_reason=answer.finish_reason)
    if answer is None or isinstance(answer, str):
        return Draft(text=answer or "")
    return None


def _rejected(record: PressurePass, attempt: int, reason: RejectionReason, detail: str) -> PressurePass:
    item = Rejection(attempt=attempt, reason=reason, detail=detail[:500])
    return replace(record, rejections=(*record.rejections, item))
