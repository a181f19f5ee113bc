"""Folding: which steps a checkpoint replaces, what is carried over, what the history looks like afterwards."""

import pytest

from turngraph import Budget, History, Message
from turngraph.testing import ScriptedSummarizer

from .helpers import SUMMARY, assembler, budget, call, codes, history, pairing, steps, texts

MARK = "[turngraph summary checkpoint]"


def fold(limit, asked, *replies, **more):
    done = assembler(limit, *(replies or [SUMMARY]), store=False, **more).assemble(asked)
    return done, done.report.as_json()["compaction"]


def shape(messages) -> list[str]:
    return ["checkpoint" if message.name == "summary" else message.id for message in messages]


def chat(count: int, characters: int = 400) -> History:
    return history(
        [
            Message.user(f"m{n} " + "u" * characters) if n % 2 == 0 else Message.assistant(f"m{n} " + "a" * characters)
            for n in range(count)
        ]
    )


@pytest.mark.parametrize(("count", "covered"), [pytest.param(49, 0, id="pln-1"), pytest.param(50, 30, id="pln-2")])
def test_the_message_guard_acts_at_its_trigger_and_keeps_the_newest(count, covered):
    guard = {"compaction_trigger_messages": 50, "compaction_keep_messages": 20}
    done, record = fold(100_000, chat(count), **guard)

    assert len(record["summary"]["covered"]) == covered
    assert record["reason"] == ("message-count" if covered else "none")
    assert len(done.history) == (count - covered + 1 if covered else count)


def test_fifty_small_messages_in_a_large_window_are_left_alone():  # asm-7: folded in the reference
    asked = chat(50, 1)

    done, record = fold(100_000, asked)

    assert (record["reason"], done.history == asked) == ("none", True)
    assert Budget().compaction_trigger_messages == 2000


def test_the_message_guard_cuts_at_the_end_of_a_step_and_keeps_the_newest_step():  # pln-4
    calls = Message.assistant("", calls=[call(f"p{n}").calls[0] for n in range(25)])
    batch = [calls, *[Message.tool(f"p{n}", "r") for n in range(25)]]
    asked = history(list(chat(29)), batch)

    done, record = fold(100_000, asked, compaction_trigger_messages=50, compaction_keep_messages=20)

    assert record["reason"] == "message-count"
    assert pairing(done.model_input.messages) == []
    assert len(texts(done.model_input.messages, "tool")) == 25


def test_the_retained_suffix_is_the_longest_run_that_costs_at_most_its_share():  # pln-6
    # retain is 16 percent of 3000, 480 tokens; a step costs 266: one fits, a second does not
    done, record = fold(3000, history("task", steps(10, 1000)))

    assert shape(done.history)[-2:] == ["m19", "m20"]
    assert "m19" not in record["summary"]["covered"]


def test_one_step_alone_is_never_folded():  # pln-7
    asked = history("x" * 9900)

    done, record = fold(3000, asked)

    assert (record["reason"], record["summary"]["outcome"], done.history == asked) == ("pressure", "none", True)


def test_what_lies_in_the_retained_suffix_is_left_alone_under_the_limit():  # pln-8
    asked = history("u" * 9200, Message.assistant("x"), Message.assistant("y"))

    done, record = fold(3000, asked)

    assert (record["summary"]["attempts"], done.history == asked) == (0, True)


def test_an_open_call_does_not_keep_what_surrounds_it_from_being_folded():  # pln-9
    asked = history("t", steps(4, 1000), call("open"), steps(6, 1000, first=4))

    done, record = fold(3000, asked)

    assert {"m1", "m8"} < set(record["summary"]["covered"])
    assert shape(done.history)[:3] == ["m0", "checkpoint", "m9"]
    assert codes(done).count("CALL_UNANSWERED") == 1


def test_an_open_call_at_the_very_beginning_blocks_nothing():  # pln-10
    asked = history(call("open"), steps(10, 1000))

    done, record = fold(3000, asked)

    assert record["summary"]["outcome"] == "accepted"
    assert shape(done.history)[:2] == ["checkpoint", "m0"]
    assert pairing(done.model_input.messages) == []


def test_a_newest_open_call_stays_in_a_forced_pass():  # cpt-8
    from turngraph import Recovery

    asked = history("task", steps(8, 800), call("pending"))
    made = assembler(3000, SUMMARY, store=False)

    done = made.assemble(asked, recovery=Recovery())

    assert shape(done.history)[-1] == "m17"
    assert done.report.as_json()["compaction"]["summary"]["outcome"] == "accepted"


def test_the_latest_step_keeps_its_call_while_older_work_is_folded():  # cpt-9
    from turngraph.testing import MemoryOutputStore

    asked = history(
        "task", Message.assistant("old finding " * 1500), [call("latest"), Message.tool("latest", "r " * 9000)]
    )
    made = assembler(6000, SUMMARY, outputs=MemoryOutputStore(), compaction_tool_preview_bytes=256)

    done = made.assemble(asked)

    assert shape(done.history) == ["m0", "checkpoint", "m2", "m3"]
    assert "[tool output shortened: ref=" in done.history[3].text


