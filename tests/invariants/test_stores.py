"""The output store may fail or hold something else: nothing is shortened then that cannot be read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph import Assembler, Budget, FileOutputStore, History, MemoryOutputStore, Message, ToolCall
from turngraph.state.errors import OutputRefMalformed

from .check_history import every_pruned_byte_can_be_read_again, what_left_the_history_is_what_the_checkpoint_covers
from .check_input import every_result_stands_behind_its_call_in_declared_order
from .scenarios import Scenario, run, scenarios
from .texts import text


class Failing(MemoryOutputStore):
    """Every n-th access raises."""

    def __init__(self, error: Exception, every: int) -> None:
        super().__init__()
        self.error, self.every, self.accesses = error, every, 0

    def _access(self) -> None:
        self.accesses += 1
        if self.every and self.accesses % self.every == 0:
            raise self.error

    def put(self, text, *, tool=None):
        self._access()
        return super().put(text, tool=tool)

    def get(self, ref):
        self._access()
        return super().get(ref)

    def contains(self, ref):
        self._access()
        return super().contains(ref)


@settings(max_examples=40)
@given(scenarios(), st.sampled_from((OSError("disk full"), ValueError("bad"), KeyError("x"))), st.integers(1, 4))
def test_a_store_that_fails_costs_no_turn_and_no_byte(scenario: Scenario, error: Exception, every: int) -> None:
    store = Failing(error, every)
    outcome = run(scenario, store=store)
    store.every = 0

    assert outcome.ok or outcome.assembly.error.code != "internal", outcome.assembly.error
    every_result_stands_behind_its_call_in_declared_order(outcome)
    every_pruned_byte_can_be_read_again(outcome)
    what_left_the_history_is_what_the_checkpoint_covers(outcome)


def test_a_reference_under_which_the_store_holds_another_text_is_not_trusted():
    ref = "tool-output-" + "ab" * 16
    body = "what the model saw\n" * 400
    store = MemoryOutputStore({ref: "the raw log, which the host keeps beside it"})
    history = History(
        [
            Message.user("go"),
            Message.assistant("", calls=[ToolCall(id="c", name="read", arguments={})]),
            Message.tool("c", body, ref=ref),
            Message.assistant("done"),
        ]
    )
    done = Assembler(
        budget=Budget(model_max_tokens=2001, output_reserve_tokens=1, compaction_tool_preview_bytes=200), outputs=store
    ).assemble(history)
    (pruned,) = done.report.pruned

    assert store.get(pruned.ref) == body
    assert done.history[2].result.ref == ref  # the host's own fact stays


def test_a_reference_under_which_the_store_holds_the_body_is_used():
    body = "what the model saw\n" * 400
    store = MemoryOutputStore()
    ref = store.put(body)
    history = History(
        [
            Message.user("go"),
            Message.assistant("", calls=[ToolCall(id="c", name="read", arguments={})]),
            Message.tool("c", body, ref=ref),
            Message.assistant("done"),
        ]
    )
    done = Assembler(
        budget=Budget(model_max_tokens=2001, output_reserve_tokens=1, compaction_tool_preview_bytes=200), outputs=store
    ).assemble(history)

    assert [item.ref for item in done.report.pruned] == [ref]
    assert len(store.items) == 1


@settings(max_examples=60)
@given(random=st.randoms(use_true_random=False), trick=st.sampled_from(("", "../", "tool-output-", "tool-output-../x")))
def test_no_text_but_a_reference_reaches_a_file(random, trick, tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    store = FileOutputStore(folder / "kept")
    ref = store.put("body")
    wrong = trick + text(random)[:60]
    if wrong == ref:
        return

    assert store.contains(wrong) is False
    with pytest.raises(OutputRefMalformed):
        store.get(wrong)
    assert {place.name for place in folder.iterdir()} == {"kept"}
