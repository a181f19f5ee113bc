"""The drawings of a small graph, to the byte, and what holds for any drawing."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from turngraph.graph.engine import END, FAILED, Outcome, StateGraph, View
from turngraph.state.errors import UsageError


class Budget(BaseModel):
    retries: int = Field(default=1, le=3)


class State(BaseModel):
    model_config = ConfigDict(frozen=True)
    budget: Budget
    draft: str


class Asked(View):
    budget: Budget


class Written(View):
    draft: str


class Drafted(Outcome):
    draft: str


class Broken(Outcome):
    pass


class Rejected(Outcome):
    pass


class Accepted(Outcome):
    pass


def write(view: Asked) -> Drafted | Broken:
    return Drafted(draft="text")


def judge(view: Written) -> Accepted | Rejected:
    return Rejected()


def end(view: Written) -> Accepted:
    return Accepted()


def build(phase='the "last" word'):
    graph = StateGraph(State, inputs={"budget"})
    graph.add_node(write, phase="writing")
    graph.add_node(judge, phase=phase)
    graph.add_node(end)
    graph.on(write, Drafted, judge)
    graph.on(write, Broken, FAILED)
    graph.on(judge, Accepted, end)
    graph.on(judge, Rejected, write, at_most="budget.retries", otherwise=end)
    graph.on(end, Accepted, END)
    return graph.compile(name="draft")


@pytest.fixture(scope="module")
def graph():
    return build()


MERMAID = """\
flowchart TD
  subgraph p0["writing"]
    n_write["write"]
  end
  subgraph p1["the #quot;last#quot; word"]
    n_judge["judge"]
  end
  n_end["end"]
  n_END(["END"])
  n_FAILED(["FAILED"])
  n_write -->|"Drafted"| n_judge
  n_write -->|"Broken"| n_FAILED
  n_judge -->|"Accepted"| n_end
  n_judge ==>|"Rejected ≤ retries"| n_write
  n_judge -.->|"Rejected!"| n_end
  n_end -->|"Accepted"| n_END
  classDef entry stroke-width:3px
  class n_write entry
"""

DOT = r"""digraph "draft" {
  node [shape=box];
  subgraph cluster_0 {
    label="writing";
    "write" [penwidth=2];
  }
  subgraph cluster_1 {
    label="the \"last\" word";
    "judge";
  }
  "end";
  "END" [shape=oval];
  "FAILED" [shape=oval];
  "write" -> "judge" [label="Drafted"];
  "write" -> "FAILED" [label="Broken"];
  "judge" -> "end" [label="Accepted"];
  "judge" -> "write" [label="Rejected ≤ retries", style=bold];
  "judge" -> "end" [label="Rejected!", style=dashed];
  "end" -> "END" [label="Accepted"];
}
"""

ASCII = """\
draft: 3 nodes, 6 edges
[writing]
  write ◀─────────────────────────┐
      Drafted → judge             │
      Broken → FAILED ────────────┼─┐
[the "last" word]                 │ │
  judge                           │ │
      Accepted → end              │ │
      Rejected ≤ retries → write ─┘ │
      Rejected! → end               │
  end                               │
      Accepted → END                │
  END                               │
  FAILED ◀──────────────────────────┘
