"""Graphs to test with: one built from a table of words, and the assembly graph with stub nodes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model

from turngraph.graph.engine import END, FAILED, CompiledGraph, Outcome, Services, StateGraph, View

ASSEMBLY = """
restore: Restored > cap_messages
cap_messages: Counted > remind
remind: Staged > collect
collect: Collected > admit | RequiredFailed > FAILED
admit: Admitted > render | ProtectedTooLarge > FAILED
render: Rendered > measure
measure: Fits > compose | Pressed > prune, 1, compose | FixedTooLarge > FAILED | NotSmaller > FAILED
prune: Relieved > settle | Insufficient > select
select: Selected > summarise | NothingToSummarise > settle
summarise: Drafted > judge | TooLong > select, 1, fallback | Failed > fallback
judge: Accepted > fold | Rejected > summarise, budget.compaction_summary_retries, fallback
fallback: Extracted > fold | GaveUp > settle
fold: Folded > settle
settle: Changed > remind | Unchanged > compose | Stuck > FAILED
compose: Composed > window
window: Windowed > validate | Narrowed > remind, 1, validate | CannotFit > FAILED
validate: Valid > emit | Invalid > FAILED
emit: Emitted > END | Ready > call
call: Replied > END | Overflowed > recover, 1, FAILED | CallFailed > FAILED
recover: Forced > prune | Hopeless > FAILED
"""


class Budget(BaseModel):
    """A budget with the one field that bounds an edge."""

    model_config = ConfigDict(frozen=True)

    compaction_summary_retries: int = Field(default=1, ge=0, le=10)


@dataclass
class Script(Services):
    """Tells each stub node what to return."""

    words: Iterable[str]
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = iter(self.words)


def table_graph(
    table: str,
    *,
    writes: dict[str, set[str]] | None = None,
    reads: dict[str, set[str]] | None = None,
    given: Iterable[str] = (),
) -> tuple[StateGraph, dict[str, Callable]]:
    """Build a graph of scripted nodes: `node: Outcome > target[, bound, otherwise] | …` a line."""
    writes, reads = writes or {}, reads or {}
    names = sorted(set().union(*writes.values(), *reads.values(), given, []))
    frozen = ConfigDict(frozen=True)
    state = create_model("State", __config__=frozen, budget=Budget, **dict.fromkeys(names, (int, ...)))
    rows = {}
    for line in table.strip().splitlines():
        node, _, rest = line.partition(":")
        rows[node.strip()] = [[part.strip() for part in rule.replace(">", ",").split(",")] for rule in rest.split("|")]
    outcomes: dict[str, type[Outcome]] = {}
    functions: dict[str, Callable] = {"END": END, "FAILED": FAILED}
    graph = StateGraph(state, inputs={"budget", *given})
    for node, rules in rows.items():
        for outcome, *_ in rules:
            fields = dict.fromkeys(sorted(writes.get(outcome, ())), (int, ...))
            outcomes.setdefault(outcome, create_model(outcome, __base__=Outcome, **fields))
        functions[node] = _scripted(node, [outcomes[rule[0]] for rule in rules], sorted(reads.get(node, ())))
        graph.add_node(functions[node], phase=f"phase {len(functions) // 8}")
    for node, rules in rows.items():
        for outcome, target, *loop in rules:
            bound = (int(loop[0]) if loop[0].isdigit() else loop[0]) if loop else None
            otherwise = functions[loop[1]] if loop else None
            graph.on(functions[node], outcomes[outcome], functions[target], at_most=bound, otherwise=otherwise)
    return graph, functions


def _scripted(name: str, returns: list[type[Outcome]], reads: list[str]) -> Callable:
    view_class = type("Reading", (View,), {"__annotations__": dict.fromkeys(reads, int)})

    def node(view, services):
        services.seen.append(name)
        word = next(services.words)
        outcome = next(one for one in returns if one.__name__ == word)
        return outcome(**dict.fromkeys(outcome.model_fields, len(services.seen)))

    node.__name__ = name
    node.__annotations__ = {"view": view_class, "services": Script, "return": reduce(or_, returns)}
    return node


@pytest.fixture(scope="session")
def build_table() -> Callable:
    return table_graph


@pytest.fixture(scope="session")
def script() -> type[Script]:
    return Script


@pytest.fixture(scope="session")
def budget() -> type[Budget]:
    return Budget


@pytest.fixture(scope="session")
def assembly() -> CompiledGraph:
    graph, nodes = table_graph(ASSEMBLY, writes={"Composed": {"model_input"}}, reads={"validate": {"model_input"}})
    graph.guard(nodes["validate"], before=nodes["emit"])
    graph.guard(nodes["validate"], before=nodes["call"])
    return graph.compile(name="assembly")


@pytest.fixture(scope="session")
def docs() -> Path:
    return Path(__file__).parents[3] / "docs" / "engine.md"
