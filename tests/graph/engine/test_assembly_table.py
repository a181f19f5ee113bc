"""The numbers promised for the assembly graph hold for its edge table with stub nodes."""

import pytest


@pytest.mark.parametrize("retries", [0, 1, 2, 5, 10])
def test_a_run_executes_at_most_51_nodes_and_2_more_per_summary_retry(assembly, budget, retries):
    worst = assembly.worst_case(budget(compaction_summary_retries=retries))

    assert (worst.nodes, worst.exact) == (51 + 2 * retries, True)


@pytest.mark.parametrize("retries", [0, 1, 2, 5, 10])
def test_a_run_asks_for_at_most_3_summaries_and_one_more_per_retry_and_calls_the_model_twice(assembly, budget, retries):
    worst = assembly.worst_case(budget(compaction_summary_retries=retries))

    assert (worst.by_node["summarise"], worst.by_node["call"]) == (3 + retries, 2)


def test_without_a_budget_the_declared_upper_limit_counts(assembly, budget):
    assert assembly.worst_case() == assembly.worst_case(budget(compaction_summary_retries=10))


def test_all_proofs_hold(assembly):
    proofs = assembly.check()

    assert [(proof.name, proof.ok) for proof in proofs] == [
        ("outcomes", True),
        ("reachability", True),
        ("loops", True),
        ("worst_case", True),
        ("guards", True),
        ("assignment", True),
        ("cover", True),
    ]


def test_the_longest_run_can_be_run(assembly, budget, script):
    fixed = ["Staged", "Collected", "Admitted", "Rendered"]
    first_pass = "Insufficient Selected TooLong Selected Drafted Rejected Drafted Rejected Extracted Folded Changed"
    second_pass = "Insufficient Selected Drafted Rejected Extracted Folded Changed"
    words = ["Restored", "Counted", *fixed, "Pressed", *first_pass.split(), *fixed, "Fits", "Composed", "Narrowed"]
    words += [*fixed, "Fits", "Composed", "Windowed", "Valid", "Ready", "Overflowed", "Forced"]
    words += [*second_pass.split(), *fixed, "Fits", "Composed", "Windowed", "Valid", "Ready", "Overflowed"]

    run = assembly.run({"budget": budget(compaction_summary_retries=1)}, script(words))

    assert (len(run.frames), run.terminal.name) == (53, "FAILED")


def test_the_cover_takes_every_edge_when_its_scripts_are_run(assembly, budget, script):
    taken = set()
    for path in assembly.transition_cover():
        run = assembly.run({"budget": budget()}, script([outcome for _, outcome in path]))
        taken |= {(f.node, type(f.outcome).__name__ + "!" * f.exhausted) for f in run.frames}

    assert taken == {(edge.source, edge.name) for edge in assembly.edges}
    assert len(taken) == 45


def test_a_cover_script_names_the_node_before_each_outcome(assembly, budget, script):
    path = assembly.transition_cover()[0]

    run = assembly.run({"budget": budget()}, script([outcome for _, outcome in path]))

    assert list(run.path) == [node for node, _ in path]


@pytest.mark.parametrize("retries", [0, 3])
def test_the_retries_of_the_budget_in_the_state_bound_the_run(assembly, budget, script, retries):
    begin = [
        "Restored",
        "Counted",
        "Staged",
        "Collected",
        "Admitted",
        "Rendered",
        "Pressed",
        "Insufficient",
        "Selected",
    ]
    words = [*begin, *["Drafted", "Rejected"] * (retries + 1), "GaveUp", "Stuck"]

    run = assembly.run({"budget": budget(compaction_summary_retries=retries)}, script(words))

    rejections = [f.exhausted for f in run.frames if f.node == "judge"]
    assert rejections == [False] * retries + [True]


def test_the_drawn_graph_keeps_every_edge(assembly):
    assert len(assembly.edges) == 45
    assert len(assembly.nodes) == 20
