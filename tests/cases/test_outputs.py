"""Stored outputs: what the reader must do beyond the small cases of its own tests."""

import pytest

from turngraph import FileOutputStore
from turngraph.state.outputs import handle_read_tool_output
from turngraph.testing import MemoryOutputStore


def test_a_large_body_has_no_cap_and_its_last_line_is_reachable(tmp_path):  # rto-19
    store = FileOutputStore(tmp_path)
    body = "".join(f"line {number} {'x' * 90}\n" for number in range(50_000)) + "the end"

    ref = store.put(body)

    assert "the end" in handle_read_tool_output(FileOutputStore(tmp_path), {"ref": ref, "lines": "50001:50001"})
    assert "the end" in handle_read_tool_output(store, {"ref": ref, "query": "THE END"})


@pytest.mark.parametrize("option", [{"context_chars": 10}, {"max_matches": 1}, {"case_sensitive": True}])
def test_search_options_without_a_query_are_refused_in_words(option):  # rto-7
    store = MemoryOutputStore()

    answer = handle_read_tool_output(store, {"ref": store.put("x"), **option})

    assert "usage" in answer
    assert "query" in answer
