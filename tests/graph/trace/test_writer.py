"""What a trace says, and that writing it never stands in the way of a turn."""

import asyncio
import dataclasses
import json
import subprocess
import sys
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from turngraph import (
    Attachment,
    Contribution,
    History,
    Message,
    ProtectedOverBudget,
    Recovery,
    Section,
    ToolCall,
    TurngraphError,
)
from turngraph.graph.trace import TraceSettings, TraceWriter
from turngraph.state.durable import PlanProgress
from turngraph.state.formats import message_from_json
from turngraph.testing import ScriptedModel, ScriptedSummarizer

from .runs import GOOD, NOW, OVERFLOW, assembler, session


def whole(document, entries="history"):
    """The history of a document, each message whole."""
    sent = {message["id"]: message for message in document["llmInput"]["messages"]}
    return [sent[item["id"]] if len(item) == 1 else item for item in document["renderedContext"][entries]]


# ---- what it says


def test_the_document_has_the_fields_of_schema_5(traced):
    document = traced(assembler().assemble(session(1)))

    assert list(document) == [
        "schemaVersion",
        "contextId",
        "turn",
        "exportedAt",
        "contextConfig",
        "selectedPath",
        "collection",
        "admitted",
        "renderedContext",
        "llmInput",
        "graph",
    ]
    assert document["schemaVersion"] == 5
    assert (document["contextId"], document["turn"]) == ("c", 1)
    assert document["exportedAt"] == "2026-03-14T15:09:26.535Z"
    assert document["selectedPath"] == "dynamic"
    assert list(document["renderedContext"]) == [
        "systemPrompt",
        "sectionIds",
        "history",
        "tools",
        "statistics",
        "diagnostics",
        "compaction",
    ]
    assert list(document["admitted"]) == ["sections", "attachments", "messages", "diagnostics"]


def test_the_input_is_what_the_assembly_gave(traced):
    assembly = assembler().assemble(session(3), tools=[{"name": "read", "parameters": {"type": "object"}}])

    assert traced(assembly)["llmInput"] == assembly.model_input.as_json()


def test_moments_of_any_zone_are_written_in_utc(writer, root):
    there = datetime(2026, 3, 14, 16, 9, 26, tzinfo=timezone(timedelta(hours=1)))
    writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=there)

    assert json.loads((root / "c" / "turn-0001.json").read_text())["exportedAt"] == "2026-03-14T15:09:26.000Z"


def test_the_budget_is_resolved_with_the_source_of_every_field(traced):
    config = traced(assembler(window=5000, window_rounds=3).assemble(session(1)))["contextConfig"]

    assert (config["mode"], config["scope"]) == ("dynamic", "main")
    assert config["budget"]["modelMaxTokens"] == 5000
    assert config["budget"]["windowRounds"] == 3
    assert config["budget"]["compactionPressurePercent"] == 80
    assert config["budget"]["windowMessages"] is None
    assert config["sources"]["modelMaxTokens"] == "argument"
    assert config["sources"]["compactionPressurePercent"] == "default"
    assert set(config["sources"]) <= set(config["budget"])


class Speaking:
    id = "speaking"

    def contribute(self, request):
        return Contribution(
            sections=(Section(id="said", slot="footer", content="hello"),),
            attachments=(Attachment(id="data", source="web", content="1 2 3"),),
            messages=(Message.user("a note"),),
        )


class Broken:
    id = "broken"
    required = False

    def contribute(self, request):
        raise RuntimeError("out of order")


