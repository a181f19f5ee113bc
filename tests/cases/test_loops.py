"""Field reports on loops: one pass a turn, no repetition without progress, bounded calls in every case."""

import pytest

from turngraph import Message
from turngraph.nodes.summarisers import ScriptedReply
from turngraph.testing import MemoryOutputStore, ScriptedSummarizer

from .helpers import SUMMARY, assembler, call, history, pairing, steps, texts

PRESSURE = ("prune", "select", "summarise", "judge", "fold")


def endless(reply, count: int = 200) -> ScriptedSummarizer:
    return ScriptedSummarizer([reply] * count)


def test_a_successful_pass_is_not_followed_by_a_second_one_in_the_same_turn():  # B007
    asked = history("task", steps(9, 4500))
    scripted = endless(SUMMARY)

    done = assembler(7000, summarizer=scripted, store=False).assemble(asked)

    assert len(scripted.requests) == 1
    assert done.report.path.count("prune") == 1
    assert pairing(done.model_input.messages) == []


def test_a_fixed_part_over_the_pressure_line_does_not_start_a_loop():  # B018
    scripted = endless("short summary")
    made = assembler(6000, summarizer=scripted, store=False)
    kept = history(Message.system("policy " * 2900), "task", Message.assistant("done"))
    for number in range(6):
        done = made.assemble(kept)
        kept = done.history.extend([Message.user(f"go {number}"), Message.assistant("ok")])
        assert done.report.path.count("prune") <= 1

    assert len(scripted.requests) == 0


@pytest.mark.parametrize(
    ("system", "tools"), [("policy " * 4000, []), ("", [{"name": "t", "description": "d " * 20_000}])]
)
def test_a_fixed_part_over_the_limit_fails_before_any_call(system, tools):  # B018, B126
    scripted = endless(SUMMARY)

    failed = assembler(6000, summarizer=scripted).attempt(
        history(Message.system(system or "s"), "explore"), tools=tools
    )

    assert failed.error.code == "fixed_part_over_limit"
    assert failed.error.details["by_source"]["system" if system else "tools"] > 6000
    assert scripted.requests == []


def test_a_reserve_that_leaves_next_to_nothing_is_named_in_the_failure():  # asm-5, B126
    from turngraph import Assembler, Budget

    made = Assembler(budget=Budget(model_max_tokens=100, output_reserve_tokens=90), summarizer=endless(SUMMARY))

    failed = made.attempt(history("a long current request that cannot be silently removed"))

    assert failed.error.code == "fixed_part_over_limit"
    assert failed.error.details["limit"] == 10
    assert failed.error.details["total"] > 10
    assert "output_reserve_tokens" in failed.error.message


def test_a_large_newest_result_is_shortened_and_later_turns_do_not_ask_again():  # B019
    scripted = endless(SUMMARY)
    made = assembler(5000, summarizer=scripted, outputs=MemoryOutputStore())
    kept = history("old", Message.assistant("old"), "read it", [call("c1"), Message.tool("c1", "row " * 6000)])
    for number in range(5):
        done = made.assemble(kept)
        kept = done.history.extend([Message.user(f"and {number}?"), Message.assistant("ok")])
        assert done.report.total_tokens <= 5000

    assert scripted.requests == []
    assert "[tool output shortened: ref=" in texts(kept, "tool")[0]


def test_a_summariser_that_always_fails_costs_one_call_a_source():  # B020
    scripted = endless(ScriptedReply(error="server_error"))
    asked = history("t", steps(9, 1000))

    done = assembler(3000, summarizer=scripted, store=False).assemble(asked)

    record = done.report.as_json()["compaction"]["summary"]
    assert (len(scripted.requests), record["outcome"], record["attempts"]) == (1, "kept", 1)
    assert record["rejections"] == [{"attempt": 1, "reason": "error"}]
    assert done.history == asked


