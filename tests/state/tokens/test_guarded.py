"""The guard: a plugged counter may fail in any way, the turn goes on and says so."""

import asyncio

import pytest

from turngraph.state.tokens import ConservativeCounter, GuardedCounter, TokenCounter


class Plugged:
    """A counter that answers, or raises, what it was given."""

    name = "plugged"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def count(self, text: str) -> int:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]


class PanicException(BaseException):
    """What pyo3 raises for a Rust panic."""


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def guarded(answer: object) -> GuardedCounter:
    return GuardedCounter(Plugged(answer))


def test_the_answer_of_a_sound_counter_passes():
    counter = guarded(7)

    assert (counter.count("text"), counter.fallbacks, counter.last_error) == (7, 0, None)


def test_zero_is_a_sound_answer():
    assert guarded(0).count("text") == 0


def test_it_goes_by_the_name_of_what_it_guards():
    assert isinstance(guarded(1), TokenCounter)
    assert guarded(1).name == "plugged"


@pytest.mark.parametrize("answer", [-1, True, 1.5, None, "3", [1]])
def test_an_answer_that_is_no_number_of_tokens_is_estimated(answer: object):
    counter = guarded(answer)

    assert counter.count("some text") == ConservativeCounter().count("some text")
    assert counter.fallbacks == 1


@pytest.mark.parametrize(
    "error", [ValueError("bad"), MemoryError(), RecursionError(), PanicException("byte index"), Unprintable()]
)
def test_whatever_is_raised_is_estimated(error: BaseException):
    counter = guarded(error)

    assert counter.count("some text") == ConservativeCounter().count("some text")
    assert type(error).__name__ in (counter.last_error or "")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit(), asyncio.CancelledError()])
def test_what_is_not_about_the_text_passes(error: BaseException):
    counter = guarded(error)

    with pytest.raises(type(error)):
        counter.count("some text")
    assert counter.fallbacks == 0


def test_fallbacks_add_up_and_the_newest_error_is_kept():
    plugged = Plugged(ValueError("first"))
    counter = GuardedCounter(plugged)
    counter.count("a")
    plugged.answer = ValueError("second")
    counter.count("b")

    assert (counter.fallbacks, counter.last_error) == (2, "ValueError: second")


def test_its_repr_says_how_often_it_fell_back():
    assert repr(guarded(1)) == "GuardedCounter('plugged', fallbacks=0)"
