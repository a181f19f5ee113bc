"""judge: check a candidate checkpoint by form and size only. It never judges evidence."""

import re
from dataclasses import replace

from ..state.budget import Budget
from ..state.checkpoint import parse_sections, unknown_refs
from ..state.diagnostics import Diagnostic
from ..state.history import History
from ..state.messages import Message
from ..state.node import Outcome, View
from ..state.products import Bill, Draft, FoldPlan, Limits, PressurePass, Prompt, Rejection, RejectionReason
from .checkpoints import Built, build_checkpoint, standing_checkpoint
from .services import AssemblyServices

__all__ = ["REFUSALS", "Accepted", "Rejected", "judge"]

REFUSALS = (
    "I'm sorry",
    "I am sorry",
    "Sorry,",
    "I cannot",
    "I can't",
    "I'm unable",
    "I am unable",
    "I won't",
    "As an AI",
    "As a language model",
    "Unfortunately, I",
    "Error",
    "Exception",
    "Traceback",
    "HTTP 4",
    "HTTP 5",
    "Internal Server Error",
    "Bad Gateway",
    "Service Unavailable",
    "Request timed out",
    "Too Many Requests",
    "Rate limit",
)
"""Beginnings of a refusal or an error text. Only a text without a heading and under 400 characters is compared."""
REFUSAL_CHARS = 400
_HEADING = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_REF = re.compile(r"tool-output-[0-9a-f]{16,64}")
_CUT_OFF = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens")


class JudgeView(View):
    """The candidate and what it would replace."""

    history: History
    draft: Draft
    plan: FoldPlan
    bill: Bill
    limits: Limits
    prompt: Prompt
    budget: Budget
    pressure: PressurePass


class Accepted(Outcome):
    """A checkpoint to fold with."""

    checkpoint: Built
    pressure: PressurePass


class Rejected(Outcome):
    """Not taken; the summariser is told why on the retry."""

    pressure: PressurePass


def judge(view: JudgeView, services: AssemblyServices) -> Accepted | Rejected:
    """Accept a checkpoint that is well formed and strictly cheaper than its source, as both are sent, uncut."""
    record, text = view.pressure, view.draft.text
    attempt = record.attempts
    reason, detail = _form(view.draft)
    if reason is not None:
        return Rejected(pressure=_reject(record, attempt, reason, detail))
    sections, problems = parse_sections(text)
    source = view.plan.source_tokens
    built = build_checkpoint(
        sections,
        history=view.history,
        plan=view.plan,
        limits=view.limits,
        prompt=view.prompt,
        pricer=services.pricer,
        outputs=services.outputs,
    )
    quarter = view.limits.limit // 4
    room = view.plan.room
    if built.cost >= source or built.tokens > quarter or built.cost > room:
        bound = f"its source of {source} tokens"
        if built.tokens > quarter:
            bound = f"{quarter} tokens, a quarter of the limit"
        if built.cost > room:
            bound = f"the {room} tokens left beside the active request, open calls and the newest step"
        detail = f"the checkpoint costs {built.cost} tokens, which must be less than {bound}; be more concise"
        return Rejected(pressure=_reject(record, attempt, "not_smaller", detail))
    unknown = unknown_refs(text, _known_refs(view.history, view.plan))
    notes = [_note("SUMMARY_SHAPE", problem) for problem in problems]
    notes += [_note("SUMMARY_UNKNOWN_REF", f"{ref} is not in the source") for ref in unknown]
    accepted = replace(
        record,
        outcome="accepted",
        warnings=tuple(dict.fromkeys(note.code for note in notes)),
        diagnostics=record.diagnostics + tuple(notes),
    )
    return Accepted(checkpoint=built, pressure=accepted)


def _form(draft: Draft) -> tuple[RejectionReason | None, str]:
    text = draft.text.strip()
    if not text:
        return "empty", "the answer was empty"
    if draft.finish_reason in _CUT_OFF:
        return "truncated", "the answer was cut off; be more concise"
    opening = text.lstrip("*_>`\"' ").replace("\u2019", "'").casefold()
    short = len(text) < REFUSAL_CHARS and not _HEADING.search(text)
    if short and opening.startswith(tuple([beginning.casefold() for beginning in REFUSALS])):
        return "refused", "the answer was a refusal or an error text"
    return None, ""


def _reject(record: PressurePass, attempt: int, reason: RejectionReason, detail: str) -> PressurePass:
    return replace(record, rejections=(*record.rejections, Rejection(attempt=attempt, reason=reason, detail=detail)))


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, severity="warning", source="judge", message=message)  # type: ignore[arg-type]  # one of two literals


def _known_refs(history: History, plan: FoldPlan) -> set[str]:
    """Collect the references in the source, the old checkpoint's included."""
    known: set[str] = set()
    for position in plan.covered:
        known.update(_refs_of(history[position]))
    standing = standing_checkpoint(history)
    if standing is not None and standing.transcript:
        known.add(standing.transcript)
    return known


def _refs_of(message: Message) -> set[str]:
    found = set(_REF.findall(message.text))
    result = message.result
    if result is not None and result.ref:
        found.add(result.ref)
    for call in message.calls:
        found.update(_REF.findall(str(call.arguments)))
    return found
