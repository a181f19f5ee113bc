"""The writer: called after each run, never in its way."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from ...state.durable import PlanProgress
from ...state.errors import TurngraphError
from ...state.mode import Mode
from .document import Turn, document_of, passages_of
from .encoding import Encoder
from .files import write_private
from .names import check_context_id, file_name
from .redaction import Redactor
from .settings import WAIT_S, TraceSettings
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


class TraceWriter:
    """Writes what happened in each turn to a private file; one writer per conversation, or for several.

    Nothing that goes wrong here fails a turn: it comes back as a text. The work is done in a thread of the writer's
    own, and a turn waits for it no longer than `settings.wait_s`; while one trace is late, none is waited for.

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
        try:
            return _joined(said, answer.result(self._patience()))
        except TimeoutError:
            return _joined(said, self._postponed(turn, answer))

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
        waiting = asyncio.wrap_future(answer)
        done, _ = await asyncio.wait((waiting,), timeout=self._patience())
        return _joined(said, waiting.result() if done else self._postponed(turn, answer))

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

    def _patience(self) -> float:
        """Give the seconds to wait: none behind a trace that is late already."""
        return 0.0 if self._late else self.settings.wait_s

    def _postponed(self, turn: int, answer: "Future[str | None]") -> str | None:
        if answer.done():
            return answer.result()
        waited = self._patience()
        self._late.append(_Late(f"the trace of turn {turn}", answer))
        if self.settings.wait_s <= 0:
            return None
        behind = f"within {waited:g} s" if waited else f"yet, behind {self._late[0].label}"
        return f"the trace of turn {turn} was not written {behind}; it may still come"

    def _came_late(self) -> str | None:
        """Say what became of late traces that are done by now."""
        said: str | None = None
        for late in [late for late in self._late if late.answer.done()]:
            self._late.remove(late)
            said = _joined(said, late.answer.result())
        return said


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
