"""Draw a graph as a Mermaid flowchart, readable as text and in any Markdown viewer."""

from .picture import Arrow, Box, Kind, Picture

__all__ = ["mermaid"]

_ARROWS: dict[Kind, str] = {"plain": "-->", "bounded": "==>", "exhausted": "-.->"}


def mermaid(picture: Picture) -> str:
    """Give the flowchart: thick arrows are bounded edges, dotted ones what follows when a bound is spent."""
    lines = ["flowchart TD"]
    for number, (phase, boxes) in enumerate(picture.phases.items()):
        indent = "  "
        if phase:
            lines.append(f'  subgraph p{number}["{_text(phase)}"]')
            indent = "    "
        lines += [f'{indent}{_id(box.name)}["{_named(box)}"]' for box in boxes]
        if phase:
            lines.append("  end")
    lines += [f'  {_id(box.name)}(["{_named(box)}"])' for box in picture.terminals]
    lines += [f'  {_id(a.source)} {_ARROWS[a.kind]}|"{_counted(a)}"| {_id(a.target)}' for a in picture.arrows]
    lines += ["  classDef entry stroke-width:3px", f"  class {_id(picture.entry)} entry"]
    lines += _overlay(picture)
    return "\n".join(lines) + "\n"


def _overlay(picture: Picture) -> list[str]:
    visited = [_id(box.name) for box in (*picture.boxes, *picture.terminals) if box.visits]
    taken = [str(index) for index, arrow in enumerate(picture.arrows) if arrow.taken]
    lines: list[str] = []
    if visited:
        lines += ["  classDef visited fill:#d8f0d8,stroke:#2a7a2a", f"  class {','.join(visited)} visited"]
    if taken:
        lines.append(f"  linkStyle {','.join(taken)} stroke:#2a7a2a,stroke-width:3px")
    return lines


def _id(name: str) -> str:
    # the prefix keeps names like `end`, `call` or `default` from being read as keywords
    return "n_" + "".join(c if c.isascii() and c.isalnum() else "_" if c == "_" else f"u{ord(c):x}" for c in name)


def _named(box: Box) -> str:
    return f"{box.name} · {box.visits}x" if box.visits else box.name


def _counted(arrow: Arrow) -> str:
    return f"{arrow.label} · {arrow.taken}x" if arrow.taken else arrow.label


def _text(text: str) -> str:
    return text.replace("#", "#35;").replace('"', "#quot;").replace("\n", " ")
