"""A writer into a folder of its own, and no surroundings."""

import json

import pytest

from turngraph.graph.trace import TraceSettings, TraceWriter

from .runs import NOW


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch, tmp_path):
    for name in ("TURNGRAPH_TRACE", "TURNGRAPH_TRACE_DIR", "SCIENCE_AGENT_CONTEXT_TRACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SCIENCE_AGENT_CONTEXT_TRACE_DIR", raising=False)
    monkeypatch.delenv("SCIENCE_AGENT_CONTEXT_EXAMPLE_DIR", raising=False)
    monkeypatch.setenv("TURNGRAPH_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def root(tmp_path):
    return tmp_path / "traces"


@pytest.fixture
def writer(root):
    return TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0))


@pytest.fixture
def traced(writer, root):
    """Write the trace of an assembly and give the document."""

    def trace(assembly, *, turn=1, file="turn-0001.json", **facts):
        problem = writer.write(assembly, turn=turn, context_id="c", exported_at=NOW, **facts)
        assert problem is None, problem
        return json.loads((root / "c" / file).read_bytes())

    return trace
