import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turngraph.state.outputs import (
    find_named_refs,
    find_previews,
    is_preview,
    preview,
    preview_line,
    ref_of,
)

REF = "tool-output-" + "a" * 32
LINE = f"[tool output shortened: ref={REF}, 1000 bytes; read_tool_output returns the rest]"


def test_a_preview_is_head_line_and_tail():
    assert preview("h" * 500 + "t" * 500, REF, 100) == "h" * 65 + "\n" + LINE + "\n" + "t" * 35


@pytest.mark.parametrize(("limit", "head", "tail"), [(1, 0, 1), (2, 1, 1), (3, 1, 2), (10, 6, 4), (2048, 1331, 717)])
def test_the_head_has_65_percent_of_the_limit_and_the_tail_the_rest(limit, head, tail):
    text = preview("x" * 10_000, REF, limit)

    before, line, after = text.partition(preview_line(REF, 10_000))
    assert line
    assert (before, after) == ("x" * head + ("\n" if head else ""), "\n" + "x" * tail)


def test_no_second_newline_stands_before_the_line_where_the_head_ends_with_one():
    shortened = preview("abcdefghijkl\n" + "x" * 987, REF, 20)

    assert shortened == f"abcdefghijkl\n{LINE}\n" + "x" * 7


def test_head_and_tail_are_whole_code_points_and_the_size_counts_bytes():
    shortened = preview("甲" * 500, REF, 100)

    assert shortened == "甲" * 21 + "\n" + preview_line(REF, 1500) + "\n" + "甲" * 11


def test_a_preview_that_would_not_be_smaller_is_not_made():
    overhead = len(preview_line(REF, 1000)) + 2

    assert preview("x" * 100, REF, 100) == "x" * 100
    assert preview("x" * (100 + overhead - 1), REF, 100) == "x" * (100 + overhead - 1)
    assert len(preview("x" * (900 + overhead + 1), REF, 900)) == 900 + overhead
    assert preview("", REF, 10) == ""


BODIES = st.builds(
    lambda piece, times, end: piece * times + end,
    st.text(min_size=1, max_size=20),
    st.integers(1, 400),
    st.text(max_size=50),
)


@given(BODIES, st.integers(1, 3000))
def test_any_preview_is_smaller_bounded_recognised_and_not_shortened_again(text, limit):
    ref = ref_of(text)
    shortened = preview(text, ref, limit)
    assume(shortened != text)

    size = len(text.encode())
    line = preview_line(ref, size)
    head, _, tail = shortened.partition(line)
    assert len(shortened.encode()) < size
    assert len((head + tail).encode()) <= limit + 2
    assert text.startswith(head.removesuffix("\n"))
    assert text.endswith(tail.removeprefix("\n"))
    assert line in shortened.split("\n")
    assert find_previews(shortened) == [ref]
    assert is_preview(shortened)


def test_lone_surrogates_are_replaced_before_anything_is_counted():
    assert preview("\ud800" * 1000, REF, 9) == "\ufffd\n" + preview_line(REF, 3000) + "\n\ufffd"


def test_a_body_that_quotes_a_preview_is_no_preview_but_its_own_preview_is():
    quoted = preview("q" * 1000, REF, 100)
    body = f"user: hello\n{quoted}\nassistant: done\n" + "z" * 5000
    shortened = preview(body, ref_of(body), 600)

    assert find_previews(body) == [REF]
    assert not is_preview(body)
    assert find_previews(shortened) == [REF, ref_of(body)]
    assert is_preview(shortened)


@pytest.mark.parametrize(
    "text",
    [
        f"a {LINE}",
        f"{LINE} ",
        LINE.replace("1000", "x"),
        LINE.replace("tool-output-aa", "tool-output-AA"),
        LINE.replace("]", ""),
        "",
        "[tool output shortened: ref=",
    ],
)
def test_only_the_exact_line_standing_alone_counts(text):
    assert find_previews(text) == []
    assert not is_preview(text)


def test_previews_are_listed_in_order():
    other = LINE.replace("a" * 32, "b" * 16)

    assert find_previews(f"{LINE}\nx\n{other}\n{LINE}") == [REF, "tool-output-" + "b" * 16, REF]


@pytest.mark.parametrize(
    "text", ['ref="{}"', "ref '{}'", "Stored as ref {}.", "ref: {}", "(ref={})", 'stored as ref "{}" xxx']
)
def test_references_that_other_systems_name_are_recognised(text):
    assert find_named_refs(text.format(REF)) == [REF]


@pytest.mark.parametrize("text", ["see {}", "href={}", "ref={}0g", "ref=tool-output-00ff", 'ref="TOOL-OUTPUT-'])
def test_what_is_not_named_as_a_reference_is_left(text):
    assert find_named_refs(text.format(REF)) == []