@pytest.mark.parametrize("size", [pytest.param(1000, id="B022"), pytest.param(600, id="B157")])
def test_every_call_of_a_long_loop_inside_one_turn_fits(size):
    made = assembler(3000, summarizer=endless(SUMMARY), store=False)
    kept = history("one long autonomous request")
    for number in range(60):
        done = made.assemble(kept)
        assert done.report.total_tokens <= 3000
        assert texts(done.model_input.messages)[0] == "one long autonomous request"
        assert pairing(done.model_input.messages) == []
        kept = done.history.extend(steps(1, size, first=number))


def test_summaries_that_save_next_to_nothing_do_not_repeat():  # B028, B151
    scripted = endless("y" * 6000)
    made = assembler(3000, summarizer=scripted, store=False, compaction_summary_retries=0, summary_fallback="none")
    kept = history("task", steps(9, 1000))
    for number in range(20):
        done = made.attempt(kept)
        kept = done.history.append(Message.user(f"turn {number}"))

    assert len(scripted.requests) <= 3
    assert done.report.as_json()["compaction"]["after"] == done.report.total_tokens


def test_the_size_after_a_pass_is_counted_anew_from_what_is_sent():  # B028, B029
    done = assembler(3000, SUMMARY, store=False).assemble(history("task", steps(9, 1000)))
    again = assembler(3000, store=False).assemble(done.history)

    assert done.report.as_json()["compaction"]["after"] == again.report.as_json()["compaction"]["before"]


def test_a_long_answer_that_fits_starts_nothing():  # B029: what a call once used is not what the next one costs
    asked = history("q", Message.assistant("a" * 200_000))

    done = assembler(100_000).assemble(asked)

    assert done.report.as_json()["compaction"]["reason"] == "none"


def test_one_large_prompt_is_a_clear_failure_not_a_cut():  # B177
    failed = assembler(2000, summarizer=endless(SUMMARY)).attempt(
        history("old", Message.assistant("a"), "pasted " * 5000)
    )

    assert failed.error.code == "fixed_part_over_limit"
    assert failed.error.details["anchor"] > 2000


def test_encrypted_reasoning_of_old_steps_is_no_floor():  # B165
    from turngraph import Reasoning, Text

    def thought(number):
        return Message(role="assistant", content=(Reasoning(encrypted="A7x" * 800), Text(f"ok {number}")))

    scripted = endless(SUMMARY)
    made = assembler(6000, summarizer=scripted, store=False)
    kept = history("t", [thought(number) for number in range(12)])
    for number in range(4):
        done = made.assemble(kept)
        kept = done.history.append(Message.user(f"go {number}"))
        assert done.report.total_tokens <= 6000
        assert done.report.path.count("prune") <= 1

    assert len(scripted.requests) <= 2


def test_a_batch_larger_than_the_kept_tail_does_not_start_a_pass_every_turn():
    from turngraph import ToolCall

    ids = [f"p{number}" for number in range(8)]
    batch = [
        Message.assistant("", calls=[ToolCall(id=name, name="f", arguments={}) for name in ids]),
        *[Message.tool(name, "r" * 3000) for name in ids],
    ]
    made = assembler(7000, summarizer=endless(SUMMARY), store=False)
    kept, passes = history("task", batch), 0
    for number in range(6):
        done = made.assemble(kept)
        passes += done.report.path.count("prune")
        kept = done.history.append(Message.user(f"{number}"))

    assert passes <= 1


def test_a_pass_under_the_limit_never_touches_the_cached_prefix_for_little():  # field lessons: few big jumps
    made = assembler(
        10_000, summarizer=endless(SUMMARY), outputs=MemoryOutputStore(), compaction_tool_preview_bytes=256
    )
    kept, freed = history("task"), []
    for number in range(60):
        record = (done := made.assemble(kept)).report.as_json()["compaction"]
        if record["reason"] != "none":
            freed.append(record["before"] - record["after"])
        kept = done.history.extend(steps(1, 2000, first=number))

    assert len(freed) <= 12
    assert min(freed) >= 500