def test_the_collection_and_what_was_admitted_of_it_are_told(traced):
    document = traced(
        assembler(contributors=[Speaking(), Broken()], section_max_chars=60).assemble(
            session(1),
            sections=[
                Section(id="whole", slot="identity", content="short", protected=True),
                Section(id="long", slot="footer", content="x" * 100),
            ],
        )
    )
    contributors = {item["contributorId"]: item for item in document["collection"]["contributors"]}
    collected, admitted = document["collection"]["collected"], document["admitted"]

    assert list(contributors) == ["broken", "speaking"]
    assert contributors["broken"]["status"] == "failed"
    assert contributors["broken"]["error"] == "RuntimeError: out of order"
    assert (contributors["broken"]["required"], contributors["speaking"]["required"]) == (False, True)
    assert "durationMs" in contributors["speaking"]
    assert "error" not in contributors["speaking"]
    assert [(item["id"], item["content"]) for item in collected["sections"]] == [
        ("whole", "short"),
        ("long", "x" * 100),
        ("said", "hello"),
    ]
    assert collected["attachments"][0]["content"] == "1 2 3"
    # what went in whole is written once, in `collected`; what was shortened stands as it went in
    assert [(item["id"], item.get("content")) for item in admitted["sections"]] == [
        ("whole", None),
        ("long", "x" * 26 + "\n[shortened by the context budget]"),
        ("said", None),
    ]
    assert admitted["attachments"] == [{"id": "attachment:data"}]
    assert (
        "1 2 3"
        in next(m for m in document["llmInput"]["messages"] if m["id"] == "attachment:data")["content"][0]["text"]
    )
    assert [note["code"] for note in admitted["diagnostics"]] == ["CONTEXT_SECTION_TRUNCATED"]


def test_every_message_of_the_history_stands_once(traced):
    assembly = assembler(window=3000, window_messages=4, compaction_tool_preview_bytes=200).assemble(
        [Message.system("You help."), *session(12)]
    )
    document = traced(assembly)
    text = json.dumps(document)

    assert whole(document) == [json.loads(json.dumps(m)) for m in map(as_json, assembly.history)]
    assert any(len(item) == 1 for item in document["renderedContext"]["history"])
    assert any(len(item) > 1 for item in document["renderedContext"]["history"])
    assert text.count('"role": "tool"') == len([m for m in assembly.history if m.role == "tool"])


def as_json(message):
    from turngraph.state.formats import message_to_json

    return message_to_json(message)


def test_frames_tell_the_way_with_tokens_and_counters(traced):
    assembly = assembler(window=3000, compaction_tool_preview_bytes=200).assemble(session(12))
    graph = traced(assembly)["graph"]

    assert [frame["node"] for frame in graph] == list(assembly.report.path)
    first = graph[0]
    assert list(first) == [
        "index",
        "node",
        "outcome",
        "to",
        "durationUs",
        "written",
        "counters",
        "exhausted",
        "tokens",
    ]
    assert (first["index"], first["outcome"], first["to"], first["durationUs"]) == (0, "Restored", "cap_messages", 0)
    assert first["tokens"] is None
    assert graph[-1]["counters"]["measure.Pressed"] == 1


def test_tokens_between_two_bills_agree_with_the_next_bill(traced):
    assembly = assembler(
        window=3000, compaction_tool_preview_bytes=200, summarizer=ScriptedSummarizer([GOOD])
    ).assemble(session(30))
    graph = traced(assembly)["graph"]
    after = {frame["node"]: frame["tokens"] for frame in graph}

    assert [frame["node"] for frame in graph].count("measure") == 2
    settled = next(frame["tokens"] for frame in graph if frame["node"] == "settle")
    assert settled == next(frame["tokens"] for frame in reversed(graph) if frame["node"] == "measure")
    assert next(frame["tokens"] for frame in graph if frame["node"] == "measure") > after["prune"] > after["fold"]
    assert after["emit"] == assembly.report.total_tokens


def test_the_compaction_names_the_checkpoint(traced):
    assembly = assembler(window=3000, store=False, summarizer=ScriptedSummarizer([GOOD])).assemble(session(12))
    compaction = traced(assembly)["renderedContext"]["compaction"]

    assert compaction["summary"]["checkpoint"] == assembly.report.folded.checkpoint_id
    assert compaction["summary"]["covered"] == list(assembly.report.folded.covered)
    assert compaction["summary"]["promptsKept"] == list(assembly.report.folded.prompts_kept)
    assert compaction["reason"] == "pressure"


