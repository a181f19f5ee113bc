"""Inputs that once broke an invariant, small."""

import pytest

from turngraph import (
    Assembler,
    BadRequest,
    Budget,
    History,
    Image,
    MemoryOutputStore,
    Message,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
)
from turngraph.testing import ScriptedModel, ScriptedSummarizer

from .oracle import pairing, well_formed
from .scenarios import GOOD_SUMMARY, VAGUE_OVERFLOW, Contributing, Panic, Plugged, Thirds
from .texts import FORGED_CHECKPOINT

SUMMARY = GOOD_SUMMARY


def budget(limit: int, **more: object) -> Budget:
    return Budget(model_max_tokens=limit + 1, output_reserve_tokens=1, **more)


def step(name: str, body: str, **more: object) -> list[Message]:
    return [
        Message.assistant(f"step {name}", calls=[ToolCall(id=name, name="read", arguments={})]),
        Message.tool(name, body, **more),
    ]


def test_a_checkpoint_that_a_newer_one_replaced_goes_with_the_next_fold():
    """It came to stand behind the new one and hid it."""
    old = Message.user(FORGED_CHECKPOINT, name="summary")
    history = History(
        [
            Message.user("the task"),
            *[message for n in range(6) for message in step(f"c{n}", "x" * 900)],
            old,
            old,
            Message.assistant("go on"),
        ]
    )
    done = Assembler(budget=budget(1200), summarizer=ScriptedSummarizer([SUMMARY] * 4), counter=Thirds()).assemble(
        history
    )
    summary = done.report.as_json()["compaction"]["summary"]

    assert {"m13", "m14"} <= set(summary["covered"])
    assert [message.name for message in done.model_input.messages].count("summary") == 1
    assert done.history.checkpoint() == done.history.find(done.report.folded.checkpoint_id)


def test_a_trailing_result_without_its_call_is_not_the_newest_step():
    """The real newest step was folded or left out in its favour."""
    history = History(
        [
            Message.user("the task"),
            *[message for n in range(8) for message in step(f"c{n}", "x" * 600)],
            Message.tool("nobody", "orphan"),
            Message.tool("nobody", "orphan"),
        ]
    )
    done = Assembler(budget=budget(900, window_messages=1), summarizer=None, counter=Thirds()).assemble(history)

    assert [message.id for message in done.model_input.messages][-2:] == ["m15", "m16"]


def test_two_folds_of_one_run_are_reported_as_one():
    """The forced pass overwrote what the pass before it had covered."""
    history = History(
        [
            Message.user("the task"),
            *[message for n in range(12) for message in step(f"c{n}", "x" * 900)],
            Message.assistant("newest"),
        ]
    )
    done = Assembler(
        budget=budget(4000),
        summarizer=ScriptedSummarizer([SUMMARY] * 4),
        counter=Thirds(),
        model=ScriptedModel([VAGUE_OVERFLOW, {"text": "done"}]),
    ).assemble(history)
    summary = done.report.as_json()["compaction"]["summary"]
    after = {message.id for message in done.history}

    assert [node for node in done.report.path if node == "fold"] == ["fold", "fold"]
    assert sorted(summary["covered"]) == sorted(message.id for message in history if message.id not in after)


def test_an_older_history_numbers_its_checkpoint_as_before_something_was_appended():
    messages = [Message.user("the task"), *[m for n in range(9) for m in step(f"c{n}", "x" * 900)]]
    early = History(messages)
    assembler = Assembler(budget=budget(2000), counter=Thirds())
    before = assembler.assemble(early).report.folded.checkpoint_id
    early.append(*[Message.user("more") for _ in range(10)])

    assert before == "m19"
    assert assembler.assemble(early).report.folded.checkpoint_id == before


def test_a_source_larger_than_the_summariser_takes_is_extracted_as_a_whole_when_no_summary_comes():
    """Of the part that it takes nothing smaller could be made: the history grew for ever behind the window."""
    history = History(
        [
            Message.user("the task"),
            *[message for n in range(40) for message in step(f"c{n}", f"finding {n} " * 20)],
            Message.assistant("newest"),
        ]
    )
    done = Assembler(budget=budget(2000), summarizer=Plugged([ValueError("down")], window=1500), counter=Thirds())
    first = done.assemble(history)
    summary = first.report.as_json()["compaction"]["summary"]

    assert summary["outcome"] == "fallback"
    assert len(summary["covered"]) > 60
    assert first.report.as_json()["window"]["removed"] == []


def test_a_source_bounded_by_the_summariser_is_offered_again_when_the_rest_behind_it_grew():
    plugged = Plugged([ValueError("down")], window=1500)
    assembler = Assembler(
        budget=budget(4000, compaction_pressure_percent=30, compaction_target_percent=20, compaction_retain_percent=5),
        summarizer=plugged,
        counter=Thirds(),
    )
    history = History([Message.user("the task"), *[m for n in range(16) for m in step(f"c{n}", "finding " * 30)]])
    history = assembler.assemble(history).history
    history = assembler.assemble(history.append(*step("d", "finding " * 30))).history
    assert len(plugged.requests) == 1
    history = history.append(*[m for n in range(6) for m in step(f"e{n}", "finding " * 30)])
    assembler.assemble(history)

    assert len(plugged.requests) == 2


def test_two_texts_of_one_result_are_left_as_they_are_where_nothing_is_shortened():
    """They were joined and reported as pruned, without a reference."""
    result = [Text("a\n"), Text("b\n"), Opaque(format="somewhere", value={"type": "odd", "value": "z" * 3000})]
    history = History(
        [
            Message.user("the task"),
            Message.assistant("", calls=[ToolCall(id="c", name="read", arguments={})]),
            Message.tool("c", result),
            Message.assistant("newest"),
        ]
    )
    assembler = Assembler(budget=budget(1200), outputs=MemoryOutputStore(), counter=Thirds(), summarizer=None)
    done = assembler.assemble(history)

    assert "prune" in done.report.path
    assert done.report.pruned == ()
    assert done.history[2].result.content == tuple(result)


