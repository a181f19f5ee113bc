"""One assembly on its way to an AssemblyResult, and what becomes of whatever fails on that way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from ..state.diagnostics import Diagnostic
from ..state.errors import InternalError, TurngraphError, UsageError
from ..state.formats import Reading, write_history
from ..state.formats.json_values import compact
from ..state.formats.registry import resolve
from ..state.messages import Message
from ..state.outputs import find_refs
from ..state.wellformed import well_formed_json
from .engine import NodeError
from .outcome import Assembly

__all__ = ["Answer", "exit_code_of", "internal"]

VERSION: Final = 1


@dataclass(slots=True, kw_only=True)
class Answer:
    """What is known of one assembly; what is not known yet has its default."""

    given: Any = None
    """The `history` that came in, as JSON; `None` while it is that of `reading`."""
    durable: Any = None
    """The `durable` that came in."""
    reading: Reading | None = None
    """The history as it was read."""
    format: str | None = None
    """Name of the format that the result is written in; `None`: what the reading says."""
    items: Mapping[str, str] = field(default_factory=dict[str, str])
    """Stored outputs that the request brought."""
    folder: str | None = None
    """Where stored outputs are kept; `None`: nowhere, so the result hands them out."""
    assembly: Assembly | None = None
    error: TurngraphError | None = None
    extra: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What was noticed outside the run."""

    def filled_by(self, work: Callable[[], None]) -> Self:
        """Do the work that fills this answer; what it raises is part of the answer."""
        try:
            work()
            if self.assembly is not None:
                self.error = _without_texts(self.assembly.error)
        except TurngraphError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - this is where a defect becomes a document
            self.error = internal(error)
        return self

    @property
    def ok(self) -> bool:
        """Whether there is a model input."""
        return self.error is None and self.assembly is not None

    def body(self, format: str) -> dict[str, Any]:
        """Give the body that a provider's API takes, and note what was repaired for it; only when `ok`."""
        assert self.assembly is not None
        assert self.assembly.model_input is not None
        body = self.assembly.model_input.body(format)
        self.extra += body.diagnostics
        return body.value

    def as_json(self) -> dict[str, Any]:
        """Give the AssemblyResult; a defect met while writing it is an answer too."""
        try:
            return self._written_out()
        except Exception as error:  # noqa: BLE001 - this is where a defect becomes a document
            self.assembly, self.reading, self.error = None, None, internal(error)
            return self._written_out()

    def report(self) -> dict[str, Any]:
        """Give the report, with what was noticed before and behind the run."""
        report = self.assembly.report.as_json() if self.assembly is not None else _empty_report()
        before = [item.as_json() for item in self.reading.diagnostics] if self.reading is not None else []
        report["diagnostics"] = [*before, *report["diagnostics"], *(item.as_json() for item in self.extra)]
        return report

    def _written_out(self) -> dict[str, Any]:
        assembly, ok = self.assembly, self.ok
        model_input = assembly.model_input if assembly is not None and ok else None
        reply = assembly.reply if assembly is not None and ok else None
        history = self._history()
        return {
            "version": VERSION,
            "ok": ok,
            "model_input": model_input.as_json() if model_input is not None else None,
            "history": history,
            "durable": self._durable(),
            "outputs": self._outputs(history),
            "report": self.report(),
            "reply": reply.as_json() if reply is not None else None,
            "error": self.error.as_json() if self.error is not None else None,
        }

    def _history(self) -> Any:
        if self.ok and self.assembly is not None:
            return self._in_format(self.assembly.history, self.assembly.history.system)
        if self.given is not None or self.reading is None:
            return self.given
        return self._in_format(self.reading.messages, self.reading.system)

    def _in_format(self, messages: Sequence[Message], system: Any) -> dict[str, Any]:
        assert self.reading is not None
        written = write_history(messages, self.reading.format, system=system)
        if self.format is not None and resolve(self.format, "write") == written["format"]:
            written["format"] = self.format  # an alias comes back as it came in
        return written

    def _durable(self) -> Any:
        if self.assembly is None:
            return self.durable
        return {"version": VERSION, "pressure": self.assembly.memory.as_json()}

    def _outputs(self, history: Any) -> dict[str, str]:
        if self.folder is not None:
            return {}
        stored = dict(self.assembly.stored) if self.assembly is not None else {}
        if self.items:
            shown = set(find_refs(compact(well_formed_json(history))))
            stored = {ref: text for ref, text in self.items.items() if ref in shown} | stored
        return stored


_USAGE_ERRORS: Final[tuple[type[UsageError], ...]] = (UsageError, *UsageError.__subclasses__())
_EXIT_2: Final = frozenset(kind.code for kind in _USAGE_ERRORS)


def exit_code_of(result: Mapping[str, Any]) -> int:
    """Give the exit code of an AssemblyResult: 0, 1 (the assembly failed), 2 (the request is wrong)."""
    if result["error"] is None:
        return 0
    return 2 if result["error"]["code"] in _EXIT_2 else 1


def internal(error: BaseException) -> InternalError:
    """Say where a defect is, without the text of the exception, which may quote the conversation.

    What the system says of a file is kept: it quotes nothing.
    """
    where = "?"
    trace = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        if module.partition(".")[0] == __name__.partition(".")[0]:
            where = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    name = type(error).__name__
    told = f" ({error.strerror}: {error.filename!r})" if isinstance(error, OSError) and error.strerror else ""
    return InternalError(
        f"turngraph failed unexpectedly: {name} at {where}{told}; nothing was sent and the history is unchanged",
        details={"exception": name, "where": where},
    )


def _without_texts(error: TurngraphError | None) -> TurngraphError | None:
    """Give the error; of a node that raised, without what it raised."""
    node = error.__cause__ if isinstance(error, InternalError) else None
    if not isinstance(node, NodeError) or node.__cause__ is None:
        return error
    told = internal(node.__cause__)
    told.details |= node.details
    return told


def _empty_report() -> dict[str, Any]:
    nothing = dict.fromkeys(("calls", "tokens", "compaction", "window", "cache"))
    return {"path": [], **nothing, "diagnostics": []}
