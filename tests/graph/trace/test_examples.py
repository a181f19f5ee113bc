"""The three examples are the same bytes everywhere, and show what they are for.

After a change that alters them on purpose: `turngraph trace examples --out tests/graph/trace/goldens`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from turngraph.graph.trace import check_document, read_trace, summary_of, write_examples
from turngraph.graph.trace.explain import explain

GOLDENS = Path(__file__).parent / "goldens"
NAMES = ["contributions.json", "pressure.json", "recovery.json"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return {path.name: path.read_bytes() for path in write_examples(tmp_path_factory.mktemp("examples"))}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_byte_for_byte_the_one_that_is_kept(written, name):
    assert written[name] == (GOLDENS / name).read_bytes()


def test_there_are_three(written):
    assert sorted(written) == NAMES == sorted(path.name for path in GOLDENS.iterdir())


def test_surroundings_do_not_matter(tmp_path):
    env = os.environ | {
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "TURNGRAPH_MODEL_MAX_TOKENS": "900000",
        "SCIENCE_AGENT_CONTEXT_WINDOW_ROUNDS": "1",
        "TURNGRAPH_TRACE": "0",
        "SCIENCE_AGENT_CONTEXT_EXAMPLE_DIR": str(tmp_path / "deep" / "er"),
    }
    code = "import sys; from turngraph.graph.command import run; sys.exit(run(['trace', 'examples', '--json']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[3], env=env, capture_output=True, text=True, check=True
    )

    paths = [Path(path) for path in json.loads(done.stdout)["written"]]
    assert [path.name for path in paths] == NAMES
    assert all(path.read_bytes() == (GOLDENS / path.name).read_bytes() for path in paths)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_trace_without_durations(name):
    document = read_trace(GOLDENS / name)

    assert {frame["durationUs"] for frame in document["graph"]} == {0}
    assert {item["durationMs"] for item in document["collection"]["contributors"]} <= {0}
    assert check_document(document) is document


def test_the_first_shows_losses_at_the_budgets_a_failure_and_a_redacted_secret():
    text = (GOLDENS / "contributions.json").read_text(encoding="utf-8")
    summary = summary_of(json.loads(text))

    assert {item["id"]: item["effect"] for item in summary["sections"]} == {
        "history.system": "whole",
        "rules": "whole",
        "glossary": "shortened",
        "notebook.rules": "whole",
        "style": "shortened",
        "review": "missing",
    }
    assert {item["id"]: item["effect"] for item in summary["attachments"]} == {"shop": "whole", "page": "shortened"}
    assert [item["status"] for item in summary["contributors"]] == ["contributed", "failed"]
    assert "[redacted:api-key]" in text
    assert "sk-example" not in text


def test_the_second_shows_every_way_to_be_missing():
    document = read_trace(GOLDENS / "pressure.json")
    summary = summary_of(document)
    codes = {
        reason.code
        for item in [*summary["folded"]["covered"], *summary["windowed"]]
        for reason in explain(document, item)
    }

    assert codes == {"PRUNED", "FOLDED", "CONTEXT_HISTORY_WINDOWED"}
    assert [
        stage["after"] for stage in summary["stages"] if stage["node"] in ("measure", "prune", "fold", "window")
    ] == (
        sorted(
            [stage["after"] for stage in summary["stages"] if stage["node"] in ("measure", "prune", "fold", "window")]
        )
    )[::-1]


def test_the_third_is_a_forced_pass():
    document = read_trace(GOLDENS / "recovery.json")

    assert document["recovery"] == {"attempt": 1, "reason": "model-input-overflow"}
    assert document["renderedContext"]["compaction"]["reason"] == "forced"
    before = next(frame["tokens"] for frame in document["graph"] if frame["node"] == "measure")
    assert document["renderedContext"]["statistics"]["tokens"]["total"] < before
