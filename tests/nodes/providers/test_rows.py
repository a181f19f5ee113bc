"""The table of wordings in `rows.jsonl`: class, trigger and numbers, as written and in every disguise.

The wordings are those of the providers, with our own numbers, and paraphrases that no provider ever sent.
"""

import json
import re
from pathlib import Path

import pytest

from turngraph.nodes.providers import TRIGGERS, ErrorFacts, classify
from turngraph.nodes.providers.errors import FAULTS
from turngraph.nodes.providers.rules_use import USE

ROWS = [json.loads(line) for line in Path(__file__).with_name("rows.jsonl").read_text("utf-8").split("\n") if line]
PROVIDERS = ("openai", "anthropic", "acme-gateway", "bedrock", "my local server", None)
NUMBER = re.compile(r"(?<![\w.\-/\[:\"(])\d{4,7}(?![\w\-/:\"}.)])")


def facts(row, said=None, **known):
    said = row.get("said") if said is None else said
    text = said if isinstance(said, str) else ""
    body = None if isinstance(said, str) else said
    return ErrorFacts(status=row.get("status"), message=text, body=body, operation=row.get("operation"), **known)


def wrong(row, got):
    """Say what is wrong with an answer, if anything."""
    right = (row["class"], row.get("trigger", TRIGGERS[row["class"]]), row.get("parsed", dict(got.parsed)))
    found = (got.error_class, got.trigger, dict(got.parsed))
    return None if found == right else (row["said"], right, found, got.rule)


def all_wrong(rows, judge):
    return [line for line in (wrong(row, judge(row)) for row in rows) if line]


def inside(value, change):
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [inside(item, change) for item in value]
    return {key: inside(item, change) for key, item in value.items()} if isinstance(value, dict) else value


def name(row):
    return f"{row.get('status')}-{str(row['said'])[:40]}"


def test_the_table_is_large_and_every_wording_stands_in_it_once():
    said = [(row.get("status"), json.dumps(row["said"]), row.get("operation")) for row in ROWS]
    assert len(ROWS) >= 400
    assert len(said) == len(set(said))


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_a_wording_has_its_class_trigger_and_numbers(row):
    assert wrong(row, classify(facts(row))) is None


@pytest.mark.parametrize("change", [str.upper, str.lower], ids=["upper", "lower"])
def test_case_does_not_matter(change):
    rows = [row for row in ROWS if not isinstance(row["said"], str) or "{" not in row["said"]]
    assert all_wrong(rows, lambda row: classify(facts(row, inside(row["said"], change)))) == []


@pytest.mark.parametrize("separator", [",", " ", "_"], ids=["comma", "space", "underscore"])
def test_thousands_separators_do_not_matter(separator):
    rows = [row for row in ROWS if "(2013)" not in str(row["said"])]  # an error code has no thousands

    def judge(row):
        written = inside(row["said"], lambda text: NUMBER.sub(lambda n: f"{int(n[0]):,}".replace(",", separator), text))
        return classify(facts(row, written))

    assert all_wrong(rows, judge) == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_provider_does_not_matter(provider):
    assert all_wrong(ROWS, lambda row: classify(facts(row, provider=provider))) == []


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: {"error": {"message": text, "type": "error"}},
        lambda text: {"error": text},
        lambda text: {"detail": [{"msg": text, "input": "maximum context length exceeded"}]},
        lambda text: {
            "message": "Provider returned error",
            "metadata": {"raw": json.dumps({"error": {"message": text}})},
        },
        lambda text: f"data: {json.dumps({'error': {'message': text}})}\n\n",
        lambda text: f"Error: {json.dumps({'type': 'error', 'error': {'message': text}})}",
    ],
    ids=["nested", "string", "detail", "raw", "stream", "prefixed"],
)
def test_the_shape_of_the_body_does_not_matter(wrap):
    rows = [row for row in ROWS if isinstance(row["said"], str) and row.get("status", 200) >= 400]
    rows = [row for row in rows if row["said"].strip() and "<" not in row["said"]]
    assert len(rows) > 200
    assert all_wrong(rows, lambda row: classify(facts(row, wrap(row["said"])))) == []


def test_every_rule_decides_a_row():
    deciding = {classify(facts(row)).rule for row in ROWS}
    assert {rule.name for rule in (*USE, *FAULTS)} <= deciding


def test_every_class_is_in_the_table():
    assert {row["class"] for row in ROWS} == set(TRIGGERS)
