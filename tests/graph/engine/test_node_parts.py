"""Outcomes, views and services: what a node is made of."""

import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest
from pydantic import ValidationError

from turngraph.graph.engine import Outcome, Services, View


class History:
    """A class of our own that pydantic does not know; it must never be walked through."""

    def __iter__(self):
        raise AssertionError("walked through")

    __len__ = __eq__ = __iter__
    __hash__ = None


class Read(Outcome):
    history: History
    count: int


class Base(View):
    history: History


class Wider(Base):
    kind: ClassVar[str] = "wide"
    count: int


def test_an_outcome_keeps_a_class_of_our_own_as_it_is():
    history = History()

    assert Read(history=history, count=1).history is history


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"history": [], "count": 1}, "instance of History"),
        ({"history": History(), "count": "many"}, "valid integer"),
        ({"history": History(), "count": 1, "more": 2}, "not permitted"),
        ({"count": 1}, "Field required"),
    ],
)
def test_an_outcome_refuses_what_its_fields_do_not_allow(fields, reason):
    with pytest.raises(ValidationError, match=reason):
        Read(**fields)


def test_an_outcome_cannot_be_changed():
    outcome = Read(history=History(), count=1)

    with pytest.raises(ValidationError, match="frozen"):
        outcome.count = 2


def test_outcomes_and_views_show_themselves_in_a_few_characters():
    shown = [repr(Read(history=History(), count=1)), repr(Wider(history="x" * 99, count=2))]

    assert shown == ["Read(history=<History>, count=1)", "Wider(history=<str of 99>, count=2)"]


def test_a_view_names_its_fields_in_order_those_of_its_base_first():
    assert Wider.view_fields == ("history", "count")


def test_reading_a_field_that_the_view_does_not_name_says_what_it_names():
    view = Wider(history=History(), count=1)

    with pytest.raises(AttributeError, match=r"Wider does not read 'prompt'; it declares history, count"):
        _ = view.prompt


def test_a_view_cannot_be_changed():
    view = Base(history=History())

    with pytest.raises(AttributeError, match="read-only"):
        view.history = History()
    with pytest.raises(AttributeError, match="read-only"):
        del view.history


@pytest.mark.parametrize("fields", [{"history": 1}, {"history": 1, "count": 2, "more": 3}])
def test_a_view_is_built_with_exactly_its_fields(fields):
    with pytest.raises(TypeError, match="missing fields"):
        Wider(**fields)


def test_a_view_field_takes_no_default():
    with pytest.raises(TypeError, match=r"Late.count: a view field takes no default"):

        class Late(View):
            count: int = 0


def test_views_of_the_same_class_are_equal_when_their_fields_are():
    assert Base(history="x") == Base(history="x") != Base(history="y")


def test_services_are_a_plain_typed_object():
    @dataclass(frozen=True, slots=True)
    class Clock(Services):
        now: float

    assert Clock(now=1.5).now == 1.5
    assert not hasattr(Clock(now=1.5), "__dict__")


def test_importing_the_engine_imports_no_graph_library():
    code = "import turngraph.graph.engine, turngraph.graph.draw, sys; print('networkx' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
