"""The guard of tool results, its settings, and the reading of what it stored."""

import pytest

from turngraph.nodes.guard import ToolOutputGuard
from turngraph.nodes.guard_reading import ReadToolOutput, ReadTracker
from turngraph.nodes.guard_settings import ToolOutputSettings
from turngraph.state.errors import BudgetInvalid, InternalError
from turngraph.state.messages import Image, Text
from turngraph.state.outputs import (
    FileOutputStore,
    MemoryOutputStore,
    SqlOutputStore,
    find_previews,
    preview_line,
    ref_of,
)


def guarded(text, tool="web_fetch", store=None, **options):
    call = {name: options.pop(name) for name in ("self_bounded", "is_error") if name in options}
    guard = ToolOutputGuard(MemoryOutputStore() if store is None else store, **options)
    return guard.result("c1", text, tool=tool, **call)


class Failing:
    """A store that cannot take anything."""

    def __init__(self, error):
        self.error = error

    def put(self, text, *, tool=None):
        raise self.error


def test_a_small_result_passes_unchanged_and_is_not_stored():  # grd-1
    store = MemoryOutputStore()

    out = guarded("small result", "read_file", store)

    assert out.message.text == "small result"
    assert (out.truncated, out.ref, out.total_bytes, out.total_lines, out.problem) == (False, None, 12, 1, None)
    assert (out.message.role, out.message.name, out.message.result.call_id) == ("tool", "read_file", "c1")
    assert dict(store.items) == {}


def test_a_moderate_result_is_shown_whole_and_stored():  # grd-2
    store = MemoryOutputStore()

    out = guarded("moderate result", "web_search", store, retention_bytes=8)

    assert out.message.text == "moderate result"
    assert out.message.result.ref == out.ref == ref_of("moderate result")
    assert not out.truncated
    assert store.tool_of(out.ref) == "web_search"


def test_a_result_over_the_bounds_is_head_line_and_tail():
    body = "".join(f"{number}\n" for number in range(1, 101))

    out = guarded(body, "grep", max_lines=12)

    assert out.message.text == (
        "[grep: 292 bytes in 100 lines; the first and the last of them follow]\n"
        "1\n2\n3\n4\n5\n6\n" + preview_line(ref_of(body), 292) + "\n97\n98\n99\n100\n"
    )
    assert out.message.result.ref == ref_of(body)


def test_what_ran_keeps_more_of_its_end():  # grd-4
    body = "noise\n" * 100_000 + "Traceback (most recent call last):\nValueError: boom\n"

    out = guarded(body, "run_python")
    head, _, tail = out.message.text.partition(preview_line(out.ref, len(body)))

    assert out.message.text.endswith("ValueError: boom\n")
    assert (head.count("\n") - 1, tail.count("\n") - 1) == (700, 1298)
    other, _, rest = guarded(body, "my_tool").message.text.partition(preview_line(out.ref, len(body)))
    assert (other.count("\n") - 1, rest.count("\n") - 1) == (1298, 700)
    assert guarded(body, "my_tool", run_tools=["my_tool"]).message.text.count("\n") == 2000


def test_a_tool_that_bounds_itself_has_four_times_the_room_and_no_more():  # grd-6
    page = "y" * 99 + "\n"

    fits = guarded(page * 2000, "read_file", self_bounded=True)
    cut = guarded(page * 100_000, "read_file", self_bounded=True)

    assert (fits.truncated, fits.ref) == (False, None)
    assert cut.truncated
    assert 200_000 < len(cut.message.text) <= 4 * 50 * 1024
    assert guarded(page * 2000, "read_file").truncated
    assert not guarded(page * 2000, "read_file", self_bounded=False, max_bytes=200_000).truncated


