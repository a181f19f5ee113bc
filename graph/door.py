"""The door for documents: a request or a transcript comes in, an AssemblyResult goes out."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any, Final

import orjson

from ..nodes.model import Model, model_from_json
from ..nodes.summarisers import Summarizer, summarizer_from_json
from ..state.budget import Budget
from ..state.diagnostics import Diagnostic
from ..state.errors import BadRequest, InternalError, TurngraphError, UsageError
from ..state.formats import Reading, read, write_history
from ..state.formats.json_values import is_object
from ..state.formats.registry import resolve
from ..state.history import History
from ..state.outputs import FileOutputStore, MemoryOutputStore, OutputStore, find_refs
from ..state.request import AssemblyRequest, read_request
from ..state.request_parts import MemoryOutputs
from ..state.wellformed import well_formed_json
from .assembler import Assembler, Assembly, TurnOptions

__all__ = ["Answer", "answer_reading", "answer_request", "exit_code_of", "internal", "run_request", "store_in"]

VERSION: Final = 1


@dataclass(slots=True, kw_only=True)
class Answer:
    """One assembly on its way to an AssemblyResult; what is not known yet has its default."""

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

    @property
    def ok(self) -> bool:
        """Whether there is a model input."""
        return self.error is None and self.assembly is not None

    def body(self, format: str) -> dict[str, Any]:
        """Give the body that a provider's API takes, and note what was repaired for it."""
        assert self.assembly is not None
        assert self.assembly.model_input is not None
        body = self.assembly.model_input.body(format)
        self.extra += body.diagnostics
        return body.value

    def as_json(self) -> dict[str, Any]:
        """Give the AssemblyResult; a defect met while writing it is an answer too."""
        try:
            return self._written_out()
        except Exception as error:  # noqa: BLE001 - the door is where a defect becomes a document
            self.assembly, self.reading, self.error = None, None, internal(error)
            return self._written_out()

    def _written_out(self) -> dict[str, Any]:
        assembly = self.assembly
        ok = self.ok
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

    def report(self) -> dict[str, Any]:
        """Give the report, with what was noticed before and behind the run."""
        report = self.assembly.report.as_json() if self.assembly is not None else _empty_report()
        before = [item.as_json() for item in self.reading.diagnostics] if self.reading is not None else []
        report["diagnostics"] = [*before, *report["diagnostics"], *(item.as_json() for item in self.extra)]
        return report

    def _history(self) -> Any:
        if self.ok and self.assembly is not None:
            return self._written(self.assembly.history, self.assembly.history.system)
        if self.given is not None or self.reading is None:
            return self.given
        return self._written(self.reading.messages, self.reading.system)

    def _written(self, messages: Sequence[Any], system: Any) -> dict[str, Any]:
        assert self.reading is not None
        written = write_history(messages, self.reading.format, system=system)
        if self.format is not None and resolve(self.format, "write") == written["format"]:
            written["format"] = self.format
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
            shown = set(find_refs(orjson.dumps(well_formed_json(history)).decode()))
            stored = {ref: text for ref, text in self.items.items() if ref in shown} | stored
        return stored


