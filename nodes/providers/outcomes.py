"""Replies that are no errors by status: finish reasons and usage that tell of an overflow or a filter."""

from typing import Final, NamedTuple

from .classes import ErrorClass, Trigger
from .evidence import Evidence
from .facts import ErrorFacts

__all__ = ["Outcome", "outcome_of"]

FILLED: Final = 0.99
"""From this share of the window on, no room is left for an answer."""
SHORTENED: Final = 0.6
"""Below this share of our own count, the provider read less than was sent (Ollama keeps half of its window)."""

_CUT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "max_tokens_reached"})


class Outcome(NamedTuple):
    """What a reply shows besides its text."""

    error_class: ErrorClass
    rule: str
    trigger: Trigger | None = None


_FULL: Final = Outcome("context_overflow", "finish.window")
_FILTERED: Final = Outcome("content_filter", "finish.filter")
_FAILED: Final = Outcome("server_error", "finish.failed")
_FINISHES: Final = {
    **dict.fromkeys(
        ("model_context_window_exceeded", "context_window_exceeded", "context_length_exceeded", "context_length"), _FULL
    ),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist"), _FILTERED),
    **dict.fromkeys(("prohibited_content", "spii", "guardrail_intervened", "sensitive", "image_safety"), _FILTERED),
}
_FAILURES: Final = frozenset({"error", "network_error", "malformed_response", "server_error"})


def outcome_of(facts: ErrorFacts, found: Evidence) -> Outcome | None:
    """Give class, rule and trigger that finish reasons and usage show; `None`: they show nothing."""
    for finish in found.finishes:
        if finish in _FINISHES:
            return _FINISHES[finish]
    used = found.input_tokens
    window = found.numbers.get("limit") or facts.limit
    unwritten = found.output_tokens == 0 or (found.output_tokens is None and found.blank)
    if unwritten and not _CUT.isdisjoint(found.finishes):
        filled = window is None or used is None or used >= FILLED * window
        return Outcome("silent_overflow", "usage.filled", "compact_once_retry_once") if filled else None
    if used is not None and window is not None and used >= window:
        return Outcome("silent_overflow", "usage.over")
    if used is not None and facts.estimate is not None and 0 < used < SHORTENED * facts.estimate:
        return Outcome("silent_overflow", "usage.shortened")
    return None if _FAILURES.isdisjoint(found.finishes) else _FAILED
