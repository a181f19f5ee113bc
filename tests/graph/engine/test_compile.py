"""Compiling collects every mistake of the wiring and says how to mend it."""

from typing import Annotated, Any, Literal, NewType, Protocol, runtime_checkable

import pytest
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

from turngraph.graph.engine import END, FAILED, Bounded, GraphError, Outcome, Services, StateGraph, View
from turngraph.state.errors import UsageError


class Limits(BaseModel):
    retries: int = Field(default=2, ge=0, le=4)
    endless: int = 3
    below: int = Field(default=9, lt=6)


class State(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int
    y: str
    limits: Limits
    note: str = "none yet"


class Plain(View):
    x: int


class Lasting(View):
    y: str


class Done(Outcome):
    x: int


class Other(Outcome):
    y: str


class Tools(Services):
    pass


def first(view: Plain) -> Done: ...


def second(view: Plain) -> Done | Other: ...


def third(view: Lasting) -> Done: ...


def problems_of(graph):
    with pytest.raises(GraphError) as caught:
        graph.compile(name="demo")
    return list(caught.value.problems)


def graph_of(*nodes, inputs=("x", "limits")):
    graph = StateGraph(State, inputs=set(inputs))
    for node in nodes:
        graph.add_node(node)
    return graph


def test_all_problems_are_reported_at_once():
    graph = graph_of(first, second, third)
    graph.on(first, Done, second)
    graph.on(second, Done, first)
    graph.on(third, Other, END)

    assert problems_of(graph) == [
        "edge third.Other: node 'third' never returns 'Other': add it to the return annotation or drop the edge",
        "node 'second' outcome 'Other' has no edge: add on(second, Other, target)",
        "node 'third' outcome 'Done' has no edge: add on(third, Done, target)",
        "node 'third' cannot be reached from 'first': lead an outcome to it or drop it",
        "loop without a bound: first -Done-> second -Done-> first: give one of its edges at_most and otherwise",
    ]


def test_the_error_shows_the_graph_and_every_problem_and_carries_them_as_data():
    graph = graph_of(first)

    with pytest.raises(GraphError, match=r"graph 'demo' has 1 problem:\n  - node 'first'") as caught:
        graph.compile(name="demo")

    assert caught.value.as_json()["code"] == "internal"
    assert caught.value.details == {"graph": "demo", "problems": list(caught.value.problems)}


def test_a_dead_end_is_reported():
    graph = graph_of(first, second)
    graph.on(first, Done, END)
    graph.on(second, Done, second, at_most=1, otherwise=second)
    graph.on(second, Other, second, at_most=1, otherwise=second)

    found = problems_of(graph)

    assert "node 'second' has no way to END or FAILED: lead one of its outcomes out" in found
    assert "loop without a bound: second -Done!-> second: give one of its edges at_most and otherwise" in found


def test_a_field_that_may_be_unwritten_is_reported_with_the_path():
    graph = graph_of(second, third)
    graph.on(second, Done, third)
    graph.on(second, Other, third)
    graph.on(third, Done, END)

    assert problems_of(graph) == [
        (
            "node 'third' reads 'y', which is not written on the path second -Done-> third: "
            "write it on that path or make it an input"
        )
    ]


def test_a_bound_that_is_a_field_must_be_there_when_it_is_read():
    graph = graph_of(second, first, inputs={"x"})
    graph.on(second, Done, first)
    graph.on(second, Other, second, at_most="limits.retries", otherwise=END)
    graph.on(first, Done, END)

    assert problems_of(graph) == [
        (
            "the bound of second.Other reads 'limits', which is not written on the path second: "
            "write it on that path or make it an input"
        )
    ]


@pytest.mark.parametrize(
    ("at_most", "reason"),
    [
        (0, "at_most=0; give a number from 1 or the name of a field"),
        (True, "at_most=True; give a number from 1 or the name of a field"),
        ("limits.endless", "field 'endless' of Limits declares no upper limit: give it Field(le=…)"),
        ("limits.wrong", "Limits has no field 'wrong'"),
        ("wrong.retries", "State has no field 'wrong'"),
        ("y.retries", "'y' is str, which is no model whose field could be a bound"),
        ("note", "'note' is no whole number"),
    ],
)
def test_a_bound_that_bounds_nothing_is_reported(at_most, reason):
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, second, at_most=at_most, otherwise=END)

    assert [problem for problem in problems_of(graph) if reason in problem]


@pytest.mark.parametrize(("field", "upper"), [("limits.retries", 4), ("limits.below", 5)])
def test_the_declared_upper_limit_of_a_field_counts(field, upper):
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, second, at_most=field, otherwise=END)

    assert graph.compile().worst_case().nodes == upper + 1


