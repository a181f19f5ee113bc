"""Invariants that take several assemblies: again, async, warm, branched, written and read back, turn by turn."""

from zlib import crc32

import pytest
from hypothesis import given, seed, settings

from .many import MANY
from .scenarios import Scenario, scenarios


@pytest.mark.parametrize("name", MANY)
def test_invariant(name: str) -> None:
    """Each name is a sentence; `many.py` says it in code."""

    @seed(crc32(name.encode()))
    @settings(max_examples=20)
    @given(scenarios())
    def holds(scenario: Scenario) -> None:
        MANY[name](scenario)

    holds()


@pytest.mark.slow
@settings(max_examples=600)
@given(scenarios())
def test_every_invariant_holds_on_hundreds_of_scenarios(scenario: Scenario) -> None:
    for check in MANY.values():
        check(scenario)
