"""The writer: called after each run, never in its way."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack, cast

from ...state.durable import PlanProgress
from ...state.errors import TurngraphError
from ...state.mode import Mode
from ...state.products import Bill, PressurePass
from .document import Turn, document_of, passages_of
from .encoding import Encoder
from .files import write_private
from .names import check_context_id, file_name
from .redaction import Redactor
from .settings import SMALL_TOKENS, WAIT_S, TraceSettings
from .worker import Worker

if TYPE_CHECKING:
    from ..outcome import Assembly

__all__ = ["TraceFacts", "TraceWriter"]


class TraceFacts(TypedDict, total=False):
    """What a trace may be told beside the run."""

    mode: Mode
    """Left out: dynamic."""
    candidate: "Assembly | TurngraphError | None"
    """In shadow: the dynamic run beside the legacy one, or why there is none."""
    plan_progress: PlanProgress | None
    """How far the conversation has gone since the plan was updated."""


class _Late(NamedTuple):
    label: str
    answer: "Future[str | None]"
    waited: bool
    """The turn waited for it in vain."""


class TraceWriter:
    """Writes what happened in each turn to a private file; one writer per conversation, or for several.

    Nothing that goes wrong here fails a turn: it comes back as a text. The work is done in a thread of the writer's
    own, and a turn waits for it no longer than `settings.wait_s`; behind one that was waited for in vain, none is.

    Args:
        settings: Whether, where, how long to wait.
        redactor: Sees every string of a document, keys excluded, before it is written; for instance `redact_secrets`.
            What it raises loses the trace, never the secret.
    """

    def __init__(self, settings: TraceSettings, *, redactor: Redactor | None = None) -> None:
        self.settings = settings
        self._encoder = Encoder(redactor)
        self._worker = Worker()
        self._late: list[_Late] = []

    def write(
        self,
        assembly: "Assembly",
        *,
        turn: int,
        context_id: str,
        exported_at: datetime,
        **facts: Unpack[TraceFacts],
    ) -> str | None:
        """Write the trace of one finished run and say what went wrong, `None` if nothing did.

        A run that overflowed and recovered on its own has two files, like one that the host had recovered.

        Args:
            assembly: The run, failed ones too.
            turn: Number of the model turn in its context, from 1. A second trace of one number replaces the first.
            context_id: Names the folder.
            exported_at: When; with a time zone.
            **facts: See `TraceFacts`.
        """
        answer, said = self._begun(assembly, turn, context_id, exported_at, facts)
        if answer is None:
            return said
        wait_s = self._patience(assembly)
        try:
            if wait_s > 0:
                return _joined(said, answer.result(wait_s))
        except TimeoutError:
            pass
        return _joined(said, self._postponed(turn, answer, wait_s))

    async def awrite(
        self,
        assembly: "Assembly",
        *,
        turn: int,
        context_id: str,
        exported_at: datetime,
        **facts: Unpack[TraceFacts],
    ) -> str | None:
        """Do what `write` does without stopping the event loop."""
        answer, said = self._begun(assembly, turn, context_id, exported_at, facts)
        if answer is None:
            return said
        wait_s = self._patience(assembly)
        waiting = asyncio.wrap_future(answer)
        done, _ = await asyncio.wait((waiting,), timeout=wait_s)
        return _joined(said, waiting.result() if done else self._postponed(turn, answer, wait_s))

    def flush(self, timeout_s: float = WAIT_S) -> str | None:
        """Wait until everything is on the disk, and say what went wrong or is still under way."""
        done = self._worker.drain(timeout_s)
        said = self._came_late()
        return said if done else _joined(said, f"traces are still being written after {timeout_s:g} s")

    def _begun(
        self, assembly: "Assembly", turn: int, context_id: str, exported_at: datetime, facts: TraceFacts
    ) -> "tuple[Future[str | None] | None, str | None]":
        """Take what the run holds now and hand the rest to the worker."""
        if not self.settings.enabled:
            return None, None
        said = self._came_late()
        try:
            job = self._job(assembly, turn, context_id, exported_at, facts)
        except Exception as error:  # noqa: BLE001 - a trace never fails a turn
            return None, _joined(said, _told(turn, error))
        answer = self._worker.submit(job)
        if answer is None:
            said = _joined(said, f"the trace of turn {turn} was left out: the writer hangs and too many wait already")
        return answer, said

    def _job(
        self, assembly: "Assembly", turn: int, context_id: str, exported_at: datetime, facts: TraceFacts
    ) -> Callable[[], str | None]:
        check_context_id(context_id)
        if turn < 1:
            raise ValueError("the first turn is 1")
        kept, candidate = _as_it_is(assembly), facts.get("candidate")
        if candidate is not None and not isinstance(candidate, TurngraphError):
            candidate = _as_it_is(candidate)
        root, encoder = self.settings.dir, self._encoder

        def job() -> str | None:
            try:
                about = Turn(
                    context_id=context_id,
                    number=turn,
                    exported_at=exported_at,
                    mode=facts.get("mode", "dynamic"),
                    plan_progress=facts.get("plan_progress"),
                    candidate=candidate
                    if candidate is None or isinstance(candidate, TurngraphError)
                    else passages_of(candidate)[-1],
                )
                for passage in passages_of(kept):
                    data = document_of(about, passage, encoder)
                    write_private(root, context_id, file_name(turn, passage.recovery), data)
            except BaseException as error:  # noqa: BLE001 - a trace never fails a turn, whatever a hook raises
                return _told(turn, error)
            return None

        return job

    def _patience(self, assembly: "Assembly") -> float:
        """Give the seconds to wait: none behind a trace that was waited for in vain."""
        if any(late.waited for late in self._late):
            return 0.0
        if self.settings.wait_s is not None:
            return self.settings.wait_s
        return WAIT_S if _is_small(assembly) else 0.0

    def _postponed(self, turn: int, answer: "Future[str | None]", wait_s: float) -> str | None:
        if answer.done():
            return answer.result()
        hanging = next((late for late in self._late if late.waited), None)
        self._late.append(_Late(f"the trace of turn {turn}", answer, waited=wait_s > 0))
        if wait_s > 0:
            return f"the trace of turn {turn} was not written within {wait_s:g} s; it may still come"
        if hanging is not None:
            return f"the trace of turn {turn} was not written yet, behind {hanging.label}; it may still come"
        return None

    def _came_late(self) -> str | None:
        """Say what became of late traces that are done by now."""
        said: str | None = None
        for late in [late for late in self._late if late.answer.done()]:
            self._late.remove(late)
            said = _joined(said, late.answer.result())
        return said


def _is_small(assembly: "Assembly") -> bool:
    """Tell whether the trace takes about a millisecond; of a run that measured nothing it is told what went wrong."""
    state = assembly.run.state
    bills = (cast("PressurePass", state["pressure"]).before, cast("Bill | None", state.get("bill")))
    return all(bill is None or bill.total <= SMALL_TOKENS for bill in bills)


def _as_it_is(assembly: "Assembly") -> "Assembly":
    """Give the assembly with a run of its own, which is not rewound when a host rewinds the other."""
    kept = copy(assembly)
    kept.run = assembly.run.fork(len(assembly.run.frames))
    return kept


def _told(turn: int, error: BaseException) -> str:
    """Say what went wrong, without the text of an exception that may quote the conversation."""
    if isinstance(error, TurngraphError):
        why = error.message
    elif isinstance(error, OSError):
        why = f"{error.strerror or type(error).__name__}: {error.filename!r}"
    else:
        why = f"{type(error).__name__} while it was put together"
    return f"the trace of turn {turn} was not written: {why}"


def _joined(first: str | None, second: str | None) -> str | None:
    return "; ".join([text for text in (first, second) if text]) or None
