"""Graph algorithms: networkx behind five typed functions, imported when the first graph is compiled."""

from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from typing import Any

from .wiring import Edge

__all__ = ["ancestors", "cycles", "descendants", "dominators", "longest_path"]


def _graph(pairs: Iterable[tuple[str, str]], nodes: Iterable[str] = ()) -> tuple[Any, Any]:
    # imported when it is needed, for that takes longer than compiling; its stubs are incomplete, hence `Any`
    nx: Any = import_module("networkx")
    graph = nx.DiGraph(list(pairs))
    graph.add_nodes_from(nodes)
    return nx, graph


def descendants(pairs: Iterable[tuple[str, str]], start: str) -> set[str]:
    """Give `start` and all that can be reached from it."""
    nx, graph = _graph(pairs, [start])
    return {start, *nx.descendants(graph, start)}


def ancestors(pairs: Iterable[tuple[str, str]], ends: Collection[str]) -> set[str]:
    """Give `ends` and all from which one of them can be reached."""
    nx, graph = _graph(pairs, ends)
    return {*ends, *(node for end in ends for node in nx.ancestors(graph, end))}


def cycles(edges: Iterable[Edge], order: Collection[str]) -> list[list[Edge]]:
    """Give one cycle of each knot (strongly connected part), from its first node in `order`."""
    first: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        first.setdefault((edge.source, edge.target), edge)
    nx, graph = _graph(first)
    rank = {name: index for index, name in enumerate(order)}
    found: list[list[Edge]] = []
    knots: list[set[str]] = list(nx.strongly_connected_components(graph))
    for knot in sorted(knots, key=lambda knot: min(rank.get(name, len(rank)) for name in knot)):
        start = min(knot, key=lambda name: rank.get(name, len(rank)))
        if len(knot) > 1 or (start, start) in first:
            found.append([first[source, target] for source, target in nx.find_cycle(graph.subgraph(knot), start)])
    return found


def dominators(pairs: Iterable[tuple[str, str]], start: str, node: str) -> list[str]:
    """Give the nodes that every path from `start` to `node` passes, the nearest first."""
    nx, graph = _graph(pairs, [start])
    above: Mapping[str, str] = dict(nx.immediate_dominators(graph, start))
    chain: list[str] = []
    # networkx before 3.6 maps the start to itself, from 3.6 on the start is left out
    while node != start and node in above:
        node = above[node]
        chain.append(node)
    return chain


def longest_path(pairs: Iterable[tuple[str, str]], start: str) -> int:
    """Count the nodes of the longest path of an acyclic graph."""
    nx, graph = _graph(pairs, [start])
    return len(nx.dag_longest_path(graph, weight="", default_weight=1))