def test_an_image_and_a_body_are_each_shortened_once():
    """The two previews together were taken for a body and shortened again."""
    image = Image(media_type="image/png", data="iVBORw0KGgo" * 900)
    history = History(
        [
            Message.user("the task"),
            Message.assistant("", calls=[ToolCall(id="c", name="read", arguments={})]),
            Message.tool("c", [image, Text("line of a body\n" * 900)]),
            Message.assistant("newest"),
        ]
    )
    store = MemoryOutputStore()
    assembler = Assembler(
        budget=budget(1700, compaction_tool_preview_bytes=600, summary_fallback="none"),
        outputs=store,
        counter=Thirds(),
        summarizer=None,
    )
    once = assembler.assemble(history).history
    grown = once.append(*step("d", "y" * 1500), *step("e", "z" * 1500), Message.assistant("newest"))
    again = assembler.assemble(grown).history

    assert len(store.items) > 2
    assert again[2] == once[2]
    assert [part.text.count("[tool output shortened") for part in once[2].result.content] == [1, 1]


@pytest.mark.parametrize("where", ["summarizer", "contributor"])
def test_a_panic_of_plugged_code_is_its_failure_not_ours(where):
    panic = Panic("index out of range")
    history = History([Message.user("the task"), *[m for n in range(9) for m in step(f"c{n}", "x" * 900)]])
    plugged = Plugged([panic]) if where == "summarizer" else ScriptedSummarizer([SUMMARY])
    contributors = [Contributing("one", panic)] if where == "contributor" else []
    done = Assembler(budget=budget(2000), counter=Thirds(), summarizer=plugged, contributors=contributors).assemble(
        history
    )
    codes = [item.code for item in done.report.diagnostics]

    assert ("SUMMARY_REJECTED" if where == "summarizer" else "CONTRIBUTOR_FAILED") in codes
    assert pairing(done.model_input.messages) == []


def test_lone_surrogates_go_nowhere_whatever_part_they_stand_in():
    odd = "a\ud800b"
    call = ToolCall(id=odd, name=odd, arguments={odd: None, "k": [odd]}, extras={"x": odd})
    history = History(
        [
            Message.user([Text(odd), Opaque(format="somewhere", value={odd: odd}), Image(url=odd)], name=odd),
            Message(role="assistant", content=(Reasoning(text=odd, signature=odd, id=odd), call), extras={"y": [odd]}),
            Message.tool(odd, [Text(odd), Reasoning(text=odd)]),
        ]
    )
    done = Assembler().assemble(history)
    shown = repr(done.model_input.as_json())

    assert "\\ud800" not in shown
    assert shown.count(well_formed(odd)) == 17


def test_two_keys_that_only_their_surrogates_told_apart_keep_both_values():
    call = ToolCall(id="c", name="t", arguments={chr(0xD800): 1, chr(0xD801): 2})
    history = History([Message.user("go"), Message.assistant("", calls=[call]), Message.tool("c", "ok")])

    assert sorted(history[1].calls[0].arguments.values()) == [1, 2]


def test_a_blank_contributed_message_is_left_out_and_reported():
    done = Assembler().assemble([Message.user("go")], messages=[Message.user(" \n"), Message.user("note")])

    assert [message.text for message in done.model_input.messages] == ["go", "note"]
    assert [item.code for item in done.report.diagnostics] == ["CONTEXT_MESSAGES_DROPPED"]


def test_a_result_without_its_call_can_be_read_again_when_it_is_folded():
    store = MemoryOutputStore()
    history = History(
        [
            Message.user("the task"),
            Message.tool("nobody", "the orphan says 4711"),
            *[message for n in range(8) for message in step(f"c{n}", "x" * 600)],
        ]
    )
    done = Assembler(
        budget=budget(1500), outputs=store, summarizer=ScriptedSummarizer([SUMMARY] * 2), counter=Thirds()
    ).assemble(history)

    assert "m1" in done.report.folded.covered
    assert any("the orphan says 4711" in text for text in store.items.values())


NESTED: dict = {}
for _ in range(300):
    NESTED = {"a": NESTED}


@pytest.mark.parametrize(
    ("value", "problem"),
    [(b"bytes", "bytes is no JSON value"), ({1, 2}, "set is no JSON value"), (NESTED, "nested deeper than 200 levels")],
)
def test_a_value_that_is_no_json_is_refused_when_it_is_handed_over_and_leaves_nothing_behind(value, problem):
    """The run failed as an internal defect, or by the recursion limit."""
    history = History([Message.user("go")])
    call = ToolCall(id="c", name="t", arguments={"x": value})

    with pytest.raises(BadRequest, match=rf"history.messages\[2\]: {problem}"):
        history.append(Message.user("first"), Message.assistant("", calls=[call]))

    assert [message.id for message in history.append(Message.user("next"))] == ["m0", "m1"]
    with pytest.raises(BadRequest, match=problem):
        Assembler().attempt(history, tools=[{"name": "t", "parameters": {"x": value}}])


def test_what_python_calls_json_becomes_json():
    """A number that is none made every turn fail."""
    call = ToolCall(id="c", name="t", arguments={"x": float("nan"), 7: (1, 2)})
    done = Assembler().assemble([Message.user("go"), Message.assistant("", calls=[call]), Message.tool("c", "ok")])

    assert dict(done.model_input.messages[1].calls[0].arguments) == {"x": None, "7": [1, 2]}
