"""What a careful client keeps goes out as it is, and what it hands over wrong is refused with all that is wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph import Assembler, Budget, BudgetInvalid, History, Message, ToolCall

from .histories import clean_histories, histories
from .oracle import pairing, split


@settings(max_examples=60)
@given(clean_histories())
def test_what_fits_goes_out_message_by_message_as_it_stands(messages):
    history = History(messages)
    done = Assembler(budget=Budget(model_max_tokens=10_000_000)).assemble(history)

    assert list(done.model_input.messages) == list(history)[history.lead :]
    assert done.model_input.system == "\n".join(message.text for message in messages if message.role == "system")
    assert done.history is history or done.history == history
    assert done.report.diagnostics == ()


@settings(max_examples=60)
@given(histories(12), st.integers(0, 30))
def test_any_cut_of_any_conversation_goes_out_well_formed(messages, cut):
    """For every possible cut: no orphan result, every call answered, results contiguous."""
    done = Assembler(budget=Budget(model_max_tokens=10_000_000)).attempt(History(messages[:cut]))

    assert done.ok or not split(messages[:cut]).steps or done.error.code == "validation_failed"
    if done.ok:
        assert pairing(done.model_input.messages) == []


@settings(max_examples=40)
@given(clean_histories(8), st.integers(0, 2**32))
def test_a_refused_message_leaves_no_part_of_its_batch_behind(messages, number):
    history = History(messages)
    before = list(history)
    bad = (Message.user("fine"), Message.tool("x", "fine"), Message.user("twice", id=history[0].id))

    with pytest.raises(Exception, match="already at position"):
        history.append(*bad)

    assert list(history) == before
    assert [message.id for message in history.append(Message.user("next"))][-1] == f"m{len(before)}"


NUMBERS = st.one_of(st.integers(-3, 3), st.integers(-(2**70), 2**70), st.integers(1, 200_000))
FIELDS = st.sampled_from(
    (
        "model_max_tokens",
        "output_reserve_tokens",
        "compaction_pressure_percent",
        "compaction_target_percent",
        "compaction_retain_percent",
        "compaction_keep_prompts_percent",
        "compaction_summary_retries",
        "compaction_trigger_messages",
        "compaction_keep_messages",
        "window_tokens",
    )
)


def made(values: dict[str, int]) -> tuple[Budget | None, BudgetInvalid]:
    try:
        return Budget(**values), BudgetInvalid("")
    except BudgetInvalid as error:
        return None, error


@settings(max_examples=200)
@given(st.dictionaries(FIELDS, NUMBERS, max_size=6))
def test_a_budget_is_refused_at_construction_or_leaves_room(values):
    budget, refused = made(values)
    if budget is None:
        named = {item["field"] for item in refused.details["problems"]}
        assert named
        assert all(name in str(refused) for name in named)
        return
    assert 0 < budget.limit_tokens <= budget.model_max_tokens - budget.output_reserve_tokens
    assert budget.target_tokens <= budget.pressure_tokens <= budget.limit_tokens
    assert budget.retain_tokens <= budget.pressure_tokens


def test_a_list_may_carry_its_own_ids_behind_messages_that_have_none():
    history = History([Message.system("new prompt"), Message.user("a", id="m0"), Message.user("b", id="m1")])

    assert [message.id for message in history] == ["m2", "m0", "m1"]


@pytest.mark.parametrize("settled", ["interim", "placeholder"])
def test_a_late_result_replaces_what_stood_in_its_place_also_among_parallel_calls(settled):
    from dataclasses import replace

    from turngraph import Origin

    stand_in = Message.tool("a", "still running", is_error=True)
    if settled == "interim":
        stand_in = replace(stand_in, content=(replace(stand_in.result, interim=True),))
    else:
        stand_in = replace(stand_in, origin=Origin("tool", {"placeholder": True}))
    calls = [ToolCall(id="a", name="build", arguments={}), ToolCall(id="b", name="test", arguments={})]
    history = History(
        [
            Message.user("go"),
            Message.assistant("", calls=calls),
            stand_in,
            Message.tool("b", "passed"),
            Message.assistant("waiting"),
            Message.tool("a", "built"),
        ]
    )
    done = Assembler().assemble(history)

    assert [message.text for message in done.model_input.messages] == ["go", "", "built", "passed", "waiting"]
    assert done.history == history
