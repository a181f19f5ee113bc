"""The invariants of one assembly hold at every assembly of a random journey, whatever went before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .checks import CHECKS
from .journeys import journey

SEEDS = st.integers(0, 2**32)


@settings(max_examples=25)
@given(st.lists(SEEDS, min_size=4, max_size=16), SEEDS)
def test_every_invariant_holds_at_every_assembly_of_a_journey(seeds, seed):
    for outcome in journey(seeds, seed):
        for check in CHECKS.values():
            check(outcome)


@pytest.mark.slow
@settings(max_examples=800)
@given(st.lists(SEEDS, min_size=4, max_size=30), SEEDS)
def test_every_invariant_holds_at_every_assembly_of_hundreds_of_journeys(seeds, seed):
    for outcome in journey(seeds, seed):
        for check in CHECKS.values():
            check(outcome)
