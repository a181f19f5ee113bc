"""Proofs about what happens before what: guards and definite assignment."""

from .algorithms import dominators
from .structure import Proof, along, route
from .wiring import Guard, Wiring

__all__ = ["prove_assignment", "prove_guards"]


def prove_guards(wiring: Wiring) -> Proof:
    """Each gate dominates what it guards; and without the gate no writer of a covered field reaches that.

    Both are needed. The first alone misses a loop that comes back behind the gate with something new: the
    gate still lies on every path from the entry, but what passed it is no longer what is used.
    """
    problems = [problem for guard in wiring.guards for problem in _broken(wiring, guard)]
    held = "; ".join(
        f"{guard.gate} before {guard.before} covers {', '.join(sorted(guard.covers)) or 'nothing'}"
        for guard in wiring.guards
    )
    return Proof.of("guards", problems, held or "no guard is demanded")


def _broken(wiring: Wiring, guard: Guard) -> list[str]:
    title = f"guard {guard.gate} before {guard.before}"
    own = {field for edge in wiring.after(guard.before) for field in edge.writes & guard.covers}
    problems = [
        f"{title}: {guard.before!r} itself writes {field!r}, which is covered: cover less" for field in sorted(own)
    ]
    passed = dominators(wiring.pairs, wiring.entry, guard.before)
    past = route(wiring.edges, [wiring.entry], without=guard.gate)
    if guard.gate not in passed and guard.before in past:
        bypass = along(past, guard.before)
        problems.append(f"{title}: {bypass} passes by the gate: lead it through {guard.gate!r}")
    for edge in wiring.edges:
        covered = sorted(edge.writes & guard.covers)
        if not covered or edge.source == guard.before:
            continue
        behind = route(wiring.edges, [edge.target], without=guard.gate)
        if guard.before in behind:
            problems.append(
                f"{title}: {edge.source} -{edge.name}-> {along(behind, guard.before)} writes "
                f"{', '.join(map(repr, covered))} behind the gate: lead it through {guard.gate!r}"
            )
    return problems


def prove_assignment(wiring: Wiring) -> Proof:
    """What a node or a bound reads is written on every path before it, or given at the start."""
    needs: dict[str, list[tuple[str, str]]] = {}
    for node in wiring.nodes.values():
        for field in node.reads:
            needs.setdefault(field, []).append((node.name, f"node {node.name!r} reads"))
    for edge in wiring.edges:
        if edge.bound is not None and edge.bound.path and edge.bound.path[0] not in edge.writes:
            needs.setdefault(edge.bound.path[0], []).append((edge.source, f"the bound of {edge.label} reads"))
    problems: list[str] = []
    for field in sorted(needs.keys() - wiring.given):
        unwritten = route((edge for edge in wiring.edges if field not in edge.writes), [wiring.entry])
        problems += [
            f"{reader} {field!r}, which is not written on the path {along(unwritten, name)}: "
            f"write it on that path or make it an input"
            for name, reader in needs[field]
            if name in unwritten
        ]
    count = sum(len(readers) for readers in needs.values())
    return Proof.of("assignment", problems, f"all {count} reads come after a write or are inputs")
