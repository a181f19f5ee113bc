"""Pieces: what both published patterns cut a text into is what short words cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.tokens import ConservativeCounter, counter_named
from turngraph.state.tokens.conservative import BYTE_CLASSES, pairs_of
from turngraph.state.tokens.pieces import cuts

COUNT = ConservativeCounter().count
WORDS = st.sampled_from(["the", "and", "of", "is", "not", "file", "data", "12", "7", "x"])
JOINTS = st.sampled_from([" ", ", ", ". ", "\n", "; ", " - "])


@pytest.fixture(scope="module")
def real():
    encodings = [counter_named(f"tiktoken:{name}") for name in ("o200k_base", "cl100k_base")]
    return lambda text: max(encoding.count(text) for encoding in encodings)


@given(parts=st.lists(st.tuples(WORDS, JOINTS), max_size=20))
def test_cuts_between_words_are_fewer_than_the_tokens(parts, real):
    text = "".join(word + joint for word, joint in parts)

    assert sum(pairs_of(text.encode()).translate(cuts(BYTE_CLASSES))) <= real(text)


@pytest.mark.parametrize("unit", ["the ", "and, ", "word ", "of the ", "x, ", "yes, no. ", "test; "])
def test_short_repeated_words_are_not_under_by_more_than_one_percent(unit, real):
    assert COUNT(unit * 400) >= 0.99 * real(unit * 400)
