"""Texts bounded in bytes and lines, and the preview that pruning makes of a cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.nodes.guard_text import bound_text, cut_text, shorten_cut
from turngraph.state.outputs import is_preview, preview, ref_of

HUNDRED = "\n".join(f"line-{number}" for number in range(100))
ANY_TEXT = st.lists(st.sampled_from(["", "a", "äö甲", "\N{PILE OF POO}" * 3, "x" * 40, "\r"]), max_size=60).map(
    "\n".join
)


def facts(bounded):
    return (bounded.total_bytes, bounded.total_lines, bounded.omitted_bytes, bounded.omitted_lines)


def test_a_text_inside_the_bounds_is_unchanged():  # grd-11
    bounded = bound_text("one\ntwo\nthree\n", max_bytes=14, max_lines=3)

    assert bounded.text == "one\ntwo\nthree\n"
    assert facts(bounded) == (14, 3, 0, 0)
    assert (bounded.truncated, bounded.partial_line) == (False, False)


def test_the_head_is_the_first_lines():  # grd-9
    bounded = bound_text(HUNDRED, max_bytes=10_000, max_lines=10)

    assert bounded.text == "".join(f"line-{number}\n" for number in range(10))
    assert (bounded.omitted_lines, bounded.partial_line) == (90, False)


def test_the_tail_is_the_last_lines_with_the_end_that_the_text_has():  # grd-10
    assert bound_text(HUNDRED, max_bytes=10_000, max_lines=3, keep="tail").text == "line-97\nline-98\nline-99"
    assert bound_text(HUNDRED + "\n", max_bytes=10_000, max_lines=1, keep="tail").text == "line-99\n"


@pytest.mark.parametrize(
    ("max_bytes", "keep", "kept", "partial"),
    [
        (9, "head", "aaaa\n", False),
        (4, "head", "aaaa", True),
        (5, "head", "aaaa\n", False),
        (8, "tail", "cccc\n", False),
        (4, "tail", "ccc\n", True),
        (0, "head", "", False),
        (0, "tail", "", False),
    ],
)
def test_bytes_are_cut_at_a_lines_end_if_that_leaves_half_of_them(max_bytes, keep, kept, partial):
    bounded = bound_text("aaaa\nbbbb\ncccc\n", max_bytes=max_bytes, max_lines=99, keep=keep)

    assert (bounded.text, bounded.partial_line) == (kept, partial)


@pytest.mark.parametrize(("keep", "kept"), [("head", "甲甲"), ("tail", "甲甲")])
def test_a_code_point_is_never_cut(keep, kept):
    bounded = bound_text("甲" * 10, max_bytes=8, max_lines=9, keep=keep)

    assert bounded.text == kept
    assert facts(bounded) == (30, 1, 24, 0)


@given(ANY_TEXT, st.integers(0, 300), st.integers(1, 30), st.sampled_from(["head", "tail"]))
def test_what_is_kept_is_an_end_of_the_text_within_both_bounds(text, max_bytes, max_lines, keep):
    bounded = bound_text(text, max_bytes=max_bytes, max_lines=max_lines, keep=keep)

    size = len(text.encode())
    kept = bounded.text
    assert text.startswith(kept) if keep == "head" else text.endswith(kept)
    assert len(kept.encode()) <= max_bytes
    assert kept.count("\n") + (kept[-1:] not in {"", "\n"}) <= max_lines
    assert bounded.omitted_bytes == size - len(kept.encode())
    fits = size <= max_bytes and bounded.total_lines <= max_lines
    assert fits == (not bounded.truncated)


@given(ANY_TEXT, st.integers(1024, 3000), st.integers(8, 40), st.sampled_from(["head", "tail"]), st.booleans())
def test_a_cut_is_within_its_bounds_whatever_the_text_and_the_tool(text, max_bytes, max_lines, keep, stored):
    text += "\n".join(["end"] * 50)
    cut = cut_text(
        text,
        tool="甲\n] " * 100,
        ref=ref_of(text) if stored else None,
        problem=None if stored else "p" * 90,
        max_bytes=max_bytes,
        max_lines=max_lines,
        keep=keep,
    )

    assert len(cut.encode()) <= max_bytes
    assert cut.count("\n") + 1 <= max_lines
    assert cut.endswith("end")


def test_the_preview_of_a_cut_is_the_preview_of_the_whole():
    body = "".join(f"line {number} äö\n" for number in range(20_000))
    ref = ref_of(body)
    for keep in ("head", "tail"):
        cut = cut_text(body, tool="t", ref=ref, problem=None, max_bytes=51_200, max_lines=2000, keep=keep)

        small = shorten_cut(cut, ref, 2048)
        assert small == preview(body, ref, 2048)
        assert is_preview(small)
        assert shorten_cut(small, ref, 2048) is None


def test_only_a_cut_of_that_very_reference_is_shortened():
    body = "x\n" * 9000
    ref, other = ref_of(body), ref_of("other")
    cut = cut_text(body, tool="t", ref=ref, problem=None, max_bytes=9000, max_lines=2000, keep="head")

    assert shorten_cut(cut, other, 512) is None
    assert shorten_cut(body, ref, 512) is None
    assert shorten_cut(preview(body, ref, 4096), ref, 512) is None
    assert shorten_cut(cut, ref, 9000) is None
    assert shorten_cut("", ref, 512) is None
