"""Why is it not, or not wholly, in the input: right reasons, in order, for everything that is missing."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph import Attachment, Contribution, History, MemoryOutputStore, Message, Origin, Section, ToolCall
from turngraph.graph.trace import check_document
from turngraph.graph.trace.document import Turn, document_of, passages_of
from turngraph.graph.trace.encoding import Encoder
from turngraph.graph.trace.explain import explain
from turngraph.state.checkpoint import Checkpoint, checkpoint_message
from turngraph.state.formats import message_to_json
from turngraph.testing import ScriptedSummarizer

from .runs import GOOD, NOW, assembler, session


def document(assembly, **facts):
    about = Turn(context_id="c", number=1, exported_at=NOW, **facts)
    return check_document(json.loads(b"".join(document_of(about, passages_of(assembly)[-1], Encoder()))))


def told(assembly, item, **facts):
    return [(reason.stage, reason.code, reason.effect) for reason in explain(document(assembly, **facts), item)]


WHOLE = ("emit", "WHOLE", "whole")


# ---- contributions


def test_a_section_that_went_in_whole():
    assembly = assembler().assemble(session(1), sections=[Section(id="a", slot="footer", content="x")])

    assert told(assembly, "a") == [("render", "WHOLE", "whole")]


def test_a_section_that_was_shortened_or_dropped_says_how_much():
    assembly = assembler(prompt_budget_chars=150, section_max_chars=100).assemble(
        session(1),
        sections=[
            Section(id="cut", slot="task_state", content="x" * 500),
            Section(id="cut-too", slot="working_context", content="y" * 500),
            Section(id="gone", slot="footer", content="z" * 500),
        ],
    )
    shown = document(assembly)

    (cut,) = explain(shown, "cut")
    assert (cut.stage, cut.code, cut.effect) == ("admit", "CONTEXT_SECTION_TRUNCATED", "shortened")
    assert cut.facts == {"wanted": 500, "got": 100}
    assert "500" in cut.text
    assert "100" in cut.text
    (gone,) = explain(shown, "gone")
    assert (gone.code, gone.effect, gone.facts) == ("CONTEXT_SECTION_DROPPED", "missing", {"wanted": 500, "got": 0})


def test_a_section_of_another_scope():
    assembly = assembler().assemble(
        session(1), sections=[Section(id="a", slot="footer", content="x", scopes=("reviewer", "subagent"))]
    )

    (reason,) = explain(document(assembly), "a")
    assert (reason.code, reason.effect) == ("OTHER_SCOPE", "missing")
    assert "reviewer, subagent" in reason.text
    assert "main" in reason.text


def test_what_is_empty_has_nothing_to_show():
    assembly = assembler().assemble(
        session(1),
        sections=[Section(id="blank", slot="footer", content="")],
        attachments=[Attachment(id="nil", source="s", content="")],
    )

    assert told(assembly, "blank") == [("admit", "EMPTY", "missing")]
    assert told(assembly, "nil") == [("admit", "EMPTY", "missing")]


def test_an_attachment_is_asked_for_by_its_id_or_its_message():
    assembly = assembler(attachment_max_chars=100, data_budget_chars=130).assemble(
        session(1),
        attachments=[
            Attachment(id="cut", source="s", content="x" * 300),
            Attachment(id="gone", source="s", content="x" * 300),
        ],
    )

    for prefix in ("", "attachment:"):
        assert told(assembly, f"{prefix}cut") == [("admit", "CONTEXT_ATTACHMENT_TRUNCATED", "shortened")]
        assert told(assembly, f"{prefix}gone") == [("admit", "CONTEXT_ATTACHMENT_DROPPED", "missing")]


def test_a_contributed_message_that_was_too_many():
    assembly = assembler(max_contributed_messages=1).assemble(
        session(1), messages=[Message.user("old"), Message.user("new", id="mine")]
    )

    assert told(assembly, "contributed:0") == [("admit", "CONTEXT_MESSAGES_DROPPED", "missing")]
    assert told(assembly, "mine") == [WHOLE]


class Failing:
    id = "failing"

    def __init__(self, required):
        self.required = required

    def contribute(self, request):
        raise RuntimeError("out of order")


class Fine:
    id = "fine"

    def contribute(self, request):
        return Contribution()


def test_a_contributor_that_failed_says_why_and_whether_it_had_to():
    assembly = assembler(contributors=[Failing(required=False), Fine()]).assemble(session(1))
    (reason,) = explain(document(assembly), "failing")

    assert (reason.stage, reason.code, reason.effect) == ("collect", "CONTRIBUTOR_FAILED", "missing")
    assert "RuntimeError: out of order" in reason.text
    assert "optional" in reason.text
    assert told(assembly, "fine") == [("collect", "CONTRIBUTED", "whole")]
    needed = assembler(contributors=[Failing(required=True)]).attempt(session(1))
    assert [code for _, code, _ in told(needed, "failing")] == ["CONTRIBUTOR_FAILED", "NOT_SENT"]


# ---- the history


def pressed(**options):
    return assembler(window=3000, compaction_tool_preview_bytes=256, compaction_retain_percent=40, **options).assemble(
        session(14)
    )


def test_a_pruned_body_names_the_reference_and_what_was_freed():
    assembly = pressed(summarizer=None)
    entry = assembly.report.pruned[0]
    reason = explain(document(assembly), entry.message)[0]

    assert (reason.stage, reason.code, reason.effect) == ("prune", "PRUNED", "shortened")
    assert reason.facts == {"ref": entry.ref, "before": entry.before, "after": entry.after}
    assert entry.ref in reason.text


def test_a_message_that_was_pruned_then_folded_has_both_reasons_in_order():
    assembly = pressed(summarizer=ScriptedSummarizer([GOOD]))
    folded = assembly.report.folded
    both = next(item.message for item in assembly.report.pruned if item.message in folded.covered)

    first, second = explain(document(assembly), both)
    assert (first.stage, second.stage) == ("prune", "fold")
    assert (second.code, second.effect) == ("FOLDED", "missing")
    assert second.facts["checkpoint"] == folded.checkpoint_id
    assert assembly.stored[second.facts["ref"]].count("part ") > 0
    assert folded.checkpoint_id in second.text


def test_a_folded_prompt_says_that_it_is_quoted():
    history = [*session(10), Message.assistant("so far"), Message.user("go on")]
    assembly = assembler(window=3000, store=False, summarizer=ScriptedSummarizer([GOOD])).assemble(history)
    assert assembly.report.folded.prompts_kept == ("m0",)

    (reason,) = explain(document(assembly), "m0")
    assert "quotes it word for word" in reason.text
    assert "ref" not in reason.facts


def test_a_folded_prompt_without_room_says_so():
    rounds = [(Message.user(f"rule {n} " + "word " * 60), Message.assistant("ok " * 100)) for n in range(40)]
    history = [*[message for pair in rounds for message in pair], Message.user("go on")]
    assembly = assembler(
        window=4000, store=False, summarizer=ScriptedSummarizer([GOOD]), compaction_keep_prompts_percent=1
    ).assemble(history)
    omitted = assembly.report.folded.prompts_omitted
    assert omitted

    (reason,) = explain(document(assembly), omitted[0])
    assert "no room to quote it" in reason.text


def test_a_message_that_an_earlier_turn_folded_leads_to_the_standing_checkpoint():
    build = assembler(window=3000, store=False, summarizer=ScriptedSummarizer([GOOD]))
    first = build.assemble(session(10))
    later = assembler(window=30_000).assemble(first.history.append(Message.user("and now?")))

    assert told(first, "m3") == [("fold", "FOLDED", "missing")]
    (reason,) = explain(document(later), "m3")
    assert (reason.code, reason.effect) == ("FOLDED_BEFORE", "missing")
    assert reason.facts == {"checkpoint": first.report.folded.checkpoint_id}


def test_the_checkpoint_itself_is_whole():
    assembly = pressed(summarizer=ScriptedSummarizer([GOOD]))
    (reason,) = explain(document(assembly), assembly.report.folded.checkpoint_id)

    assert reason.effect == "whole"
    assert f"{len(assembly.report.folded.covered)} messages" in reason.text


def test_a_replaced_checkpoint_says_by_which():
    build = assembler(window=3000, store=False, summarizer=ScriptedSummarizer([GOOD, GOOD]))
    first = build.assemble(session(10))
    grown = first.history.extend(session(10, prompt="more"))
    second = build.assemble(grown)
    old, new = first.report.folded.checkpoint_id, second.report.folded.checkpoint_id
    assert second.report.folded.replaced == old

    (reason,) = explain(document(second), old)
    assert reason.text == f"Checkpoint {old} was replaced by checkpoint {new}, which takes over what it said"


def test_a_message_left_out_by_the_window_names_the_bound():
    assembly = assembler(window=30_000, window_messages=5).assemble(session(8))
    (reason,) = explain(document(assembly), "m3")

    assert (reason.stage, reason.code, reason.effect) == ("window", "CONTEXT_HISTORY_WINDOWED", "missing")
    assert "windowMessages = 5" in reason.text
    assert "29,500 tokens" in reason.text


def test_a_body_that_an_earlier_turn_shortened_still_has_its_reference():
    first = pressed(summarizer=None)
    later = assembler(window=3000).assemble(list(first.history)[-4:])
    shown = document(later)
    message = next(m for m in later.history if m.result and "shortened: ref=" in m.text)
    (reason,) = explain(shown, message.id)

    assert (reason.code, reason.effect) == ("SHORTENED_BEFORE", "shortened")
    assert reason.facts["ref"] in message.text


def test_leading_system_text_is_in_the_prompt():
    assembly = assembler().assemble([Message.system("You help."), Message.user("hi")])

    assert told(assembly, "m0") == [("render", "WHOLE", "whole")]
    assert told(assembly, "history.system") == [("render", "WHOLE", "whole")]


def test_what_no_provider_may_see_says_why():
    history = [
        Message.user("go"),
        Message.tool("nobody", "an orphan"),
        Message.assistant(calls=[ToolCall(id="a", name="f", arguments={})]),
        Message.user("meanwhile"),
        Message.tool("a", "late"),
    ]
    assembly = assembler().assemble(history)

    assert told(assembly, "m1") == [("compose", "PROJECTION_REPAIRED", "missing")]
    assert told(assembly, "m4") == [("compose", "PROJECTION_REPAIRED", "changed")]


def test_results_of_renamed_calls_are_sent_otherwise_than_they_stand():
    twins = [ToolCall(id="same", name="f", arguments={}), ToolCall(id="same", name="g", arguments={})]
    assembly = assembler().assemble(
        [Message.user("go"), Message.assistant(calls=twins), Message.tool("same", "1"), Message.tool("same", "2")]
    )

    assert told(assembly, "m1") == [("compose", "PROJECTION_REPAIRED", "changed")]
    assert told(assembly, "m3") == [("compose", "PROJECTION_REPAIRED", "changed")]


def test_repairs_that_the_report_does_not_list_are_explained_all_the_same():
    history = [Message.user("go"), *[Message.tool(f"x{number}", "orphan") for number in range(80)]]
    assembly = assembler().assemble(history)
    shown = document(assembly)

    assert {reason.effect for number in range(1, 81) for reason in explain(shown, f"m{number}")} == {"missing"}


def test_a_call_without_result_and_what_stands_in_for_it():
    history = [
        Message.user("go"),
        Message.assistant(calls=[ToolCall(id="a", name="f", arguments={}), ToolCall(id="b", name="g", arguments={})]),
        Message.tool("b", "done"),
    ]
    assembly = assembler().assemble(history)

    assert ("compose", "CALL_UNANSWERED", "changed") in told(assembly, "a")
    assert told(assembly, "b")[0] == WHOLE
    (reason,) = explain(document(assembly), "m1.no-result.a")
    assert "stands in for a result that is missing" in reason.text


# ---- stored outputs


def test_a_reference_leads_to_the_message_that_it_was_taken_from():
    assembly = pressed(summarizer=ScriptedSummarizer([GOOD]))
    entry = assembly.report.pruned[0]

    assert [reason.item for reason in explain(document(assembly), entry.ref)] == [entry.message] * 2


def test_a_reference_of_a_whole_result_says_that_it_is_whole():
    store = MemoryOutputStore()
    ref = store.put("whole body")
    call = ToolCall(id="a", name="f", arguments={})
    assembly = assembler().assemble(
        [Message.user("go"), Message.assistant(calls=[call]), Message.tool("a", "whole body", ref=ref)]
    )

    assert told(assembly, ref) == [WHOLE]


def test_the_reference_of_the_folded_text_leads_to_the_checkpoint():
    assembly = pressed(summarizer=ScriptedSummarizer([GOOD]))
    shown = document(assembly)
    folded = assembly.report.folded
    ref = explain(shown, folded.covered[0])[-1].facts["ref"]
    (reason,) = explain(shown, ref)

    assert (reason.item, reason.code) == (folded.checkpoint_id, "FOLDED")
    assert reason.text.startswith(f"{ref} holds what was folded into checkpoint {folded.checkpoint_id}")


# ---- nothing sent, shadow, unknown


def test_nothing_is_in_an_input_that_was_not_sent():
    failed = assembler(prompt_budget_chars=10).attempt(
        session(1), sections=[Section(id="law", slot="governance", content="x" * 50, protected=True)]
    )
    shown = document(failed)

    for item in ("law", "m0", "m2"):
        (reason,) = explain(shown, item)
        assert (reason.stage, reason.code, reason.effect) == ("admit", "NOT_SENT", "missing")
        assert "protected_over_budget" in reason.text


def test_in_shadow_the_candidate_is_explained_and_it_is_said():
    legacy = assembler(window=30_000).assemble(session(8))
    candidate = assembler(window=30_000, window_messages=5).assemble(session(8))
    about = Turn(context_id="c", number=1, exported_at=NOW, mode="shadow", candidate=passages_of(candidate)[-1])
    shown = json.loads(b"".join(document_of(about, passages_of(legacy)[-1], Encoder())))

    assert [reason.code for reason in explain(shown, "m3")] == ["SHADOW", "CONTEXT_HISTORY_WINDOWED"]
    assert [reason.code for reason in explain(shown, "m15")] == ["SHADOW", "WHOLE"]


@pytest.mark.parametrize(
    "item", ["", "m99", "nobody", "tool-output-" + "0" * 32, "a\0b", "x" * 10_000, "m" + "9" * 400]
)
def test_what_the_trace_does_not_know_has_no_reasons(item):
    assert explain(document(assembler().assemble(session(2))), item) == []


def test_a_reason_is_json():
    reason = explain(document(assembler().assemble(session(1))), "m0")[0]

    assert json.loads(json.dumps(reason.as_json())) == {
        "item": "m0",
        "stage": "emit",
        "code": "WHOLE",
        "effect": "whole",
        "text": "Message m0 is in the input whole",
        "facts": {},
    }


# ---- everything that is missing has a reason

STAGES = ["collect", "admit", "render", "prune", "fold", "compose", "window", "validate", "emit"]


def exchange(number, shape, size):
    """An assistant message with two calls, and what came back."""
    calls = [ToolCall(id=f"c{number}{k}", name="f", arguments={"text": "w" * size if k else "x"}) for k in "ab"]
    results = [Message.tool(call.id, f"{number} " + "word " * (size // 5)) for call in calls]
    shapes = {
        "plain": results,
        "swapped": results[::-1],
        "open": results[:1],
        "none": [],
        "late": [Message.user("meanwhile", origin=Origin("steer")), *results],
        "twice": [*results, results[0]],
    }
    return [Message.assistant(f"step {number}", calls=calls), *shapes[shape]]


CHUNKS = st.one_of(
    st.tuples(st.sampled_from(["plain", "swapped", "open", "none", "late", "twice"]), st.integers(0, 3000)),
    st.sampled_from(["prompt", "assistant", "system", "empty", "orphan", "injection", "checkpoint"]),
)


def messages_of(chunks):
    out = [Message.user("the first prompt")]
    for number, chunk in enumerate(chunks):
        if isinstance(chunk, tuple):
            out += exchange(number, *chunk)
            continue
        out.append(
            {
                "prompt": Message.user(f"prompt {number}"),
                "assistant": Message.assistant(f"thought {number}"),
                "system": Message.system(f"note {number}"),
                "empty": Message.user(""),
                "orphan": Message.tool(f"o{number}", "orphan"),
                "injection": Message.user("<system-reminder>", origin=Origin("injection"), hidden=True),
                "checkpoint": dataclasses.replace(
                    checkpoint_message(Checkpoint(sections={"Next step": "go"}), id="", covered_last_number=-1), id=""
                ),
            }[chunk]
        )
    return out


@settings(max_examples=120)
@given(
    chunks=st.lists(CHUNKS, max_size=25),
    lead=st.booleans(),
    window=st.sampled_from([1200, 2500, 6000, 100_000]),
    store=st.booleans(),
    summarizer=st.sampled_from(["good", "none", "extractive"]),
    bound=st.sampled_from([{}, {"window_messages": 4}, {"window_rounds": 1}]),
)
def test_every_message_that_is_not_sent_as_it_was_given_has_a_reason(*, chunks, lead, window, store, summarizer, bound):
    """And one that is sent as it was given has none: it is whole."""
    history = History([*([Message.system("You help.")] if lead else []), *messages_of(chunks)])
    build = assembler(
        window=window,
        reserve=200,
        store=store,
        compaction_tool_preview_bytes=128,
        summarizer={"good": ScriptedSummarizer([GOOD] * 9), "none": None, "extractive": ...}[summarizer],
        max_contributed_messages=1,
        **bound,
    )
    assembly = build.attempt(history, messages=[Message.user("note one"), Message.user("note two")])
    shown = document(assembly)
    sent = {m["id"]: m for m in (shown["llmInput"] or {"messages": []})["messages"]}

    for message in history:
        reasons = explain(shown, message.id)
        effects = [reason.effect for reason in reasons]
        stages = [STAGES.index(reason.stage) for reason in reasons if reason.code != "NOT_SENT"]
        assert reasons, message
        assert all(reason.text and reason.item == message.id for reason in reasons)
        assert stages == sorted(stages)
        if assembly.ok and (message.id in sent or message.id in leading(history)):
            given_json = json.loads(json.dumps(message_to_json(message)))
            if message.id in leading(history) or sent[message.id] == given_json:
                moved = [reason.text.endswith("moved behind its call") for reason in reasons]
                assert effects == ["whole"] or moved == [True], (message, reasons)
            else:
                assert set(effects) & {"shortened", "changed"}, (message, reasons)
        else:
            assert "missing" in effects, (message, reasons)


def leading(history):
    return {message.id for message in history[: history.lead]}
