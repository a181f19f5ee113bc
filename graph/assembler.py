"""The facade: one object that assembles model inputs."""

import asyncio
import time
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack, cast, runtime_checkable

from ..nodes.call import SHRINK, Calls, classified
from ..nodes.contributors import Contributor, ContributorFactory, ContributorRegistry
from ..nodes.model import Model
from ..nodes.reach import AsyncReach, Reach, SyncReach
from ..nodes.recover import messages_to_keep, named_limit
from ..nodes.services import AssemblyServices
from ..nodes.summarisers import ExtractiveSummarizer, Summarizer
from ..state.budget import Budget
from ..state.cleaning import clean_contribution
from ..state.diagnostics import Diagnostic
from ..state.errors import (
    BadRequest,
    InternalError,
    OverflowAgain,
    ProviderFailed,
    TurngraphError,
    UsageError,
)
from ..state.given import Given, Recovery, Turn
from ..state.history import History
from ..state.mode import resolve_mode
from ..state.model_input import ModelInput
from ..state.outputs import OutputStore
from ..state.pricing import Pricer
from ..state.products import PressurePass, Window
from ..state.sections import (
    Contribution,
    Scope,
)
from ..state.tokens import GuardedCounter, TokenCounter, counter_named
from .assembly import assembly_graph
from .engine import FAILED, CompiledGraph, NodeError, Run, RunOptions
from .handed import HistoryLike, TurnOptions, as_history, check_given
from .outcome import Assembly
from .recording import RecordingStore
from .tool_table import ToolTable

if TYPE_CHECKING:
    from .engine import CancelSignal

__all__ = ["Assembler", "ContextAssembler"]

_NO_PRESSURE = PressurePass()
_NOTHING_LEFT_OUT = Window(kept=0)
_NO_CALLS = Calls()
_STANDALONE = Turn()


