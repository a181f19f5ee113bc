"""Draw a compiled graph: Mermaid, DOT, characters, JSON. No external program; the same bytes every time."""

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ...state.errors import UsageError
from .document import document, document_json
from .dot import dot
from .mermaid import mermaid
from .picture import picture_of
from .text import text

if TYPE_CHECKING:
    from ..engine.compiled import CompiledGraph
    from ..engine.run import Run

__all__ = ["FORMATS", "Format", "document", "draw"]

Format: TypeAlias = Literal["mermaid", "dot", "ascii", "json"]

FORMATS: tuple[str, ...] = get_args(Format)


def draw(graph: "CompiledGraph", format: Format = "mermaid", *, budget: object = None, run: "Run | None" = None) -> str:
    """Draw a graph, with the bounds of a budget and, in Mermaid, the path of a run over it.

    Raises:
        UsageError: the format is unknown, or cannot show a run.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown drawing format {format!r}: use one of {', '.join(FORMATS)}")
    if run is not None and format != "mermaid":
        raise UsageError(f"a run can be drawn over mermaid only, not over {format}")
    if format == "json":
        return document_json(graph, budget=budget)
    picture = picture_of(graph, budget=budget, run=run)
    return {"mermaid": mermaid, "dot": dot, "ascii": text}[format](picture)