def test_a_fold_inside_one_long_request_leaves_the_request_verbatim():  # B022, B179
    task = "cross-check this proposal against our docs: PROPOSAL-BODY"

    done, record = fold(3000, history(task, steps(12, 1000)))

    assert record["summary"]["outcome"] == "accepted"
    assert texts(done.model_input.messages)[0] == task


def test_the_request_under_work_is_the_newest_prompt_not_the_first():  # B113
    asked = history("Compare the remaining options.", steps(9, 1000), "Stop that. Keep the rollout notes instead.")

    done, record = fold(3000, asked)

    assert texts(done.model_input.messages)[-1] == "Stop that. Keep the rollout notes instead."
    assert record["summary"]["prompts_kept"] == ["m0"]


def test_steers_belong_to_the_request_that_they_steer():
    from turngraph import Origin

    steer = Message.user("only the tests", origin=Origin("steer"))

    done, _ = fold(3000, history("old", Message.assistant("x" * 2000), "task", steer, steps(9, 1000)))

    assert texts(done.model_input.messages)[:2] == ["task", "only the tests"]


def test_a_standing_checkpoint_of_the_older_spelling_is_replaced():  # chk-3, chk-7
    old = Message.user(
        "[ScienceAgent summary checkpoint]\n<durable_context_data>\n## Conversation summary so far\nhello\nworld\n"
        "</durable_context_data>",
        name="summary",
    )
    scripted = ScriptedSummarizer([SUMMARY])

    done = assembler(3000, summarizer=scripted, store=False).assemble(history("task", old, steps(10, 1000)))

    assert "hello\nworld" in scripted.requests[0].previous.sections["Completed work and verified findings"]
    assert done.report.as_json()["compaction"]["summary"]["replaced"] == "m1"
    assert shape(done.history).count("checkpoint") == 1


def test_a_message_that_only_quotes_the_marker_is_no_checkpoint():  # chk-5
    asked = history(f"{MARK}\nwhat does this line mean?", Message.assistant("x"), "next")

    done, _ = fold(3000, asked)

    assert texts(done.model_input.messages)[0].endswith("what does this line mean?")


def test_there_is_one_checkpoint_however_often_the_history_is_folded():  # B151, B022
    made = assembler(3000, summarizer=ScriptedSummarizer([SUMMARY] * 40), store=False)
    kept = history("the rules hold")
    replaced: list[str] = []
    for number in range(30):
        done = made.assemble(kept.extend(steps(1, 1000, first=number)))
        kept = done.history
        record = done.report.as_json()["compaction"]["summary"]
        replaced += [record["replaced"]] if record["replaced"] else []
        assert shape(kept).count("checkpoint") <= 1
        assert done.report.path.count("prune") <= 1
    assert len(replaced) > 2
    assert texts(kept)[0] == "the rules hold"


def test_a_folded_history_assembles_to_the_same_input_again():  # B134
    made = assembler(3000, SUMMARY, store=False)
    first = made.assemble(history("task", steps(10, 1000)))

    again = made.assemble(History(list(first.history)))

    assert list(again.model_input.messages) == list(first.model_input.messages)
    assert again.model_input.system == first.model_input.system


def test_what_is_covered_is_exactly_what_is_gone():  # B145, B149
    asked = history("a", Message.assistant("b" * 1200), "c", steps(7, 1000), "e")

    done, record = fold(3000, asked)

    gone = [message.id for message in asked if message.id not in {kept.id for kept in done.history}]
    assert gone == record["summary"]["covered"]
    kept = [message for message in done.history if message.name != "summary"]
    assert kept == [message for message in asked if message.id not in gone]
    assert kept == list(asked)[-len(kept) :]  # a suffix without holes


def test_ids_of_folded_messages_are_never_given_again():
    done, record = fold(3000, history("task", steps(10, 1000)))

    grown = done.history.append(Message.user("next"))
    assert grown[-1].id not in record["summary"]["covered"]
    assert len({message.id for message in grown}) == len(grown)


def test_a_checkpoint_is_hidden_data_of_the_user_role():  # B116
    done, _ = fold(3000, history("task", steps(10, 1000)))

    checkpoint = done.history[1]
    assert (checkpoint.role, checkpoint.name, checkpoint.hidden) == ("user", "summary", True)
    assert '<checkpoint authority="data_only">' in checkpoint.text


@pytest.mark.parametrize("limit", range(2000, 9000, 700))
def test_a_cut_never_divides_a_call_from_its_result(limit):  # B001, B149
    interrupted = [call("c1"), Message.tool("c1", "[interrupted before completion]", is_error=True)]
    asked = history(
        "task",
        interrupted,
        "continue",
        Message.assistant("ok " * 300),
        steps(5, 1200),
        "now list files",
        steps(6, 900, first=20),
    )

    done, _ = fold(limit, asked)

    assert pairing(done.model_input.messages) == []
    assert pairing(done.history) == []
    assert done.report.total_tokens <= limit
    assert done.model_input.messages[0].role == "user"


def test_the_lines_of_a_budget_are_what_the_report_says():
    done, _ = fold(3000, history("task"))

    tokens = done.report.as_json()["tokens"]
    assert (tokens["limit"], tokens["pressure_line"]) == (3000, 2400)
    assert budget(3000).retain_tokens == 480
