"""The lower bound by pieces: never above what the larger of both encodings gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.tokens import counter_named
from turngraph.state.tokens.pieces import pieces_in

ALPHABET = "abZ 0129,.()'/\n\r\t-_{}:\"é中🙂"


@pytest.fixture(scope="module")
def real():
    encodings = [counter_named(f"tiktoken:{name}") for name in ("o200k_base", "cl100k_base")]
    return lambda text: max(encoding.count(text) for encoding in encodings)


@given(text=st.text(ALPHABET, max_size=30))
def test_pieces_are_never_more_than_the_tokens(text, real):
    assert pieces_in(text.encode()) <= real(text)


@pytest.mark.parametrize("unit", ["the ", "and, ", "word ", "of\n", "x, ", "yes, no. "])
def test_short_repeated_words_cost_their_pieces(unit, real):
    assert pieces_in((unit * 400).encode()) >= 0.99 * real(unit * 400)
