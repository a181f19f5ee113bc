"""Draw a graph with characters: nodes from top to bottom, every other edge on a rail at the right.

Below each node stand its outcomes with their targets. An edge to the next node needs no line; all others run
to a rail, one per target, that ends in an arrow at that target. Rails going up are the loops.
"""

from dataclasses import dataclass
from itertools import pairwise

from .picture import Picture

__all__ = ["WIDTH", "text"]

WIDTH = 100
"""Columns; rails that would need more are left out, the targets stand beside the outcomes anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rail:
    target: int
    """Row of the node or terminal."""
    sources: tuple[int, ...]
    """Rows of the outcomes."""

    @property
    def top(self) -> int:
        return min(self.target, *self.sources)

    @property
    def bottom(self) -> int:
        return max(self.target, *self.sources)


def text(picture: Picture) -> str:
    """Give the drawing, at most `WIDTH` columns unless names alone are longer."""
    rows, rails = _rows(picture)
    left = max(map(len, rows)) + 2
    columns = _columns(rails, (WIDTH - left) // 2)
    grid = [list(row.ljust(left + 2 * len(columns))) for row in rows]
    for number, column in enumerate(columns):
        for rail in column:
            _draw(grid, rail, left + 2 * number, [len(row) for row in rows])
    return "\n".join("".join(line).rstrip() for line in grid) + "\n"


def _rows(picture: Picture) -> tuple[list[str], list[_Rail]]:
    rows = [f"{picture.title}: {len(picture.boxes)} nodes, {len(picture.arrows)} edges"]
    names = [box.name for box in (*picture.boxes, *picture.terminals)]
    following = dict(pairwise(names))
    places: dict[str, int] = {}
    edges: dict[str, list[int]] = {}
    for phase, boxes in picture.phases.items():
        if phase:
            rows.append(f"[{phase}]")
        for box in boxes:
            places[box.name] = len(rows)
            rows.append(f"  {box.name}")
            for arrow in picture.arrows:
                if arrow.source == box.name:
                    if arrow.target != following.get(box.name):
                        edges.setdefault(arrow.target, []).append(len(rows))
                    rows.append(f"      {arrow.label} → {arrow.target}")
    for box in picture.terminals:
        places[box.name] = len(rows)
        rows.append(f"  {box.name}")
    return rows, [_Rail(target=places[name], sources=tuple(sources)) for name, sources in edges.items()]


def _columns(rails: list[_Rail], most: int) -> list[list[_Rail]]:
    """Give the rails of each column, short ones further in; those without room are left out."""
    columns: list[list[_Rail]] = []
    for rail in sorted(rails, key=lambda rail: (rail.bottom - rail.top, rail.top)):
        free = (c for c in columns if all(rail.top > other.bottom or rail.bottom < other.top for other in c))
        column = next(free, None)
        if column is not None:
            column.append(rail)
        elif len(columns) < most:
            columns.append([rail])
    return columns


def _draw(grid: list[list[str]], rail: _Rail, column: int, ends: list[int]) -> None:
    """Draw the rail and its branches over what is there; `ends` is where the text of each row ends."""
    for row in range(rail.top, rail.bottom + 1):
        line = grid[row]
        if row != rail.target and row not in rail.sources:
            line[column] = "┼" if line[column] == "─" else "│"
            continue
        for at in range(ends[row] + 1, column):
            line[at] = "┼" if line[at] in "│┼" else "─"
        if row == rail.target:
            line[ends[row] + 1] = "◀"
        line[column] = "┐" if row == rail.top else "┘" if row == rail.bottom else "┤"
