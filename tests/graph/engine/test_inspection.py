"""What `diff` and `why` see in values of every kind."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict

from turngraph.graph.engine import END, Bounded, FieldChange, ItemChange, Outcome, StateGraph, View

Anything = Annotated[Any, Bounded]


@dataclass(frozen=True)
class Item:
    id: str
    text: str = ""
    tokens: int | None = None


class Note(BaseModel):
    about: str


class Shelf:
    """Knows itself what it mentions and how it differs."""

    def __init__(self, *names):
        self.names = names

    def mentions(self, item_id):
        return item_id in self.names

    def diff_against(self, other):
        return f"{len(self.names)} became {len(other.names)}"


class Digested:
    """Brings its own digest."""

    def __init__(self, digest):
        self.digest = digest


class State(BaseModel):
    model_config = ConfigDict(frozen=True)
    value: Anything
    to_write: Anything


class Reading(View):
    to_write: Anything


class Written(Outcome):
    value: Anything


def write(view: Reading) -> Written:
    return Written(value=view.to_write)


@pytest.fixture(scope="module")
def change():
    built = StateGraph(State, inputs={"value", "to_write"})
    built.add_node(write)
    built.on(write, Written, END)
    graph = built.compile()
    return lambda before, after: graph.run({"value": before, "to_write": after})


def test_a_value_that_compares_itself_is_asked(change):
    (found,) = change(Shelf("a"), Shelf("a", "b", "c")).diff(0, 1)

    assert (found.kind, found.detail, str(found)) == ("changed", "1 became 3", "~ value: 1 became 3")


def test_items_are_compared_by_id_with_the_tokens_they_gained_or_lost(change):
    before = [Item("a", tokens=5), Item("b", tokens=3), Item("c", tokens=1)]
    after = [Item("a", tokens=5), Item("b", "cut", tokens=1), Item("d", tokens=2)]

    (found,) = change(before, after).diff(0, 1)

    assert found.items == (
        ItemChange(id="c", kind="removed", tokens=-1),
        ItemChange(id="b", kind="changed", tokens=-2),
        ItemChange(id="d", kind="added", tokens=2),
    )


def test_items_that_do_not_know_their_tokens_have_no_delta(change):
    (found,) = change([Item("a")], [Item("a", "other")]).diff(0, 1)

    assert [str(item) for item in found.items] == ["~ a"]


def test_a_pricing_of_the_caller_counts_instead(change):
    (found,) = change([Item("a", "four")], [Item("a", "sixsix")]).diff(0, 1, tokens=lambda item: len(item.text))

    assert [str(item) for item in found.items] == ["~ a (+2 tokens)"]


@pytest.mark.parametrize(
    ("before", "after"),
    [([1, 2], [1, 3]), ([Item("a"), Item("a")], [Item("a")]), ("abc", "abd"), ([Item("a")], "a")],
)
def test_what_has_no_ids_is_changed_as_a_whole(change, before, after):
    (found,) = change(before, after).diff(0, 1)

    assert found == FieldChange(field="value", kind="changed", before=before, after=after)


def test_equal_values_do_not_differ(change):
    assert change([Item("a")], [Item("a")]).diff(0, 1) == []


@pytest.mark.parametrize(
    ("before", "after", "touched"),
    [
        ((), (Item("m1"),), True),
        ((Item("m1"),), (), True),
        ((Item("m1"),), (Item("m1", "cut"),), True),
        ((Item("m1"),), (Item("m1"), Item("m2")), False),
        ({}, {"m1": 1}, True),
        ({}, {"key": ["m1"]}, True),
        (None, Note(about="m1"), True),
        (None, "m1", True),
        (None, {"m1"}, True),
        (None, "m1 and more", False),
        (None, 1, False),
        (Shelf(), Shelf("m1"), True),
        (Shelf("m1"), Shelf(), True),
        (Shelf("m2"), Shelf("m3"), False),
    ],
)
def test_why_finds_the_frames_that_touched_an_item(change, before, after, touched):
    assert bool(change(before, after).why("m1")) == touched


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"b": 1, "a": {2, 1}}, {"a": {1, 2}, "b": 1}, True),
        ([Note(about="x")], [Note(about="x")], True),
        ([Note(about="x")], [Note(about="y")], False),
        ([Item("a")], [Item("b")], False),
        (list(range(5000)), list(range(5000)), True),
        (list(range(5000)), list(range(5001)), False),
        ("\ud800", "\ud801", False),
        (1, True, False),
        (Digested("a"), Digested("a"), True),
        (Digested("a"), Digested("b"), False),
    ],
)
def test_digests_tell_states_apart_and_equal_ones_are_equal(left, right, same):
    from turngraph.graph.engine.digest import digest

    assert (digest({"x": left}) == digest({"x": right})) == same
