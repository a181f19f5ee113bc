"""The recorded cases of the older system about traces, and where this one differs on purpose."""

import json

import pytest

from turngraph import History, Message, Recovery, ToolCall, UsageError
from turngraph.graph.trace import trace_settings
from turngraph.state.durable import Plan, PlanItem, plan_progress

from .runs import NOW, assembler


def names(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.json"))


def test_trc_2_a_record_has_its_file_its_mode_and_its_version(writer, root):
    """There the id `session:run` became the folder `session_run`; here it is refused: two ids never share a folder."""
    assembly = assembler().assemble([Message.user("prompt")])
    assert "cannot name a folder" in writer.write(assembly, turn=2, context_id="session:run", exported_at=NOW)
    assert writer.write(assembly, turn=2, context_id="session_run", exported_at=NOW) is None
    path = root / "session_run" / "turn-0002.json"
    document = json.loads(path.read_text())

    assert path.stat().st_mode & 0o777 == 0o600
    assert (document["schemaVersion"], document["contextId"], document["turn"]) == (5, "session_run", 2)
    assert {"llmInput", "selectedPath", "exportedAt"} <= set(document)


def test_trc_3_a_forced_recovery_lies_beside_the_original(writer, root):
    for recovery in (None, Recovery(failed_tokens=10_000)):
        assembly = assembler().assemble([Message.user("prompt")], recovery=recovery)
        assert writer.write(assembly, turn=2, context_id="session_run", exported_at=NOW) is None

    assert names(root) == ["session_run/turn-0002-recovery-1.json", "session_run/turn-0002.json"]


@pytest.mark.parametrize(("flag", "enabled"), [("on", True), ("TRUE", True), ("0", False), ("off", False)])
def test_trc_4_flags_are_read_in_any_case(flag, enabled):
    assert trace_settings(env={"SCIENCE_AGENT_CONTEXT_TRACE": flag}).enabled is enabled


def test_trc_4_any_other_flag_throws():
    with pytest.raises(UsageError, match="SCIENCE_AGENT_CONTEXT_TRACE must be 0/1, false/true, or off/on"):
        trace_settings(env={"SCIENCE_AGENT_CONTEXT_TRACE": "yes"})


def test_trc_5_odd_characters_are_refused_and_large_turns_keep_their_number(writer, root):
    assembly = assembler().assemble([Message.user("prompt")])
    assert "cannot name a folder" in writer.write(assembly, turn=12345, context_id="a::/b c", exported_at=NOW)
    assert writer.write(assembly, turn=12345, context_id="a_b_c", exported_at=NOW) is None

    assert names(root) == ["a_b_c/turn-12345.json"]


def plan(**more):
    return Plan(
        items=(PlanItem(step="Analyze evidence", status="in_progress"),),
        message_id="m0",
        call_id="plan-1",
        sequence=1,
        updated_at="2026-09-09T00:00:00.000Z",
        **more,
    )


def test_plan_1_the_trace_has_the_progress_since_the_plan(traced):
    """plan-1: steps and results behind the declaring call; results of plan updates do not count."""
    history = History(
        [
            Message.assistant(calls=[ToolCall(id="plan-1", name="update_plan", arguments={})]),
            Message.tool("plan-1", "ok", name="update_plan"),
            Message.assistant(calls=[ToolCall(id="search-1", name="web_search", arguments={})]),
            Message.tool("search-1", "found", name="web_search"),
            Message.assistant("Interim reasoning"),
        ]
    )
    document = traced(assembler().assemble(history), plan_progress=plan_progress(history, plan(), turn=3))

    assert document["planProgress"] == {
        "agentId": "main",
        "toolCallId": "plan-1",
        "updatedAt": "2026-09-09T00:00:00.000Z",
        "currentModelTurn": 3,
        "anchorFound": True,
        "modelStepsSinceUpdate": 2,
        "toolResultsSinceUpdate": 1,
    }


def test_without_the_call_there_is_no_anchor_and_there_are_no_counters(traced):
    history = History([Message.user("the plan was folded")])
    document = traced(assembler().assemble(history), plan_progress=plan_progress(history, plan(), turn=3))

    assert document["planProgress"]["anchorFound"] is False
    assert "modelStepsSinceUpdate" not in document["planProgress"]