@runtime_checkable
class ContextAssembler(Protocol):
    """What runtimes depend on; `Assembler` is our implementation."""

    def assemble(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Assemble the next model input."""
        ...

    async def aassemble(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Do the same inside an event loop."""
        ...

    def recover(self, assembly: Assembly, error: BaseException) -> Assembly:
        """Make the one forced pass after a provider overflow."""
        ...

    async def arecover(self, assembly: Assembly, error: BaseException) -> Assembly:
        """Do the same inside an event loop."""
        ...


class Assembler:
    """Turns a conversation into a model input that fits, loses nothing that matters, and can be proved.

    Args:
        budget: All bounds; read from the environment when left out.
        contributors: Code that contributes sections, messages and attachments every turn, or factories of it.
        summarizer: Who writes checkpoints. Left out: the extractive one, no model. `None`: nobody; over the limit
            the extractive checkpoint is used all the same unless `budget.summary_fallback` is `none`.
        outputs: Where bodies of tool results lie. `None`: nothing is shortened that has no other home.
        counter: `"conservative"`, `"tiktoken:o200k_base"`, `"tiktoken:cl100k_base"`, or your own.
        model: Bound, every assembly ends with its reply.
        mode: `"dynamic"`.
        scope: Whose turn this is.
        context_id: Name of the conversation in traces.
        clock: Seconds, only forward; for deadlines and durations.
        sleep: Waits between transport retries of sync runs.

    Raises:
        BudgetInvalid, UnknownMode, TokenizerUnavailable, BadRequest: The configuration is wrong.
    """

    def __init__(
        self,
        *,
        budget: Budget | None = None,
        contributors: Sequence[Contributor | ContributorFactory] = (),
        summarizer: Summarizer | EllipsisType | None = ...,
        outputs: OutputStore | None = None,
        counter: str | TokenCounter = "conservative",
        model: Model | None = None,
        mode: str | None = None,
        scope: Scope = "main",
        context_id: str = "default",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.budget = budget if budget is not None else Budget()
        found = resolve_mode(mode)
        if found != "dynamic":
            raise BadRequest(
                f"Mode {found!r} is not in this version yet; use 'dynamic'",
                details={"problems": [{"path": "mode", "value": found}]},
            )
        self.counter: TokenCounter = counter_named(counter) if isinstance(counter, str) else GuardedCounter(counter)
        self.pricer = Pricer(self.counter)
        count = self.counter.count
        self.summarizer = ExtractiveSummarizer(count) if isinstance(summarizer, EllipsisType) else summarizer
        self.contributors = ContributorRegistry(contributors).freeze(context_id=context_id, scope=scope)
        self.outputs = outputs
        self.model = model
        self.scope: Scope = scope
        self.context_id = context_id
        self._tools = ToolTable()
        self._clock = clock
        self._sleep = sleep

    @property
    def graph(self) -> CompiledGraph:
        """The compiled assembly graph: draw it, check it, step it."""
        return assembly_graph()

    # ---- the main job

    def assemble(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Assemble the next model input; options as in `TurnOptions`.

        Args:
            history: A `History` (a warm turn costs O(new messages)), a list of messages, or a list of dicts in any
                readable format (linear).
            **options: See `TurnOptions`.

        Raises:
            TurngraphError: The assembly failed for a stated reason; the history is unchanged, `error.assembly` is
                the failed assembly with its report.
            UsageError: Called inside a running event loop; await `aassemble` there.
        """
        return _raised(self.attempt(history, **options))

    async def aassemble(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Do what `assemble` does inside an event loop, with the same result."""
        return _raised(await self.aattempt(history, **options))

    def attempt(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Assemble; a stated failure of the run is in `assembly.error` instead of being raised.

        Raises:
            BadRequest, UnknownFormat: What was handed over is wrong.
            UsageError: Called inside a running event loop; await `aattempt` there.
        """
        _refuse_loop("aattempt")
        started = self._start(history, options, SyncReach(self._clock, options.get("deadline_s"), sleep=self._sleep))
        try:
            started.run.resume(**_bounds(options))
        except Exception as error:  # noqa: BLE001 - sorted into stated failures and defects by `_stated`
            return started.assembly(_stated(error))
        return started.assembly(_terminal_error(started.run))

    async def aattempt(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Assembly:
        """Do what `attempt` does inside an event loop."""
        started = self._start(history, options, AsyncReach(self._clock, options.get("deadline_s")))
        try:
            await started.run.aresume(**_bounds(options))
        except Exception as error:  # noqa: BLE001 - sorted into stated failures and defects by `_stated`
            return started.assembly(_stated(error))
        return started.assembly(_terminal_error(started.run))

    def start(self, history: HistoryLike, **options: Unpack[TurnOptions]) -> Run:
        """Begin a run to step through: `run.step()`, `run.run_until("prune")`, `run.rewind(3)`, `run.diff(2, 5)`."""
        return self._start(history, options, SyncReach(self._clock, options.get("deadline_s"), sleep=self._sleep)).run

    def recover(self, assembly: Assembly, error: BaseException) -> Assembly:
        """Make the one forced pass: your own provider call with `assembly.model_input` overflowed.

        Raises:
            OverflowAgain: `assembly` was a forced pass already.
            OverflowNoProgress: The input cannot be made strictly smaller.
            ProviderFailed: The error is no overflow, or one that a smaller input does not cure.
        """
        _refuse_loop("arecover")
        return self.assemble(assembly.history, **self._recovering(assembly, error))

    async def arecover(self, assembly: Assembly, error: BaseException) -> Assembly:
        """Do what `recover` does inside an event loop."""
        return await self.aassemble(assembly.history, **self._recovering(assembly, error))

    def _recovering(self, assembly: Assembly, error: BaseException) -> TurnOptions:
        found = classified(error, estimate=assembly.report.total_tokens, limit=self.budget.limit_tokens)
        details = {"class": found.error_class, "reason": found.reason, "parsed": dict(found.parsed)}
        if found.trigger != SHRINK and found.reason != "output_reserve":
            raise ProviderFailed(
                f"The error is no overflow but {found.error_class}; a smaller input does not cure it: {error}",
                error_class=found.error_class,
                details=details,
            ) from error
        if found.reason == "output_reserve":
            raise ProviderFailed(
                f"The input is small, there is no room for the requested output: lower max_tokens. {error}",
                error_class=found.error_class,
                details=details,
            ) from error
        if assembly.given.recovery is not None:
            raise OverflowAgain(
                f"The provider refused the input as too large again after the one forced pass: {error}",
                details=details,
            ) from error
        given = assembly.given
        by_count = found.error_class == "message_count_overflow"
        sent = len(assembly.history) - assembly.history.lead
        recovery = Recovery(
            limit=found.parsed.get("limit"),
            failed_tokens=assembly.report.total_tokens,
            keep_messages=messages_to_keep(found.parsed.get("limit_messages"), sent) if by_count else None,
        )
        return TurnOptions(
            tools=given.tools,
            sections=given.sections,
            attachments=given.attachments,
            messages=given.messages,
            turn=given.turn,
            recovery=recovery,
            memory=assembly.memory,
        )

    # ---- preparing a run

    def _start(self, history: HistoryLike, options: TurnOptions, reach: Reach) -> "_Started":
        given_history, extra = as_history(history)
        handed = clean_contribution(
            Contribution(
                sections=tuple(options.get("sections") or ()),
                attachments=tuple(options.get("attachments") or ()),
                messages=tuple(options.get("messages") or ()),
            )
        )
        given = Given(
            sections=handed.sections,
            attachments=handed.attachments,
            messages=handed.messages,
            tools=self._tools.take(options.get("tools") or ()),
            scope=self.scope,
            context_id=self.context_id,
            turn=options.get("turn") or _STANDALONE,
            recovery=options.get("recovery"),
            model=self.model.name if self.model is not None else "default",
        )
        check_given(given)
        memory = options.get("memory") or given_history.memory
        recovery = given.recovery
        if recovery is not None:
            if recovery.attempt > 1:
                raise OverflowAgain(
                    "The provider refused the input as too large again; there is one forced pass only",
                    details={"attempt": recovery.attempt},
                )
            if recovery.limit is not None:
                learned = named_limit(self.budget, recovery.limit)
                if learned < self.budget.limit_tokens:
                    memory = memory.with_limit(given.model, learned)
        store = RecordingStore(self.outputs) if self.outputs is not None else None
        services = AssemblyServices(
            pricer=self.pricer,
            reach=reach,
            outputs=store,
            contributors=self.contributors,
            summarizer=self.summarizer,
            model=self.model,
        )
        inputs = {
            "history": given_history,
            "given": given,
            "budget": self.budget,
            "memory": memory,
            "pressure": _NO_PRESSURE,
            "left_out": _NOTHING_LEFT_OUT,
            "calls": _NO_CALLS,
        }
        limits = RunOptions(clock=self._clock)
        if (deadline := options.get("deadline_s")) is not None:
            limits["deadline_s"] = deadline
        if (cancel := options.get("cancel")) is not None:
            limits["cancel"] = cancel
        previous = options.get("previous")
        return _Started(
            run=assembly_graph().start(inputs, services, **limits),
            history=given_history,
            given=given,
            counter=self.counter,
            store=store,
            extra=extra,
            previous=previous.model_input if previous is not None else None,
        )


class _Started:
    """A run under way and what its assembly will need."""

    def __init__(
        self,
        *,
        run: Run,
        history: History,
        given: Given,
        counter: TokenCounter,
        store: RecordingStore | None,
        extra: Sequence[Diagnostic],
        previous: ModelInput | None,
    ) -> None:
        self.run = run
        self.history, self.given, self.counter = history, given, counter
        self.store, self.extra, self.previous = store, list(extra), previous
        self.fallbacks = counter.fallbacks if isinstance(counter, GuardedCounter) else 0

    def assembly(self, error: TurngraphError | None) -> Assembly:
        counter = self.counter
        if isinstance(counter, GuardedCounter) and counter.fallbacks > self.fallbacks:
            self.extra.append(
                Diagnostic(
                    code="TOKENIZER_FALLBACK",
                    severity="warning",
                    source="counter",
                    message=f"Counter {counter.name} failed on {counter.fallbacks - self.fallbacks} texts "
                    f"({counter.last_error}); the conservative counter counted them",
                )
            )
        made = Assembly(
            run=self.run,
            given_history=self.history,
            given=self.given,
            error=error,
            counter=counter.name,
            store=self.store,
            extra=tuple(self.extra),
            previous=self.previous,
        )
        if error is not None:
            error.assembly = made
        return made


class _Bounds(TypedDict):
    deadline_s: float | None
    cancel: "CancelSignal | None"


def _bounds(options: TurnOptions) -> _Bounds:
    """Give what may end a run early; `resume` takes it anew."""
    return {"deadline_s": options.get("deadline_s"), "cancel": options.get("cancel")}


def _raised(assembly: Assembly) -> Assembly:
    if assembly.error is not None:
        raise assembly.error
    return assembly


def _terminal_error(run: Run) -> TurngraphError | None:
    return cast("TurngraphError", run.state["error"]) if run.terminal is FAILED else None


def _stated(error: Exception) -> TurngraphError:
    if isinstance(error, NodeError):
        wrapped = InternalError(str(error), details=error.details)
        wrapped.__cause__ = error
        return wrapped
    if isinstance(error, TurngraphError):
        return error
    raise error


def _refuse_loop(twin: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(f"A sync call inside a running event loop would block it; await `{twin}` instead")
