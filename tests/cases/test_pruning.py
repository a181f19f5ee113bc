"""Pruning: bodies of old tool results become previews, oldest first, never larger, always retrievable."""

import pytest

from turngraph import Budget, History, Image, Message, Text, ToolCall
from turngraph.testing import MemoryOutputStore

from .helpers import assembler, call, codes, history, pairing, steps, texts

REF = "tool-output-" + "a" * 16


def prune(limit, *messages, store=None, **more):
    """Assemble with nobody to summarise: what was freed was freed by pruning."""
    more.setdefault("summary_fallback", "none")
    more.setdefault("compaction_tool_preview_bytes", 256)
    outputs = store if store is not None else MemoryOutputStore()
    return assembler(limit, summarizer=None, outputs=outputs, **more).attempt(history(*messages)), outputs


def pruned(assembly) -> list[str]:
    return [item.message for item in assembly.report.pruned]


def test_without_pressure_nothing_changes():  # cpt-1
    asked = history("a", steps(3, 200))

    done = assembler(10_000).assemble(asked)

    assert list(done.model_input.messages) == list(asked)
    assert done.history == asked
    record = done.report.as_json()["compaction"]
    assert (record["reason"], record["before"] == record["after"], record["summary"]["attempts"]) == ("none", True, 0)


def test_a_small_result_in_a_large_window_is_left_alone():  # B104, B108
    asked = history("name?", Message.assistant("S"), "calc", [call("c1"), Message.tool("c1", "56088")], "ok")

    assert list(prune(100_000, *asked)[0].model_input.messages) == list(asked)


def test_the_oldest_goes_first_and_pruning_stops_at_the_target():  # cpt-14
    # 5 results of 2000 tokens; each preview frees about 1900; pressure 8000, target 5000
    done, _ = prune(10_000, "t", steps(5, 8000))

    assert pruned(done) == ["m2", "m4", "m6"]
    assert done.report.total_tokens <= 5000 + 500  # the tool that reads previews came with them


def test_results_outside_the_retained_suffix_go_before_those_inside():  # cpt-15
    # the last two steps cost under 16 percent of the limit, the first does not
    done, _ = prune(10_000, "t", steps(1, 30_000), steps(2, 2800, first=1))

    assert pruned(done) == ["m2"]


def test_head_and_tail_of_a_preview_share_the_limit_65_to_35():  # cpt-16: no hidden floor of 256
    body = "h" * 500 + "t" * 500
    done, _ = prune(
        1000, "t", [call("c0"), Message.tool("c0", body)], steps(1, 3000, first=1), compaction_tool_preview_bytes=64
    )

    head, line, tail = texts(done.model_input.messages, "tool")[0].split("\n")
    assert (head, tail) == ("h" * 41, "t" * 23)
    assert line.startswith("[tool output shortened: ref=tool-output-")
    assert line.endswith(", 1000 bytes; read_tool_output returns the rest]")


def test_previews_are_cut_between_code_points():  # cpt-17
    done, _ = prune(3000, "t", [call("c0"), Message.tool("c0", "甲" * 9000)], steps(1, 3000, first=1))

    head, _, tail = texts(done.model_input.messages, "tool")[0].split("\n")
    assert (head, tail) == ("甲" * 55, "甲" * 30)


@pytest.mark.parametrize("size", [399, 401, 447, 450, 500])
def test_a_preview_that_would_not_be_smaller_is_not_made(size):  # cpt-24, B103
    asked = history("t", steps(20, size))

    done, _ = prune(2000, *asked, compaction_tool_preview_bytes=2048)

    assert pruned(done) == []
    assert done.history == asked


def test_pruning_what_is_pruned_changes_nothing():  # B103, B108
    first, store = prune(10_000, "t", steps(5, 8000))
    again, _ = prune(10_000, *first.history, store=store)
    smaller, _ = prune(5000, *first.history, store=store)

    assert list(again.history) == list(first.history)
    for assembly in (again, smaller):
        assert texts(assembly.history, "tool")[:3] == texts(first.history, "tool")[:3]


def test_previews_stay_byte_for_byte_while_the_conversation_grows():  # B108
    store = MemoryOutputStore()
    made = assembler(10_000, summarizer=None, outputs=store, compaction_tool_preview_bytes=256)
    shown: dict[str, str] = {}
    kept = history("task")
    for number in range(12):
        kept = made.assemble(kept.extend(steps(1, 6000, first=number))).history
        for message in kept:
            if message.role == "tool" and "[tool output shortened: ref=" in message.text:
                assert shown.setdefault(message.id, message.text) == message.text
    assert len(shown) >= 6


