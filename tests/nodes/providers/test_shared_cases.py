"""The error shapes kept beside the project, when they are there: every row right, with and without its hints."""

import json
from pathlib import Path

import pytest

from turngraph.nodes.providers import classify, facts_from_json

FOLDER = Path(__file__).parents[4] / "shared" / "cases"


def lines_of(name):
    path = FOLDER / name
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line] if path.exists() else []


ROWS = lines_of("provider_errors.jsonl")
REPORTS = [row for row in lines_of("field_reports.jsonl") if row["kind"] == "error"]


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


@pytest.mark.skipif(not REPORTS, reason="the cases are not beside the project")
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["id"])
def test_a_reported_error_is_classified_as_its_checks_say(report):
    wanted = [check.partition("=")[2].removesuffix("_413") for check in report["checks"] if check.startswith("class=")]
    given_errors = report["minimal_input"].get("errors") or [report["minimal_input"]["error"]]
    found = [classify(facts_from_json(error)) for error in given_errors]
    assert [item.error_class for item in found] == wanted
    assert all(item.reason == "output_reserve" for item in found) == ("subreason=output_reserve" in report["checks"])