def test_the_progress_of_the_plan_is_told_as_it_is_given(traced):
    seen = PlanProgress(agent_id="main", tool_call_id="p1", updated_at=None, current_model_turn=3, anchor_found=False)

    assert traced(assembler().assemble(session(1)), plan_progress=seen)["planProgress"] == {
        "agentId": "main",
        "toolCallId": "p1",
        "currentModelTurn": 3,
        "anchorFound": False,
    }


def test_the_mode_chooses_the_path(traced):
    document = traced(assembler().assemble(session(1)), mode="legacy")

    assert (document["contextConfig"]["mode"], document["selectedPath"]) == ("legacy", "legacy")


# ---- failed, recovered, in shadow


def test_a_failed_assembly_has_an_error_and_no_input(traced):
    failed = assembler(prompt_budget_chars=10).attempt(
        session(1), sections=[Section(id="law", slot="governance", content="x" * 50, protected=True)]
    )
    document = traced(failed)

    assert isinstance(failed.error, ProtectedOverBudget)
    assert document["error"]["code"] == "protected_over_budget"
    assert document["error"]["details"]["needed"] == 50
    assert document["llmInput"] is None
    assert document["admitted"] is None
    assert document["collection"]["collected"]["sections"][0]["id"] == "law"
    assert [item["role"] for item in document["renderedContext"]["history"]] == ["user", "assistant", "tool"]
    assert document["graph"][-1]["to"] == "FAILED"


def test_a_required_contributor_that_failed_is_in_the_collection(traced):
    class Needed(Broken):
        id = "needed"
        required = True

    document = traced(assembler(contributors=[Needed()]).attempt(session(1)))

    assert document["collection"] == {
        "contributors": [
            {
                "contributorId": "needed",
                "status": "failed",
                "required": True,
                "error": "RuntimeError: out of order",
            }
        ],
        "collected": None,
    }


def test_a_run_that_ran_out_of_time_is_traced(traced):
    failed = assembler().attempt(session(1), deadline_s=0.0)
    document = traced(failed)

    assert document["error"]["code"] == "deadline_exceeded"
    assert document["llmInput"] is None


def test_a_forced_pass_of_the_host_lies_beside_the_original(writer, root):
    assembly = assembler().assemble(session(3))
    again = assembler().assemble(assembly.history, recovery=Recovery(failed_tokens=assembly.report.total_tokens))
    for item in (assembly, again):
        assert writer.write(item, turn=2, context_id="c", exported_at=NOW) is None
    first, second = (json.loads((root / "c" / f"turn-0002{end}.json").read_text()) for end in ("", "-recovery-1"))

    assert "recovery" not in first
    assert second["recovery"] == {"attempt": 1, "reason": "model-input-overflow"}
    assert sorted(path.name for path in (root / "c").iterdir()) == ["turn-0002-recovery-1.json", "turn-0002.json"]


def test_a_run_that_recovered_by_itself_has_both_files(writer, root):
    model = ScriptedModel([OVERFLOW, {"text": "done"}])
    assembly = assembler(window=16000, model=model).assemble(session(20))
    assert writer.write(assembly, turn=1, context_id="c", exported_at=NOW) is None
    first, second = (json.loads((root / "c" / f"turn-0001{end}.json").read_text()) for end in ("", "-recovery-1"))

    assert "error" not in first
    assert "error" not in second
    assert second["llmInput"] == assembly.model_input.as_json()
    assert len(json.dumps(first["llmInput"])) > len(json.dumps(second["llmInput"]))
    assert [(frame["node"], frame["outcome"]) for frame in first["graph"][-2:]] == [
        ("emit", "Ready"),
        ("call", "Overflowed"),
    ]
    assert [frame["node"] for frame in first["graph"] + second["graph"]] == list(assembly.report.path)
    assert first["renderedContext"]["statistics"]["tokens"]["counter"] == "quarters"
    assert first["renderedContext"]["compaction"]["reason"] == "none"
    assert second["renderedContext"]["compaction"]["reason"] == "forced"


