"""A summariser that asks a model: any callable from a prompt to a text."""

import asyncio
import inspect
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from tenacity import AsyncRetrying, RetryCallState, Retrying

from ...state.errors import TurngraphError
from ...state.messages import Message
from ...state.model_input import ModelInput
from ..model import Model, Reply
from ..providers import Classified, ErrorFacts, classify, facts_from_exception
from .cache import SummaryCache, summary_key
from .protocol import SourceTooLong, SummaryReply, SummaryRequest
from .transcript import summary_prompt

__all__ = ["Ask", "ModelSummarizer", "answer_text", "asks"]

Ask = Callable[[str], str | SummaryReply | Awaitable[str | SummaryReply]]
"""Any model: takes the whole prompt, gives the text, sync or async. Its exceptions are classified."""

TRANSPORT: Final = frozenset({"rate_limit", "overloaded", "timeout", "server_error"})
"""The classes of errors that are worth the same request again."""
ATTEMPTS: Final = 3
"""One request and at most two more."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
TIME_LIMIT_S: Final = 30.0
"""The engine waits for a summary as long as this; what cannot come in time is not waited for."""
_SHRINK: Final = "compact_once_retry_once"
"""The trigger of every class that a smaller source may cure."""


class ModelSummarizer:
    """Asks a model for the checkpoint; it may be another and cheaper one than the run's own.

    Errors of transport are met by asking again, after as long as the provider says or 0.5, 1, 2 s, but never past
    the time that is left. An overflow asks the engine for a smaller source. Anything else fails the attempt. Every
    answer is kept by the digest of its prompt, rejected ones too: a replay goes the same way and asks nothing again.

    Args:
        ask: The model. An async callable needs an async run.
        window_tokens: The largest prompt that it takes, by the run's counter: its window less 1,500 for the reply.
            `None`: as large as the run's own limit.
        name: The word in reports; also tells answers of different models apart in a shared cache.
        cache: Where answers are kept; `None`: nowhere.
        attempts: Requests at most for one answer.
        time_limit_s: Seconds for all of them together; less where the run's deadline comes sooner.
        clock: Seconds that only go forward.
        sleep: Waits in a sync run.
        asleep: Waits in an async run.

    Raises:
        ValueError: `attempts` or `window_tokens` under 1, a time limit that is not positive.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        window_tokens: int | None = None,
        name: str = "model",
        cache: SummaryCache | None = None,
        attempts: int = ATTEMPTS,
        time_limit_s: float = TIME_LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        asleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if attempts < 1 or time_limit_s <= 0 or (window_tokens is not None and window_tokens < 1):
            said = f"attempts={attempts}, time_limit_s={time_limit_s:g}, window_tokens={window_tokens}"
            raise ValueError(f"a model is asked at least once, in some time, with some window; got {said}")
        self.ask = ask
        self.name = name
        self.window_tokens = window_tokens
        self.cache = cache
        self.attempts = attempts
        self.time_limit_s = time_limit_s
        self._clock, self._sleep, self._asleep = clock, sleep, asleep
        # An async run stops a coroutine function that overruns; what only gives a coroutine it must abandon.
        self.summarize: Callable[[SummaryRequest], SummaryReply | Awaitable[SummaryReply]] = (
            self._summarize_async if _is_async(ask) else self._summarize
        )

    def _summarize(self, request: SummaryRequest) -> SummaryReply | Awaitable[SummaryReply]:
        """Ask a sync callable; one that turns out to give a coroutine is continued as async."""
        turn = _Turn(self, request)
        held = turn.held()
        if held is not None:
            return held
        retrying = Retrying(
            stop=turn.stop, wait=turn.wait, retry=turn.again, sleep=self._sleep, retry_error_callback=_given_up
        )
        answer: Any = retrying(self.ask, turn.prompt)
        return self._continued(turn, answer) if inspect.isawaitable(answer) else turn.take(answer)

    async def _summarize_async(self, request: SummaryRequest) -> SummaryReply:
        turn = _Turn(self, request)
        return turn.held() or await self._continued(turn, None)

    async def _continued(self, turn: "_Turn", first: Any) -> SummaryReply:
        pending = [first] if first is not None else []

        async def once() -> Any:
            answer: Any = pending.pop() if pending else self.ask(turn.prompt)
            return await answer if inspect.isawaitable(answer) else answer

        retrying = AsyncRetrying(
            stop=turn.stop, wait=turn.wait, retry=turn.again, sleep=self._asleep, retry_error_callback=_given_up
        )
        return turn.take(await retrying(once))

    def __repr__(self) -> str:
        return f"ModelSummarizer(name={self.name!r}, window_tokens={self.window_tokens})"


