"""A bar has its width, is full at the limit, and says when a value is over it."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from turngraph.graph.command.bars import bar

NUMBERS = st.integers(0, 10**9)
WIDTHS = st.integers(2, 60)


@given(value=NUMBERS, limit=NUMBERS, width=WIDTHS, plain=st.booleans())
def test_a_bar_is_as_wide_as_asked_for(value, limit, width, plain):
    assert cell_len(bar(value, limit, width, plain=plain).plain) == width


@given(value=NUMBERS, limit=st.integers(1, 10**9), width=WIDTHS)
def test_only_what_is_over_the_limit_ends_in_an_arrow(value, limit, width):
    assert bar(value, limit, width).plain.endswith("▶") == (value > limit)


@given(limit=st.integers(1, 10**9), width=WIDTHS)
def test_nothing_is_an_empty_bar_and_the_limit_a_full_one(limit, width):
    assert bar(0, limit, width).plain == "·" * width
    assert bar(limit, limit, width).plain == "█" * width


@given(value=st.integers(1, 10**9), limit=st.integers(1, 10**9), width=WIDTHS)
def test_a_little_is_not_nothing(value, limit, width):
    assert bar(value, limit, width).plain != "·" * width
