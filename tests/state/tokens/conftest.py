"""The exact counters, for tests that compare; they need the data packages of the `dev` extra."""

from collections.abc import Callable

import pytest

from turngraph.state.errors import TokenizerUnavailable
from turngraph.state.tokens import TiktokenCounter


@pytest.fixture(scope="session")
def o200k() -> TiktokenCounter:
    return _counter("o200k_base")


@pytest.fixture(scope="session")
def cl100k() -> TiktokenCounter:
    return _counter("cl100k_base")


@pytest.fixture(scope="session")
def real(o200k: TiktokenCounter, cl100k: TiktokenCounter) -> Callable[[str], int]:
    """The larger of both exact counts."""
    return lambda text: max(o200k.count(text), cl100k.count(text))


def _counter(encoding: str) -> TiktokenCounter:
    try:
        return TiktokenCounter(encoding)
    except TokenizerUnavailable as error:
        pytest.skip(f"no exact tokenizer: {error}")