def test_what_a_failing_call_was_sent_is_in_the_trace(traced):
    model = ScriptedModel([{"error": {"status": 401, "message": "no key"}}])
    failed = assembler(model=model).attempt(session(1))
    document = traced(failed)

    assert document["error"]["code"] == "provider_auth"
    assert [message["role"] for message in document["llmInput"]["messages"]] == ["user", "assistant", "tool"]


def test_a_forced_pass_that_found_nothing_sent_nothing(writer, root):
    model = ScriptedModel([OVERFLOW])
    failed = assembler(window=16000, reserve=8000, model=model, store=False).attempt([Message.user("x" * 20_000)])
    assert writer.write(failed, turn=1, context_id="c", exported_at=NOW) is None
    first, second = (json.loads((root / "c" / f"turn-0001{end}.json").read_text()) for end in ("", "-recovery-1"))

    assert first["llmInput"] is not None
    assert second["llmInput"] is None
    assert second["error"]["code"] == failed.error.code


def test_in_shadow_the_context_is_the_candidates_and_the_input_the_legacy_one(traced):
    legacy = assembler().assemble([Message.user("legacy")])
    candidate = assembler().assemble(
        [Message.user("legacy")], sections=[Section(id="new", slot="footer", content="candidate")]
    )
    document = traced(legacy, mode="shadow", candidate=candidate)

    assert document["selectedPath"] == "shadow-legacy"
    assert document["renderedContext"]["systemPrompt"] == "candidate"
    assert document["llmInput"]["system"] == ""
    assert "error" not in document


def test_in_shadow_a_candidate_that_failed_leaves_its_error(traced):
    legacy = assembler().assemble([Message.user("legacy")])
    failed = assembler(prompt_budget_chars=10).attempt(
        [Message.user("legacy")], sections=[Section(id="law", slot="governance", content="x" * 50, protected=True)]
    )

    assert traced(legacy, mode="shadow", candidate=failed)["error"]["code"] == "protected_over_budget"
    nothing = traced(legacy, mode="shadow", candidate=TurngraphError("it never began"))
    assert nothing["error"] == {"code": "internal", "message": "it never began", "details": {}}
    assert (nothing["renderedContext"], nothing["graph"]) == (None, [])
    assert nothing["llmInput"]["messages"][0]["content"][0]["text"] == "legacy"


# ---- turn after turn


def test_a_writer_that_wrote_before_writes_the_same_bytes(root, tmp_path):
    """Pieces are used again from turn to turn: what comes out is what a new writer writes."""
    build = assembler(window=3000, compaction_tool_preview_bytes=200, window_messages=30)
    used = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0))
    history = History([Message.system("You help."), *session(3)])
    for turn in range(1, 25):
        assembly = build.assemble(history, sections=[Section(id="s", slot="footer", content="always")])
        fresh = TraceWriter(TraceSettings(enabled=True, dir=tmp_path / "fresh", wait_s=30.0))
        for writer in (used, fresh):
            assert writer.write(assembly, turn=turn, context_id="c", exported_at=NOW) is None
        name = f"c/turn-{turn:04d}.json"
        assert (root / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()
        call = ToolCall(id=f"n{turn}", name="read", arguments={"turn": turn})
        history = assembly.history.extend([Message.assistant(calls=[call]), Message.tool(call.id, "word " * 60)])


ODD = [
    Message.user("text"),
    dataclasses.replace(Message.user("named"), name="bob", hidden=True, extras={"k": [1]}),
    Message.assistant(calls=[ToolCall(id="a", name="f", arguments={"big": 2**70, "deep": {"x": [None, 1.5, "é"]}})]),
    Message.tool("a", "result", is_error=True, ref="tool-output-" + "0" * 32),
    Message.assistant(calls=[ToolCall(id="b", name="f", arguments={"_raw": "{"}, extras={"raw_arguments": "{"})]),
]


def test_odd_messages_are_written_as_the_contract_has_them(traced):
    assembly = assembler().assemble(ODD)
    document = traced(assembly)

    assert document["llmInput"] == json.loads(json.dumps(assembly.model_input.as_json()))
    assert [message_from_json(m, "m") for m in document["llmInput"]["messages"][:3]] == list(
        assembly.model_input.messages[:3]
    )


def test_a_host_that_rewinds_the_run_does_not_change_the_trace(root):
    gate = threading.Event()

    def hold(text):
        gate.wait(30)
        return text

    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=0), redactor=hold)
    assembly = assembler().assemble(session(1))
    assert writer.write(assembly, turn=1, context_id="c", exported_at=NOW) is None
    assembly.run.rewind(2)
    gate.set()

    assert writer.flush(30) is None
    assert len(json.loads((root / "c" / "turn-0001.json").read_text())["graph"]) == 11


