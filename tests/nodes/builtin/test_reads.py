"""What a contributor may read of durable state."""

import pytest

from turngraph import History
from turngraph.nodes.builtin import StateReads, reads_problem
from turngraph.state.durable import hydrate

from .asking import did


class Reader:
    id = "reader"
    state_reads = ("plan", "memory")

    def contribute(self, request):
        raise NotImplementedError


class Silent:
    id = "silent"

    def contribute(self, request):
        raise NotImplementedError


STATE = hydrate(History([*did("query_graph", query="x"), *did("task")]))


def test_a_contributor_sees_what_it_declared_and_what_the_window_left_out():
    state = StateReads(Reader(), STATE, ("m1",))

    assert dict(state) == {"plan": None, "memory": STATE.memory, "left_out": ("m1",)}
    assert len(state) == 3


def test_without_a_declaration_no_channel_is_seen():  # stv-4
    assert dict(StateReads(Silent(), STATE, ())) == {"left_out": ()}


@pytest.mark.parametrize(
    ("name", "words"), [("skills", "without naming it in `state_reads`"), ("plans", "there is no channel 'plans'")]
)
def test_reading_what_was_not_declared_is_an_error_that_says_so(name, words):
    with pytest.raises(KeyError, match=words):
        StateReads(Reader(), STATE, ())[name]


def test_what_is_seen_cannot_be_changed():
    state = StateReads(Reader(), STATE, ())

    with pytest.raises(TypeError):
        state["plan"] = None
    with pytest.raises(AttributeError):
        state.update(plan=None)


def test_a_channel_that_does_not_exist_is_named():
    class Wrong(Reader):
        state_reads = ("plans", "left_out")

    assert "['plans']" in reads_problem(Wrong())
    assert reads_problem(Reader()) is None
    assert reads_problem(Silent()) is None


def test_the_repr_names_owner_and_channels():
    assert repr(StateReads(Reader(), STATE, ())) == "<StateReads of reader: plan, memory, left_out>"