def test_every_pruned_body_is_retrievable_by_the_reference_in_its_place():
    bodies = [f"{number}\n" * 4000 for number in range(5)]
    parts = [m for at, body in enumerate(bodies) for m in (call(f"c{at}"), Message.tool(f"c{at}", body))]

    done, store = prune(10_000, "t", parts)

    items = done.report.pruned
    assert [store.get(item.ref) for item in items] == bodies[: len(items)]
    assert all(item.ref in done.history[done.history.find(item.message)].text for item in items)


def test_a_result_that_is_stored_already_keeps_its_reference():  # cpt-9, B101
    store = MemoryOutputStore({REF: "latest " * 2000})
    old = Message.tool("latest", "latest " * 2000, ref=REF)

    done, _ = prune(3000, "task", [call("latest"), old], store=store)

    (item,) = done.report.pruned
    assert item.ref == REF
    assert done.stored == {}


@pytest.mark.parametrize(
    "ref", [pytest.param("tool-output-XYZ", id="cpt-13"), pytest.param(REF, id="not in the store")]
)
def test_a_reference_that_leads_nowhere_is_replaced_by_one_that_does(ref):
    body = "y" * 20_000
    done, store = prune(3000, "t", [call("a"), Message.tool("a", body, ref=ref)], Message.assistant("z"))

    (item,) = done.report.pruned
    assert item.ref != ref
    assert store.get(item.ref) == body


def test_a_reference_named_in_the_text_only_is_no_reason_to_trust_it():  # cpt-12: the reference system does
    body = f'stored as ref "{REF}" ' + "x" * 20_000
    done, store = prune(3000, "t", [call("a"), Message.tool("a", body)], Message.assistant("z"))

    (item,) = done.report.pruned
    assert store.get(item.ref) == body


def test_without_a_store_results_stay_whole():  # cpt-13
    asked = history("t", steps(3, 8000))

    done = assembler(10_000, summarizer=None, outputs=None).attempt(asked)

    assert done.history == asked
    assert done.model_input.tools == ()


def test_the_newest_result_goes_last_and_its_call_stays():  # cpt-9, B019, B082
    done, store = prune(
        5000, "old", Message.assistant("old"), "read it", [call("c1"), Message.tool("c1", "row " * 6000)]
    )

    shown, result = done.model_input.messages[-2:]
    assert shown.calls[0].id == result.result.call_id == "c1"
    assert store.get(done.report.pruned[0].ref) == "row " * 6000
    assert done.report.total_tokens <= 5000


def test_a_giant_stored_result_needs_no_summary():  # B101
    store = MemoryOutputStore()
    page = [call("c1"), Message.tool("c1", "<div>x</div>" * 160_000)]
    made = assembler(400_000, "never asked", outputs=store)

    done = made.assemble(history("dump page", page, "what is the title?"))

    assert done.report.as_json()["calls"]["summary"] == 0
    assert [m.role for m in done.model_input.messages] == ["user", "assistant", "tool", "user"]
    assert store.get(done.report.pruned[0].ref) == "<div>x</div>" * 160_000


def test_results_of_several_blocks_are_pruned_like_one():  # B176
    blocks = Message.tool("c1", [Text("row " * 20_000), Text("end " * 20_000)])

    done, store = prune(8000, "t", [call("c1"), blocks], Message.assistant("ok"), "next")

    body = store.get(done.report.pruned[0].ref)
    assert body.count("row ") == body.count("end ") == 20_000
    assert done.report.total_tokens <= 8000


def test_an_image_in_a_pruned_result_is_stored_too():  # B176
    shot = Message.tool("c1", [Text("row " * 20_000), Image(media_type="image/png", data="iVBOR" * 2000)])

    done, store = prune(8000, "t", [call("c1"), shot], Message.assistant("ok"), "next")

    assert any(text.startswith("data:image/png;base64,iVBOR") for text in store.items.values())
    assert "iVBOR" * 100 not in done.model_input.messages[2].text