# ---- never in the way


def test_nothing_is_done_while_traces_are_off(root):
    writer = TraceWriter(TraceSettings(enabled=False, dir=root))

    assert writer.write(assembler().assemble(session(1)), turn=1, context_id="../..", exported_at=NOW) is None
    assert not root.exists()


def test_a_folder_that_cannot_be_written_is_told_and_no_turn_fails(tmp_path):
    (tmp_path / "file").write_text("")
    writer = TraceWriter(TraceSettings(enabled=True, dir=tmp_path / "file" / "traces", wait_s=30.0))
    said = writer.write(assembler().assemble(session(1)), turn=7, context_id="c", exported_at=NOW)

    assert said.startswith("the trace of turn 7 was not written: Not a directory: ")


def test_a_link_that_leads_out_is_told(writer, root, tmp_path):
    root.mkdir()
    (root / "c").symlink_to(tmp_path)
    said = writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=NOW)

    assert "is a link or no folder" in said


@pytest.mark.parametrize("turn", [0, -1])
def test_a_turn_before_the_first_is_told(writer, turn):
    assert "was not written" in writer.write(
        assembler().assemble(session(1)), turn=turn, context_id="c", exported_at=NOW
    )


def test_a_moment_without_a_zone_is_told(writer):
    said = writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=NOW.replace(tzinfo=None))

    assert "ValueError" in said


@pytest.mark.parametrize("fault", [RuntimeError("the secret is hunter2"), SystemExit(3)])
def test_a_redactor_that_raises_loses_the_trace_and_not_the_secret(root, fault):
    def broken(text):
        if "hunter2" in text:
            raise fault
        return text

    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=broken)
    said = writer.write(assembler().assemble([Message.user("hunter2")]), turn=1, context_id="c", exported_at=NOW)
    fine = writer.write(assembler().assemble([Message.user("hello")]), turn=2, context_id="c", exported_at=NOW)

    assert "the trace of turn 1 was not written" in said
    assert "hunter2" not in said
    assert fine is None
    assert [path.name for path in (root / "c").iterdir()] == ["turn-0002.json"]


def test_a_redactor_that_gives_no_string_loses_the_trace(root):
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=lambda text: None)

    assert "TypeError" in writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=NOW)


def test_a_writer_that_hangs_holds_up_one_turn_only_for_a_moment_and_the_others_not_at_all(root):
    gate = threading.Event()

    def hang(text):
        gate.wait(60)
        return text

    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=0.05), redactor=hang)
    assembly = assembler().assemble(session(1))
    told = [writer.write(assembly, turn=turn, context_id="c", exported_at=NOW) for turn in range(1, 21)]

    assert told[0] == "the trace of turn 1 was not written within 0.05 s; it may still come"
    assert told[1] == "the trace of turn 2 was not written yet, behind the trace of turn 1; it may still come"
    assert told[-1] == "the trace of turn 20 was left out: the writer hangs and too many wait already"
    assert writer.flush(0.01) == "traces are still being written after 0.01 s"
    gate.set()
    assert writer.flush(30) is None
    assert sorted(path.name for path in (root / "c").iterdir()) == [f"turn-{turn:04d}.json" for turn in range(1, 18)]


def test_a_small_trace_is_there_when_the_turn_goes_on(root):
    writer = TraceWriter(TraceSettings(enabled=True, dir=root))
    assert writer.write(assembler().assemble(session(2)), turn=1, context_id="c", exported_at=NOW) is None

    assert [path.name for path in (root / "c").iterdir()] == ["turn-0001.json"]


