"""`turngraph assemble`: the main job, on a transcript or on a request document."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...state.errors import UnknownSummarizer, UsageError
from .documents import STDIN, read_document
from .progress import LARGE_BYTES, progress_of
from .streams import bytes_of, complain, console_on, notice, write_document

if TYPE_CHECKING:
    from ...state.formats import Reading
    from ..assembler import Assembler
    from ..door import Answer

__all__ = ["assemble"]

_AUTO = "auto"
_INPUT = "Input"
_BOUNDS = "Bounds and choices"
_OUTPUT = "Output"


def assemble(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="The transcript of an agent; - is stdin.", show_default=False)
    ] = None,
    *,
    request: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="An AssemblyRequest (JSON) instead of a transcript.", rich_help_panel=_INPUT
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", help="Format of the transcript; auto, the default, finds it.", rich_help_panel=_INPUT),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(
            metavar="TOKENS",
            help="Whole window of the model, output included (model_max_tokens).",
            rich_help_panel=_BOUNDS,
        ),
    ] = None,
    reserve: Annotated[
        int | None,
        typer.Option(
            metavar="TOKENS", help="Kept free for the reply (output_reserve_tokens).", rich_help_panel=_BOUNDS
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.toml", help="Any bounds of the budget, by the names of its fields.", rich_help_panel=_BOUNDS
        ),
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="dynamic; others come with a later version.", rich_help_panel=_BOUNDS)
    ] = None,
    counter: Annotated[
        str | None,
        typer.Option(
            help="conservative (default), tiktoken:o200k_base or tiktoken:cl100k_base.", rich_help_panel=_BOUNDS
        ),
    ] = None,
    summarizer: Annotated[
        str | None, typer.Option(help="Who writes checkpoints: extractive (default) or none.", rich_help_panel=_BOUNDS)
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Where whole tool outputs are kept; by default in the data folder.",
            rich_help_panel=_BOUNDS,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Print the body of that provider: openai, anthropic.", rich_help_panel=_OUTPUT
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write there: the body with --to, else the AssemblyResult.", rich_help_panel=_OUTPUT
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the AssemblyResult instead of the report.", rich_help_panel=_OUTPUT)
    ] = False,
    session: Annotated[str | None, typer.Option(hidden=True)] = None,
    store: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Assemble the next model input: read a transcript, make it fit, say what happened."""
    for name, value in (("--session", session), ("--store", store)):
        if value is not None:
            raise UsageError(f"{name} comes with the session journal of a later version; hand over a FILE instead")
    if (file is None) == (request is None):
        raise UsageError("give either a transcript FILE or --request FILE")
    if request is not None and format is not None:
        raise UsageError("--format is for transcripts: a request names the format of its history itself")
    choices = _Choices(
        window=window,
        reserve=reserve,
        budget_file=budget,
        mode=mode,
        counter=counter,
        summarizer=summarizer,
        outputs=outputs,
    )
    name = request if request is not None else str(file)
    answer = _answer(name, choices, is_request=request is not None, format=format or _AUTO, to=to)
    raise typer.Exit(_hand_over(answer, name, to=to, out=out, json=json))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choices:
    """What the options choose; `None` leaves the choice to the request, the environment or the default."""

    window: int | None
    reserve: int | None
    budget_file: str | None
    mode: str | None
    counter: str | None
    summarizer: str | None
    outputs: str | None

    @property
    def argument(self) -> dict[str, Any]:
        """Budget values of options of their own."""
        given = {"model_max_tokens": self.window, "output_reserve_tokens": self.reserve}
        return {name: value for name, value in given.items() if value is not None}

    def of_file(self) -> dict[str, Any]:
        """Budget values of the `--budget` file."""
        from ...state.budget import read_budget_file

        return read_budget_file(self.budget_file) if self.budget_file is not None else {}


