"""Where the body, the report and the AssemblyResult go, for each combination of options."""

import json

import pytest


def is_result(text):
    return set(json.loads(text)) >= {"version", "ok", "model_input", "report", "error"}


def is_openai_body(text):
    body = json.loads(text)
    return "messages" in body and "version" not in body


def test_alone_it_prints_the_report(cli, chat):
    ran = cli("assemble", chat)

    assert ran.code == 0
    assert "openai-chat · 2 messages" in ran.out
    assert "fits" in ran.out
    assert ran.err == ""


def test_json_prints_the_result(cli, chat):
    ran = cli("assemble", chat, "--json")

    assert ran.code == 0
    assert is_result(ran.out)
    assert ran.out.count("\n") == 1


def test_to_prints_the_body(cli, chat):
    ran = cli("assemble", chat, "--to", "openai")

    assert ran.document == {"messages": [{"role": "system", "content": "You help."}, {"role": "user", "content": "hi"}]}


def test_to_anthropic_prints_that_providers_body(cli, chat):
    body = cli("assemble", chat, "--to", "anthropic").document

    assert body["system"]
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_to_with_json_alone_prints_the_body(cli, chat):
    assert is_openai_body(cli("assemble", chat, "--to", "openai", "--json").out)


def test_to_with_out_writes_the_body_and_prints_the_report(cli, chat, tmp_path):
    out = tmp_path / "body.json"
    ran = cli("assemble", chat, "--to", "openai", "--out", out)

    assert is_openai_body(out.read_text())
    assert "fits" in ran.out
    assert str(out) in ran.err


def test_to_with_out_and_json_writes_the_body_and_prints_the_result(cli, chat, tmp_path):
    out = tmp_path / "body.json"
    ran = cli("assemble", chat, "--to", "openai", "--out", out, "--json")

    assert is_openai_body(out.read_text())
    assert is_result(ran.out)


def test_out_writes_the_result_and_prints_the_report(cli, chat, tmp_path):
    out = tmp_path / "result.json"
    ran = cli("assemble", chat, "--out", out)

    assert is_result(out.read_text())
    assert "fits" in ran.out


def test_out_with_json_writes_and_prints_the_result(cli, chat, tmp_path):
    out = tmp_path / "result.json"
    ran = cli("assemble", chat, "--out", out, "--json")

    assert json.loads(out.read_text()) == ran.document


def test_a_failure_with_to_prints_the_result(cli, chat):
    ran = cli("assemble", chat, "--to", "openai", "--window", 12)

    assert ran.code == 1
    assert ran.document["error"]["code"] == "fixed_part_over_limit"


def test_a_failure_with_to_and_out_writes_no_body(cli, chat, tmp_path):
    out = tmp_path / "body.json"
    ran = cli("assemble", chat, "--to", "openai", "--out", out, "--window", 12, "--json")

    assert ran.code == 1
    assert is_result(ran.out)
    assert not out.exists()


def test_a_failure_with_out_writes_the_result(cli, chat, tmp_path):
    out = tmp_path / "result.json"
    ran = cli("assemble", chat, "--out", out, "--window", 12)

    assert ran.code == 1
    assert json.loads(out.read_text())["ok"] is False
    assert "fixed_part_over_limit" in ran.out
    assert "fixed_part_over_limit" in ran.err


def test_a_failure_prints_the_report_up_to_the_failing_node(cli, chat):
    ran = cli("assemble", chat, "--window", 12)

    assert ran.code == 1
    assert "measure → FAILED" in " ".join(ran.out.split())


def test_an_out_that_cannot_be_written_is_usage(cli, chat, tmp_path):
    ran = cli("assemble", chat, "--out", tmp_path / "no" / "where.json", "--json")

    assert ran.code == 2
    assert ran.document["error"]["code"] == "usage"


def test_an_unknown_body_format_is_refused_before_anything_is_read(cli, tmp_path):
    ran = cli("assemble", tmp_path / "missing.json", "--to", "gemini", "--json")

    assert ran.code == 2
    assert ran.document["error"]["code"] == "unknown_format"


def test_the_same_call_prints_the_same_report(cli, example):
    first, second = (cli("assemble", example, "--window", 8000).out for _ in range(2))

    assert first == second


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_of_the_report_is_wider_than_the_terminal(cli, example, monkeypatch, columns):
    from rich.cells import cell_len

    monkeypatch.setenv("COLUMNS", str(columns))
    lines = cli("assemble", example, "--window", 8000).out.splitlines()

    assert max(map(cell_len, lines)) <= columns
    assert not [line for line in lines if line != line.rstrip()]


def test_a_piped_report_has_no_control_sequences(cli, example, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert "\x1b" not in cli("assemble", example, "--window", 8000).out