@pytest.mark.parametrize(("options", "missing"), [({"at_most": 1}, "otherwise"), ({"otherwise": END}, "at_most")])
def test_a_bound_and_its_otherwise_belong_together(options, missing):
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, END, **options)

    assert f"edge second.Other: at_most and otherwise belong together; give {missing} as well" in problems_of(graph)


def test_strangers_and_doubles_are_reported():
    def first_again(view: Plain) -> Done: ...

    first_again.__name__ = "first"
    graph = graph_of(first, first_again)
    graph.on(first, Done, second)
    graph.on(first, Done, END)
    graph.on(third, Done, END)
    graph.set_entry_point(third)

    assert problems_of(graph)[:5] == [
        "node 'first' is added twice: give the second function another name",
        "edge first.Done is given twice: keep one",
        "edge third.Done: 'third' is no node of the graph: add_node(third)",
        "edge first.Done: target 'second' is no node of the graph: add_node(second)",
        "entry 'third' is no node of the graph: add_node(third)",
    ]


def test_an_empty_graph_is_reported():
    assert "there is no node: add_node(…)" in problems_of(StateGraph(State))


def test_names_of_terminals_are_taken():
    def end(view: Plain) -> Done: ...

    end.__name__ = "END"

    assert "node 'END' needs another name: an identifier other than END and FAILED" in problems_of(graph_of(end))


def no_view(view: int) -> Done: ...
def no_parameter() -> Done: ...
def no_outcome(view: Plain) -> Done | None: ...
def any_outcome(view: Plain) -> Outcome: ...
def no_return(view: Plain): ...
def wrong_services(view: Plain, services: int) -> Done: ...
def unknown_names(view: "Missing") -> Done: ...  # noqa: F821
def too_many(view: Plain, services: Tools, more: int) -> Done: ...


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (no_view, "node 'no_view' does not take a view; write def name(view: SomeView) -> A | B"),
        (no_parameter, "node 'no_parameter' does not take a view"),
        (no_outcome, "node 'no_outcome' returns what is no subclass of Outcome: <class 'NoneType'>"),
        (any_outcome, "node 'any_outcome' returns what is no subclass of Outcome"),
        (no_return, "node 'no_return' returns what is no subclass of Outcome: None"),
        (wrong_services, "node 'wrong_services': its second parameter is no Services class"),
        (unknown_names, "node 'unknown_names': its annotations cannot be read (name 'Missing' is not defined)"),
        (too_many, "node 'too_many' does not take a view"),
    ],
)
def test_a_signature_that_declares_no_node_is_reported_alone(node, reason):
    graph = graph_of(node)
    graph.on(node, Done, END)

    found = problems_of(graph)

    assert found[0].startswith(reason)
    assert len(found) == 1


class WrongView(View):
    x: str
    z: int


class WrongOutcome(Outcome):
    x: str
    z: int


def mistyped(view: WrongView) -> WrongOutcome: ...


def test_views_and_outcomes_have_to_fit_the_state():
    graph = graph_of(mistyped)
    graph.on(mistyped, WrongOutcome, END)

    assert problems_of(graph)[:4] == [
        "node 'mistyped' reads 'x' as str (WrongView), the state holds int",
        (
            "node 'mistyped' reads 'z' (WrongView), which is no field of the state: "
            "add it to the state or drop it from the view"
        ),
        "node 'mistyped' outcome 'WrongOutcome' writes 'x' as str, the state holds int",
        (
            "node 'mistyped' outcome 'WrongOutcome' writes 'z', which is no field of the state: "
            "add it to the state or drop it from the outcome"
        ),
    ]


def test_annotations_of_views_and_outcomes_that_cannot_be_read_are_reported():
    class Unknown(View):
        x: "Missing"  # noqa: F821

    class Vague(Outcome):
        x: "Missing"  # noqa: F821

    def lost(view: Unknown) -> Vague: ...

    graph = graph_of(lost)
    graph.on(lost, Vague, END)

    assert problems_of(graph) == [
        "node 'lost': the annotations of Unknown cannot be read (name 'Missing' is not defined)",
        "node 'lost' outcome 'Vague': its annotations cannot be read",
    ]


def test_two_outcomes_with_one_name_are_reported():
    namesake = type(Outcome)("Done", (Outcome,), {"__module__": __name__})

    def twofold(view: Plain) -> Done | namesake: ...

    graph = graph_of(twofold)
    graph.on(twofold, Done, END)

    assert problems_of(graph) == ["node 'twofold' has two outcomes named 'Done': rename one"]


class Animal: ...


@runtime_checkable
class Named(Protocol):
    name: str


Key = NewType("Key", str)


class Dog(Animal): ...


