"""The error shapes kept beside the project, when they are there: every row right, with and without its hints."""

import json
from pathlib import Path

import pytest

from turngraph.nodes.providers import classify, facts_from_json

CASES = Path(__file__).parents[4] / "shared" / "cases" / "provider_errors.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text("utf-8").split("\n") if line] if CASES.exists() else []


def given(row, *, hints):
    said = {"body": row["body"]} if row.get("body") is not None else {"message": row["message_example"]}
    source = "tool" if row["provider"].startswith("tool ") else None
    known = {"status": row["http_status"], **said}
    if hints:
        return {**known, "provider": row["provider"], "code": row.get("code"), "type": row.get("type")}
    return {**known, "source": source}


@pytest.mark.skipif(not ROWS, reason="the cases are not beside the project")
@pytest.mark.parametrize("hints", [True, False], ids=["hints", "bare"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_case_is_classified_as_it_says(row, hints):
    got = classify(facts_from_json(given(row, hints=hints)))
    assert (got.error_class, got.trigger) == (row["class"], row["trigger"]), got.rule
    if "parse" in row:
        assert dict(got.parsed) == row["parse"]
