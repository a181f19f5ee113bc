"""Draw a graph in DOT, the language of Graphviz."""

from .picture import Kind, Picture

__all__ = ["dot"]

_STYLES: dict[Kind, str] = {"plain": "", "bounded": ", style=bold", "exhausted": ", style=dashed"}


def dot(picture: Picture) -> str:
    """Give the digraph: bold edges are bounded ones, dashed ones what follows when a bound is spent."""
    lines = [f"digraph {_quoted(picture.title)} {{", "  node [shape=box];"]
    for number, (phase, boxes) in enumerate(picture.phases.items()):
        names = [_quoted(box.name) + (" [penwidth=2]" if box.name == picture.entry else "") for box in boxes]
        if phase:
            lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(phase)};"]
            lines += [f"    {name};" for name in names]
            lines.append("  }")
        else:
            lines += [f"  {name};" for name in names]
    lines += [f"  {_quoted(box.name)} [shape=oval];" for box in picture.terminals]
    lines += [
        f"  {_quoted(a.source)} -> {_quoted(a.target)} [label={_quoted(a.label)}{_STYLES[a.kind]}];"
        for a in picture.arrows
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
