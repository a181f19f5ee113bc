"""The trace document, schema 5: what one model turn was given, what became of it, what was sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast

from ...state.budget import Budget
from ...state.durable import PlanProgress
from ...state.errors import TurngraphError
from ...state.given import Given
from ...state.history import History
from ...state.messages import Message
from ...state.mode import Mode
from ...state.model_input import ModelInput
from ...state.products import Admitted, Collected, ContributorReport, PressurePass, Prompt
from ...state.sections import Contribution, Section
from ..report import Report
from .encoding import Encoder, Pieces, array, camel, camel_keys, joined, plain
from .tokens import tokens_after

if TYPE_CHECKING:
    from ..engine import Frame
    from ..outcome import Assembly

__all__ = ["SCHEMA_VERSION", "Passage", "Turn", "document_of", "passages_of"]

SCHEMA_VERSION: Final = 5
"""Of the document; that of the system whose traces these continue."""

_PATHS: Final[Mapping[Mode, str]] = {"dynamic": "dynamic", "legacy": "legacy", "shadow": "shadow-legacy"}
_OVERFLOW: Final = "model-input-overflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One way through the graph, up to what was sent. A run that had to recover has two of them.

    It is taken at once and shares everything with the run: no message is copied, and whatever is done with the run
    later (rewinding, forking) does not change it.
    """

    state: Mapping[str, object]
    frames: "Sequence[Frame]"
    tokens: Sequence[int | None]
    """What the whole input costs after each frame."""
    report: Mapping[str, Any]
    """As `Report.as_json` gives it."""
    recovery: int
    """Which forced pass this is; 0 for none."""
    sent: ModelInput | None
    """What `emit` let out; `None`: nothing was sent."""
    error: TurngraphError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a document says beside the run."""

    context_id: str
    number: int
    exported_at: datetime
    mode: Mode = "dynamic"
    plan_progress: PlanProgress | None = None
    candidate: Passage | TurngraphError | None = None
    """In shadow: the dynamic run, or why there is none. The passage is the legacy one, whose input was sent."""


def passages_of(assembly: "Assembly") -> list[Passage]:
    """Cut a run where it overflowed: what was sent first, then the forced pass.

    Cost: O(nodes), and the report's.
    """
    run = assembly.run
    frames = list(run.frames)
    tokens = tokens_after(run, frames)
    report = assembly.report.as_json()
    first_recovery = assembly.given.recovery.attempt if assembly.given.recovery is not None else 0
    found: list[Passage] = []
    start = 0
    for at, frame in enumerate(frames):
        if frame.node != "recover" or frame.to == "FAILED":
            continue
        state = run.state_at(at - 1)  # before the call: it wrote the error of a second overflow
        found.append(
            Passage(
                state=state,
                frames=frames[start:at],
                tokens=tokens[start:at],
                report=Report(run.fork(at - 1), str(report["tokens"]["counter"])).as_json(),
                recovery=first_recovery + len(found),
                sent=cast("ModelInput", state["model_input"]),
            )
        )
        start = at
    emitted = any(frame.node == "emit" for frame in frames[start:])
    found.append(
        Passage(
            state=dict(run.state),
            frames=frames[start:],
            tokens=tokens[start:],
            report=report,
            recovery=first_recovery + len(found),
            sent=cast("ModelInput", run.state["model_input"]) if emitted else None,
            error=assembly.error,
        )
    )
    return found


def document_of(turn: Turn, passage: Passage, encoder: Encoder) -> Pieces:
    """Write the document, with a newline behind it. Cost: linear in what the encoder has not written before."""
    if turn.exported_at.tzinfo is None:
        raise ValueError("exported_at has no time zone")
    encoder.begin()
    piece = encoder.piece
    candidate = passage if turn.candidate is None else turn.candidate
    shown = None if isinstance(candidate, TurngraphError) else candidate
    error = passage.error or (candidate if isinstance(candidate, TurngraphError) else candidate.error)
    sent = frozenset(map(id, passage.sent.messages)) if passage.sent is not None else frozenset[int]()
    exported = turn.exported_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    document: list[tuple[str, Pieces]] = [
        ("schemaVersion", piece(SCHEMA_VERSION)),
        ("contextId", piece(turn.context_id)),
        ("turn", piece(turn.number)),
        ("exportedAt", piece(exported)),
        ("contextConfig", _config(turn.mode, (shown or passage).state, encoder)),
        ("selectedPath", piece(_PATHS[turn.mode])),
        ("collection", _collection(shown, encoder)),
        ("admitted", _admitted(shown, sent, encoder)),
        ("renderedContext", _rendered(shown, sent, encoder) if shown is not None else piece(None)),
        ("llmInput", _input(passage.sent, encoder) if passage.sent is not None else piece(None)),
    ]
    if turn.plan_progress is not None:
        document.append(("planProgress", piece(turn.plan_progress.as_json())))
    if passage.recovery:
        document.append(("recovery", piece({"attempt": passage.recovery, "reason": _OVERFLOW})))
    if error is not None:
        document.append(("error", piece(error.as_json())))
    document.append(("graph", piece(_graph(shown) if shown is not None else [])))
    return [*joined(document), b"\n"]


def _config(mode: Mode, state: Mapping[str, object], encoder: Encoder) -> Pieces:
    budget, given = cast("Budget", state["budget"]), cast("Given", state["given"])
    return joined(
        [
            ("mode", encoder.piece(mode)),
            ("scope", encoder.piece(given.scope)),
            ("budget", encoder.once(budget, _budget_json)),
            ("sources", encoder.once(budget.sources, _sources_json)),
        ]
    )


def _budget_json(budget: Budget) -> dict[str, Any]:
    return {camel(name): plain(getattr(budget, name)) for name in type(budget).model_fields}


def _sources_json(sources: Mapping[str, str]) -> dict[str, str]:
    return {camel(name): source for name, source in sources.items()}


def _collection(passage: Passage | None, encoder: Encoder) -> Pieces:
    collected = cast("Collected | None", passage.state.get("collected")) if passage is not None else None
    if collected is not None:
        reports = array([_contributor(report, encoder) for report in collected.contributors])
        return joined([("contributors", reports), ("collected", _contributed(collected, encoder))])
    error = passage.error if passage is not None else None
    failed: object = error.details.get("report") if error is not None and error.code == "contributor_failed" else None
    return joined([("contributors", encoder.piece(failed or [])), ("collected", encoder.piece(None))])


def _contributor(report: ContributorReport, encoder: Encoder) -> Pieces:
    known: dict[str, Any] = {"durationMs": None} | {camel(it.name): getattr(report, it.name) for it in fields(report)}
    return joined(
        (name, _contributed(value, encoder) if isinstance(value, Contribution) else encoder.piece(plain(value)))
        for name, value in known.items()
        if value is not None or name == "durationMs"
    )


def _contributed(given: Contribution | Collected, encoder: Encoder) -> Pieces:
    return joined(
        [
            ("sections", encoder.each(given.sections)),
            ("attachments", encoder.each(given.attachments)),
            ("messages", encoder.messages(given.messages)),
            ("visible", encoder.piece(sorted(given.visible))),
            ("diagnostics", encoder.each(given.diagnostics)),
        ]
    )


def _admitted(passage: Passage | None, sent: frozenset[int], encoder: Encoder) -> Pieces:
    admitted = cast("Admitted | None", passage.state.get("admitted")) if passage is not None else None
    if admitted is None or passage is None:
        return encoder.piece(None)
    collected = {section.id: section.content for section in cast("Collected", passage.state["collected"]).sections}
    sections: list[Pieces] = []
    for section in admitted.sections:  # one that went in whole stands in `collection` with its content
        whole = collected.get(section.id) == section.content
        sections.append(encoder.piece(_without_content(section)) if whole else encoder.once(section))
    return joined(
        [
            ("sections", array(sections)),
            ("attachments", _but_sent(admitted.attachments, sent, encoder)),
            ("messages", _but_sent(admitted.messages, sent, encoder)),
            ("diagnostics", encoder.each(admitted.diagnostics)),
        ]
    )


def _without_content(section: Section) -> dict[str, Any]:
    return {name: value for name, value in plain(section).items() if name != "content"}


def _rendered(passage: Passage, sent: frozenset[int], encoder: Encoder) -> Pieces:
    prompt = cast("Prompt | None", passage.state.get("prompt"))
    history = cast("History", passage.state["history"])
    report = passage.report
    statistics = {name: report[name] for name in ("tokens", "window", "calls", "cache")}
    return joined(
        [
            ("systemPrompt", encoder.once(prompt.system) if prompt is not None else encoder.piece(None)),
            ("sectionIds", encoder.piece(list(prompt.section_ids) if prompt is not None else [])),
            ("history", _but_sent(history.log[: len(history)], sent, encoder)),
            ("tools", encoder.each(prompt.tools if prompt is not None else ())),
            ("statistics", encoder.piece(camel_keys(statistics))),
            ("diagnostics", encoder.piece(report["diagnostics"])),
            ("compaction", encoder.piece(_compaction(passage))),
        ]
    )


def _but_sent(messages: Sequence[Message], sent: frozenset[int], encoder: Encoder) -> Pieces:
    """Write messages; one that was sent as it stands is named by its id alone: whole, it stands in `llmInput`."""
    if not sent:
        return encoder.messages(messages)
    out: list[Pieces] = []
    for whole, run in groupby(messages, lambda message: id(message) in sent):
        if whole:
            out.append([memoryview(encoder.piece([{"id": message.id} for message in run])[0])[1:-1]])
        else:
            out.append(encoder.messages(list(run))[1:-1])
    return array(out)


def _compaction(passage: Passage) -> dict[str, Any] | None:
    compaction = passage.report["compaction"]
    if compaction is None:
        return None
    out: dict[str, Any] = camel_keys(compaction)
    folded = cast("PressurePass", passage.state["pressure"]).folded
    out["summary"]["checkpoint"] = folded.checkpoint_id if folded is not None else None
    return out


def _input(sent: ModelInput, encoder: Encoder) -> Pieces:
    return joined(
        [
            ("system", encoder.once(sent.system)),
            ("messages", encoder.messages(list(sent.messages))),
            ("tools", encoder.each(sent.tools)),
        ]
    )


def _graph(passage: Passage) -> list[dict[str, Any]]:
    return [
        {
            "index": frame.index,
            "node": frame.node,
            "outcome": type(frame.outcome).__name__,
            "to": frame.to,
            "durationUs": frame.duration_us,
            "written": list(frame.written),
            "counters": dict(frame.counters),
            "exhausted": frame.exhausted,
            "tokens": tokens,
        }
        for frame, tokens in zip(passage.frames, passage.tokens, strict=True)
    ]
