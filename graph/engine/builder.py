"""`StateGraph`: collect nodes, edges and guards; `compile()` proves the whole and freezes it."""

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import BaseModel

from ...state.node import Outcome
from .compiled import CompiledGraph
from .errors import GraphError
from .fields import StateFields, read_bound
from .proofs import prove
from .signature import node_name, read_node
from .wiring import Bound, Edge, Guard, Node, NodeFunction, Terminal, Wiring

__all__ = ["StateGraph"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    source: NodeFunction
    outcome: type[Outcome]
    target: NodeFunction | Terminal
    at_most: int | str | None
    otherwise: NodeFunction | Terminal | None


class StateGraph:
    """A graph under construction over one frozen pydantic model.

    `inputs` names what a run starts with: a model whose fields are fields of the state, or plain names.
    Fields of the state with a default are there from the start as well. Nothing is checked before
    `compile()`, which reports everything at once.
    """

    def __init__(self, state: type[BaseModel], inputs: type[BaseModel] | Collection[str] | None = None) -> None:
        self._state = state
        self._inputs = inputs
        self._nodes: list[tuple[NodeFunction, str]] = []
        self._rules: list[_Rule] = []
        self._guards: list[tuple[NodeFunction, NodeFunction, Collection[str] | None]] = []
        self._entry: NodeFunction | None = None

    def __repr__(self) -> str:
        return f"<StateGraph of {self._state.__name__}: {len(self._nodes)} nodes, {len(self._rules)} rules>"

    def add_node(self, function: NodeFunction, *, phase: str = "") -> NodeFunction:
        """Add a node named like the function; the first one is the entry. A phase is drawn as one group."""
        self._nodes.append((function, phase))
        return function

    def set_entry_point(self, function: NodeFunction) -> None:
        """Start runs at this node instead of the first one added."""
        self._entry = function

    def on(
        self,
        function: NodeFunction,
        outcome: type[Outcome],
        target: NodeFunction | Terminal,
        *,
        at_most: int | str | None = None,
        otherwise: NodeFunction | Terminal | None = None,
    ) -> None:
        """Go to `target` when the node returns this outcome.

        With `at_most=N` a run goes there N times; from the N+1st time on it goes to `otherwise`.
        N is a number from 1, or the dotted name of a state field that declares an upper limit
        (`"budget.retries"`), read from the state when the edge is taken.
        """
        self._rules.append(_Rule(source=function, outcome=outcome, target=target, at_most=at_most, otherwise=otherwise))

    def guard(self, gate: NodeFunction, *, before: NodeFunction, covers: Collection[str] | None = None) -> None:
        """Demand that every path passes `gate` before `before`, and that nothing covered changes in between.

        `covers` defaults to all that the gate reads.
        """
        self._guards.append((gate, before, covers))

    def compile(self, *, name: str = "graph") -> CompiledGraph:
        """Prove the graph and freeze it: milliseconds. Worst case and cover are computed when asked for.

        Raises:
            GraphError: with all problems at once.
        """
        problems: list[str] = []
        fields = StateFields.read(self._state, self._inputs, problems)
        wiring = self._wiring(name, fields, problems)
        if not wiring.nodes:
            problems.append("there is no node: add_node(…)")
        problems.extend(problem for proof in prove(wiring) for problem in proof.problems)
        if problems:
            raise GraphError(graph=name, problems=list(dict.fromkeys(problems)))
        return CompiledGraph(wiring, fields)

    def _wiring(self, name: str, fields: StateFields, problems: list[str]) -> Wiring:
        nodes: dict[str, Node] = {}
        known: dict[str, NodeFunction] = {}
        for function, phase in self._nodes:
            title = node_name(function)
            if title in known:
                problems.append(f"node {title!r} is added twice: give the second function another name")
            elif title in Terminal.__members__ or not title.isidentifier():
                problems.append(f"node {title!r} needs another name: an identifier other than END and FAILED")
            else:
                known[title] = function
                nodes[title] = read_node(function, phase, fields.annotations, problems)
        edges = self._edges(nodes, known, fields, problems)
        entry = self._nodes[0][0] if self._nodes and self._entry is None else self._entry
        if entry is not None and known.get(node_name(entry)) is not entry:
            problems.append(f"entry {node_name(entry)!r} is no node of the graph: add_node({node_name(entry)})")
        guards = self._checked_guards(nodes, problems)
        return Wiring(
            name=name,
            entry=node_name(entry) if entry is not None else "",
            nodes=nodes,
            edges=edges,
            guards=guards,
            given=fields.given,
        )

    def _edges(
        self,
        nodes: dict[str, Node],
        known: dict[str, NodeFunction],
        fields: StateFields,
        problems: list[str],
    ) -> tuple[Edge, ...]:
        rules: dict[tuple[str, str], _Rule] = {}
        for rule in self._rules:
            source = node_name(rule.source)
            key = (source, rule.outcome.__name__)
            if known.get(source) is not rule.source:
                problems.append(f"edge {key[0]}.{key[1]}: {source!r} is no node of the graph: add_node({source})")
            elif nodes[source].outcomes and rule.outcome not in nodes[source].outcomes:
                problems.append(
                    f"edge {key[0]}.{key[1]}: node {source!r} never returns {key[1]!r}: "
                    f"add it to the return annotation or drop the edge"
                )
            elif key in rules:
                problems.append(f"edge {key[0]}.{key[1]} is given twice: keep one")
            else:
                rules[key] = rule
        edges: list[Edge] = []
        counters = 0
        for node in nodes.values():
            order = [outcome.__name__ for outcome in node.outcomes]
            order = order or [outcome for source, outcome in rules if source == node.name]
            for outcome in order:
                if (node.name, outcome) not in rules:
                    continue
                made = _edges_of(rules[node.name, outcome], counters, known, fields, problems)
                counters += sum(edge.bound is not None for edge in made)
                edges.extend(made)
        return tuple(edges)

    def _checked_guards(self, nodes: dict[str, Node], problems: list[str]) -> tuple[Guard, ...]:
        guards: list[Guard] = []
        for gate_function, before_function, covers in self._guards:
            gate, before = node_name(gate_function), node_name(before_function)
            title = f"guard {gate} before {before}"
            ends = {gate: gate_function, before: before_function}
            strangers = [n for n, f in ends.items() if n not in nodes or nodes[n].function is not f]
            if strangers or gate == before:
                problems.append(f"{title}: name two different nodes of the graph")
                continue
            covered = frozenset(nodes[gate].reads if covers is None else covers)
            unread = sorted(covered - set(nodes[gate].reads))
            if unread:
                problems.append(
                    f"{title}: {gate!r} does not read {', '.join(map(repr, unread))}, so it cannot cover it"
                )
            guards.append(Guard(gate=gate, before=before, covers=covered))
        return tuple(guards)


def _edges_of(
    rule: _Rule,
    index: int,
    known: dict[str, NodeFunction],
    fields: StateFields,
    problems: list[str],
) -> list[Edge]:
    source, outcome = node_name(rule.source), rule.outcome.__name__
    label = f"{source}.{outcome}"
    writes = frozenset(rule.outcome.model_fields)
    target = _target(label, rule.target, known, problems)
    if (rule.at_most is None) != (rule.otherwise is None):
        missing = "at_most" if rule.at_most is None else "otherwise"
        problems.append(f"edge {label}: at_most and otherwise belong together; give {missing} as well")
    bound = _bound(label, rule.at_most, index, fields, problems)
    edge = Edge(source=source, outcome=outcome, target=target, bound=bound, writes=writes)
    if bound is None or rule.otherwise is None:
        return [edge]
    fallback = _target(f"{label}!", rule.otherwise, known, problems)
    return [edge, Edge(source=source, outcome=outcome, target=fallback, exhausted=True, writes=writes)]


def _target(label: str, target: NodeFunction | Terminal, known: dict[str, NodeFunction], problems: list[str]) -> str:
    if isinstance(target, Terminal):
        return target.value
    name = node_name(target)
    if known.get(name) is not target:
        problems.append(f"edge {label}: target {name!r} is no node of the graph: add_node({name})")
    return name


def _bound(label: str, at_most: int | str | None, index: int, fields: StateFields, problems: list[str]) -> Bound | None:
    if at_most is None:
        return None
    if isinstance(at_most, int):
        if isinstance(at_most, bool) or at_most < 1:
            problems.append(f"edge {label}: at_most={at_most!r}; give a number from 1 or the name of a field")
        return Bound(label=label, index=index, upper=max(1, at_most), preset=max(1, at_most))
    path = tuple(at_most.split("."))
    found = read_bound(fields, path)
    if isinstance(found, str):
        problems.append(f"edge {label}: bound {at_most!r}: {found}")
        found = (1, 1)
    return Bound(label=label, index=index, upper=found[0], preset=found[1], path=path)
