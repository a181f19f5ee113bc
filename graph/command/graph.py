"""`turngraph graph`: draw the assembly graph, or print what is proved of it."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ...state.errors import UsageError
from .streams import print_page, write_document, write_text

if TYPE_CHECKING:
    from ..draw import Format

__all__ = ["graph"]

_FORMATS = ("mermaid", "dot", "ascii", "json")
_LATER = ("svg", "html")


def graph(
    *,
    format: Annotated[
        str | None, typer.Option("--format", metavar="|".join(_FORMATS), help="How to draw; mermaid if left out.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Print the proofs; exit 1 if one fails.")] = False,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="FILE.toml", help="Bounds that are budget fields as numbers.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the graph, or with --check the proofs, as JSON.")] = False,
) -> None:
    """Draw the assembly graph, or prove that it ends and that nothing is sent unchecked."""
    if format in _LATER:
        raise UsageError(f"--format {format} comes with a later version; this one draws {', '.join(_FORMATS)}")
    if format is not None and format not in _FORMATS:
        raise UsageError(f"--format must be one of {', '.join(_FORMATS)}, got {format!r}")
    if check and format is not None:
        raise UsageError("--check prints proofs and draws nothing: leave --format out")
    bounds = _budget(budget)
    if check:
        raise typer.Exit(_check(bounds, as_json=json))
    from ..assembly import assembly_graph
    from ..draw import document, draw

    if json or format == "json":
        write_document(document(assembly_graph(), budget=bounds), pretty=True)
    else:
        write_text(draw(assembly_graph(), cast("Format", format or "mermaid"), budget=bounds))


def _budget(path: str | None) -> object:
    if path is None:
        return None
    from ...state.budget import Budget, read_budget_file

    return Budget.resolve(request=read_budget_file(path))


def _check(bounds: object, *, as_json: bool) -> int:
    from ..assembly import assembly_graph
    from ..engine import GraphError

    try:
        proofs: list[dict[str, Any]] = [proof.as_json() for proof in assembly_graph().check(bounds)]
    except GraphError as error:  # what does not compile has a refuted proof
        proofs = [{"name": "compile", "ok": False, "detail": problem} for problem in error.problems]
    ok = all(proof["ok"] for proof in proofs)
    if as_json:
        write_document({"ok": ok, "proofs": proofs}, pretty=True)
        return 0 if ok else 1
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for proof in proofs:
        mark = Text("proved", style="green") if proof["ok"] else Text("FAILED", style="bold red")
        table.add_row(mark, Text(str(proof["name"]), style="bold"), Text(str(proof["detail"])))
    verdict = Text("All proofs hold." if ok else "A proof fails: the graph must not run.", style="bold")
    print_page(Group(table, verdict))
    return 0 if ok else 1
