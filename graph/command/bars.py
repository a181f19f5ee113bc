"""Token counts as bars: what each source costs, before and after, against the limit."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

__all__ = ["bar", "token_table"]

_SOURCES: Final = ("system", "tools", "messages", "attachments", "history")
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_NARROWEST: Final = 6
_WIDEST: Final = 40
_LABELS: Final = 11
_GAPS: Final = 4


def token_table(tokens: Mapping[str, Any], width: int, *, plain: bool) -> RenderableType:
    """Give one row per source and one for the sum, in `width` columns; a full bar is the limit."""
    limit: int = tokens["limit"]
    before: Mapping[str, int] = tokens["before"]
    after: Mapping[str, int] = tokens["by_source"]
    rows = [(name, before.get(name, 0), after.get(name, 0)) for name in _SOURCES]
    rows.append(("total", sum(row[1] for row in rows), tokens["total"]))
    shares = ("of limit", _percent(rows[-1][1], limit), _percent(rows[-1][2], limit))
    numbers = sum(max(6, *(len(f"{row[at]:,}") for row in rows), len(shares[at])) for at in (1, 2))
    cells = max(_NARROWEST, min(_WIDEST, (width - _LABELS - numbers - _GAPS) // 2))
    table = Table.grid(padding=(0, 1))
    for justify in ("left", "right", "left", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
    table.add_row(*(Text(word, style="dim") for word in ("", "before", "", "after", "")))
    for name, was, now in rows:
        style = "bold" if name == "total" else ""
        table.add_row(
            Text(name, style=style),
            Text(f"{was:,}", style=style),
            bar(was, limit, cells, plain=plain),
            Text(f"{now:,}", style=style),
            bar(now, limit, cells, plain=plain),
        )
    table.add_row(shares[0], shares[1], "", shares[2], "")
    legend = (
        f"{tokens['counter']} counter; a full bar is the limit of {limit:,} tokens, "
        f"freeing begins above {tokens['pressure_line']:,}"
    )
    return Group(table, Text(legend, style="dim"))


def bar(value: int, limit: int, width: int, *, plain: bool = False) -> Text:
    """Draw `value` against `limit` in `width` columns; what is over the limit ends in an arrow."""
    if value > limit:
        full, arrow = ("#", ">") if plain else ("█", "▶")
        return Text(full * (width - 1) + arrow, style="red")
    eighths = -(-value * width * 8 // limit) if limit > 0 else 0
    whole, part = divmod(eighths, 8)
    if plain:
        drawn = "#" * (whole + (part > 0))
        return Text.assemble((drawn, "green"), ("." * (width - len(drawn)), "dim"))
    drawn = "█" * whole + (_EIGHTHS[part] if part else "")
    return Text.assemble((drawn, "green"), ("·" * (width - len(drawn)), "dim"))


def _percent(value: int, limit: int) -> str:
    return f"{value * 100 // limit:,} %" if limit > 0 else "-"
