"""Field reports on instructions, persistence and the host's side: what must outlive every compaction."""

import asyncio
import threading

import pytest

from turngraph import Message, ModelInput, Section, UsageError
from turngraph.nodes.summarisers import ScriptedReply
from turngraph.testing import MemoryOutputStore, ScriptedSummarizer

from .helpers import SUMMARY, assembler, history, steps, texts

RULE = "Skills live in .agent/skills per project"
INSTRUCTIONS = Section(id="project.instructions", slot="governance", content=RULE, protected=True)


def test_instructions_are_there_once_and_whole_after_any_number_of_folds():  # B069, B070
    made = assembler(3000, summarizer=ScriptedSummarizer([SUMMARY] * 40), store=False)
    kept, systems = history(Message.system("You are agent X. Never delete files."), "t"), set()
    for number in range(25):
        done = made.assemble(kept.extend(steps(1, 1000, first=number)), sections=[INSTRUCTIONS])
        kept = done.history
        systems.add(done.model_input.system)

    assert systems == {"You are agent X. Never delete files.\n" + RULE}
    assert "".join(texts(kept)).count("Never delete files") == 1
    assert kept[0].role == "system"


def test_the_task_is_first_and_unchanged_after_many_folds():  # B182, B114, B032
    made = assembler(3000, summarizer=ScriptedSummarizer(["Please continue."] * 90), store=False)
    kept = history("Build feature F with constraint C")
    for number in range(40):
        done = made.assemble(kept.extend(steps(1, 800, first=number)))
        kept = done.history
        assert texts(done.model_input.messages)[0] == "Build feature F with constraint C"


def test_rules_stated_once_outlive_many_folds_and_requests():  # design: the user's own words
    made = assembler(4000, summarizer=ScriptedSummarizer([SUMMARY] * 90), store=False)
    kept = history("never touch prod")
    for number in range(40):
        kept = made.assemble(
            kept.extend(steps(1, 1200, first=number)).append(Message.user(f"request {number}"))
        ).history

    assert "never touch prod" in "\n".join(texts(kept))


def test_a_failure_at_any_point_leaves_the_history_as_it_was():  # B133
    asked = history("task", steps(12, 1000))
    before = list(asked)

    class Full(MemoryOutputStore):
        def put(self, text, *, tool=None):
            raise OSError("no space left on device")

    done = assembler(3000, ScriptedReply(error="down"), outputs=Full()).attempt(asked)

    assert list(asked) == before
    if not done.ok:
        assert done.history == asked
    else:
        assert done.report.total_tokens <= 3000


def test_an_old_history_is_untouched_by_what_grew_out_of_it():  # B133
    asked = history("task", steps(12, 1000))
    before = list(asked)

    assembler(3000, SUMMARY).assemble(asked)

    assert list(asked) == before


def test_an_async_summariser_is_awaited_in_the_callers_loop_every_time():  # B158
    loops = []

    class Async:
        name, window_tokens = "async", None

        async def summarize(self, request):
            loops.append(asyncio.get_running_loop())
            await asyncio.sleep(0)
            return SUMMARY

    made = assembler(3000, summarizer=Async(), store=False)

    async def turn():
        done = await made.aassemble(history("task", steps(9, 1000)))
        return done, asyncio.get_running_loop()

    for number in range(2):
        done, loop = asyncio.run(turn())
        assert done.report.as_json()["compaction"]["summary"]["outcome"] == "accepted"
        assert loops[number] is loop


def test_a_sync_call_inside_a_running_loop_names_the_async_twin():  # B158
    async def turn():
        assembler(3000).assemble(history("q"))

    with pytest.raises(UsageError, match="aattempt"):
        asyncio.run(turn())


def test_an_async_summariser_in_a_sync_run_is_a_failed_attempt_that_says_so():  # B158
    class Async:
        name, window_tokens = "async", None

        async def summarize(self, request):
            return SUMMARY

    done = assembler(3000, summarizer=Async(), store=False).assemble(history("task", steps(9, 1000)))

    (noted,) = [item for item in done.report.diagnostics if item.code == "SUMMARY_REJECTED"]
    assert "aassemble" in noted.message


def test_a_sync_call_from_another_thread_works():  # B158
    found: list[ModelInput] = []
    worker = threading.Thread(target=lambda: found.append(assembler(3000).assemble(history("q")).model_input))
    worker.start()
    worker.join()

    assert texts(found[0].messages) == ["q"]


def test_the_prompt_does_not_depend_on_the_model():  # B109
    from turngraph.testing import ScriptedModel

    class Named(ScriptedModel):
        pass

    systems = set()
    for name in ("a", "b", "a"):
        made = assembler(3000, model=Named([{"text": "ok"}], name=name))
        done = made.assemble(history("q"), sections=[Section(id="identity", slot="identity", content="stable")])
        systems.add(done.model_input.system)

    assert systems == {"stable"}


def test_errors_do_not_carry_the_conversation():  # B136
    secret = "API_KEY=sk-test-000000000000000000000000"
    failed = assembler(100).attempt(history(secret * 40))

    assert failed.error.code == "fixed_part_over_limit"
    assert "sk-test" not in str(failed.error)
    assert "sk-test" not in str(failed.error.as_json())


def test_nothing_is_written_to_disk_by_an_assembly(tmp_path, monkeypatch):  # B136
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TURNGRAPH_DATA_DIR", str(tmp_path))

    assembler(3000, SUMMARY).assemble(history("task", steps(12, 1000)))
    assembler(100).attempt(history("x" * 4000))

    assert list(tmp_path.iterdir()) == []
