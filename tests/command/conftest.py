"""The command line in process: arguments and stdin in, exit code and bytes out."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from turngraph.graph.command import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "incident.jsonl"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def document(self):
        """The one document on stdout."""
        return json.loads(self.out)


class Stdin:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch, tmp_path):
    for name in ("NO_COLOR", "FORCE_COLOR", "TURNGRAPH_MODE", "TURNGRAPH_MODEL_MAX_TOKENS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TURNGRAPH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def cli(capsysbinary, monkeypatch):
    def call(*args, stdin=b""):
        if not isinstance(stdin, bytes):
            stdin = json.dumps(stdin).encode()
        monkeypatch.setattr(sys, "stdin", Stdin(stdin))
        capsysbinary.readouterr()
        code = run([str(arg) for arg in args])
        captured = capsysbinary.readouterr()
        return Ran(code, captured.out.decode(), captured.err.decode())

    return call


@pytest.fixture
def example():
    """The session of the README."""
    return EXAMPLE


@pytest.fixture
def chat(tmp_path):
    """A small OpenAI chat document in a file."""
    path = tmp_path / "chat.json"
    path.write_text(
        json.dumps({"messages": [{"role": "system", "content": "You help."}, {"role": "user", "content": "hi"}]})
    )
    return path


@pytest.fixture
def long_messages():
    """A chat that is far over a small window: thirty calls with results of 5 KB each."""
    messages = [{"role": "user", "content": "Never delete anything. Read the parts."}]
    for number in range(30):
        arguments = json.dumps({"part": number})
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"part {number}: " + "line of text\n" * 400}
        )
    return [*messages, {"role": "user", "content": "And now?"}]
