"""What one assembly gave."""

from collections.abc import Mapping, Sequence
from typing import cast

from ..nodes.model import Reply
from ..state.diagnostics import Diagnostic
from ..state.errors import TurngraphError
from ..state.given import Given
from ..state.history import History
from ..state.memory import PressureMemory
from ..state.model_input import ModelInput
from .engine import Run
from .recording import RecordingStore
from .report import Report

__all__ = ["Assembly"]


class Assembly:
    """What one run gave. On failure `model_input` is `None`, `error` says why, `history` is the input unchanged."""

    def __init__(
        self,
        *,
        run: Run,
        given_history: History,
        given: Given,
        error: TurngraphError | None,
        counter: str,
        store: RecordingStore | None,
        extra: Sequence[Diagnostic],
        previous: ModelInput | None,
    ) -> None:
        self.run = run
        """The finished run: frames, states, stepping."""
        self.error = error
        self.given_history = given_history
        """The history as it was handed over."""
        self.given = given
        self._counter = counter
        self._store = store
        self._extra = extra
        self._previous = previous

    @property
    def ok(self) -> bool:
        """Whether there is a model input."""
        return self.error is None

    @property
    def model_input(self) -> ModelInput | None:
        """The validated input, `None` on failure."""
        return cast("ModelInput", self.run.state["model_input"]) if self.error is None else None

    @property
    def history(self) -> History:
        """The new canonical history; on failure the one that was given."""
        if self.error is not None:
            return self.given_history
        return cast("History", self.run.state["result"]).remembering(self.memory)

    @property
    def memory(self) -> PressureMemory:
        """What the next turns should know of this one's pressure; travels with `history` in process."""
        return cast("PressureMemory", self.run.state["memory"])

    @property
    def reply(self) -> Reply | None:
        """The model's answer where a model was bound; not part of `history`."""
        return cast("Reply | None", self.run.state.get("reply")) if self.error is None else None

    @property
    def stored(self) -> Mapping[str, str]:
        """What this run put into the output store: reference → text."""
        return self._store.stored if self._store is not None else {}

    @property
    def report(self) -> Report:
        """What happened, read off the frames."""
        return Report(self.run, self._counter, extra=self._extra, previous=self._previous)

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Assembly failed: {self.error.code}>"
        return f"<Assembly: {self.report.total_tokens} tokens, {' → '.join(self.report.path)}>"
