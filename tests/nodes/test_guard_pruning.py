"""What the guard cut at the entry, pruned later: a smaller preview of the same whole, nothing stored twice."""

import pytest

from tests.cases.helpers import assembler, call, history
from turngraph.nodes.guard import ToolOutputGuard
from turngraph.state.outputs import MemoryOutputStore, preview, read_page


@pytest.mark.parametrize("tool", ["grep", "run_python"])
def test_a_cut_result_is_pruned_to_the_preview_of_the_whole(tool):
    store = MemoryOutputStore()
    bodies = ["".join(f"{name} {number}\n" for number in range(5000)) for name in "abcdef"]
    guard = ToolOutputGuard(store, max_bytes=20_000)
    results = [guard.result(f"c{at}", body, tool=tool) for at, body in enumerate(bodies)]
    talk = [each for at, out in enumerate(results) for each in (call(f"c{at}", tool), out.message)]

    done = assembler(16_000, outputs=store).assemble(history("go", talk))

    kept = [message for message in done.model_input.messages if message.role == "tool"]
    assert kept[0].text == preview(bodies[0], results[0].ref, 2048)
    assert [message.result.ref for message in kept] == [out.ref for out in results]
    assert len(store.items) == 6
    assert read_page(store, kept[0].result.ref, lines=(4000, 4000)).text == "a 3999\n"
    again = assembler(16_000, outputs=store).assemble(done.history)
    assert [message.text for message in again.model_input.messages if message.role == "tool"] == [
        message.text for message in kept
    ]