def run_request(value: Any, *, budget_argument: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Assemble what an AssemblyRequest asks for; never raises.

    Args:
        value: The document, parsed.
        budget_argument: Budget values that replace those of the request.

    Returns:
        The AssemblyResult; `exit_code_of` tells what the command line makes of it.
    """
    return answer_request(value, budget_argument=budget_argument).as_json()


def exit_code_of(result: Mapping[str, Any]) -> int:
    """Give the exit code of an AssemblyResult: 0, 1 (the assembly failed), 2 (the request is wrong)."""
    if result["error"] is None:
        return 0
    return 2 if result["error"]["code"] in _EXIT_2 else 1


_USAGE_ERRORS: Final[tuple[type[UsageError], ...]] = (UsageError, *UsageError.__subclasses__())
_EXIT_2: Final = frozenset(kind.code for kind in _USAGE_ERRORS)


def answer_request(value: Any, *, budget_argument: Mapping[str, Any] | None = None) -> Answer:
    """Assemble what an AssemblyRequest asks for; what fails is in the answer."""
    answer = Answer()
    if is_object(value):
        answer.given, answer.durable = value.get("history"), value.get("durable")
        value = {name: item if name == "history" else well_formed_json(item) for name, item in value.items()}

    def work() -> None:
        request = read_request(value, budget_argument=budget_argument)
        answer.format = request.history.format
        answer.reading = read(
            request.history.messages,
            request.history.format,
            system=request.history.system,
            path="history.messages",
        )
        options = TurnOptions(
            tools=[item.given() for item in request.tools],
            sections=[item.given() for item in request.sections],
            attachments=[item.given() for item in request.attachments],
            messages=request.contributed(),
            turn=request.turn.given() if request.turn is not None else None,
            recovery=request.recovery.given() if request.recovery is not None else None,
            memory=request.memory(),
            deadline_s=request.deadline_s,
        )
        if isinstance(request.outputs, MemoryOutputs):
            answer.items = request.outputs.items
        assembler = _assembler(request, budget_argument)
        answer.folder = _folder_of(assembler)
        answer.assembly = assembler.attempt(_history_of(answer.reading), **options)

    return _guarded(answer, work)


def answer_reading(read_history: Callable[[], Reading], *, make_assembler: Callable[[], Assembler]) -> Answer:
    """Assemble the next turn of a transcript; what fails is in the answer.

    Args:
        read_history: Reads the transcript.
        make_assembler: Makes the assembler, once the transcript is read.
    """
    answer = Answer()

    def work() -> None:
        answer.reading = reading = read_history()
        assembler = make_assembler()
        answer.folder = _folder_of(assembler)
        tools = [{name: item for name, item in tool.items() if name != "deferred"} for tool in reading.tools]
        deferred = sum(bool(tool.get("deferred")) for tool in reading.tools)
        if deferred:
            answer.extra.append(_shown_whole(deferred))
        answer.assembly = assembler.attempt(_history_of(reading), tools=tools)

    return _guarded(answer, work)


def _guarded(answer: Answer, work: Callable[[], None]) -> Answer:
    try:
        work()
        if answer.assembly is not None:
            answer.error = answer.assembly.error
    except TurngraphError as error:
        answer.error = error
    except Exception as error:  # noqa: BLE001 - the door is where a defect becomes a document
        answer.error = internal(error)
    return answer


def internal(error: BaseException) -> InternalError:
    """Say where a defect is, without what the conversation says: exception texts may quote it."""
    trace = error.__traceback__
    where = "?"
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "?")
        if module.partition(".")[0] == __name__.partition(".")[0]:
            where = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    name = type(error).__name__
    return InternalError(
        f"turngraph failed unexpectedly: {name} at {where}; please report this, nothing was changed",
        details={"exception": name, "where": where},
    )


def _folder_of(assembler: Assembler) -> str | None:
    store = assembler.outputs
    return os.fspath(store.path) if isinstance(store, FileOutputStore) else None


def store_in(folder: str) -> FileOutputStore:
    """Give the store of a folder.

    Raises:
        UsageError: Nothing can be written there.
    """
    store = FileOutputStore(folder)
    there = next((place for place in (store.path, *store.path.parents) if place.exists()), None)
    if there is None or not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(
            f"tool outputs cannot be kept in {folder!r}: {str(there)!r} is no folder that can be written",
            details={"path": folder},
        )
    return store


def _shown_whole(count: int) -> Diagnostic:
    return Diagnostic(
        code="PROJECTION_REPAIRED",
        severity="info",
        source="read",
        message=f"{count} deferred tools are shown to the model at once: this version defers none",
    )


def _empty_report() -> dict[str, Any]:
    nothing = dict.fromkeys(("calls", "tokens", "compaction", "window", "cache"))
    return {"path": [], **nothing, "diagnostics": []}


def _history_of(reading: Reading) -> History:
    return History(reading.messages, format=reading.format, system=reading.system)


def _assembler(request: AssemblyRequest, budget_argument: Mapping[str, Any] | None) -> Assembler:
    return Assembler(
        budget=Budget.resolve(argument=budget_argument, request=request.budget),
        summarizer=_summarizer(request),
        outputs=_store(request),
        counter=request.counter,
        model=_model(request),
        mode=request.mode,
        scope=request.scope,
        context_id=request.context_id,
    )


def _summarizer(request: AssemblyRequest) -> Summarizer | EllipsisType | None:
    item = request.summarizer
    if item is None or item.kind == "extractive":
        return ...
    return summarizer_from_json(item.model_dump(mode="json", exclude_unset=True), len)


def _model(request: AssemblyRequest) -> Model | None:
    item = request.model
    return model_from_json(item.model_dump(mode="json", exclude_unset=True)) if item is not None else None


def _store(request: AssemblyRequest) -> OutputStore | None:
    item = request.outputs
    if item is None:
        return None
    if isinstance(item, MemoryOutputs):
        return MemoryOutputStore(item.items)
    try:
        return store_in(item.path)
    except UsageError as error:
        problem = {"path": "outputs.path", "value": item.path, "problem": error.message}
        raise BadRequest(f"outputs.path: {error.message}", details={"problems": [problem]}) from error
