"""Invariants of one assembly over random histories, budgets, stores, summarisers, models and contributions."""

from zlib import crc32

import pytest
from hypothesis import given, seed, settings

from .checks import CHECKS
from .scenarios import Scenario, run, scenarios


@pytest.mark.parametrize("name", CHECKS)
def test_invariant(name: str) -> None:
    """Each name is a sentence about an assembly; `checks.py` says it in code. Each is tried on scenarios of its own."""

    @seed(crc32(name.encode()))
    @settings(max_examples=25)
    @given(scenarios())
    def holds(scenario: Scenario) -> None:
        CHECKS[name](run(scenario))

    holds()


@pytest.mark.slow
@settings(max_examples=5000)
@given(scenarios())
def test_every_invariant_holds_on_thousands_of_scenarios(scenario: Scenario) -> None:
    outcome = run(scenario)
    for check in CHECKS.values():
        check(outcome)


@pytest.mark.slow
@settings(max_examples=1500)
@given(scenarios(clean=True, model=True))
def test_every_invariant_holds_where_a_model_answers_a_tidy_client(scenario: Scenario) -> None:
    outcome = run(scenario)
    for check in CHECKS.values():
        check(outcome)