"""


@pytest.mark.parametrize(("format", "golden"), [("mermaid", MERMAID), ("dot", DOT), ("ascii", ASCII)])
def test_the_drawing_is_this_to_the_byte(graph, format, golden):
    assert graph.draw(format) == golden


def test_the_json_document_has_the_shape_of_the_contract(graph):
    assert json.loads(graph.draw("json")) == {
        "nodes": [
            {"name": "write", "phase": "writing", "reads": ["budget"], "outcomes": ["Drafted", "Broken"]},
            {
                "name": "judge",
                "phase": 'the "last" word',
                "reads": ["draft"],
                "outcomes": ["Accepted", "Rejected"],
            },
            {"name": "end", "phase": "", "reads": ["draft"], "outcomes": ["Accepted"]},
        ],
        "edges": [
            {"source": "write", "outcome": "Drafted", "target": "judge", "at_most": None},
            {"source": "write", "outcome": "Broken", "target": "FAILED", "at_most": None},
            {"source": "judge", "outcome": "Accepted", "target": "end", "at_most": None},
            {"source": "judge", "outcome": "Rejected", "target": "write", "at_most": "budget.retries"},
            {"source": "judge", "outcome": "Rejected!", "target": "end", "at_most": None},
            {"source": "end", "outcome": "Accepted", "target": "END", "at_most": None},
        ],
        "worst_case": {"nodes": 9, "by_node": {"write": 4, "judge": 4, "end": 1}},
    }


def test_mermaid_is_the_default(graph):
    assert graph.draw() == graph.to_mermaid() == graph.draw("mermaid")


@pytest.mark.parametrize("format", ["mermaid", "dot", "ascii"])
def test_with_a_budget_a_bound_shows_as_a_number(graph, format):
    assert "Rejected ≤ 2" in graph.draw(format, budget=Budget(retries=2))


def test_with_a_budget_the_json_document_states_its_worst_case(graph):
    assert json.loads(graph.draw("json", budget=Budget(retries=1)))["worst_case"]["nodes"] == 5


def test_a_run_is_laid_over_the_flowchart_with_its_path_and_counts(graph):
    run = graph.run({"budget": Budget(retries=1)})

    added = set(graph.draw("mermaid", run=run).splitlines()) - set(MERMAID.splitlines())

    assert added == {
        '    n_write["write · 2x"]',
        '    n_judge["judge · 2x"]',
        '  n_end["end · 1x"]',
        '  n_END(["END · 1x"])',
        '  n_write -->|"Drafted · 2x"| n_judge',
        '  n_judge ==>|"Rejected ≤ retries · 1x"| n_write',
        '  n_judge -.->|"Rejected! · 1x"| n_end',
        '  n_end -->|"Accepted · 1x"| n_END',
        "  classDef visited fill:#d8f0d8,stroke:#2a7a2a",
        "  class n_write,n_judge,n_end,n_END visited",
        "  linkStyle 0,3,4,5 stroke:#2a7a2a,stroke-width:3px",
    }


def test_a_run_that_did_nothing_yet_adds_nothing(graph):
    assert graph.draw("mermaid", run=graph.start({"budget": Budget()})) == MERMAID


@pytest.mark.parametrize("format", ["dot", "ascii", "json"])
def test_a_run_can_be_laid_over_mermaid_only(graph, format):
    with pytest.raises(UsageError, match=f"over mermaid only, not over {format}"):
        graph.draw(format, run=graph.start({"budget": Budget()}))


def test_an_unknown_format_is_refused_with_the_known_ones(graph):
    with pytest.raises(UsageError, match="unknown drawing format 'svg': use one of mermaid, dot, ascii, json"):
        graph.draw("svg")


def test_drawings_do_not_depend_on_the_hash_seed():
    code = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("drawn", {__file__!r})
module = importlib.util.module_from_spec(spec)
sys.modules["drawn"] = module
spec.loader.exec_module(module)
graph = module.build()
print([graph.draw(format) for format in ("mermaid", "dot", "ascii", "json")])
print([proof.as_json() for proof in graph.check()], graph.transition_cover())
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(outputs) == 1


def chain(names, jumps):
    """A line of nodes, each with bounded jumps back and forth."""
    state = type(BaseModel)("Empty", (BaseModel,), {"__module__": __name__, "model_config": ConfigDict(frozen=True)})
    outcomes = [type(Outcome)(f"Out{i}", (Outcome,), {"__module__": __name__}) for i in range(4)]
    functions = []
    graph = StateGraph(state)
    for index, name in enumerate(names):
        own = outcomes[: 1 + len(jumps.get(index, ()))]

        def node(view):
            raise NotImplementedError

        node.__name__ = name
        returned = own[0]
        for outcome in own[1:]:
            returned |= outcome
        node.__annotations__ = {"view": View, "return": returned}
        functions.append(graph.add_node(node, phase=f"part {index // 3}"))
    for index, function in enumerate(functions):
        following = functions[index + 1] if index + 1 < len(functions) else END
        graph.on(function, outcomes[0], following)
        for outcome, jump in zip(outcomes[1:], jumps.get(index, ()), strict=False):
            target = functions[jump % len(functions)]
            graph.on(function, outcome, target, at_most=1, otherwise=following)
    return graph.compile()


graphs = st.builds(
    chain,
    st.lists(st.from_regex(r"[a-zé_]{1,20}", fullmatch=True), min_size=1, max_size=9, unique=True),
    st.dictionaries(st.integers(0, 8), st.lists(st.integers(0, 8), max_size=3), max_size=9),
)


@settings(deadline=None)
@given(graphs)
def test_a_text_drawing_names_every_edge_and_leads_each_line_to_its_target(graph):
    lines = graph.draw("ascii").splitlines()

    assert max(map(len, lines)) <= 100
    assert sum(" → " in line for line in lines) == len(graph.edges)
    assert all(line == line.rstrip() for line in lines)
    for line in lines:
        assert ("┼" not in line and "─" not in line) or " → " in line or "◀" in line


LINE = re.compile(
    r'flowchart TD|  subgraph p\d+\["[^"]*"\]|  end|(  )+n_\w+(\["[^"]*"\]|\(\["[^"]*"\]\))'
    r'|  n_\w+ (-->|==>|-\.->)\|"[^"]+"\| n_\w+|  classDef \w+ [\w:#,.-]+|  class [\w,]+ \w+'
)


@settings(deadline=None)
@given(graphs)
def test_a_flowchart_draws_every_edge_once_with_ids_that_are_no_keywords(graph):
    lines = graph.to_mermaid().splitlines()

    assert all(LINE.fullmatch(line) for line in lines)
    assert sum("|" in line for line in lines) == len(graph.edges)


def test_rails_without_room_are_left_out_and_the_targets_stay():
    name = "a_node_with_a_name_so_long_that_there_is_no_room_at_all_for_any_rails_at_the_right_of_it_{}"
    graph = chain([name.format(letter) for letter in "abcdefgh"], {7: (0, 1, 2), 6: (0, 1, 3), 5: (2, 4, 0)})

    lines = graph.draw("ascii").splitlines()

    assert max(map(len, lines)) > 100
    assert "◀" not in "".join(lines)
    assert sum(" → " in line for line in lines) == len(graph.edges)
