"""The readable report of one assembly. The same text for the same input: it holds no durations."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .bars import token_table
from .streams import print_page, shown

if TYPE_CHECKING:
    from ..door import Answer

__all__ = ["print_report"]

_LABELS: Final = 10
"""Columns of the labels at the left, with their gap."""
_MOST_PRUNED: Final = 5
_MOST_NOTES: Final = 12
_MOST_IDS: Final = 12
_REQUEST_CHARS: Final = 600
_REQUEST_LINES: Final = 8
_ID_CHARS: Final = 40

Report = Mapping[str, Any]


def print_report(console: Console, answer: "Answer", *, name: str) -> None:
    """Print what went in, what was done to it, and what came of it."""
    report = answer.report()
    parts: list[tuple[str, RenderableType | None]] = [
        ("input", _input(answer, name)),
        ("path", _path(report)),
        ("tokens", _tokens(report, console)),
        ("request", _request(answer)),
        ("kept", _kept(answer, report)),
        ("pruned", _pruned(report)),
        ("folded", _folded(report)),
        ("window", _window(report)),
        ("recovery", _recovery(report)),
        ("reply", _reply(answer)),
        ("notes", _notes(report["diagnostics"])),
        ("outputs", _outputs(answer, report)),
    ]
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(ratio=1)
    for label, part in parts:
        if part is not None:
            rows.add_row(label, Padding(part, (0, 0, 1, 0)))
    rows.add_row("failed" if answer.error is not None else "result", _verdict(answer, report))
    print_page(rows, console)


def _tokens(report: Report, console: Console) -> RenderableType | None:
    plain = not console.encoding.lower().startswith("utf")
    return token_table(report["tokens"], console.width - _LABELS, plain=plain) if report["tokens"] else None


def _input(answer: "Answer", name: str) -> RenderableType:
    reading = answer.reading
    assert reading is not None
    line = Text.assemble((shown("stdin" if name == "-" else name, one_line=True), "bold"))
    facts = [reading.format, _count(len(reading.messages), "message")]
    if reading.tools:
        facts.append(_count(len(reading.tools), "tool"))
    if reading.rest:
        facts.append(f"{_count(len(reading.rest), 'line')} beside the conversation")
    line.append(f" · {' · '.join(facts)}")
    return line


def _path(report: Report) -> RenderableType | None:
    steps: Sequence[Mapping[str, str]] = report["path"]
    if not steps:
        return None
    line = Text()
    for step in steps:
        line.append(step["node"])
        line.append(" → ", style="dim")
    last = steps[-1]["to"]
    line.append(last, style="bold red" if last == "FAILED" else "bold green")
    return line


def _request(answer: "Answer") -> RenderableType | None:
    """Show the newest user prompt; a long one from its beginning."""
    assembly = answer.assembly
    if assembly is None:
        return None
    history = assembly.history
    prompts = history.prompts()
    if not prompts:
        return Text("no user prompt in the history", style="dim")
    message = history[prompts[-1]]
    text = message.text
    lines = shown(text[:_REQUEST_CHARS]).strip().splitlines()
    cut = len(text) > _REQUEST_CHARS or len(lines) > _REQUEST_LINES
    body = Text("\n".join(lines[:_REQUEST_LINES]) or "(no text)", style="italic")
    if cut:
        body.append(f" … ({len(text):,} characters in all)", style="dim")
    return Group(body, Text(f"{_id(message.id)}, sent word for word" if answer.ok else _id(message.id), style="dim"))


def _kept(answer: "Answer", report: Report) -> RenderableType | None:
    model_input = answer.assembly.model_input if answer.assembly is not None and answer.ok else None
    if model_input is None or answer.reading is None:
        return None
    came = len(answer.reading.messages)
    line = Text(f"{_count(len(model_input.messages), 'message')} in the model input, of {came:,} that came in")
    reason = report["compaction"]["reason"]
    if reason == "none":
        line.append("; nothing was shortened", style="dim")
    return line


def _pruned(report: Report) -> RenderableType | None:
    pruned: Sequence[Mapping[str, Any]] = _part(report, "compaction").get("pruned", ())
    if not pruned:
        return None
    before, after = (sum(item[key] for item in pruned) for key in ("before", "after"))
    head = Text(f"{_count(len(pruned), 'body', 'bodies')} shortened to head and tail: {before:,} → {after:,} tokens")
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for item in sorted(pruned, key=lambda item: item["after"] - item["before"])[:_MOST_PRUNED]:
        table.add_row(
            Text(_id(item["message"])),
            Text(f"{item['before']:,} → {item['after']:,}", justify="right"),
            Text(item["ref"], style="cyan"),
        )
    more = len(pruned) - _MOST_PRUNED
    return Group(head, table, *([Text(f"and {more} more; --json names all", style="dim")] if more > 0 else ()))


def _folded(report: Report) -> RenderableType | None:
    summary: Mapping[str, Any] | None = _part(report, "compaction").get("summary")
    if summary is None or summary["outcome"] == "none":
        return None
    lines: list[Text] = []
    if summary["outcome"] == "kept":
        lines.append(Text("nothing: no summary was taken, so every message stayed", style="yellow"))
    else:
        covered: Sequence[str] = summary["covered"]
        by = "the summariser" if summary["outcome"] == "accepted" else "the extractive fallback"
        span = f" ({_id(covered[0])} to {_id(covered[-1])})" if covered else ""
        lines.append(
            Text(
                f"{_count(len(covered), 'message')}{span} into one checkpoint by {by}: "
                f"{summary['source_tokens'] or 0:,} → {summary['checkpoint_tokens'] or 0:,} tokens"
            )
        )
        if summary["replaced"]:
            lines.append(Text(f"it replaces checkpoint {_id(summary['replaced'])}"))
        lines.append(_ids("user prompts quoted in it word for word", summary["prompts_kept"]))
        if summary["prompts_omitted"]:
            lines.append(_ids("user prompts for which there was no room", summary["prompts_omitted"]))
    rejected = ", ".join(f"attempt {item['attempt']} {item['reason']}" for item in summary["rejections"])
    if rejected:
        lines.append(Text(f"not taken: {rejected}", style="yellow"))
    return Group(*lines)


def _window(report: Report) -> RenderableType | None:
    removed: Sequence[str] = _part(report, "window").get("removed", ())
    return _ids("left out of this input, still in the history", removed) if removed else None


def _recovery(report: Report) -> RenderableType | None:
    recovery: Mapping[str, Any] | None = _part(report, "compaction").get("recovery")
    if recovery is None:
        return None
    return Text(f"one forced pass after an overflow ({shown(str(recovery['reason']), one_line=True)})")


def _reply(answer: "Answer") -> RenderableType | None:
    reply = answer.assembly.reply if answer.assembly is not None else None
    if reply is None:
        return None
    calls = f" and {_count(len(reply.calls), 'call')}" if reply.calls else ""
    return Text(f"{shown(reply.text[:_REQUEST_CHARS]) or '(no text)'}{calls}")


def _notes(diagnostics: Iterable[Mapping[str, Any]]) -> RenderableType | None:
    """Say every diagnostic; of many with one code, how many there are."""
    by_code: dict[str, list[Mapping[str, Any]]] = {}
    for item in diagnostics:
        by_code.setdefault(item["code"], []).append(item)
    if not by_code:
        return None
    styles = {"info": "dim", "warning": "yellow", "error": "bold red"}
    each = max(1, _MOST_NOTES // len(by_code))
    lines: list[Text] = []
    for code, items in by_code.items():
        for item in items[:each]:
            about = f"{_id(item['id'])}: " if item.get("id") and item["id"] not in item["message"] else ""
            lines.append(
                Text.assemble(
                    (item["severity"], styles[item["severity"]]),
                    f" {about}{shown(item['message'], one_line=True)[:400]}",
                )
            )
        if len(items) > each:
            lines.append(Text(f"and {len(items) - each:,} more of {code}; --json has all", style="dim"))
    return Group(*lines)


def _outputs(answer: "Answer", report: Report) -> RenderableType | None:
    """Say where whole bodies lie, and how to read one."""
    stored: Mapping[str, str] = answer.assembly.stored if answer.assembly is not None else {}
    pruned: Sequence[Mapping[str, Any]] = _part(report, "compaction").get("pruned", ())
    if not stored and not pruned:
        return None
    if answer.folder is None:
        return Text(f"{_count(len(stored), 'whole body', 'whole bodies')} in `outputs` of the AssemblyResult (--json)")
    ref = next((item["ref"] for item in pruned), None) or next(iter(stored))
    from ...state.outputs import default_output_dir

    elsewhere = (
        "" if Path(answer.folder) == default_output_dir().resolve() else f" --outputs {shlex.quote(answer.folder)}"
    )
    return Group(
        Text(
            f"{_count(len(stored), 'whole body', 'whole bodies')} kept in {shown(_home(answer.folder), one_line=True)}"
        ),
        Text("read one, with --query TEXT to search it, --lines A:B or --chars A:B for a part:"),
        Text(shown(f"turngraph output show {ref}{elsewhere}", one_line=True), style="cyan"),
    )


def _verdict(answer: "Answer", report: Report) -> RenderableType:
    if answer.error is not None:
        return Text.assemble((answer.error.code, "bold red"), f": {shown(answer.error.message, one_line=True)}")
    tokens = report["tokens"]
    if not tokens:
        return Text("fits", style="bold green")
    left = tokens["limit"] - tokens["total"]
    return Text.assemble(
        ("fits", "bold green"),
        f": {tokens['total']:,} of {tokens['limit']:,} tokens, {left:,} left for what comes next",
    )


def _part(report: Report, name: str) -> Mapping[str, Any]:
    """Give a part of the report; empty where the run did not reach it."""
    part: Mapping[str, Any] | None = report[name]
    return part or {}


def _ids(what: str, ids: Sequence[str]) -> Text:
    if not ids:
        return Text(f"{what}: none")
    names = ", ".join(map(_id, ids[:_MOST_IDS]))
    more = f" and {len(ids) - _MOST_IDS:,} more" if len(ids) > _MOST_IDS else ""
    return Text(f"{what}: {len(ids):,} ({names}{more})")


def _id(message_id: str) -> str:
    """Give an id of the conversation as a terminal may have it."""
    text = shown(message_id[: _ID_CHARS + 1], one_line=True)
    return text if len(message_id) <= _ID_CHARS else f"{text[:_ID_CHARS]}…"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _home(folder: str) -> str:
    """Shorten a path below the home folder."""
    try:
        return f"~/{Path(folder).relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return folder
