"""What a terminal sees: colours unless they are refused, progress only where it takes long."""

import os
import sys
from pathlib import Path

import pytest

import turngraph

pty = pytest.importorskip("pty")
ROOT = Path(turngraph.__file__).parents[1]


def seen(*arguments, **environment):
    """Run the command on a pseudo terminal and give what it showed."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment}
    surroundings = {name: value for name, value in surroundings.items() if value is not None}
    command = [sys.executable, "-m", "turngraph", *map(str, arguments)]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, command, surroundings)
    shown = bytearray()
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.decode()


def test_a_terminal_gets_colours(example):
    assert "\x1b[1;32mEND" in seen("assemble", example, "--window", 8000)


def test_no_color_is_respected(example):
    assert "\x1b" not in seen("assemble", example, "--window", 8000, NO_COLOR="1")


def test_a_stored_output_cannot_command_a_terminal(tmp_path):
    from turngraph.state.outputs import FileOutputStore

    ref = FileOutputStore(tmp_path).put("before\x1b[2J\x1b]0;owned\x07after")
    shown = seen("output", "show", ref, "--outputs", tmp_path)

    assert "before\\x1b[2J" in shown
    assert "\x1b]0;" not in shown
