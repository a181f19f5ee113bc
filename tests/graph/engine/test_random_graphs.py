"""Properties over random graphs: what compiles, and that every driver goes the same way."""

import asyncio
import itertools
from functools import cache, reduce
from operator import or_

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict, create_model

from turngraph.graph.engine import END, FAILED, Cursor, GraphError, Outcome, Services, StateGraph, View

FIELDS = ("a", "b", "c")
CLASSES = {
    (name, writes): create_model(name, __base__=Outcome, **dict.fromkeys(writes, (int, ...)))
    for name in ("One", "Two", "Three")
    for size in range(3)
    for writes in itertools.combinations(FIELDS, size)
}
STATE = create_model("State", __config__=ConfigDict(frozen=True), **dict.fromkeys(FIELDS, (int, ...)))


class Choices(Services):
    """Says which outcome comes next, round and round."""

    def __init__(self, numbers):
        self.numbers = itertools.cycle(numbers)
        self.calls = 0


def node_of(name, outcomes, reads, *, coroutine):
    def act(view, services):
        services.calls += 1
        chosen = outcomes[next(services.numbers) % len(outcomes)]
        return chosen(**{field: services.calls + sum(view.__dict__.values()) for field in chosen.model_fields})

    async def act_later(view, services):
        return act(view, services)

    function = act_later if coroutine else act
    function.__name__ = name
    view = type("Reading", (View,), {"__annotations__": dict.fromkeys(reads, int)})
    function.__annotations__ = {"view": view, "services": Choices, "return": reduce(or_, outcomes)}
    return function


@st.composite
def specs(draw, *, sound=False, edges_missing=True):
    """Nodes as `(reads, [(outcome, writes, target, bound, otherwise)])`; `sound` makes accepted ones likely."""
    size = draw(st.integers(1, 4))
    names = [f"n{i}" for i in range(size)]
    targets = st.sampled_from([*names, "END", "FAILED"])
    nodes = {}
    for index, name in enumerate(names):
        rules = []
        for outcome in ("One", "Two", "Three")[: draw(st.integers(1, 3))]:
            writes = draw(st.sampled_from([key[1] for key in CLASSES if key[0] == outcome]))
            target = draw(targets)
            later = [*names[index + 1 :], "END", "FAILED"]
            if sound and outcome == "One":
                target = later[0]
            looping = target in names[: index + 1]
            bound = draw(st.integers(1, 2)) if draw(st.booleans()) or (sound and looping) else None
            otherwise = draw(st.sampled_from(later) if sound else targets) if bound else None
            if not sound and edges_missing and draw(st.integers(0, 14)) == 0:
                target = None
            rules.append((outcome, writes, target, bound, otherwise))
        reads = draw(st.sets(st.sampled_from(FIELDS), max_size=1))
        nodes[name] = (tuple(sorted(reads)), rules)
    inputs = set(FIELDS) if sound else draw(st.sets(st.sampled_from(FIELDS)))
    return nodes, inputs


def build(nodes, inputs, guards=(), *, coroutine=lambda _name: False):
    functions = {"END": END, "FAILED": FAILED}
    graph = StateGraph(STATE, inputs=inputs)
    for name, (reads, rules) in nodes.items():
        classes = [CLASSES[outcome, writes] for outcome, writes, *_ in rules]
        functions[name] = node_of(name, classes, reads, coroutine=coroutine(name))
        graph.add_node(functions[name])
    for name, (_, rules) in nodes.items():
        for outcome, writes, target, bound, otherwise in rules:
            if target is not None:
                graph.on(
                    functions[name],
                    CLASSES[outcome, writes],
                    functions[target],
                    at_most=bound,
                    otherwise=functions[otherwise] if otherwise else None,
                )
    for gate, before, covers in guards:
        graph.guard(functions[gate], before=functions[before], covers=covers)
    return graph