def test_a_large_trace_is_not_waited_for(root):
    gate = threading.Event()
    writer = TraceWriter(TraceSettings(enabled=True, dir=root), redactor=lambda text: gate.wait(60) and text)
    large = assembler(window=100_000).assemble(session(20, size=2000))
    assert large.report.total_tokens > 8000
    told = [writer.write(large, turn=turn, context_id="c", exported_at=NOW) for turn in (1, 2)]
    gate.set()

    assert told == [None, None]
    assert writer.flush(30) is None
    assert len(list((root / "c").iterdir())) == 2


def test_what_was_large_before_it_was_pruned_is_not_waited_for(root):
    gate = threading.Event()
    writer = TraceWriter(TraceSettings(enabled=True, dir=root), redactor=lambda text: gate.wait(60) and text)
    pruned = assembler(window=6000, compaction_tool_preview_bytes=200).assemble(session(30, size=2000))
    assert pruned.report.total_tokens < 8000

    assert writer.write(pruned, turn=1, context_id="c", exported_at=NOW) is None
    gate.set()
    assert writer.flush(30) is None


def test_without_waiting_a_failure_is_told_with_the_next_turn(tmp_path):
    (tmp_path / "file").write_text("")
    writer = TraceWriter(TraceSettings(enabled=True, dir=tmp_path / "file", wait_s=0))
    assembly = assembler().assemble(session(1))

    assert writer.write(assembly, turn=1, context_id="c", exported_at=NOW) is None
    said = writer.flush(30)
    assert "the trace of turn 1 was not written" in said
    assert writer.flush(30) is None


def test_an_event_loop_goes_on_while_a_trace_is_written(root):
    gate = threading.Event()

    def wait_for_the_loop(text):
        gate.wait(30)
        return text

    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0), redactor=wait_for_the_loop)

    async def turn():
        assembly = await assembler().aassemble(session(1))
        writing = asyncio.ensure_future(writer.awrite(assembly, turn=1, context_id="c", exported_at=NOW))
        await asyncio.sleep(0)
        gate.set()
        return await writing

    assert asyncio.run(turn()) is None
    assert (root / "c" / "turn-0001.json").exists()


def test_in_an_event_loop_a_hanging_writer_is_left_behind(root):
    gate = threading.Event()
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=0.02), redactor=lambda t: gate.wait(60) and t)

    async def turn():
        assembly = await assembler().aassemble(session(1))
        return await writer.awrite(assembly, turn=1, context_id="c", exported_at=NOW)

    assert "within 0.02 s" in asyncio.run(turn())
    gate.set()
    assert writer.flush(30) is None


def test_a_process_that_ends_writes_what_it_still_has(root):
    code = f"""
import datetime, pathlib
from turngraph import Assembler, Budget, Message
from turngraph.graph.trace import TraceSettings, TraceWriter
writer = TraceWriter(TraceSettings(enabled=True, dir=pathlib.Path({str(root)!r}), wait_s=0))
assembly = Assembler(budget=Budget.resolve(env={{}})).assemble([Message.user("word " * 20_000)])
now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
for turn in range(1, 11):
    writer.write(assembly, turn=turn, context_id="c", exported_at=now)
"""
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)

    assert len(list((root / "c").iterdir())) == 10


def test_the_thread_of_a_writer_ends_with_it(root):
    before = set(threading.enumerate())
    writer = TraceWriter(TraceSettings(enabled=True, dir=root, wait_s=30.0))
    writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=NOW)
    (mine,) = set(threading.enumerate()) - before
    del writer
    mine.join(30)

    assert not mine.is_alive()


def test_threads_that_share_a_writer_lose_nothing(writer, root):
    assembly = assembler().assemble(session(2))

    def turns(first):
        for turn in range(first, first + 10):
            assert writer.write(assembly, turn=turn, context_id="c", exported_at=NOW) is None

    threads = [threading.Thread(target=turns, args=(1 + 10 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(list((root / "c").iterdir())) == 40