_SYSTEM: Final = "You write checkpoints of conversations between a user and an assistant."


def asks(model: Model) -> Ask:
    """Make the callable that asks a run's model, or any other `Model`: one system line, one message, no tools."""

    def ask(prompt: str) -> SummaryReply | Awaitable[SummaryReply]:
        answer = model.respond(ModelInput(system=_SYSTEM, messages=(Message.user(prompt),), tools=()))
        return _later(answer) if inspect.isawaitable(answer) else _read(answer)

    async def _later(answer: Awaitable[Reply]) -> SummaryReply:
        return _read(await answer)

    def _read(reply: Reply) -> SummaryReply:
        return SummaryReply(text=reply.text, finish_reason=reply.finish_reason)

    return ask


class _Turn:
    """One summary: its prompt, its time, what went wrong last."""

    def __init__(self, summarizer: ModelSummarizer, request: SummaryRequest) -> None:
        self._summarizer, self._clock = summarizer, summarizer._clock  # noqa: SLF001 - the other half of one class  # pyright: ignore[reportPrivateUsage]
        self.prompt = summary_prompt(request)
        self.key = summary_key(summarizer.name, self.prompt)
        left = summarizer.time_limit_s
        self._end = self._clock() + (left if request.deadline_s is None else min(left, request.deadline_s))
        self._last: Classified | None = None

    def held(self) -> SummaryReply | None:
        """Give the answer that was kept."""
        cache = self._summarizer.cache
        try:
            return None if cache is None else cache.get(self.key)
        except Exception:  # noqa: BLE001 - a cache is a convenience: what fails in it is asked anew
            return None

    def take(self, answer: Any) -> SummaryReply:
        """Read an answer and keep it.

        Raises:
            SourceTooLong: It is empty and says that the window was full.
        """
        reply = answer if isinstance(answer, SummaryReply) else SummaryReply(text=answer_text(answer))
        reply = replace(reply, text=answer_text(reply.text))
        if not reply.text and reply.finish_reason and _is_full(reply.finish_reason):
            raise SourceTooLong(f"the model gave nothing, finish_reason {reply.finish_reason!r}")
        cache = self._summarizer.cache
        if cache is not None:
            with suppress(Exception):  # likewise: the answer is here
                cache.put(self.key, reply)
        return reply

    def again(self, state: RetryCallState) -> bool:
        """Whether the same request may go better; an overflow is told to the engine instead."""
        error = state.outcome.exception() if state.outcome is not None else None
        if error is None or not isinstance(error, Exception):
            return False
        if isinstance(error, SourceTooLong | TurngraphError):
            return False
        self._last = classify(replace(facts_from_exception(error), limit=self._summarizer.window_tokens))
        if self._last.trigger == _SHRINK:
            raise SourceTooLong(str(error)[:300]) from error
        return self._last.error_class in TRANSPORT

    def wait(self, state: RetryCallState) -> float:
        """As long as the provider says, else twice as long each time. No jitter: a run is one client."""
        asked = self._last.retry_after_s if self._last is not None else None
        return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (state.attempt_number - 1)) if asked is None else asked

    def stop(self, state: RetryCallState) -> bool:
        """Whether no request is left, or none that could be answered in time."""
        if state.attempt_number >= self._summarizer.attempts:
            return True
        return self._clock() + state.upcoming_sleep >= self._end


def _given_up(state: RetryCallState) -> Any:
    """Raise what the last request raised, not an error about errors."""
    assert state.outcome is not None
    return state.outcome.result()


def _is_full(finish_reason: str) -> bool:
    body = {"choices": [{"finish_reason": finish_reason}]}
    return classify(ErrorFacts(status=200, body=body)).trigger == _SHRINK


def _is_async(ask: Ask) -> bool:
    return inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(getattr(ask, "__call__", None))  # noqa: B004 - not whether it can be called but how


_THOUGHT: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCED: Final = re.compile(r"```(?:markdown|md|text)?[ \t]*\n(.*)\n```", re.DOTALL)


def answer_text(answer: object) -> str:
    """Give the text of an answer: without thoughts in front of it and without a code fence around it.

    What is no text, or nothing but thoughts, is the empty text: the engine rejects it as such. Linear.
    """
    text = answer if isinstance(answer, str) else ""
    start = 0
    while thought := _THOUGHT.match(text, start):
        close = re.compile(f"</{thought[1]}>", re.IGNORECASE).search(text, thought.end())
        start = len(text) if close is None else close.end()
    text = text[start:].strip()
    fenced = _FENCED.fullmatch(text)
    return fenced[1].strip() if fenced and "```" not in fenced[1] else text
