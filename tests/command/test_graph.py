"""`turngraph graph` and `turngraph schema`."""

import json

import pytest
from jsonschema import Draft202012Validator

PROOFS = ["outcomes", "reachability", "loops", "worst_case", "guards", "assignment", "cover"]


def test_the_graph_is_drawn_in_every_format(cli):
    assert cli("graph").out.startswith("flowchart")
    assert cli("graph", "--format", "mermaid").out == cli("graph").out
    assert cli("graph", "--format", "dot").out.startswith("digraph")
    assert "measure" in cli("graph", "--format", "ascii").out


def test_the_json_of_the_graph_has_the_keys_of_the_contract(cli):
    document = cli("graph", "--json").document

    assert document == cli("graph", "--format", "json").document
    assert set(document) == {"nodes", "edges", "worst_case"}
    assert {frozenset(node) for node in document["nodes"]} == {frozenset({"name", "phase", "reads", "outcomes"})}
    assert {frozenset(edge) for edge in document["edges"]} == {frozenset({"source", "outcome", "target", "at_most"})}
    assert set(document["worst_case"]) >= {"nodes", "by_node"}


def test_the_proofs_hold(cli):
    ran = cli("graph", "--check", "--json")

    assert ran.code == 0
    assert ran.document["ok"] is True
    assert [proof["name"] for proof in ran.document["proofs"]] == PROOFS
    assert {frozenset(proof) for proof in ran.document["proofs"]} == {frozenset({"name", "ok", "detail"})}


def test_the_proofs_are_readable(cli):
    out = cli("graph", "--check").out

    assert "All proofs hold." in out
    assert all(name in out for name in PROOFS)


def test_a_budget_file_gives_the_bounds_their_numbers(cli, tmp_path):
    path = tmp_path / "budget.toml"
    path.write_text("compaction_summary_retries = 2\n")

    few = cli("graph", "--json", "--budget", path).document["worst_case"]["nodes"]

    assert few < cli("graph", "--json").document["worst_case"]["nodes"]
    assert few == 51 + 2 * 2


def test_a_proof_that_fails_exits_with_1(cli, monkeypatch):
    from turngraph.graph import assembly
    from turngraph.graph.engine import GraphError

    def broken():
        raise GraphError(graph="assembly", problems=["node 'prune' has no edge for Relieved"])

    monkeypatch.setattr(assembly, "assembly_graph", broken)

    ran = cli("graph", "--check", "--json")
    assert (ran.code, ran.document["ok"]) == (1, False)
    assert "Relieved" in ran.document["proofs"][0]["detail"]
    assert cli("graph", "--check").code == 1


@pytest.mark.parametrize("format", ["svg", "html"])
def test_a_format_of_a_later_version_is_refused_as_such(cli, format):
    ran = cli("graph", "--format", format, "--json")

    assert (ran.code, ran.document["error"]["code"]) == (2, "usage")
    assert "later version" in ran.document["error"]["message"]


@pytest.mark.parametrize("arguments", [["--format", "png"], ["--check", "--format", "dot"]])
def test_a_wrong_choice_is_usage(cli, arguments):
    assert cli("graph", *arguments, "--json").document["error"]["code"] == "usage"


@pytest.mark.parametrize("document", ["request", "result"])
def test_a_schema_is_printed_as_json(cli, document):
    printed = cli("schema", document).document

    Draft202012Validator.check_schema(printed)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["$id"] == f"urn:turngraph:schema:assembly-{document}:1"
    assert printed == cli("schema", document, "--json").document


def test_an_unknown_schema_is_usage(cli):
    ran = cli("schema", "journal", "--json")

    assert (ran.code, json.loads(ran.out)["error"]["code"]) == (2, "usage")
