import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.errors import OutputRefMalformed, OutputRefUnknown, UsageError
from turngraph.state.outputs import MemoryOutputStore, parse_range, read_page

BETWEEN = "\n[...]\n"


def page_of(text, **options):
    store = MemoryOutputStore()
    return read_page(store, store.put(text, tool="bash"), **options)


def facts(page):
    return {"range": page.range, "total": page.total, "next": page.next, "truncated": page.truncated}


LINES = "".join(f"line-{number}\n" for number in range(1, 501))


def test_pages_of_lines_say_where_to_go_on():
    pages = [page_of(LINES, lines=bounds) for bounds in [(1, 100), (101, 200), (401, 500)]]

    assert [page.range for page in pages] == [(1, 100), (101, 200), (401, 500)]
    assert [page.next for page in pages] == [101, 201, None]
    assert {(page.total, page.truncated, page.mode) for page in pages} == {(500, False, "lines")}
    assert pages[1].text == "".join(f"line-{number}\n" for number in range(101, 201))


def test_without_a_mode_lines_are_read_from_the_first():
    assert page_of("a\nb") == page_of("a\nb", lines=(1, None))
    assert page_of("a\nb").text == "a\nb"


def test_a_page_holds_the_whole_lines_that_fit_into_40_kib():
    text = ("w" * 1000 + "\n") * 500

    page = page_of(text)

    assert len(page.text) == 40_040
    assert facts(page) == {"range": (1, 40), "total": 500, "next": 41, "truncated": True}


def test_a_line_wider_than_a_page_is_cut_and_its_rest_is_read_by_code_points():
    page = page_of("short\n" + "j" * 200_000 + "\nend", lines=(2, None))

    assert page.text == "j" * 40_960
    assert facts(page) == {"range": (2, 2), "total": 3, "next": None, "truncated": True}
    assert page.next_char == 6 + 40_960


def test_a_wide_line_behind_others_begins_the_next_page():
    page = page_of("short\n" + "j" * 50_000)

    assert (page.text, page.range, page.next, page.next_char) == ("short\n", (1, 1), 2, None)


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ({"lines": (10, None)}, "", ((10, 9), 3, None)),
        ({"lines": (2, 99)}, "b\nc", ((2, 3), 3, None)),
        ({"lines": (None, 1)}, "a\n", ((1, 1), 3, 2)),
        ({"chars": (99, None)}, "", ((5, 5), 5, None)),
        ({"chars": (7, 9)}, "", ((5, 5), 5, None)),
        ({"chars": (2, 99)}, "b\nc", ((2, 5), 5, None)),
        ({"chars": (1, 3)}, "\nb", ((1, 3), 5, 3)),
        ({"chars": (2, 2)}, "", ((2, 2), 5, 2)),
        ({"chars": (None, None)}, "a\nb\nc", ((0, 5), 5, None)),
    ],
)
def test_a_range_is_clipped_to_the_text_and_past_its_end_is_empty(options, text, expected):
    page = page_of("a\nb\nc", **options)

    assert page.text == text
    assert (page.range, page.total, page.next) == expected
    assert not page.truncated


@pytest.mark.parametrize(
    ("text", "total"),
    [("", 0), ("a", 1), ("a\n", 1), ("\n", 1), ("\n\n", 2), ("a\r\nb\rc\u2028d\x85e\x0cf\n", 2)],
)
def test_lines_end_at_line_feeds_only(text, total):
    page = page_of(text)

    assert (page.total, page.range, page.text) == (total, (1, total), text)