@pytest.mark.parametrize(
    ("held", "written"),
    [
        (Animal, Dog),
        (Animal | None, Dog),
        (float, int),
        (str, Literal["a"]),
        (Literal["a", "b"], Literal["a"]),
        (object, Dog),
        (Any, Dog),
        (tuple[Animal, int], tuple[Dog, int]),
        (str, Key),
        (Key, str),
        (Named, Dog),
        (TypeAliasType("Alias", int | str), int),
        (type[Animal], type[Dog]),
        (Annotated[int, "note"], int),
    ],
)
def test_a_narrower_type_may_be_written_and_a_wider_one_read(held, written):
    frozen = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    state = type(BaseModel)(
        "Held", (BaseModel,), {"__annotations__": {"v": held}, "__module__": __name__, "model_config": frozen}
    )
    outcome = type(Outcome)("Wrote", (Outcome,), {"__annotations__": {"v": written}, "__module__": __name__})
    back = type(View)("Back", (View,), {"__annotations__": {"v": held}})

    def write(view: View) -> outcome: ...
    def read(view: back) -> Nothing: ...

    graph = StateGraph(state)
    graph.add_node(write)
    graph.add_node(read)
    graph.on(write, outcome, read)
    graph.on(read, Nothing, END)

    assert graph.compile().writes("Wrote") == ("v",)


class Nothing(Outcome):
    pass


@pytest.mark.parametrize(
    ("held", "written"),
    [
        (Dog, Animal),
        (int, float),
        (Dog, Dog | None),
        (Literal["a"], Literal["b"]),
        (Literal["a"], str),
        (int, Literal["a"]),
        (tuple[int, int], tuple[str, int]),
    ],
)
def test_a_wider_type_may_not_be_written(held, written):
    frozen = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    state = type(BaseModel)(
        "Held", (BaseModel,), {"__annotations__": {"v": held}, "__module__": __name__, "model_config": frozen}
    )
    outcome = type(Outcome)("Wrote", (Outcome,), {"__annotations__": {"v": written}, "__module__": __name__})

    def write(view: View) -> outcome: ...

    graph = StateGraph(state)
    graph.add_node(write)
    graph.on(write, outcome, END)

    assert [problem for problem in problems_of(graph) if "writes 'v'" in problem]


@pytest.mark.parametrize(
    "grows",
    [list[int], dict[str, int], set[int], tuple[int, ...], tuple, list[int] | None, tuple[list[int], int]],
)
def test_a_collection_that_grows_needs_the_mark_bounded(grows):
    fields = {"__annotations__": {"v": grows}, "__module__": __name__, "model_config": ConfigDict(frozen=True)}
    marked = {**fields, "__annotations__": {"v": Annotated[grows, Bounded]}}

    refused = problems_of(StateGraph(type(BaseModel)("Grows", (BaseModel,), fields)))
    accepted = problems_of(StateGraph(type(BaseModel)("Stays", (BaseModel,), marked)))

    assert refused[0].startswith("state field 'v' is ")
    assert accepted == ["there is no node: add_node(…)"]


def test_a_tuple_of_fixed_length_and_a_text_do_not_grow():
    class Fixed(BaseModel):
        model_config = ConfigDict(frozen=True)
        pair: tuple[int, str]
        text: str | None
        marked_inside: tuple[Annotated[list[int], Bounded], int] | Annotated[set[int], Bounded] | None

    assert problems_of(StateGraph(Fixed)) == ["there is no node: add_node(…)"]


def test_the_state_has_to_be_frozen_and_to_have_the_inputs():
    class Loose(BaseModel):
        x: int

    class Given(BaseModel):
        x: str
        other: int

    assert problems_of(StateGraph(Loose, inputs=Given))[:3] == [
        "state Loose is not frozen: give it model_config = ConfigDict(frozen=True)",
        "input 'other' is no field of Loose: add it to the state or drop it",
        "input 'x' is str, the state field is int",
    ]


class Gated(View):
    y: str


def gate(view: Gated) -> Nothing: ...
def leave(view: View) -> Nothing | Other | Done: ...
def begin(view: View) -> Other | Nothing: ...
def gate_writing(view: Gated) -> Other: ...


def test_a_path_past_the_gate_is_reported():
    graph = graph_of(begin, gate, leave, inputs={"x", "y"})
    graph.on(begin, Other, gate)
    graph.on(begin, Nothing, leave)
    graph.on(gate, Nothing, leave)
    for outcome in (Nothing, Other, Done):
        graph.on(leave, outcome, END)
    graph.guard(gate, before=leave, covers=set())

    assert problems_of(graph) == [
        "guard gate before leave: begin -Nothing-> leave passes by the gate: lead it through 'gate'"
    ]


