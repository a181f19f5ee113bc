"""`turngraph output`: read what was shortened in a conversation."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .streams import notice, shown, write_document, write_text

if TYPE_CHECKING:
    from ...state.outputs import Page

__all__ = ["output"]

output = typer.Typer(name="output", help="Read stored tool outputs.", no_args_is_help=False)


@output.callback()
def _group() -> None: ...


@output.command()
def show(
    ref: Annotated[str, typer.Argument(metavar="REF", help="tool-output- and hex digits, as a preview names it.")],
    *,
    query: Annotated[str | None, typer.Option("--query", metavar="Q", help="Literal text to find, any case.")] = None,
    lines: Annotated[str | None, typer.Option("--lines", metavar="A:B", help="Lines A to B, from 1.")] = None,
    chars: Annotated[
        str | None, typer.Option("--chars", metavar="A:B", help="Code points from A to before B, from 0.")
    ] = None,
    outputs: Annotated[
        str | None, typer.Option("--outputs", metavar="DIR", help="The store; that of the data folder if left out.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the page as JSON.")] = False,
) -> None:
    """Print one page of a stored tool output: matches of a query, lines, or code points."""
    from ...state.outputs import FileOutputStore, default_output_dir, parse_range, read_page

    page = read_page(
        FileOutputStore(outputs or default_output_dir()),
        ref,
        query=query,
        lines=parse_range(lines) if lines is not None else None,
        chars=parse_range(chars) if chars is not None else None,
    )
    if json:
        write_document(page.as_json())
        return
    notice(_heading(page))
    if page.text:
        write_text(shown(page.text) if sys.stdout.isatty() else page.text)


def _heading(page: "Page") -> str:
    """Say what the page is and how to read on."""
    first, last = page.range
    tool = f" of {page.tool}" if page.tool else ""
    if page.matches is not None:
        seen = f"{len(page.matches)} of {page.total} matches"
        where = ", ".join(f"line {match.line}" for match in page.matches[:10])
        return f"{page.ref}{tool}: {seen}{f' ({where})' if where else ''}"
    unit = "lines" if page.mode == "lines" else "characters"
    if not page.text:
        return f"{page.ref}{tool}: nothing there, it has {page.total:,} {unit}"
    span = f"lines {first:,} to {last:,}" if page.mode == "lines" else f"characters {first:,} to {last:,}"
    more = f"; go on with --{page.mode} {page.next}:" if page.next is not None else ""
    if page.next_char is not None:
        more = f"; the line is wider than a page, go on with --chars {page.next_char}:"
    return f"{page.ref}{tool}: {span} of {page.total:,}{more}"
