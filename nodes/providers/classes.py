"""The words of the classification: classes, what each one triggers, and the answer that carries them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = ["TRIGGERS", "Classified", "ErrorClass", "Trigger"]

ErrorClass = Literal[
    "context_overflow",
    "silent_overflow",
    "message_count_overflow",
    "request_exceeds_rate_limit",
    "plan_limit",
    "ambiguous",
    "rate_limit",
    "overloaded",
    "quota",
    "max_tokens_too_large",
    "request_too_large",
    "field_too_long",
    "too_many_images",
    "embedding_input_too_long",
    "invalid_history",
    "invalid_request",
    "auth",
    "timeout",
    "server_error",
    "content_filter",
    "not_a_provider_error",
    "unknown",
]

Trigger = Literal[
    "compact_once_retry_once",
    "compact_only_if_host_opts_in",
    "shrink_to_named_limit_only_if_host_opts_in_else_fail",
    "shrink_payload_or_fail",
    "drop_old_images_then_retry_once",
    "lower_max_tokens_then_retry",
    "ambiguous_use_local_estimate",
    "accept_but_record_overflow",
    "wait_and_retry",
    "fail",
]

TRIGGERS: Final[Mapping[ErrorClass, Trigger]] = {
    "context_overflow": "compact_once_retry_once",
    "silent_overflow": "accept_but_record_overflow",
    "message_count_overflow": "compact_once_retry_once",
    "request_exceeds_rate_limit": "shrink_to_named_limit_only_if_host_opts_in_else_fail",
    "plan_limit": "compact_only_if_host_opts_in",
    "ambiguous": "ambiguous_use_local_estimate",
    "rate_limit": "wait_and_retry",
    "overloaded": "wait_and_retry",
    "quota": "fail",
    "max_tokens_too_large": "lower_max_tokens_then_retry",
    "request_too_large": "shrink_payload_or_fail",
    "field_too_long": "shrink_payload_or_fail",
    "too_many_images": "drop_old_images_then_retry_once",
    "embedding_input_too_long": "fail",
    "invalid_history": "fail",
    "invalid_request": "fail",
    "auth": "fail",
    "timeout": "wait_and_retry",
    "server_error": "wait_and_retry",
    "content_filter": "fail",
    "not_a_provider_error": "fail",
    "unknown": "fail",
}
"""What a class triggers unless the rule that found it says otherwise (a quota that refills is waited for)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """What an error is and what helps against it."""

    error_class: ErrorClass
    trigger: Trigger
    reason: Literal["output_reserve"] | None = None
    """`output_reserve`: the input takes at most 60 % of the limit, a smaller `max_tokens` is the cure."""
    parsed: Mapping[str, int] = field(default_factory=dict[str, int])
    """The numbers that the error names, by the contract's keys; tokens unless the key says otherwise."""
    retry_after_s: float | None = None
    """Seconds the provider asks to wait, from headers, body or text."""
    rule: str = ""
    """The name of the rule that decided, for people who wonder."""

    def as_json(self) -> dict[str, Any]:
        """Give the answer of `explain-error`: `{class, reason, trigger, parsed}`."""
        return {
            "class": self.error_class,
            "reason": self.reason,
            "trigger": self.trigger,
            "parsed": dict(self.parsed),
        }
