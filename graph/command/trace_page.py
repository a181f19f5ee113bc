"""What `turngraph trace` found, as readable text."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .streams import shown

if TYPE_CHECKING:
    from ..trace.explain import Reason

__all__ = ["page", "reasons_page"]

_MOST: Final = 12
"""So many things of a kind are listed; --json names all."""
_STYLES: Final = {"whole": "green", "shortened": "yellow", "changed": "yellow", "missing": "red"}

Json = Mapping[str, Any]


def page(summary: Json, path: str) -> RenderableType:
    """Lay out a summary."""
    parts: list[tuple[str, RenderableType | None]] = [
        ("trace", _heading(summary, path)),
        ("stages", _stages(summary["stages"])),
        ("tokens", _tokens(summary["tokens"])),
        ("contributors", _contributors(summary["contributors"])),
        ("sections", _contributions(summary["sections"])),
        ("attachments", _contributions(summary["attachments"])),
        ("messages", Text("{sent:,} sent, {history:,} in the history".format(**summary["messages"]))),
        ("pruned", _pruned(summary["pruned"])),
        ("folded", _folded(summary["folded"])),
        ("windowed", _ids("left out, still in the history", summary["windowed"])),
        ("notes", _notes(summary["diagnostics"])),
        ("failed", _failed(summary["error"])),
    ]
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(ratio=1, overflow="fold")
    for label, part in parts:
        if part is not None:
            rows.add_row(label, Padding(part, (0, 0, 1, 0)))
    return rows


def reasons_page(reasons: "Sequence[Reason]") -> RenderableType:
    """Lay out reasons, one row each."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(no_wrap=True, style="bold")
    rows.add_column(no_wrap=True)
    rows.add_column(ratio=1, overflow="fold")
    for reason in reasons:
        effect = Text(reason.effect, style=_STYLES[reason.effect])
        rows.add_row(shown(reason.stage, one_line=True), effect, _line(reason.text))
    return rows


def _line(text: object, style: str = "") -> Text:
    return Text(shown(str(text), one_line=True), style=style)


def _heading(summary: Json, path: str) -> RenderableType:
    facts = [
        f"context {summary['contextId']}",
        f"turn {summary['turn']}",
        f"mode {summary['mode']}",
        f"scope {summary['scope']}",
        summary["selectedPath"],
        summary["exportedAt"],
    ]
    if summary["recovery"] is not None:
        facts.append(f"forced pass {summary['recovery']['attempt']} ({summary['recovery']['reason']})")
    return Group(_line(path, "bold"), _line(" · ".join(facts)))


def _stages(stages: Sequence[Json]) -> RenderableType | None:
    if not stages:
        return None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("node")
    table.add_column("outcome")
    for title in ("before", "after", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    for stage in stages:
        failed = stage["to"] == "FAILED"
        table.add_row(
            _line(stage["node"]),
            _line(stage["outcome"], "bold red" if failed else ""),
            _number(stage["before"]),
            _number(stage["after"], changed=stage["before"] != stage["after"]),
            _time(stage["durationUs"]),
        )
    return table


def _number(value: int | None, *, changed: bool = False) -> Text:
    return Text("" if value is None else f"{value:,}", style="bold" if changed else "dim")


def _time(microseconds: int) -> Text:
    return Text(f"{microseconds / 1000:,.1f} ms" if microseconds >= 1000 else f"{microseconds} µs", style="dim")


def _tokens(tokens: Json | None) -> RenderableType | None:
    if tokens is None:
        return None
    parts = ", ".join(f"{name} {value:,}" for name, value in tokens["bySource"].items() if value)
    return _line(f"{tokens['total']:,} of {tokens['limit']:,} by {tokens['counter']}: {parts or 'nothing'}")


def _contributors(reports: Sequence[Json]) -> RenderableType | None:
    if not reports:
        return None
    lines: list[Text] = []
    for report in reports:
        failed = report["status"] == "failed"
        took = f" in {report['durationMs']} ms" if report["durationMs"] is not None else ""
        why = f": {report['error']}" if report["error"] else ""
        need = "" if report["required"] else " (optional)"
        lines.append(_line(f"{report['contributorId']}{need} {report['status']}{took}{why}", "red" if failed else ""))
    return Group(*lines)


def _contributions(items: Sequence[Json]) -> RenderableType | None:
    if not items:
        return None
    table = Table.grid(padding=(0, 2))
    for item in items[:_MOST]:
        kind = item["slot"] if "slot" in item else item["source"]
        lost = item["wanted"] is not None
        size = f"{item['wanted']:,} → {item['got']:,} characters" if lost else ""
        table.add_row(_line(item["id"]), _line(kind or "", "dim"), Text(item["effect"], _STYLES[item["effect"]]), size)
    return Group(table, *_more(items))


def _pruned(items: Sequence[Json]) -> RenderableType | None:
    if not items:
        return None
    table = Table.grid(padding=(0, 2))
    for item in items[:_MOST]:
        table.add_row(
            _line(item["message"]), f"{item['before']:,} → {item['after']:,} tokens", _line(item["ref"], "cyan")
        )
    return Group(table, *_more(items))


def _folded(folded: Json | None) -> RenderableType | None:
    if folded is None:
        return None
    if not folded["covered"]:
        return Text("nothing: no summary was taken, so every message stayed", style="yellow")
    sizes = f"{folded['sourceTokens'] or 0:,} → {folded['checkpointTokens'] or 0:,} tokens"
    by = "accepted summary" if folded["outcome"] == "accepted" else "extractive fallback"
    head = _line(f"{len(folded['covered']):,} messages into checkpoint {folded['checkpoint']} ({by}), {sizes}")
    ids = _ids("covered", folded["covered"])
    return Group(head, *([ids] if ids is not None else ()))


def _ids(label: str, names: Sequence[str]) -> RenderableType | None:
    if not names:
        return None
    rest = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return _line(f"{label}: {', '.join(names[:_MOST])}{rest}")


def _notes(diagnostics: Sequence[Json]) -> RenderableType | None:
    if not diagnostics:
        return None
    return Group(*[_line(f"{note['code']}  {note['message']}") for note in diagnostics[:_MOST]], *_more(diagnostics))


def _more(items: Sequence[object]) -> list[Text]:
    rest = len(items) - _MOST
    return [Text(f"and {rest:,} more; --json names all", style="dim")] if rest > 0 else []


def _failed(error: Json | None) -> RenderableType | None:
    return _line(f"{error['code']}: {error['message']}", "bold red") if error is not None else None
