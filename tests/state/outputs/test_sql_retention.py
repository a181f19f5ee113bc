"""Retention on every kind of store: what goes, in which order, and what never goes."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turngraph.state.errors import OutputRefExpired, UsageError
from turngraph.state.messages import File, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
from turngraph.state.outputs import (
    FileOutputStore,
    MemoryOutputStore,
    Retention,
    SqlOutputStore,
    live_refs,
    preview,
    prune_outputs,
    ref_of,
)

DAY = 86_400.0
NOW = 100 * DAY


class Shelf:
    """A store with a way to put a body at a given time."""

    def __init__(self, kind, tmp_path):
        self.now = NOW
        self.kind = kind
        if kind == "sql":
            self.store = SqlOutputStore(f"sqlite:///{tmp_path}/outputs.db", clock=lambda: self.now)
        else:
            self.store = FileOutputStore(tmp_path / "outputs") if kind == "files" else MemoryOutputStore()

    def put(self, text, *, days_ago=10.0):
        self.now = NOW - days_ago * DAY
        ref = self.store.put(text)
        if self.kind == "files":
            os.utime(self.store.path / f"{ref}.txt", (self.now, self.now))
        return ref

    def prune(self, live=(), **limits):
        return prune_outputs(self.store, Retention(**limits), live, now=NOW)


@pytest.fixture(params=["memory", "files", "sql"])
def shelf(request, tmp_path):
    made = Shelf(request.param, tmp_path)
    yield made
    if request.param == "sql":
        made.store.close()


@pytest.fixture(params=["files", "sql"])
def dated(request, tmp_path):
    """A shelf that knows when a body came."""
    made = Shelf(request.param, tmp_path)
    yield made
    if request.param == "sql":
        made.store.close()


def refs(held):
    return [item.ref for item in held]


def test_without_limits_nothing_goes(shelf):
    shelf.put("a" * 100)

    pruned = shelf.prune()

    assert (pruned.removed, pruned.kept_bytes, pruned.over_bytes) == ((), 100, 0)


def test_the_oldest_go_until_the_rest_fits(shelf):
    first, second, third = (shelf.put(letter * 100, days_ago=days) for letter, days in [("a", 9), ("b", 8), ("c", 7)])

    pruned = shelf.prune(max_bytes=150)

    assert refs(pruned.removed) == [first, second]
    assert (pruned.kept_bytes, pruned.over_bytes) == (100, 0)
    assert [shelf.store.contains(ref) for ref in (first, second, third)] == [False, False, True]
    with pytest.raises(OutputRefExpired):
        shelf.store.get(first)


def test_what_is_live_stays_whatever_the_limits_and_the_excess_is_said(shelf):
    first, second = shelf.put("a" * 100, days_ago=9), shelf.put("b" * 100, days_ago=8)

    pruned = shelf.prune([first, "tool-output-" + "0" * 32, "no reference"], max_bytes=10, max_age_s=DAY)

    assert refs(pruned.removed) == [second]
    assert (pruned.kept_bytes, pruned.over_bytes) == (100, 90)
    assert shelf.store.get(first) == "a" * 100


def test_a_body_that_a_live_body_names_is_live_too(shelf):
    named = shelf.put("the whole result", days_ago=9)
    transcript = shelf.put(f"[m3 tool bash call c1 ref={named}]\nhead and tail", days_ago=8)
    outer = shelf.put(f"an older checkpoint: {transcript}", days_ago=7)
    other = shelf.put("nobody needs this", days_ago=6)

    pruned = shelf.prune([outer], max_bytes=0)

    assert refs(pruned.removed) == [other]
    assert shelf.store.get(named) == "the whole result"


def test_what_is_too_old_goes(dated):
    old, young = dated.put("old", days_ago=31), dated.put("young", days_ago=29)

    assert refs(dated.prune(max_age_s=30 * DAY).removed) == [old]
    assert dated.store.get(young) == "young"


def test_what_came_within_the_hour_stays_because_its_run_may_not_have_ended(dated):
    fresh, old = dated.put("fresh", days_ago=0.5 / 24), dated.put("old", days_ago=1)

    pruned = dated.prune(max_bytes=0, max_age_s=1)
    assert (refs(pruned.removed), pruned.over_bytes) == ([old], 5)
    assert refs(dated.prune(max_bytes=0, grace_s=0).removed) == [fresh]


def test_memory_knows_no_times_so_only_its_size_counts(tmp_path):
    shelf = Shelf("memory", tmp_path)
    ref = shelf.put("a" * 10)

    assert shelf.prune(max_age_s=0).removed == ()
    assert refs(shelf.prune(max_bytes=9).removed) == [ref]


def test_files_that_are_no_bodies_are_left_alone(tmp_path):
    shelf = Shelf("files", tmp_path)
    ref = shelf.put("a" * 10)
    others = [shelf.store.path / name for name in ("notes.txt", "tool-output-1.txt", "a.tmp")]
    for path in others:
        path.write_text("x" * 1000)
    link = shelf.store.path / f"{ref_of('elsewhere')}.txt"
    link.symlink_to(others[0])

    assert refs(shelf.prune(max_bytes=0).removed) == [ref]
    assert all(path.exists() for path in [*others, link])
    assert FileOutputStore(tmp_path / "none").path.exists() is False
    assert prune_outputs(FileOutputStore(tmp_path / "none"), Retention(max_bytes=0), [], now=NOW).removed == ()


def test_a_store_that_cannot_list_what_it_holds_is_refused():
    class Foreign:
        def put(self, text, *, tool=None): ...
        def get(self, ref): ...
        def contains(self, ref): ...
        def tool_of(self, ref): ...

    with pytest.raises(UsageError, match="Foreign cannot list"):
        prune_outputs(Foreign(), Retention(), [], now=NOW)


@pytest.mark.parametrize("field", ["max_bytes", "max_age_s", "grace_s"])
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_limits_are_not_negative(field, value):
    with pytest.raises(UsageError, match=f"{field} is at least 0"):
        Retention(**{field: value})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 40), st.booleans()), min_size=1, max_size=8),
    st.none() | st.integers(0, 200),
    st.none() | st.integers(0, 40),
)
def test_what_is_live_never_goes_and_the_rest_keeps_to_the_limits(shelf, bodies, max_bytes, max_days):
    for held in [body for body in KNOWN if shelf.store.contains(body)]:
        shelf.store.expire(held)
    placed = []
    for number, (size, days, live) in enumerate(bodies):
        ref = shelf.put(f"{number:02}" + "x" * size, days_ago=days + 0.5)
        placed.append((ref, size + 2, days + 0.5, live))
    KNOWN.update(ref for ref, *_ in placed)
    live = {ref for ref, _, _, alive in placed if alive}

    pruned = shelf.prune(live, max_bytes=max_bytes, max_age_s=None if max_days is None else max_days * DAY)

    left = [item for item in placed if shelf.store.contains(item[0])]
    assert live <= {ref for ref, *_ in left}
    assert pruned.kept_bytes == sum(size for _, size, _, _ in left)
    if max_bytes is not None:
        assert pruned.kept_bytes <= max_bytes or {ref for ref, *_ in left} == live
    if max_days is not None and shelf.kind != "memory":
        assert all(alive or days <= max_days for _, _, days, alive in left)
    assert {held.ref for held in pruned.removed} == {ref for ref, *_ in placed} - {ref for ref, *_ in left}


KNOWN: set[str] = set()
"""Bodies of earlier examples, which a shelf still holds."""


def test_the_references_of_a_history_are_found_wherever_they_stand():
    one, two, three, four, five, six, seven = (ref_of(letter) for letter in "abcdefg")
    shortened = preview("x" * 9999, three, 99)
    messages = [
        Message.user([Text(f"see {one}"), File(name=two)]),
        Message.assistant("", calls=[ToolCall(id="c", name="write", arguments={"text": [shortened]})]),
        Message(role="tool", content=(ToolResult(call_id="c", content=(Text("whole"),), ref=four),)),
        Message(role="assistant", content=(Reasoning(text=f"({five})"), Opaque(format="x", value={"a": {six: 1}}))),
    ]

    assert live_refs(messages) == {one, two, three, four, five, six}
    assert live_refs([], durable={"version": 1, "artifacts": [{"ref": seven}], "none": None, "n": 1}) == {seven}
