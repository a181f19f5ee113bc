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
        ["graph", "--json", "--budget"],
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


@pytest.fixture
def started(tmp_path):
    """Run the command in a process of its own, away from the tree: what is tested is what was imported here."""

    def call(*arguments, **environment):
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        command = [sys.executable, "-m", "turngraph", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, env=surroundings, cwd=tmp_path, check=False)

    return call


def test_the_module_is_the_command(started, chat):
    ran = started("assemble", chat, "--to", "openai")

    assert ran.returncode == 0
    assert ran.stdout.startswith(b'{"messages":[')
    assert ran.stderr == b""


def test_exit_codes_reach_the_shell(started, chat):
    assert started("fly").returncode == 2
    assert started("assemble", chat, "--window", 12).returncode == 1


def test_documents_are_utf_8_and_reports_do_not_fail_in_a_poor_locale(started, example):
    poor = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    report = started("assemble", example, "--window", 8000, **poor)
    document = started("assemble", example, "--json", **poor)

    assert report.returncode == document.returncode == 0
    assert report.stdout.isascii()
    assert "库存".encode() in document.stdout


def test_a_closed_pipe_is_no_crash(tmp_path, example):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "turngraph", "assemble", str(example), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
    )
    process.stdout.read(10)
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()

    assert process.wait() == 1
    assert b"Traceback" not in complaint
