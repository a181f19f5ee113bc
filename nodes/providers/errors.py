"""The one error classifier: facts in, class, trigger and numbers out. Pure, deterministic, never raises on JSON values.

Order (each step wins over all later ones): text that no provider wrote · replies with HTTP 200 · how much may be used
(plan, load, quota, rate, time) · statuses that mean the same · faults of the request in prose, then in codes · the
remaining statuses, where our own count decides what the provider left open.
"""

import re
from dataclasses import replace
from typing import Final

from . import words as w
from .classes import TRIGGERS, Classified, ErrorClass, Trigger
from .evidence import Evidence, read
from .facts import ErrorFacts
from .numbers import Noun, numbers
from .outcomes import outcome_of
from .rule import first
from .rules_lookalikes import LOOK_ALIKES
from .rules_overflow import OVERFLOWS
from .rules_use import USE
from .rules_wrong import WRONG
from .statuses import Verdict, by_status, limits_use
from .waits import wait_from_text
from .words import Sentence, sentences

__all__ = ["NEAR", "OUTPUT_RESERVE_SHARE", "classify"]

NEAR: Final = 0.9
"""From this share of the limit on, our own count makes an overflow of an error that says nothing."""
OUTPUT_RESERVE_SHARE: Final = 0.6
"""Up to this share of the limit, the input is not what is too large."""

SOON_S: Final = 900.0
"""A used-up quota that refills within a quarter of an hour is waited for."""

FAULTS: Final = (*WRONG, *LOOK_ALIKES, *OVERFLOWS)
"""Rules about the request itself, in the order that decides."""

_NOUNS: Final[dict[ErrorClass, Noun]] = {
    "context_overflow": "tokens",
    "embedding_input_too_long": "tokens",
    "plan_limit": "tokens",
    "max_tokens_too_large": "output",
    "rate_limit": "rate",
    "quota": "rate",
    "request_exceeds_rate_limit": "rate",
    "message_count_overflow": "messages",
    "too_many_images": "images",
    "request_too_large": "bytes",
}
_OTHERS: Final = re.compile(r"\b(?:assistant|tool|model output|user)\b")
"""Sources named in place of a provider."""
_FIRST_PERSON: Final = re.compile(r"^\W{0,3}(?:i|i m|i ll|i ve|i will|let me|as an ai)\b")
_SHELL: Final = re.compile(
    r"argument list too long|file ?name too long|command not found|no such file or directory|is a directory|"
    r"traceback \(most recent call last\)|is not recognized as an internal or external"
)
_TOO_LARGE: Final = re.compile(r"request (?:is )?too large|reduce your (?:message|prompt|input)|must be reduced")
_REFILLS: Final = re.compile(
    r"for metric|resource[_ ]?exhausted|throttl|(?:retry|try again) in|rate[ _-]?limit|per[ _]minute|requests_per"
)
_SPENT: Final = re.compile(
    r"insufficient|balance|billing|credit|period|cycle|month|week|daily|per[ _]day|spend|payment|plan\b|budget|arrear|"
    r"usage limit|free[ _]?(?:tier|allocated|quota)|suspended|overdue|fund|purchase|recharge"
)
_CUT: Final = re.compile(r"truncat|silently|was shortened|was cut")
_EMBEDS: Final = re.compile(r"in your prompt ?; 0 for the completion")
"""Only an embedding call asks for no completion."""


def classify(facts: ErrorFacts) -> Classified:
    """Say what an error is, what it triggers and which numbers it names.

    Args:
        facts: From `facts_from_json`, `facts_from_exception`, or filled by hand; only a hint is taken from `provider`.

    Returns:
        The same answer for the same facts. Cost: under 50 microseconds for an error of usual size, linear in its
        text, of which the first 20,000 code points count.
    """
    if facts.source != "provider" or _OTHERS.search((facts.provider or "").lower()):
        return _answer("not_a_provider_error", rule="source")
    found = read(facts)
    prose, codes = sentences(found.prose), sentences(found.codes)
    answer = _judge(facts, found, prose, codes)
    wait = found.retry_after_s
    if wait is None and answer.trigger == "wait_and_retry":
        wait = wait_from_text(found.prose)
    return answer if wait is None else replace(answer, retry_after_s=wait)


def _judge(facts: ErrorFacts, found: Evidence, prose: list[Sentence], codes: list[Sentence]) -> Classified:
    return (
        _of_reply(facts, found, prose)
        or _of_use(found, prose, codes)
        or _of_request(facts, found, prose, codes)
        or _of_nothing(facts, found, prose, codes)
    )


def _of_reply(facts: ErrorFacts, found: Evidence, prose: list[Sentence]) -> Classified | None:
    """Judge what is no error by status, and text that no provider wrote."""
    status = found.status
    outcome = outcome_of(facts, found) if found.finishes or found.input_tokens is not None else None
    if outcome is not None:
        return _answer(outcome.error_class, trigger=outcome.trigger, rule=outcome.rule)
    if found.replied and not prose:
        return _answer("not_a_provider_error", rule="reply")
    if status is None and (_SHELL.search(found.prose) or _FIRST_PERSON.search(found.prose)):
        return _answer("not_a_provider_error", rule="voice")
    if found.html and status is not None and status >= 500 and status not in {504, 522, 524}:
        return _answer("server_error", rule="page")
    return None


