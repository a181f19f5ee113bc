"""Memory that reading takes, in multiples of the file."""

import json
import tracemalloc

import pytest

from turngraph.state.formats import read_path

SIZES = [1_200_000, pytest.param(5_000_000, marks=pytest.mark.slow)]


def chat(size):
    """Rounds of a prompt, a call and a result of 2,000 characters."""
    for number in range(size // 1_900):
        yield {"role": "user", "content": f"question {number} " + "word " * 40}
        arguments = json.dumps({"path": f"file-{number}"})
        entry = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": arguments}}
        yield {"role": "assistant", "content": None, "tool_calls": [entry]}
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} result " * 120}


def session(size):
    """The same as lines of a session, with what such files repeat beside it."""
    for number in range(size // 3_900):
        body = f"{number} result " * 150
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"path": "a"}}
        yield {"type": "assistant", "uuid": f"a{number}", "message": {"id": f"m{number}", "content": [call]}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": body}
        yield {"type": "user", "uuid": f"u{number}", "message": {"content": [result]}, "toolUseResult": {"out": body}}
        yield {"type": "progress", "sessionId": "s", "data": {"out": "x" * 300}}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("records", [chat, session])
@pytest.mark.parametrize("shape", ["lines", "document"])
def test_reading_stays_within_three_times_the_file(tmp_path, records, shape, size):
    path = tmp_path / "input"
    found = list(records(size))
    lines = [json.dumps(record) for record in found]
    if shape == "lines":
        path.write_text("\n".join(lines))
    else:
        path.write_text(json.dumps(found, indent=1))
    longest = max(len(line) for line in path.read_text().split("\n"))
    read_path(path)  # what is imported on the way is not the reading's

    tracemalloc.start()
    try:
        reading = read_path(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(reading.messages) > 500
    assert path.stat().st_size > size * 0.9
    assert peak <= 3 * path.stat().st_size + 2_048 * len(reading.messages) + 8 * longest