def test_a_page_of_code_points_is_cut_between_code_points():
    page = page_of("甲" * 20_000, chars=(1, None))

    assert len(page.text) == 40_960 // 3
    assert facts(page) == {
        "range": (1, 1 + 40_960 // 3),
        "total": 20_000,
        "next": 1 + 40_960 // 3,
        "truncated": True,
    }


TEXTS = st.lists(
    st.one_of(
        st.text(st.sampled_from("aß甲\U0001f4a9\n"), max_size=30),
        st.builds(
            lambda piece, times: piece * times,
            st.sampled_from(["x", "\n", "甲", "ab\n"]),
            st.integers(0, 30_000),
        ),
    ),
    max_size=6,
).map("".join)


@given(TEXTS, st.sampled_from(["lines", "chars"]))
def test_following_the_pages_gives_the_whole_text(text, mode):
    store = MemoryOutputStore()
    ref = store.put(text)
    pieces, bounds = [], {mode: (None, None)}
    while bounds:
        page = read_page(store, ref, **bounds)
        pieces.append(page.text)
        assert len(page.text.encode()) <= 40 * 1024
        if page.next_char is not None:
            bounds = {"chars": (page.next_char, None)}
        else:
            bounds = {page.mode: (page.next, None)} if page.next is not None else None
        assert page.truncated == bool(bounds)

    assert "".join(pieces) == text


@given(TEXTS, st.integers(1, 50), st.integers(0, 50))
def test_a_range_of_lines_holds_these_lines(text, first, more):
    page = page_of(text, lines=(first, first + more))

    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    wanted = "".join(lines[first - 1 : first + more])
    assert wanted.startswith(page.text)
    assert page.truncated or page.text == wanted


def test_a_match_is_given_with_its_context_and_its_place():
    phrase = "BioNeMo framework supports model deployment"

    page = page_of("x" * 100_000 + phrase + "y" * 100_000, query="bionemo", context_chars=50, max_matches=3)

    assert page.mode == "query"
    assert page.text == "x" * 50 + phrase + "y" * 14
    assert page.matches == ((100_000, 100_007, 1),)
    assert facts(page) == {"range": (99_950, 100_057), "total": 1, "next": None, "truncated": False}


def test_matches_are_counted_beyond_those_shown():
    page = page_of("k.k.k.k.k.k.k.", query="k", context_chars=0)

    assert [(match.start, match.end) for match in page.matches] == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    assert page.text == BETWEEN.join("kkkkk")
    assert facts(page) == {"range": (0, 9), "total": 7, "next": None, "truncated": True}


def test_contexts_that_touch_become_one_piece_and_lines_are_counted():
    page = page_of("one\ntwo\nthree two\n" + "." * 50 + "\ntwo", query="TWO", context_chars=5)

    assert page.text == "one\ntwo\nthree two\n...." + BETWEEN + "....\ntwo"
    assert [match.line for match in page.matches] == [2, 3, 5]
    assert not page.truncated


def test_contexts_that_only_meet_become_one_piece_too():
    page = page_of("k..k...k", query="k", context_chars=1)

    assert page.text == "k..k." + BETWEEN + ".k"


def test_the_lines_between_pieces_count_in_the_bound():
    page = page_of("k." * 6_000, query="k", context_chars=0, max_matches=6_000)

    assert len(page.matches) == (40_960 + len(BETWEEN)) // (1 + len(BETWEEN)) == 5_120
    assert len(page.text) == 5_120 + 5_119 * len(BETWEEN) <= 40_960


def test_no_match_is_an_empty_page():
    page = page_of("abc", query="zzz")

    assert (page.text, page.matches) == ("", ())
    assert facts(page) == {"range": (0, 0), "total": 0, "next": None, "truncated": False}


def test_matches_that_do_not_fit_are_left_out():
    page = page_of(("." * 20_000 + "needle") * 4, query="needle", context_chars=8_000)

    assert len(page.matches) == 2
    assert (page.total, page.truncated) == (4, True)
    assert len(page.text.encode()) <= 40_960


def test_a_context_that_does_not_fit_is_narrowed_around_the_first_match():
    page = page_of("甲" * 50_000 + "needle" + "乙" * 50_000, query="needle", context_chars=10**9)

    [match] = page.matches
    width = (40_960 - 6) // 8
    assert page.text == "甲" * width + "needle" + "乙" * width
    assert page.range == (match.start - width, match.end + width)
    assert page.truncated


@given(
    st.text(st.sampled_from("ab\n甲"), max_size=300),
    st.text(st.sampled_from("ab甲"), min_size=1, max_size=3),
    st.integers(0, 20),
    st.integers(1, 9),
)
def test_the_text_holds_each_match_with_its_context(text, query, context, at_most):
    page = page_of(text, query=query, context_chars=context, max_matches=at_most)

    assert page.total == text.count(query)
    assert len(page.matches) == min(at_most, page.total)
    ends = [0]
    for match in page.matches:
        assert text[match.start : match.end] == query
        assert text[max(0, match.start - context) : match.end + context] in page.text
        assert match.line == text[: match.start].count("\n") + 1
        assert match.start >= ends[-1]
        ends.append(match.end)


@pytest.mark.parametrize(
    "options",
    [
        {"query": "x", "lines": (1, 1)},
        {"query": "x", "chars": (0, 1)},
        {"lines": (1, 1), "chars": (0, 1)},
        {"query": ""},
        {"query": " \n\t"},
        {"query": "x" * 4097},
        {"query": "x", "context_chars": -1},
        {"query": "x", "max_matches": 0},
        {"lines": (0, 5)},
        {"lines": (-3, None)},
        {"lines": (5, 4)},
        {"lines": (None, 0)},
        {"chars": (-1, None)},
        {"chars": (5, 4)},
    ],
)
def test_two_modes_blank_queries_and_impossible_ranges_are_usage_errors(options):
    with pytest.raises(UsageError) as caught:
        page_of("text", **options)

    assert caught.value.code == "usage"
    assert caught.value.exit_code == 2


def test_the_longest_query_is_allowed_and_a_query_is_literal():
    assert page_of("x" * 5000, query="x" * 4096).total == 1
    assert page_of("a.c abc", query="a.c").total == 1
    assert page_of("a b a  b", query="  b").total == 1


def test_the_errors_of_the_store_come_through():
    with pytest.raises(OutputRefUnknown):
        read_page(MemoryOutputStore(), "tool-output-" + "0" * 32)
    with pytest.raises(OutputRefMalformed):
        read_page(MemoryOutputStore(), "../x", query="y")


class Careless(MemoryOutputStore):
    def get(self, ref):
        return "a\ud800b"


def test_a_store_that_gives_surrogates_cannot_break_a_page():
    page = read_page(Careless(), "tool-output-" + "0" * 32)

    assert page.text == "a\ufffdb"


def test_the_json_of_a_page_has_the_keys_of_the_contract():
    store = MemoryOutputStore()
    ref = store.put("a\nb\n", tool="bash")

    assert read_page(store, ref, lines=(1, 1)).as_json() == {
        "ref": ref,
        "tool": "bash",
        "mode": "lines",
        "text": "a\n",
        "range": [1, 1],
        "total": 2,
        "next": 2,
        "truncated": False,
    }
    assert read_page(store, ref, query="B", context_chars=0).as_json() == {
        "ref": ref,
        "tool": "bash",
        "mode": "query",
        "text": "b",
        "range": [2, 3],
        "total": 1,
        "matches": [{"start": 2, "end": 3, "line": 2}],
        "truncated": False,
    }
    wide = store.put("x" * 40_961)
    assert read_page(store, wide).as_json() == {
        "ref": wide,
        "tool": None,
        "mode": "lines",
        "text": "x" * 40_960,
        "range": [1, 1],
        "total": 1,
        "next_char": 40_960,
        "truncated": True,
    }


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("1:5", (1, 5)), (" 1 : 5 ", (1, 5)), ("7:", (7, None)), (":7", (None, 7)), (":", (None, None))],
)
def test_a_range_is_spelled_with_a_colon(text, bounds):
    assert parse_range(text) == bounds


@pytest.mark.parametrize("text", ["", "5", "a:b", "1:-2", "1:2:3", "1.5:2", "1-2", "\N{SUPERSCRIPT TWO}:"])
def test_another_spelling_of_a_range_is_a_usage_error(text):
    with pytest.raises(UsageError):
        parse_range(text)
