"""Write the generated parts of the README: the drawing of the assembly graph between its two markers."""

import sys
from pathlib import Path

from turngraph.graph.assembly import assembly_graph

BEGIN, END = "<!-- graph: begin, written by docs/draw.py -->\n", "<!-- graph: end -->\n"


def with_drawing(text: str) -> str:
    """Give the README with the drawing as the code has it now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n```mermaid\n{assembly_graph().to_mermaid().rstrip()}\n```\n\n{END}{tail}"


if __name__ == "__main__":
    readme = Path(__file__).parents[1] / "README.md"
    fresh = with_drawing(readme.read_text(encoding="utf-8"))
    if "--check" in sys.argv[1:]:
        sys.exit(0 if fresh == readme.read_text(encoding="utf-8") else "README.md is stale: run python docs/draw.py")
    readme.write_text(fresh, encoding="utf-8")