def _of_use(found: Evidence, prose: list[Sentence], codes: list[Sentence]) -> Classified | None:
    """Judge errors about how much may be used, and refine rate and quota by what else they say."""
    rule = first(USE, [*prose, *codes])
    error_class = limits_use(found.status, found.prose) if rule is None else rule.error_class
    if error_class is None:
        return None
    noun = _NOUNS.get(error_class)
    # An overflow told beside a rate limit has a limit of its own: a rate's numbers stand with its words.
    said = [sentence for sentence in prose if sentence[1] & w.RATE] if noun == "rate" else prose
    parsed = {} if noun is None or rule is None else numbers(noun, said, found.numbers)
    trigger: Trigger | None = None
    if error_class == "rate_limit" and _never_fits(found, parsed):
        error_class = "request_exceeds_rate_limit"
    elif error_class == "quota" and _refills(found):
        trigger = "wait_and_retry"
    return _answer(error_class, trigger=trigger, parsed=parsed, rule="status" if rule is None else rule.name)


def _never_fits(found: Evidence, parsed: dict[str, int]) -> bool:
    """Whether one request alone is over the rate: waiting cannot help."""
    if "used" in parsed:
        return False
    limit, requested = parsed.get("limit"), parsed.get("requested")
    if limit is not None and requested is not None:
        return requested > limit
    return _TOO_LARGE.search(found.prose) is not None


def _refills(found: Evidence) -> bool:
    """Whether a quota fills up again by itself within a time that a turn can wait."""
    said = f"{found.prose}\n{found.codes}"
    if "for metric" in said:
        return True
    spent = _SPENT.search(said) is not None
    return _soon(found) or (not spent and (found.status == 429 or _REFILLS.search(said) is not None))


def _soon(found: Evidence) -> bool:
    """Whether the provider names a wait that a turn can take."""
    wait = found.retry_after_s if found.retry_after_s is not None else wait_from_text(found.prose)
    return wait is not None and wait <= SOON_S


def _of_request(facts: ErrorFacts, found: Evidence, prose: list[Sentence], codes: list[Sentence]) -> Classified | None:
    """Judge what is wrong with the request: prose first, its codes if prose says nothing."""
    rule = first(FAULTS, prose) or first(FAULTS, codes)
    if rule is None:
        return None
    error_class = rule.error_class
    if error_class == "ambiguous":
        return _decided(facts, found, Verdict("ambiguous", open=True), rule.name)
    if error_class == "context_overflow" and _embeds(facts, found, prose):
        error_class = "embedding_input_too_long"
    noun = "bytes" if rule.name == "context.text_bytes" else _NOUNS.get(error_class)
    parsed = {} if noun is None else numbers(noun, prose, {} if noun == "bytes" else found.numbers)
    answer = _answer(error_class, parsed=parsed, rule=rule.name)
    if error_class == "context_overflow" and _output_is_the_cure(parsed, facts):
        return replace(answer, reason="output_reserve")
    return answer


def _embeds(facts: ErrorFacts, found: Evidence, prose: list[Sentence]) -> bool:
    hints = f"{facts.operation or ''} {facts.provider or ''}".lower()
    return (
        "embed" in hints
        or any(families & w.EMBEDDING for _, families in prose)
        or _EMBEDS.search(found.prose) is not None
    )


def _output_is_the_cure(parsed: dict[str, int], facts: ErrorFacts) -> bool:
    """Whether the input would fit if less output were asked for."""
    limit, output = parsed.get("limit"), parsed.get("output")
    if not limit or not output:
        return False
    named = parsed.get("messages")
    total = parsed.get("requested")
    size = named + parsed.get("functions", 0) if named is not None else total - output if total is not None else None
    if size is None:
        size = facts.estimate
    return size is not None and 0 <= size <= OUTPUT_RESERVE_SHARE * limit


def _of_nothing(facts: ErrorFacts, found: Evidence, prose: list[Sentence], codes: list[Sentence]) -> Classified:
    """Judge an error whose words say nothing: by its status, and by our own count where that is open too."""
    if found.status in {None, 200} and _CUT.search(found.prose) and any(families & w.PROMPT for _, families in prose):
        return _answer("silent_overflow", rule="truncated")
    return _decided(facts, found, by_status(found, prose, codes))


def _decided(facts: ErrorFacts, found: Evidence, verdict: Verdict, rule: str = "status") -> Classified:
    """Let our own count decide an open question, where we have one."""
    error_class = verdict.error_class
    if not verdict.open or facts.estimate is None or facts.limit is None:
        return _answer(error_class, trigger=verdict.trigger, rule=rule)
    if facts.estimate >= NEAR * facts.limit:
        return _answer("context_overflow", rule="estimate")
    if error_class == "ambiguous":
        error_class = "request_too_large" if found.status == 413 else "invalid_request"
    return _answer(error_class, rule="estimate")


def _answer(
    error_class: ErrorClass,
    *,
    trigger: Trigger | None = None,
    parsed: dict[str, int] | None = None,
    rule: str,
) -> Classified:
    return Classified(error_class=error_class, trigger=trigger or TRIGGERS[error_class], parsed=parsed or {}, rule=rule)
