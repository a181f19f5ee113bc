"""Steps: one assistant message with its results, or one other message; and what of them a provider sees."""

import itertools

import pytest

from turngraph import History, Message, Origin, ToolCall, ToolResult
from turngraph.testing import ScriptedSummarizer

from .helpers import SUMMARY, assembler, call, codes, history, pairing, steps, texts

NOTE = Origin("injection")


def two(*names: str) -> Message:
    return Message.assistant("", calls=[ToolCall(id=name, name="f", arguments={}) for name in names])


def sizes(found: History):
    return [(len(step.positions), step.closed) for step in found.steps()]


def sent(found: History):
    done = assembler(10_000).assemble(found)
    assert pairing(done.model_input.messages) == []
    return done


def test_a_call_with_its_result_is_one_closed_step():  # unit-1
    assert sizes(history([call("a"), Message.tool("a", "r")], Message.assistant("t"))) == [(2, True), (1, True)]


def test_a_step_with_an_unanswered_call_is_open():  # unit-3
    assert sizes(history([two("a", "b"), Message.tool("a", "r")], "x")) == [(2, False), (1, True)]


def test_a_second_result_of_one_call_is_never_sent():  # unit-5, B096
    asked = history("q", [call("a"), Message.tool("a", "r"), Message.tool("a", "r")], "go on")

    done = sent(asked)

    assert texts(done.model_input.messages, "tool") == ["r"]
    assert codes(done) == ["PROJECTION_REPAIRED"]
    assert done.history == asked


def test_call_ids_that_are_empty_or_doubled_in_one_message_are_rewritten():  # unit-6, B096
    calls = two("dup", "dup", "")
    results = [Message.tool("dup", "1"), Message.tool("dup", "2"), Message.tool("", "3")]

    done = sent(history("q", [calls, *results], "go on"))

    ids = [item.id for item in done.model_input.messages[1].calls]
    assert (len(set(ids)), "" in ids) == (3, False)
    assert texts(done.model_input.messages, "tool") == ["1", "2", "3"]
    assert done.history[1] == calls.with_id("m1")


def test_the_same_id_in_another_step_is_another_call():
    asked = history("q", [call("call_0"), Message.tool("call_0", "1")], [call("call_0"), Message.tool("call_0", "2")])

    assert list(sent(asked).model_input.messages) == list(asked)


@pytest.mark.parametrize("order", list(itertools.permutations([1, 2, 3])))
def test_results_go_out_in_declared_order_whoever_finished_first(order):  # B094
    results = [Message.tool(f"c{number}", str(number)) for number in order]

    done = sent(history("q", [two("c1", "c2", "c3"), *results]))

    assert texts(done.model_input.messages, "tool") == ["1", "2", "3"]


def test_what_stands_between_two_results_goes_behind_them():  # B087, B088
    extra = Message.user("image content of c1", origin=NOTE)

    done = sent(history("q", [two("c1", "c2"), Message.tool("c1", "see image"), extra, Message.tool("c2", "a,b")]))

    assert texts(done.model_input.messages) == ["q", "", "see image", "a,b", "image content of c1"]


def test_a_late_result_moves_behind_its_call_and_nothing_is_made_up():  # B092, B005
    marker = Message.user("restart marker", origin=NOTE)
    asked = history("q", call("T"), marker, Message.tool("T", "aborted"), "go on")

    done = sent(asked)

    assert texts(done.model_input.messages) == ["q", "step T", "aborted", "restart marker", "go on"]
    assert done.history == asked


def test_a_call_without_a_result_gets_a_placeholder_that_claims_nothing():  # val-6, B089
    asked = history("q", [two("bash:0", "bash:1"), Message.tool("bash:0", "ok")], "next")

    done = sent(asked)

    placeholder = done.model_input.messages[3].result
    assert (placeholder.call_id, placeholder.is_error) == ("bash:1", True)
    assert "do not assume that it succeeded" in done.model_input.messages[3].text
    assert [item.id for item in done.report.diagnostics if item.code == "CALL_UNANSWERED"] == ["bash:1"]
    assert done.history == asked


@pytest.mark.parametrize("name", ["nowhere", ""])
def test_a_result_without_its_call_is_never_sent_and_reported(name):  # val-8, B013, B014
    done = sent(history("hi", Message.tool(name, "42")))

    assert texts(done.model_input.messages) == ["hi"]
    assert codes(done) == ["PROJECTION_REPAIRED"]


def test_a_result_before_its_call_is_an_orphan_and_the_call_is_open():  # val-5
    done = sent(history("q", Message.tool("a", "early"), call("a")))

    assert sorted(codes(done)) == ["CALL_UNANSWERED", "PROJECTION_REPAIRED"]
    assert "early" not in texts(done.model_input.messages)


def test_a_checkpoint_in_the_middle_of_an_exchange_leaves_the_exchange_whole():  # B005
    summary = Message.user("[turngraph summary checkpoint]\nstored mid-pair", name="summary")
    asked = history("task", call("c1"), summary, Message.tool("c1", "real result"), Message.assistant("ok"), "more")

    done = sent(asked)

    assert texts(done.model_input.messages, "tool") == ["real result"]
    assert "CALL_UNANSWERED" not in codes(done)


def test_only_the_newest_checkpoint_is_sent():  # B005
    first = Message.user("[turngraph summary checkpoint]\nfirst", name="summary")
    second = Message.user("[ScienceAgent summary checkpoint]\nsecond", name="summary")

    done = sent(history("task", first, Message.assistant("a"), second, Message.assistant("b")))

    assert [text.split("\n")[-1] for text in texts(done.model_input.messages)] == ["task", "a", "second", "b"]


def test_an_answer_far_from_its_call_is_found():  # B181
    notes = [Message.user(f"note {number}", origin=NOTE) for number in range(6)]
    asked = history("t", call("far"), notes, Message.tool("far", "r"), Message.assistant("ok " * 4000), "go on")

    done = assembler(3500, SUMMARY, store=False).assemble(asked)

    assert pairing(done.model_input.messages) == []
    assert "CALL_UNANSWERED" not in codes(done)


def test_a_real_result_replaces_a_placeholder_in_its_place():  # B092, B097
    interim = Message(role="tool", content=(ToolResult(call_id="c", content=Message.user("…").content, interim=True),))
    asked = history("q", call("c"), interim, "by the way", Message.assistant("yes"))
    waiting = sent(asked)

    done = sent(asked.append(Message.tool("c", "approved")))

    assert texts(waiting.model_input.messages, "tool") == ["…"]
    assert texts(done.model_input.messages, "tool") == ["approved"]


def test_an_open_call_outlives_every_fold_and_gets_its_late_result():  # B097
    scripted = ScriptedSummarizer([SUMMARY] * 20)
    made = assembler(3000, summarizer=scripted, store=False)
    kept = history("delete x", call("conf1", "request_confirmation"))
    for number in range(30):
        kept = made.assemble(kept.extend([Message.user(f"and {number}?"), Message.assistant("z " * 300)])).history

    done = made.assemble(kept.append(Message.tool("conf1", "approved")))

    assert len(scripted.requests) > 1
    assert pairing(done.model_input.messages) == []
    assert "approved" in texts(done.model_input.messages, "tool")
    assert "CALL_UNANSWERED" not in codes(done)


def test_when_all_fits_the_output_is_the_input():
    asked = history("a", Message.assistant("b"), steps(2, 10), "c")

    assert list(sent(asked).model_input.messages) == list(asked)
