import json

import pytest

from turngraph.state.outputs import (
    READ_TOOL_OUTPUT_SPEC,
    FileOutputStore,
    MemoryOutputStore,
    handle_read_tool_output,
)


def answer(text, **arguments):
    store = MemoryOutputStore()
    ref = store.put(text, tool="bash")
    return handle_read_tool_output(store, {"ref": ref} | arguments).replace(ref, "REF")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "REF | tool bash | lines 1-3 of 3\n\na\nb\nc"),
        ({"lines": "2:2"}, 'REF | tool bash | lines 2-2 of 3 | continue with lines "3:"\n\nb\n'),
        ({"chars": "0:2"}, 'REF | tool bash | chars 0:2 of 5 | continue with chars "2:"\n\na\n'),
        ({"query": "B", "context_chars": 0}, "REF | tool bash | 1 of 1 matches (line 2 chars 2:3)\n\nb"),
        (
            {"query": "B", "case_sensitive": True},
            "REF | tool bash | no match; try another wording, or read lines",
        ),
        ({"lines": "9:"}, "REF | tool bash | nothing there: the text has 3 lines"),
        ({"chars": "9:"}, "REF | tool bash | nothing there: the text has 5 characters"),
        ({"query": None, "lines": None}, "REF | tool bash | lines 1-3 of 3\n\na\nb\nc"),
    ],
)
def test_a_page_is_a_header_and_the_text(arguments, expected):
    assert answer("a\nb\nc", **arguments) == expected


def test_a_tool_that_is_not_known_is_not_named():
    store = MemoryOutputStore()
    ref = store.put("abc")

    assert handle_read_tool_output(store, {"ref": ref}) == f"{ref} | lines 1-1 of 1\n\nabc"


def test_matches_left_out_are_announced():
    assert answer("k.k.", query="k", max_matches=1, context_chars=0) == (
        "REF | tool bash | 1 of 2 matches (line 1 chars 0:1); raise max_matches or narrow the query for others\n\nk"
    )


def test_an_over_wide_line_tells_both_ways_on():
    header = answer("x" * 60_000 + "\nend").split("\n")[0]

    assert header == (
        'REF | tool bash | lines 1-1 of 2 | line 1 is wider than a page: continue with chars "36864:"'
        ' | or skip its rest with lines "2:"'
    )


@pytest.mark.parametrize(
    "arguments",
    [{}, {"query": "k", "max_matches": 10**6, "context_chars": 0}, {"chars": "5:"}, {"query": "k" * 4096}],
)
def test_an_answer_is_never_more_than_a_page(arguments):
    store = MemoryOutputStore()
    ref = store.put("k" * 100_000, tool="t" * 5000)

    assert len(handle_read_tool_output(store, {"ref": ref} | arguments).encode()) <= 40 * 1024


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"ref": "tool-output-1"}, "output_ref_malformed", "16 to 64 lower-case hex digits"),
        ({"ref": "tool-output-" + "0" * 32}, "output_ref_unknown", "no tool output is stored"),
        ({"ref": None}, "usage", "ref is missing"),
        ({"ref": 5}, "usage", "ref must be of type string, got 5"),
        ({"query": "a", "lines": "1:2"}, "usage", "only one of query, lines, chars"),
        ({"query": " "}, "usage", "blank"),
        ({"lines": "5"}, "usage", "A:B"),
        ({"context_chars": 10}, "usage", "context_chars can only stand beside query"),
        ({"max_matches": 1}, "usage", "max_matches can only stand beside query"),
        ({"case_sensitive": True}, "usage", "case_sensitive can only stand beside query"),
        ({"query": "a", "max_matches": True}, "usage", "max_matches must be of type integer, got True"),
        ({"query": "a", "max_matches": 0}, "usage", "max_matches at least 1"),
        ({"offset": 3}, "usage", "there is no argument 'offset'"),
    ],
)
def test_what_is_wrong_is_said_in_words_and_never_raised(arguments, code, words):
    text = answer("abc", **arguments)

    assert text.startswith(f"read_tool_output failed ({code}): ")
    assert words in text
    assert "\n" not in text


def test_an_expired_output_is_told_apart():
    store = MemoryOutputStore()
    ref = store.put("abc")
    store.expire(ref)

    assert handle_read_tool_output(store, {"ref": ref}) == (
        f"read_tool_output failed (output_ref_expired): the tool output {ref!r} is no longer stored; "
        "call the tool again if the output is still needed"
    )


def test_a_store_that_cannot_be_read_is_an_answer_too(tmp_path):
    tmp_path.joinpath("outputs").write_text("")
    store = FileOutputStore(tmp_path / "outputs")

    text = handle_read_tool_output(store, {"ref": "tool-output-" + "0" * 32})

    assert text == "read_tool_output failed: the stored outputs cannot be read (Not a directory)"


def test_the_tool_is_plain_data_that_recommends_query_then_lines_then_characters():
    description = READ_TOOL_OUTPUT_SPEC["description"]

    assert json.loads(json.dumps(READ_TOOL_OUTPUT_SPEC)) == READ_TOOL_OUTPUT_SPEC
    assert READ_TOOL_OUTPUT_SPEC["name"] == "read_tool_output"
    assert READ_TOOL_OUTPUT_SPEC["parameters"]["required"] == ["ref"]
    assert set(READ_TOOL_OUTPUT_SPEC) == {"name", "description", "parameters"}
    assert description.index("query (best") < description.index("else lines") < description.index("else chars")