def steps_of(nodes):
    """All `(source, writes, target, bounded)`, exhaustion edges included."""
    for name, (_, rules) in nodes.items():
        for _, writes, target, bound, otherwise in rules:
            yield name, set(writes), target, bool(bound)
            if otherwise:
                yield name, set(writes), otherwise, False


def closure(start, follow):
    found, queue = {start}, [start]
    for item in queue:
        for after in follow(item):
            if after not in found:
                found.add(after)
                queue.append(after)
    return found


def brute_force_accepts(nodes, inputs, guards=()):
    steps = list(steps_of(nodes))
    if any(target is None for _, _, target, _ in steps):
        return False
    reach = {n: closure(n, lambda x: [t for s, _, t, _ in steps if s == x]) for n in nodes}
    if set(nodes) - reach["n0"] or any(not found & {"END", "FAILED"} for found in reach.values()):
        return False
    for name in nodes:
        unbounded = [(s, t) for s, _, t, bounded in steps if not bounded]
        if any(
            name in closure(t, lambda x, u=unbounded: [b for a, b in u if a == x]) for s, t in unbounded if s == name
        ):
            return False
    assigned = closure(
        ("n0", frozenset(inputs)),
        lambda at: [(t, at[1] | w) for s, w, t, _ in steps if s == at[0]],
    )
    if any(set(nodes[name][0]) - known for name, known in assigned if name in nodes):
        return False
    return all(holds(nodes, steps, *guard) for guard in guards)


def holds(nodes, steps, gate, before, covers):
    covers = set(nodes[gate][0]) if covers is None else covers
    if not covers <= set(nodes[gate][0]) or any(s == before and w & covers for s, w, _, _ in steps):
        return False
    walk = closure(
        ("n0", False),
        lambda at: [(t, (at[1] or at[0] == gate) and not w & covers) for s, w, t, _ in steps if s == at[0]],
    )
    return (before, False) not in walk


@settings(deadline=None)  # the first graph imports the graph library
@given(st.one_of(specs(), specs(sound=True)))
def test_compile_accepts_exactly_what_a_brute_force_accepts(spec):
    nodes, inputs = spec
    try:
        build(nodes, inputs).compile()
        accepted = True
    except GraphError:
        accepted = False

    assert accepted == brute_force_accepts(nodes, inputs)


@settings(deadline=None)
@given(specs(sound=True), st.data())
def test_guards_hold_exactly_where_no_walk_brings_an_unchecked_value(spec, data):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs) and len(nodes) > 1)
    gate, before = data.draw(st.lists(st.sampled_from(sorted(nodes)), min_size=2, max_size=2, unique=True))
    covers = data.draw(st.none() | st.sets(st.sampled_from(FIELDS), max_size=2))
    guards = [(gate, before, covers)]
    problems = ()
    try:
        build(nodes, inputs, guards).compile()
    except GraphError as error:
        problems = error.problems

    assert (not problems) == brute_force_accepts(nodes, inputs, guards)
    assert all(problem.startswith("guard ") for problem in problems)


def facts(run):
    return run.path, dict(run.state), run.terminal, run.cursor, [f.counters for f in run.frames]


@settings(deadline=None)
@given(specs(sound=True), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_sync_async_and_stepping_runs_are_the_same(spec, numbers):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs))
    graph = build(nodes, inputs, coroutine=lambda name: name in {"n1", "n2"}).compile()
    start = dict.fromkeys(FIELDS, 1)

    straight = graph.run(start, Choices(numbers))
    later = asyncio.run(graph.arun(start, Choices(numbers)))
    stepped = graph.start(start, Choices(numbers))
    streamed = [frame.as_json() | {"duration_us": 0} for frame in stepped.stream()]
    bare = graph.run(start, Choices(numbers), record=False)

    assert facts(straight) == facts(later) == facts(stepped)
    assert streamed == [frame.as_json() | {"duration_us": 0} for frame in straight.frames]
    assert (dict(bare.state), bare.terminal, bare.cursor) == (
        dict(straight.state),
        straight.terminal,
        straight.cursor,
    )


