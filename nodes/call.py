"""call: send the input to the bound model; transport errors are retried with the same bytes, nothing else."""

from dataclasses import dataclass, field, replace

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from ..state.errors import AssemblyError, OverflowAgain, ProviderFailed, TurngraphError
from ..state.model_input import ModelInput
from ..state.node import Outcome, View
from ..state.products import Bill, Limits
from .model import Model, ModelError, Reply
from .providers import Classified, classify, facts_from_exception
from .reach import Overran
from .services import AssemblyServices

__all__ = ["SHRINK", "CallFailed", "Calls", "Overflowed", "ProviderOverflow", "Replied", "call"]

TIME_LIMIT_S = 600.0
"""One model turn may take this long, the default time limit of the official SDKs."""
RESENDS = 2
"""Transport errors are resent at most twice."""
TRANSPORT = frozenset({"rate_limit", "overloaded", "timeout", "server_error"})
SHRINK = "compact_once_retry_once"
"""The trigger of every class that one forced pass may cure."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The provider's part of the bill."""

    turns: int = 0
    """How often the node ran."""
    attempts: int = 0
    """Every request sent."""
    waits_ms: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOverflow:
    """What the provider said about the size."""

    message: str
    parsed: dict[str, int] = field(default_factory=dict[str, int])
    output_reserve: bool = False
    """A smaller `max_tokens` is the cure, not a smaller input."""
    by_count: bool = False
    """There are too many messages, whatever they cost."""


class CallView(View):
    """The validated input."""

    model_input: ModelInput
    sent: Bill
    limits: Limits
    calls: Calls


class Replied(Outcome):
    """The model answered."""

    reply: Reply
    calls: Calls


class Overflowed(Outcome):
    """The provider says that the input is too large. `error` is what surfaces when no pass is left."""

    overflow: ProviderOverflow
    calls: Calls
    error: AssemblyError


class CallFailed(Outcome):
    """The call failed for another reason; it has its own remedy, never compaction."""

    calls: Calls
    error: AssemblyError


async def call(view: CallView, services: AssemblyServices) -> Replied | Overflowed | CallFailed:
    """Send the same bytes at most three times; report every wait, sleep it unless the model is scripted."""
    model = services.model
    if model is None:
        raise TypeError("call runs only when a model is bound")
    sent = _Sent(view, model, services)
    retrying = AsyncRetrying(
        stop=stop_after_attempt(RESENDS + 1),
        wait=sent.wait,
        sleep=sent.sleep,
        retry=retry_if_exception(sent.is_transport),
        reraise=True,
    )
    try:
        reply: Reply = await retrying(sent.once)
    except TurngraphError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a provider's client raises is classified
        return _failed(view, sent, error)
    return Replied(reply=reply, calls=sent.bill(view.calls))


class _Sent:
    """The requests of one run of the node."""

    def __init__(self, view: CallView, model: Model, services: AssemblyServices) -> None:
        self.model_input, self.model, self.services = view.model_input, model, services
        self.estimate, self.limit = view.sent.total, view.limits.limit
        self.attempts = 0
        self.waits: list[float] = []
        self.last: Classified | None = None

    async def once(self) -> Reply:
        self.attempts += 1
        inline = self.model.scripted
        reach = self.services.reach
        reply = await reach.call(self.model.respond, self.model_input, limit_s=TIME_LIMIT_S, inline=inline)
        if not isinstance(reply, Reply):
            raise TypeError(f"the model gave {type(reply).__name__}, not a Reply")
        if not reply.text and not reply.calls and reply.finish_reason:
            self._refuse_silent_overflow(reply)
        return reply

    def _refuse_silent_overflow(self, reply: Reply) -> None:
        """An overflow may come as a success: nothing was said because the window is full."""
        body = {"choices": [{"finish_reason": reply.finish_reason}], "usage": dict(reply.usage or {})}
        if self.classified(ModelError(status=200, body=body)).trigger == SHRINK:
            raise ModelError(status=200, body=body, message=f"empty reply, finish_reason {reply.finish_reason!r}")

    def classified(self, error: BaseException) -> Classified:
        """Classify, knowing how large the input is by our own count."""
        return classified(error, estimate=self.estimate, limit=self.limit)

    def is_transport(self, error: BaseException) -> bool:
        if isinstance(error, TurngraphError):
            return False
        self.last = self.classified(error)
        return self.last.error_class in TRANSPORT

    def wait(self, state: RetryCallState) -> float:
        """Back off exponentially, or as long as `Retry-After` says. No jitter: one run is one client."""
        asked = self.last.retry_after_s if self.last is not None else None
        wait = FIRST_WAIT_S * 2 ** (state.attempt_number - 1) if asked is None else asked
        return min(LONGEST_WAIT_S, wait)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        if not self.model.scripted:
            await self.services.reach.sleep(seconds)

    def bill(self, before: Calls) -> Calls:
        waits = tuple([round(seconds * 1000) for seconds in self.waits])
        return Calls(turns=before.turns + 1, attempts=before.attempts + self.attempts, waits_ms=before.waits_ms + waits)


def classified(error: BaseException, *, estimate: int | None = None, limit: int | None = None) -> Classified:
    """Classify whatever a provider's client raised; running out of time is a timeout.

    Args:
        error: What was raised.
        estimate: Tokens of the input by our own count; decides where the provider's words do not.
        limit: The limit that it was measured against.
    """
    known = TimeoutError(str(error)) if isinstance(error, Overran) else error
    return classify(replace(facts_from_exception(known), estimate=estimate, limit=limit))


def _failed(view: CallView, sent: _Sent, error: Exception) -> Overflowed | CallFailed:
    found = sent.classified(error)
    calls = sent.bill(view.calls)
    text = str(error)[:500]
    details = {"class": found.error_class, "reason": found.reason, "parsed": dict(found.parsed), "message": text}
    if found.trigger == SHRINK:
        overflow = ProviderOverflow(
            message=text,
            parsed=dict(found.parsed),
            output_reserve=found.reason == "output_reserve",
            by_count=found.error_class == "message_count_overflow",
        )
        again = OverflowAgain(
            f"The provider refused the input as too large again after the one forced pass: {text}", details=details
        )
        return Overflowed(overflow=overflow, calls=calls, error=again)
    return CallFailed(
        calls=calls,
        error=ProviderFailed(
            f"The provider call failed ({found.error_class}) after {sent.attempts} requests: {text}",
            error_class=found.error_class,
            details=details,
        ),
    )
