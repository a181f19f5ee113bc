"""`turngraph trace`: look at what a turn was made of, and ask why something is not in it."""

from typing import Annotated

import typer

from .streams import notice, print_page, shown, write_document

__all__ = ["trace"]

trace = typer.Typer(name="trace", help="Read the traces of model turns.", no_args_is_help=False)

_Path = Annotated[str, typer.Argument(metavar="PATH", help="A trace file, turn-0001.json.")]


@trace.callback()
def _group() -> None: ...


@trace.command()
def show(
    path: _Path,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Print what each stage took and left, and everything that is not, or not wholly, in the input."""
    from ..trace.reading import read_trace
    from ..trace.summary import summary_of

    summary = summary_of(read_trace(path))
    if json:
        write_document(summary, pretty=True)
        return
    from .trace_page import page

    print_page(page(summary, path))


@trace.command()
def explain(
    path: _Path,
    *,
    item: Annotated[
        str,
        typer.Option(
            "--item", metavar="ID", help="A message, section, attachment, contributor, call or stored output."
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the reasons as JSON.")] = False,
) -> None:
    """Say why an item is not, or not wholly, in the input: the reasons in the order of the stages."""
    from ...state.errors import UsageError
    from ..trace.explain import explain as reasons_of
    from ..trace.reading import read_trace

    reasons = reasons_of(read_trace(path), item)
    if not reasons:
        raise UsageError(
            f"the trace knows no item {item[:200]!r}: no message, section, attachment, contributor, call or reference "
            "of that name was in this turn; trace show names what was",
            details={"item": item[:200]},
        )
    if json:
        write_document({"item": item, "reasons": [reason.as_json() for reason in reasons]}, pretty=True)
        return
    from .trace_page import reasons_page

    print_page(reasons_page(reasons))


@trace.command()
def examples(
    *,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Where to; else SCIENCE_AGENT_CONTEXT_EXAMPLE_DIR names it."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Write three reproducible traces to look at; the same bytes on every machine."""
    from ..trace.examples import example_dir, write_examples

    written = [str(path) for path in write_examples(example_dir(out))]
    if json:
        write_document({"written": written})
        return
    for name in written:
        notice(f"wrote {shown(name, one_line=True)}")
