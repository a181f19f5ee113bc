"""Proofs about shape: outcomes, reachability, loops. networkx does the graph work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .algorithms import ancestors, cycles, descendants
from .wiring import Edge, Terminal, Wiring

__all__ = ["Proof", "along", "prove_loops", "prove_outcomes", "prove_reachability", "route"]

TERMINALS = frozenset(Terminal.__members__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One property of a graph, proved or refuted."""

    name: str
    """One of outcomes, reachability, loops, worst_case, guards, assignment, cover."""
    ok: bool
    detail: str
    """What was found; for a refuted one all problems."""
    problems: tuple[str, ...] = field(default=(), repr=False)
    """Each problem with node, outcome and fix; empty for a proved one."""

    @classmethod
    def of(cls, name: str, problems: Iterable[str], detail: str) -> "Proof":
        """Proved with this detail if there are no problems."""
        found = tuple(problems)
        return cls(name=name, ok=not found, detail="; ".join(found) or detail, problems=found)

    def as_json(self) -> dict[str, object]:
        """Give `{name, ok, detail}`."""
        return {"name": self.name, "ok": self.ok, "detail": self.detail}


def route(edges: Iterable[Edge], starts: Iterable[str], *, without: str | None = None) -> Mapping[str, Edge | None]:
    """Give what can be reached from `starts`, each with the edge that led there first (breadth first).

    `without` is a node that may not be entered.
    """
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    found: dict[str, Edge | None] = {start: None for start in starts if start != without}
    queue = list(found)
    for node in queue:
        for edge in leaving.get(node, ()):
            if edge.target not in found and edge.target != without:
                found[edge.target] = edge
                queue.append(edge.target)
    return found


def along(found: Mapping[str, Edge | None], target: str) -> str:
    """Write the way to `target` as `a -Outcome-> b -Outcome-> target`."""
    parts = [target]
    edge = found[target]
    while edge is not None:
        parts.append(f"{edge.source} -{edge.name}-> ")
        edge = found[edge.source]
    return "".join(reversed(parts))


def _unmapped(wiring: Wiring) -> list[tuple[str, str]]:
    mapped = {(edge.source, edge.outcome) for edge in wiring.edges}
    pairs = [(node.name, outcome.__name__) for node in wiring.nodes.values() for outcome in node.outcomes]
    return [pair for pair in pairs if pair not in mapped]


def prove_outcomes(wiring: Wiring) -> Proof:
    """Every outcome of every node has exactly one edge, and no edge has an outcome never returned."""
    problems = [
        f"node {node!r} outcome {outcome!r} has no edge: add on({node}, {outcome}, target)"
        for node, outcome in _unmapped(wiring)
    ]
    outcomes = sum(len(node.outcomes) for node in wiring.nodes.values())
    return Proof.of("outcomes", problems, f"{outcomes} outcomes of {len(wiring.nodes)} nodes, one edge each")


def prove_reachability(wiring: Wiring) -> Proof:
    """Every node can be reached from the entry, and a terminal from every node."""
    reached = descendants(wiring.pairs, wiring.entry)
    # an outcome without an edge, or an edge to a stranger, is reported as such and not as a dead end as well
    outside = {edge.target for edge in wiring.edges} - wiring.nodes.keys()
    ending = ancestors(wiring.pairs, outside | {node for node, _ in _unmapped(wiring)})
    problems = [
        f"node {node!r} cannot be reached from {wiring.entry!r}: lead an outcome to it or drop it"
        for node in wiring.nodes
        if node not in reached
    ]
    problems += [
        f"node {node!r} has no way to END or FAILED: lead one of its outcomes out"
        for node in wiring.nodes
        if node not in ending
    ]
    detail = f"all {len(wiring.nodes)} nodes are reached from {wiring.entry!r}, a terminal from each of them"
    return Proof.of("reachability", problems, detail)


def prove_loops(wiring: Wiring) -> Proof:
    """Every cycle has a bounded edge: without those, their `otherwise` edges kept, there is no cycle."""
    problems: list[str] = []
    for cycle in cycles((edge for edge in wiring.edges if edge.bound is None), wiring.nodes):
        path = " ".join(f"{edge.source} -{edge.name}->" for edge in cycle)
        fix = "give one of its edges at_most and otherwise"
        problems.append(f"loop without a bound: {path} {cycle[0].source}: {fix}")
    bounds = ", ".join(f"{bound.label} ≤ {bound.at_most}" for bound in wiring.bounds)
    detail = f"without the bounded edges ({bounds}) the graph is acyclic" if bounds else "the graph is acyclic"
    return Proof.of("loops", problems, detail)
