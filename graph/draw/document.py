"""Give a graph as the JSON document of the contract."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..engine.compiled import CompiledGraph

__all__ = ["document", "document_json"]


def document(graph: "CompiledGraph", *, budget: object = None) -> dict[str, object]:
    """Give `{nodes, edges, worst_case}`; the worst case for the budget, else for the declared limits.

    `at_most` is null for a plain edge, else a number or the dotted name of a field. The exhaustion edge of a
    bounded one is an edge of its own, its outcome with a `!` behind it.
    """
    return {
        "nodes": [
            {
                "name": node.name,
                "phase": node.phase,
                "reads": list(node.reads),
                "outcomes": [outcome.__name__ for outcome in node.outcomes],
            }
            for node in graph.nodes
        ],
        "edges": [
            {"source": edge.source, "outcome": edge.name, "target": edge.target, "at_most": edge.at_most}
            for edge in graph.edges
        ],
        "worst_case": graph.worst_case(budget).as_json(),
    }


def document_json(graph: "CompiledGraph", *, budget: object = None) -> str:
    """Give the document as indented text."""
    return json.dumps(document(graph, budget=budget), indent=2, ensure_ascii=False) + "\n"
