"""What a terminal sees: colours unless they are refused, progress only where it takes long."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import turngraph

pty = pytest.importorskip("pty")
ROOT = Path(turngraph.__file__).parents[1]


@pytest.fixture
def seen(tmp_path):
    """Run the command on a pseudo terminal and give what it showed."""

    def call(*arguments, **environment):
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment}
        command = [sys.executable, "-m", "turngraph", *map(str, arguments)]
        terminal, side = pty.openpty()
        process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=surroundings, cwd=tmp_path)
        os.close(side)
        shown = bytearray()
        while piece := _read(terminal):
            shown += piece
        os.close(terminal)
        process.wait()
        return shown.decode()

    return call


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_a_terminal_gets_colours(seen, example):
    assert "\x1b[1;32mEND" in seen("assemble", example, "--window", 8000)


def test_no_color_is_respected(seen, example):
    assert "\x1b" not in seen("assemble", example, "--window", 8000, NO_COLOR="1")


def test_a_stored_output_cannot_command_a_terminal(seen, tmp_path):
    from turngraph.state.outputs import FileOutputStore

    ref = FileOutputStore(tmp_path).put("before\x1b[2J\x1b]0;owned\x07after")
    shown = seen("output", "show", ref, "--outputs", tmp_path)

    assert "before\\x1b[2J" in shown
    assert "\x1b]0;" not in shown
