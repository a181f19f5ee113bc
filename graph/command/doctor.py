"""`turngraph doctor`: what is installed, which tokenizer is exact, where data lies, what is set up wrongly."""

import os
import platform
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...state.errors import UsageError
from .installed import extras, packages
from .settings import problems_of_environment, variables
from .streams import print_page, shown, write_document

__all__ = ["doctor"]


def doctor(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Say what is installed, which tokenizers are exact, which formats are read, where data lies, what looks wrong."""
    found = _examined()
    if json:
        write_document(found, pretty=True)
    else:
        print_page(_page(found))


def _examined() -> dict[str, Any]:
    from ... import __version__
    from ...state.formats import known_formats

    return {
        "turngraph": __version__,
        "python": platform.python_version(),
        "packages": packages(),
        "extras": extras(),
        "tokenizers": _tokenizers(),
        "formats": known_formats(),
        "data": _data(),
        "environment": variables(os.environ),
        "problems": problems_of_environment(os.environ),
    }


def _tokenizers() -> list[dict[str, Any]]:
    from ...state.tokens import ConservativeCounter
    from ...state.tokens.exact import ENCODINGS, vocabulary_path

    found: list[dict[str, Any]] = [{"name": ConservativeCounter.name, "exact": False, "available": True, "path": None}]
    for encoding in ENCODINGS:
        path = vocabulary_path(encoding)
        found.append(
            {
                "name": f"tiktoken:{encoding}",
                "exact": True,
                "available": path is not None,
                "path": os.fspath(path) if path is not None else None,
            }
        )
    return found


def _data() -> dict[str, Any]:
    from ...state.outputs import data_dir, default_output_dir
    from ..door import store_in

    outputs = os.fspath(default_output_dir())
    try:
        store_in(outputs)
        writable = True
    except UsageError:
        writable = False
    return {"dir": os.fspath(data_dir()), "outputs": outputs, "writable": writable}


def _page(found: Mapping[str, Any]) -> RenderableType:
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