def test_a_failed_result_still_says_that_it_failed():  # B023
    failed = Message.tool("c1", "error: 403 no permission\n" * 500, is_error=True)

    done, _ = prune(2000, "publish", [call("c1", "publish"), failed], "continue")

    assert done.report.pruned
    assert done.model_input.messages[2].result.is_error


def test_long_arguments_of_old_calls_become_previews_with_the_same_keys():
    written = ToolCall(id="w", name="write", arguments={"path": "a.py", "content": "line\n" * 6000, "mode": 420})
    done, store = prune(5000, "t", [Message.assistant("", calls=[written]), Message.tool("w", "ok")], steps(2, 200))

    sent = done.model_input.messages[1].calls[0].arguments
    assert (list(sent), sent["path"], sent["mode"]) == (["path", "content", "mode"], "a.py", 420)
    assert store.get(done.report.pruned[0].ref) == "line\n" * 6000


def test_arguments_are_left_alone_where_the_budget_says_so():
    written = ToolCall(id="w", name="write", arguments={"content": "line\n" * 3000})
    done, _ = prune(5000, "t", [Message.assistant("", calls=[written]), Message.tool("w", "ok")], prune_arguments=False)

    assert pruned(done) == []


def test_replacing_one_message_touches_no_other():  # B177
    asked = history("t", steps(1, 8000), [call("k"), Message.tool("k", "x")], "pasted " * 100, Message.assistant("ok"))

    done, _ = prune(2500, *asked)

    kept = {message.id: message for message in done.history}
    assert pruned(done) == ["m2"]
    assert all(kept[message.id] == message for message in asked if message.id != "m2")


def test_a_body_just_read_is_not_pruned_on_the_next_pass():  # B178
    store = MemoryOutputStore()
    made = assembler(10_000, summarizer=None, outputs=store, compaction_tool_preview_bytes=256)
    first = made.assemble(history("six files", steps(6, 8000)))
    ref = first.report.pruned[0].ref
    read = [call("again", "read_tool_output", ref=ref, lines="1:100"), Message.tool("again", "spec " * 1600)]

    second = made.assemble(first.history.extend(read).extend(steps(1, 14_000, first=7)))

    assert second.report.pruned
    assert "spec " * 1600 in texts(second.model_input.messages, "tool")
    assert texts(second.model_input.messages, "tool")[0] == texts(first.model_input.messages, "tool")[0]


def test_the_same_history_is_pruned_the_same_way_without_any_memory():  # B173
    asked = history("t", steps(8, 6000))
    first, _ = prune(10_000, *asked)
    again, _ = prune(10_000, *History(list(asked)))

    assert list(first.model_input.messages) == list(again.model_input.messages)


def test_the_tool_that_reads_previews_comes_with_the_first_one_and_once():
    done, _ = prune(10_000, "t", steps(5, 8000))
    again = assembler(10_000).assemble(done.history, tools=[done.model_input.tools[-1]])

    assert [tool.name for tool in done.model_input.tools] == ["read_tool_output"]
    assert [tool.name for tool in again.model_input.tools] == ["read_tool_output"]


def test_what_frees_less_than_the_cached_prefix_is_worth_is_not_done():
    # 160 tokens could be freed, 5 percent of the limit are 500; the input is over the line, not over the limit
    asked = history("t " * 16_000, steps(1, 900), Message.assistant("z"))

    done, _ = prune(10_000, *asked)

    assert 8000 < done.report.total_tokens <= 10_000
    assert done.history == asked


@pytest.mark.parametrize("limit", range(1200, 6000, 400))
def test_calls_and_results_stay_together_whatever_is_pruned(limit):  # B177, B181
    asked = ["t", steps(4, 3000), [call("a"), Message.tool("a", "r" * 4000)], "more", steps(2, 1000, first=9)]

    done, _ = prune(limit, *asked)

    assert pairing(done.model_input.messages) == []
    assert done.report.total_tokens <= limit
    assert "CALL_UNANSWERED" not in codes(done)


def test_a_pass_that_freed_nothing_is_not_repeated_at_once():  # B151
    made = assembler(10_000, summarizer=None)
    first = made.assemble(history("t " * 14_500, Message.assistant("z" * 5000)))
    second = made.assemble(first.history.append(Message.user("go on")))

    assert "prune" in first.report.path
    assert "prune" not in second.report.path


def test_the_default_preview_is_two_kilobytes():
    assert Budget().compaction_tool_preview_bytes == 2048