def test_a_loop_that_returns_behind_the_gate_with_something_new_is_reported_although_the_gate_dominates():
    def again(view: Plain) -> Other | Done: ...

    graph = graph_of(begin, gate, leave, again, inputs={"x", "y"})
    graph.on(begin, Other, gate)
    graph.on(begin, Nothing, gate)
    graph.on(gate, Nothing, leave)
    graph.on(leave, Nothing, END)
    graph.on(leave, Done, again, at_most=1, otherwise=END)
    graph.on(leave, Other, FAILED)
    graph.on(again, Other, leave)
    graph.on(again, Done, gate)
    graph.guard(gate, before=leave)

    assert problems_of(graph) == [
        "guard gate before leave: 'leave' itself writes 'y', which is covered: cover less",
        "guard gate before leave: again -Other-> leave writes 'y' behind the gate: lead it through 'gate'",
    ]


def test_a_gate_that_changes_what_it_checked_is_reported():
    graph = graph_of(gate_writing, first, inputs={"x", "y"})
    graph.on(gate_writing, Other, first)
    graph.on(first, Done, END)
    graph.guard(gate_writing, before=first)

    assert problems_of(graph) == [
        (
            "guard gate_writing before first: gate_writing -Other-> first writes 'y' behind the gate: "
            "lead it through 'gate_writing'"
        )
    ]


def test_a_gate_covers_only_what_it_reads_and_guards_only_another_node():
    graph = graph_of(gate, first, inputs={"x", "y"})
    graph.on(gate, Nothing, first)
    graph.on(first, Done, END)
    graph.guard(gate, before=first, covers={"x"})
    graph.guard(gate, before=gate)
    graph.guard(gate, before=second)

    assert problems_of(graph) == [
        "guard gate before first: 'gate' does not read 'x', so it cannot cover it",
        "guard gate before gate: name two different nodes of the graph",
        "guard gate before second: name two different nodes of the graph",
        "guard gate before first: 'first' itself writes 'x', which is covered: cover less",
    ]


def test_an_edge_whose_bound_is_never_spent_compiles_and_fails_the_cover():
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, END, at_most=1, otherwise=FAILED)

    proof = graph.compile().check()[-1]

    assert (proof.name, proof.ok) == ("cover", False)
    assert proof.detail == (
        "no run takes edge second.Other!: its bound cannot be spent in one run; make it a plain edge"
    )


def test_a_node_behind_an_edge_that_is_never_taken_fails_the_cover_too():
    graph = graph_of(second, first)
    graph.on(second, Done, END)
    graph.on(second, Other, END, at_most=1, otherwise=first)
    graph.on(first, Done, END)

    proof = graph.compile().check()[-1]

    assert proof.as_json() == {
        "name": "cover",
        "ok": False,
        "detail": "no run takes edge second.Other!: its bound cannot be spent in one run; make it a plain edge; "
        "no run takes edge first.Done: drop it or lead a run to it",
    }


def test_a_graph_too_large_to_unfold_states_an_upper_bound():
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, second, at_most=60_000, otherwise=END)

    worst = graph.compile().worst_case()

    assert (worst.nodes, worst.by_node, worst.exact) == (60_001, {"second": 60_001}, False)


def test_a_name_that_stands_for_different_outcomes_is_refused():
    def later(view: Plain) -> Done: ...

    graph = graph_of(first, later)
    other = type(Outcome)("Done", (Outcome,), {"__module__": __name__})
    later.__annotations__ = {"view": Plain, "return": other}
    graph.on(first, Done, later)
    graph.on(later, other, END)
    compiled = graph.compile()

    assert (compiled.writes(Done), compiled.writes(other)) == (("x",), ())
    with pytest.raises(UsageError, match="has several different outcomes named 'Done'"):
        compiled.writes("Done")


def test_a_compiled_graph_tells_what_it_is_made_of():
    graph = graph_of(second)
    graph.on(second, Done, END)
    graph.on(second, Other, second, at_most="limits.retries", otherwise=FAILED)
    compiled = graph.compile(name="demo")

    assert repr(graph) == "<StateGraph of State: 1 nodes, 2 rules>"
    assert repr(compiled) == "<CompiledGraph demo: 1 nodes, 3 edges>"
    assert (compiled.reads("second"), compiled.writes(Other), compiled.writes("Done")) == (("x",), ("y",), ("x",))
    assert [(e.name, e.target, e.at_most) for e in compiled.edges] == [
        ("Done", "END", None),
        ("Other", "second", "limits.retries"),
        ("Other!", "FAILED", None),
    ]


def test_text_annotations_are_read_too():
    def written_out(view: "Plain") -> "Done | Other": ...

    graph = graph_of(written_out)
    graph.on(written_out, Done, END)
    graph.on(written_out, Other, END)

    assert [outcome.__name__ for outcome in graph.compile().nodes[0].outcomes] == ["Done", "Other"]