def _answer(name: str, choices: _Choices, *, is_request: bool, format: str, to: str | None) -> "Answer":
    """Assemble; whatever is wrong with the input or the options is in the answer, so that it is one document."""
    from ...state.formats.json_values import is_object
    from ...state.formats.registry import resolve
    from ..door import Answer, answer_reading, answer_request

    given: dict[str, Any] = {}
    try:
        if to is not None:
            resolve(to, "body")
        if not is_request:
            return answer_reading(lambda: _read(name, format), make_assembler=lambda: _assembler(choices))
        document = read_document(name)
        if is_object(document):
            given = document
            document = _overridden(given, choices)
    except UsageError as error:
        return Answer(given=given.get("history"), durable=given.get("durable"), error=error)
    return answer_request(document, budget_argument=choices.argument)


def _overridden(document: Mapping[str, Any], choices: _Choices) -> dict[str, Any]:
    """Give the request with what options choose in place of its own choices."""
    from ...state.formats.json_values import is_object
    from ..door import store_in

    chosen: dict[str, Any] = {"mode": choices.mode, "counter": choices.counter}
    if choices.summarizer is not None:
        chosen["summarizer"] = {"kind": _kind(choices.summarizer)}
    if choices.outputs is not None:
        chosen["outputs"] = {"kind": "files", "path": str(store_in(choices.outputs).path)}
    bounds = choices.of_file()
    given = document.get("budget", {})
    if bounds and is_object(given):
        chosen["budget"] = {**given, **bounds}
    return {**document, **{name: value for name, value in chosen.items() if value is not None}}


def _kind(name: str) -> str:
    if name not in {"extractive", "none"}:
        raise UnknownSummarizer(
            f"--summarizer must be extractive or none, got {name!r}; others are for requests and for Python",
            details={"kind": name, "known": ["extractive", "none"]},
        )
    return name


def _read(name: str, format: str) -> "Reading":
    from ...state.formats import read_path, read_stream

    with progress_of(name) as progress:
        if name == STDIN:
            return read_stream(sys.stdin.buffer, format, progress)
        reading = read_path(name, format, progress)
        if Path(name).stat().st_size > LARGE_BYTES:
            progress.say(f"assembling {len(reading.messages):,} messages")
        return reading


def _assembler(choices: _Choices) -> "Assembler":
    from ...state.budget import Budget
    from ...state.outputs import default_output_dir
    from ..assembler import Assembler
    from ..door import store_in

    bounds = Budget.resolve(argument=choices.argument, request=choices.of_file())
    kind = _kind(choices.summarizer) if choices.summarizer is not None else "extractive"
    writer: EllipsisType | None = None if kind == "none" else ...
    return Assembler(
        budget=bounds,
        summarizer=writer,
        outputs=store_in(choices.outputs or str(default_output_dir())),
        counter=choices.counter or "conservative",
        mode=choices.mode,
    )


def _hand_over(answer: "Answer", name: str, *, to: str | None, out: str | None, json: bool) -> int:
    """Write and print what was asked for, and give the exit code. Files first: only then it is known what to say."""
    body = answer.body(to) if to is not None and answer.ok else None
    result = answer.as_json() if json or out is not None or (to is not None and body is None) else {}
    if out is not None and (body is not None or to is None):
        _write(out, bytes_of(body if body is not None else result))
    if to is not None and out is None:
        write_document(body if body is not None else result)
    elif json:
        write_document(result)
    elif answer.assembly is not None:
        from .report import print_report

        print_report(console_on(sys.stdout), answer, name=name)
        if answer.error is not None:
            notice(f"turngraph: {answer.error.code}, see the report")
    elif answer.error is not None:
        complain(answer.error)
    if answer.error is not None:
        return answer.error.exit_code
    if out is not None and not json:
        notice(f"wrote {out}")
    return 0


def _write(path: str, data: bytes) -> None:
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot write {path!r}: {reason}", details={"path": path}) from error
