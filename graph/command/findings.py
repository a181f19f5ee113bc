"""What `turngraph doctor` found, as readable text."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .streams import shown

__all__ = ["page"]


def page(found: Mapping[str, Any]) -> RenderableType:
    """Lay out the findings, problems last."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(ratio=1, overflow="fold")
    rows.add_row("turngraph", f"{found['turngraph']} on Python {found['python']}")
    rows.add_row("packages", _words(f"{name} {version or 'missing'}" for name, version in found["packages"].items()))
    for extra in found["extras"]:
        state = "installed" if extra["installed"] else f"missing {', '.join(extra['missing'])}"
        rows.add_row("extra", Text(f"{extra['name']}: {state}", style="" if extra["installed"] else "dim"))
    for counter in found["tokenizers"]:
        rows.add_row("tokenizer", _tokenizer(counter))
    readable = [item["name"] for item in found["formats"] if item["read"]]
    written = [item["name"] for item in found["formats"] if item["write"]]
    later = [item["name"] for item in found["formats"] if not item["read"]]
    rows.add_row("formats", _words(readable, "read: "))
    rows.add_row("", _words(written, "written: "))
    rows.add_row("", Text(f"for a later version: {', '.join(later)}", style="dim"))
    where = shown(found["data"]["outputs"], one_line=True)
    rows.add_row("outputs", where if found["data"]["writable"] else Text(f"{where} (cannot be written)", style="red"))
    for name, value in found["environment"].items():
        rows.add_row("variable", Text(f"{name}={shown(value, one_line=True)[:200]}"))
    for problem in found["problems"]:
        rows.add_row(Text("problem", style="red"), Text(shown(problem, one_line=True)))
    if not found["problems"]:
        rows.add_row("problems", Text("none", style="green"))
    return rows


def _words(words: Iterable[str], head: str = "") -> Text:
    return Text(head + ", ".join(words))


def _tokenizer(counter: Mapping[str, Any]) -> Text:
    if not counter["exact"]:
        return Text(f"{counter['name']}: built in, never below the real count of a conversation")
    if counter["available"]:
        return Text(f"{counter['name']}: exact, {shown(counter['path'], one_line=True)}")
    return Text(f"{counter['name']}: not on this machine; pip install 'turngraph[offline]'", style="dim")