def test_what_read_tool_output_gives_is_never_stored_a_second_time():  # B178
    store = MemoryOutputStore()

    out = guarded("x" * 40_000, "read_tool_output", store)

    assert (out.truncated, out.ref, dict(store.items)) == (False, None, {})


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(28, "No space left on device"), " (No space left on device)"),
        (OSError("down"), ""),
        (InternalError("crowded"), " (internal)"),
        (ZeroDivisionError("third party"), " (ZeroDivisionError)"),
    ],
)
def test_a_store_that_fails_is_said_and_costs_only_the_rest(error, why):  # grd-7
    out = guarded("z\n" * 200_000, store=Failing(error))

    assert out.ref is None
    assert out.problem == f"the whole could not be stored{why}"
    assert out.message.text.startswith(
        f"[web_fetch: 400000 bytes in 200000 lines; the first and the last of them follow; {out.problem}]\nz\n"
    )
    assert "what stood here is not stored" in out.message.text
    assert find_previews(out.message.text) == []
    assert len(out.message.text) <= 50 * 1024


def test_a_result_that_is_shown_whole_loses_nothing_when_the_store_fails():
    out = guarded("x" * 9000, store=Failing(OSError("down")))

    assert (out.message.text, out.ref, out.problem) == ("x" * 9000, None, "the whole could not be stored")


def test_without_a_store_results_are_bounded_all_the_same():
    out = ToolOutputGuard(None).result("c1", "x" * 60_000, tool="t")

    assert out.problem == "the whole is not stored: there is no store"
    assert len(out.message.text) <= 50 * 1024


@pytest.mark.parametrize("kind", ["memory", "files", "sql"])
def test_every_byte_that_was_cut_off_can_be_read_again(kind, tmp_path):  # reg-2
    store = {
        "memory": MemoryOutputStore,
        "files": lambda: FileOutputStore(tmp_path / "outputs"),
        "sql": lambda: SqlOutputStore(f"sqlite:///{tmp_path}/outputs.db"),
    }[kind]()
    body = "".join(f"row {number} äö\n" for number in range(200_000))

    out = guarded(body, "mcp__db__query", store)
    reader, at, pages = ReadToolOutput(store), 0, []
    while True:
        header, _, page = reader.handle({"ref": out.ref, "chars": f"{at}:"}).partition("\n\n")
        pages.append(page)
        at += len(page)
        if "continue with" not in header:
            break
    if kind == "sql":
        store.close()

    assert len(out.message.text.encode()) <= 50 * 1024
    assert "".join(pages) == body


def test_parts_that_are_no_text_pass_and_texts_are_bounded_together():
    image = Image(media_type="image/png", data="AAAA", width=1, height=1)

    out = guarded([Text("a\n" * 2000), image, Text("b\n" * 2000)], "t")

    assert [type(part) for part in out.message.result.content] == [Text, Image]
    assert out.total_bytes == 8001
    untouched = [Text("a"), image, Text("b")]
    assert guarded(untouched, "t").message.result.content == tuple(untouched)


def test_failures_are_bounded_too_and_stay_failures():
    out = guarded("e" * 60_000, "t", is_error=True)

    assert out.message.result.is_error
    assert out.truncated


def test_half_a_surrogate_pair_becomes_the_replacement_character():  # B065
    out = guarded("a\ud83d" + "x" * 60_000, "t\ud800")

    assert "a\ufffdxx" in out.message.text
    assert out.message.text.encode()


def test_limits_that_leave_no_room_are_refused_all_at_once():
    with pytest.raises(BudgetInvalid) as caught:
        ToolOutputGuard(None, max_bytes=1023, max_lines=7, retention_bytes=0)

    assert [item["field"] for item in caught.value.details["problems"]] == ["max_bytes", "max_lines", "retention_bytes"]


def test_the_defaults_of_the_settings():  # set-1
    assert ToolOutputSettings.from_env({}) == ToolOutputSettings(
        max_bytes=51_200, max_lines=2000, retention_bytes=8192, advisory_bytes=65_536, strong_advisory_bytes=98_304
    )