@settings(deadline=None)
@given(specs(sound=True), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_the_pure_kernel_follows_every_run(spec, numbers):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs))
    graph = build(nodes, inputs).compile()
    run = graph.start(dict.fromkeys(FIELDS, 1), Choices(numbers))
    cursor = Cursor(node="n0")
    while not run.finished:
        frame = run.step()
        cursor, edge = graph.advance(Cursor.from_json(cursor.as_json()), frame.outcome)
        assert (cursor, edge.target, edge.exhausted) == (run.cursor, frame.to, frame.exhausted)


@settings(deadline=None)
@given(specs(sound=True), st.lists(st.integers(0, 5), min_size=1, max_size=8), st.data())
def test_rewinding_and_stepping_again_ends_where_the_straight_run_ends(spec, numbers, data):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs))
    graph = build(nodes, inputs).compile()
    straight = graph.run(dict.fromkeys(FIELDS, 1), Choices(numbers))
    moment = data.draw(st.integers(0, len(straight.frames)))
    services = Choices(numbers)
    run = graph.run(dict.fromkeys(FIELDS, 1), services)

    run.rewind(moment)
    services.__init__(numbers)
    services.calls = moment
    for _ in range(moment):
        next(services.numbers)
    if not run.finished:
        run.resume()

    assert facts(run) == facts(straight)


@settings(deadline=None)
@given(specs(sound=True))
def test_the_worst_case_is_the_longest_of_all_runs(spec):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs))
    rules = {name: rules for name, (_, rules) in nodes.items()}

    @cache
    def longest(name, spent, counted):
        if name not in rules:
            return 0
        ahead = []
        for outcome, _, target, bound, otherwise in rules[name]:
            used = dict(spent).get((name, outcome), 0)
            if bound and used >= bound:
                ahead.append(longest(otherwise, spent, counted))
            elif bound:
                now = frozenset({**dict(spent), (name, outcome): used + 1}.items())
                ahead.append(longest(target, now, counted))
            else:
                ahead.append(longest(target, spent, counted))
        return max(ahead) + (counted is None or counted == name)

    worst = build(nodes, inputs).compile().worst_case()

    assert worst.exact
    assert worst.nodes == longest("n0", frozenset(), None)
    assert worst.by_node == {name: longest("n0", frozenset(), name) for name in nodes}


@settings(deadline=None)
@given(specs(sound=True))
def test_the_cover_takes_every_edge_that_can_be_taken(spec):
    nodes, inputs = spec
    assume(brute_force_accepts(nodes, inputs))
    graph = build(nodes, inputs).compile()
    order = {name: [rule[0] for rule in rules] for name, (_, rules) in nodes.items()}
    taken = set()
    for path in graph.transition_cover():
        numbers = [order[node].index(outcome) for node, outcome in path]
        run = graph.run(dict.fromkeys(FIELDS, 1), Choices(numbers))
        assert [(f.node, type(f.outcome).__name__) for f in run.frames] == path
        taken |= {f"{f.node}.{type(f.outcome).__name__}{'!' * f.exhausted}" for f in run.frames}

    proof = {proof.name: proof for proof in graph.check()}["cover"]
    left = {edge.label for edge in graph.edges} - taken
    assert proof.ok == (not left)
    assert all(f"no run takes edge {label}: " in proof.detail for label in left)
    assert all(label.endswith("!") for label in left)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_bounded_edge_is_taken_so_often_and_then_its_otherwise(build_table, script, budget, count):
    graph, _ = build_table(f"turn: Again > turn, {count}, last | Done > END\nlast: Over > FAILED")

    run = graph.compile().run({"budget": budget()}, script(["Again"] * (count + 1) + ["Over"]))

    assert [(f.to, f.exhausted) for f in run.frames] == [
        *[("turn", False)] * count,
        ("last", True),
        ("FAILED", False),
    ]
