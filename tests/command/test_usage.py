"""Wrong usage, whoever notices it, is exit 2 and with `--json` one document."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import turngraph

ROOT = Path(turngraph.__file__).parents[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json"],
        ["fly", "--json"],
        ["assemble", "--json"],
        ["assemble", "a", "b", "--json"],
        ["assemble", "a", "--wings", "--json"],
        ["assemble", "a", "--window", "--json"],
        ["assemble", "a", "--json", "--window", "wide"],
        ["graph", "extra", "--json"],
        ["graph", "--budget", "--json"],
        ["schema", "--json"],
        ["output", "--json"],
        ["output", "hide", "--json"],
        ["output", "show", "--json"],
        ["explain-error", "--json"],
        ["doctor", "now", "--json"],
    ],
)
def test_wrong_usage_is_one_document_and_exit_2(cli, arguments):
    ran = cli(*arguments)

    assert ran.code == 2
    assert set(ran.document) == {"ok", "error"}
    assert ran.document["ok"] is False
    assert set(ran.document["error"]) == {"code", "message", "details"}
    assert ran.document["error"]["code"] == "usage"


@pytest.mark.parametrize("arguments", [[], ["fly"], ["assemble"], ["assemble", "a", "--wings"]])
def test_without_json_wrong_usage_is_said_on_stderr(cli, arguments):
    ran = cli(*arguments)

    assert ran.code == 2
    assert ran.out == ""
    assert "turngraph: usage: " in ran.err


def test_json_behind_two_dashes_is_a_file_name(cli):
    ran = cli("assemble", "--", "--json")

    assert ran.code == 2
    assert ran.out == ""


def test_the_version_is_printed(cli):
    assert cli("--version").out == f"turngraph {turngraph.__version__}\n"


@pytest.mark.parametrize("command", ["assemble", "graph", "schema", "output", "doctor", "explain-error"])
def test_every_command_has_help(cli, command):
    ran = cli(command, "--help")

    assert ran.code == 0
    assert "Usage" in ran.out


def test_every_command_takes_json(cli):
    for command in (["assemble"], ["graph"], ["schema"], ["output", "show"], ["doctor"], ["explain-error"]):
        assert "--json" in cli(*command, "--help").out


def started(*arguments, stdin=b"", **environment):
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-m", "turngraph", *arguments], input=stdin, capture_output=True, env=surroundings, check=False
    )


def test_the_module_is_the_command(tmp_path, chat):
    ran = started("assemble", str(chat), "--to", "openai", TURNGRAPH_DATA_DIR=str(tmp_path))

    assert ran.returncode == 0
    assert ran.stdout.startswith(b'{"messages":[')
    assert ran.stderr == b""


def test_exit_codes_reach_the_shell(tmp_path, chat):
    assert started("fly").returncode == 2
    assert started("assemble", str(chat), "--window", "12", TURNGRAPH_DATA_DIR=str(tmp_path)).returncode == 1


def test_documents_are_utf_8_and_reports_do_not_fail_in_a_poor_locale(tmp_path, example):
    poor = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "TURNGRAPH_DATA_DIR": str(tmp_path)}

    report = started("assemble", str(example), "--window", "8000", **poor)
    document = started("assemble", str(example), "--json", **poor)

    assert report.returncode == document.returncode == 0
    assert report.stdout.isascii()
    assert "库存".encode() in document.stdout


def test_a_closed_pipe_is_no_crash(tmp_path, example):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TURNGRAPH_DATA_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "turngraph", "assemble", str(example), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    process.stdout.read(10)
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()

    assert process.wait() == 1
    assert b"Traceback" not in complaint