def test_the_environment_sets_them_and_our_own_name_wins():
    env = {
        "SCIENCE_AGENT_TOOL_OUTPUT_MAX_BYTES": "2000",
        "SCIENCE_AGENT_TOOL_OUTPUT_MAX_LINES": "100",
        "TURNGRAPH_TOOL_OUTPUT_MAX_LINES": " 50 ",
        "TURNGRAPH_TOOL_OUTPUT_RETENTION_BYTES": "",
    }

    settings = ToolOutputSettings.from_env(env)
    assert (settings.max_bytes, settings.max_lines, settings.retention_bytes) == (2000, 50, 8192)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (  # set-3
            {
                "SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES": "200",
                "SCIENCE_AGENT_TOOL_OUTPUT_READ_STRONG_ADVISORY_BYTES": "100",
            },
            "must be at least SCIENCE_AGENT_TOOL_OUTPUT_READ_ADVISORY_BYTES, which is 200, got 100",
        ),
        ({"TURNGRAPH_TOOL_OUTPUT_MAX_BYTES": "many"}, "TURNGRAPH_TOOL_OUTPUT_MAX_BYTES must be a whole number"),
        ({"TURNGRAPH_TOOL_OUTPUT_MAX_LINES": "-1"}, "of at least 8, got '-1'"),
        ({"TURNGRAPH_TOOL_OUTPUT_RETENTION_BYTES": "9" * 5000}, "must be a whole number"),
    ],
)
def test_wrong_variables_are_named(env, said):
    with pytest.raises(BudgetInvalid, match=said):
        ToolOutputSettings.from_env(env)


def reading(size=200_000, **settings):
    store = MemoryOutputStore()
    ref = store.put("x" * 99 + "\n" if size == 100 else ("x" * 99 + "\n") * (size // 100))
    return ReadToolOutput(store, ReadTracker(ToolOutputSettings(**settings))), ref


def test_the_tool_is_described_as_the_graph_describes_it():
    spec = reading()[0].spec

    assert (spec.name, spec.parameters["required"]) == ("read_tool_output", ["ref"])


def test_advice_comes_when_much_was_read_and_the_page_stays_the_same():
    reader, ref = reading(advisory_bytes=1000, strong_advisory_bytes=2000)
    answers = [reader.handle({"ref": ref, "lines": f"{first}:{first + 4}"}) for first in (1, 6, 11, 16, 21)]

    headers = [answer.partition("\n\n")[0].split("\n")[1:] for answer in answers]
    assert headers[0] == []
    assert headers[1] == [
        "note: 1000 bytes of this output have been read; use query for the specific fact that is missing"
    ]
    assert headers[3][0].startswith("note: 2000 bytes of this output have been read. Stop paging")
    assert {answer.partition("\n\n")[2] for answer in answers} == {("x" * 99 + "\n") * 5}
    assert reader.tracker.read_bytes(ref) == 2500


def test_the_same_read_again_is_noticed_and_answered():
    reader, ref = reading()
    first = reader.handle({"ref": ref, "lines": "1:5", "query": None})
    again = reader.handle({"ref": ref, "lines": " 1:5"})
    other = reader.handle({"ref": ref, "lines": "1:6"})

    assert "note:" not in first
    assert again.split("\n")[1] == "note: exactly this was read before and has not changed"
    assert again.partition("\n\n")[2] == first.partition("\n\n")[2]
    assert "note:" not in other


def test_reads_of_one_output_do_not_count_for_another_and_misses_not_at_all():
    reader, ref = reading(size=100, advisory_bytes=100, strong_advisory_bytes=100)
    other = reader.outputs.put("y" * 50)

    assert "note:" not in reader.handle({"ref": other})
    assert "note:" not in reader.handle({"ref": ref, "query": "absent"})
    assert "100 bytes" in reader.handle({"ref": ref})
    for wrong in ({}, {"ref": 5}, {"ref": "tool-output-1"}, {"ref": ref, "lines": "x"}):
        assert reader.handle(wrong).startswith("read_tool_output failed")
    assert reader.tracker.read_bytes(ref) == 100


def test_an_answer_with_advice_is_never_more_than_a_page():
    reader, ref = reading(size=2_000_000)

    answers = [reader.handle({"ref": ref}) for _ in range(4)]
    assert "Stop paging" in answers[3]
    assert max(len(answer.encode()) for answer in answers) <= 40 * 1024
