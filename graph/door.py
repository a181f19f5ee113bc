"""The door for documents: a request or a transcript comes in, an AssemblyResult goes out."""

import os
from collections.abc import Callable, Mapping
from types import EllipsisType
from typing import Any, Final

from ..nodes.model import Model, model_from_json
from ..nodes.summarisers import Summarizer, summarizer_from_json
from ..state.budget import Budget
from ..state.diagnostics import Diagnostic
from ..state.errors import BadRequest, UsageError
from ..state.formats import Reading, read
from ..state.formats.json_values import is_object
from ..state.history import History
from ..state.outputs import FileOutputStore, MemoryOutputStore, OutputStore
from ..state.request import AssemblyRequest, read_request
from ..state.request_parts import MemoryOutputs
from ..state.wellformed import well_formed_json
from .answer import Answer, exit_code_of
from .assembler import Assembler
from .handed import TurnOptions

__all__ = ["Answer", "answer_reading", "answer_request", "exit_code_of", "run_request", "store_in"]

AUTO: Final = "auto"
"""Asks the reader to find the format; the result then names what was found."""


def run_request(value: Any, *, budget_argument: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Assemble what an AssemblyRequest asks for; never raises.

    Args:
        value: The document, parsed.
        budget_argument: Budget values that replace those of the request.

    Returns:
        The AssemblyResult; `exit_code_of` tells what the command line makes of it.
    """
    return answer_request(value, budget_argument=budget_argument).as_json()


def answer_request(value: Any, *, budget_argument: Mapping[str, Any] | None = None) -> Answer:
    """Assemble what an AssemblyRequest asks for; what fails is in the answer."""
    answer = Answer()
    if is_object(value):
        answer.given, answer.durable = value.get("history"), value.get("durable")

    def work() -> None:
        request = read_request(_well_formed(value), budget_argument=budget_argument)
        answer.format = request.history.format if request.history.format != AUTO else None
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

    return answer.filled_by(work)


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

    return answer.filled_by(work)


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


def _well_formed(value: Any) -> Any:
    """Replace lone surrogates at the border; the history is left to its reader."""
    if not is_object(value):
        return value
    return {name: item if name == "history" else well_formed_json(item) for name, item in value.items()}


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
