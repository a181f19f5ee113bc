"""The example of the README shows what it is for."""

import json


def test_the_example_is_a_session_with_everything_that_matters(example):
    lines = [json.loads(line) for line in example.read_text(encoding="utf-8").splitlines()]
    blocks = [
        block
        for line in lines
        if line["type"] in {"user", "assistant"} and isinstance(line["message"]["content"], list)
        for block in line["message"]["content"]
    ]
    results = [block for block in blocks if block["type"] == "tool_result"]

    assert example.stat().st_size < 400_000
    assert sum(len(block["content"]) > 8000 for block in results) >= 5
    assert any(block.get("is_error") for block in results)
    assert any("\u4e00" <= character <= "\u9fff" for block in results for character in block["content"])


def test_the_command_of_the_readme_prunes_and_folds_and_fits(cli, example):
    document = cli("assemble", example, "--window", 8000, "--json").document
    report = document["report"]

    assert len(cli("assemble", example, "--json").document["history"]["messages"]) >= 60
    assert report["compaction"]["pruned"]
    assert report["compaction"]["summary"]["outcome"] == "accepted"
    assert report["tokens"]["total"] <= report["tokens"]["limit"] == 6000


def test_the_rule_of_the_user_survives_the_fold_word_for_word(cli, example):
    model_input = cli("assemble", example, "--window", 8000, "--json").document["model_input"]

    assert "Never restart the payment service without asking me first." in json.dumps(model_input)


def test_the_report_says_what_happened(cli, example):
    out = cli("assemble", example, "--window", 8000).out

    for word in ("claude-code · 65 messages", "restore → ", "pruned", "folded", "m0", "turngraph output show", "fits"):
        assert word in out
    assert "顺便告诉我仓库接口现在恢复了没有" in out
