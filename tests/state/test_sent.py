"""What providers see of a history: continued from turn to turn, it is what a fresh look at the same messages gives."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from turngraph import History, Message, ToolCall, ToolResult
from turngraph.state.pricing import Pricer

IDS = st.sampled_from(["a", "b", ""])


class Length:
    """Counts characters."""

    name = "length"

    def count(self, text):
        return len(text)


PRICER = Pricer(Length())


@st.composite
def results(draw):
    message = Message.tool(draw(st.sampled_from(["a", "b", "", "nobody"])), draw(st.text(max_size=3)))
    result = message.result
    assert isinstance(result, ToolResult)
    return replace(message, content=(replace(result, interim=draw(st.booleans())),))


CALLS = st.lists(st.builds(ToolCall, id=IDS, name=st.just("f"), arguments=st.just({})), max_size=3)
MESSAGES = st.one_of(
    st.builds(Message.user, st.sampled_from(["ask", "", " "])),
    st.builds(Message.assistant, st.sampled_from(["say", "", " "]), calls=CALLS),
    st.builds(Message.system, st.just("rule")),
    results(),
    results(),
)
TURNS = st.lists(st.lists(MESSAGES, max_size=4), max_size=6)


def seen(history):
    """Everything that the outgoing form says, by step."""
    sent = history.sent
    steps = [[(m.role, m.id, m.text, [c.id for c in m.calls]) for m in sent.step(at)] for at in range(sent.count)]
    notes = [note.message for note in sent.diagnostics(1000)]
    prices = [sent.step_price(PRICER, at) for at in range(sent.count)]
    return steps, notes, prices, sent.price(PRICER)


@given(TURNS)
def test_a_history_that_grew_is_seen_as_one_that_was_there_at_once(turns):
    grown = History()
    views = [grown]
    for turn in turns:
        grown = grown.extend(turn)
        assert seen(grown) == seen(History(grown))
        views.append(grown)

    for view in views:  # what was looked at once stays as it was
        assert seen(view) == seen(History(view))


@given(TURNS)
def test_an_older_view_is_seen_as_it_was_though_it_is_looked_at_late(turns):
    views = [History()]
    for turn in turns:
        views.append(views[-1].extend(turn))

    for view in reversed(views):
        assert seen(view) == seen(History(view))


@given(TURNS)
def test_a_step_costs_what_its_messages_cost(turns):
    history = History([message for turn in turns for message in turn])
    sent = history.sent

    for number in range(sent.count):
        assert sent.step_price(PRICER, number) == PRICER.messages(sent.step(number))
    assert sent.price(PRICER) == PRICER.messages(list(sent.messages)[: sent.stop])


def test_a_late_result_takes_the_place_of_its_placeholder_and_leaves_older_views_alone():
    call = Message.assistant(calls=[ToolCall(id="a", name="f", arguments={})])
    before = History([Message.user("q"), call, Message.user("meanwhile")])
    held = before.sent.span(0, 3)

    after = before.append(Message.tool("a", "late"))

    assert [message.text for message in after.sent.messages] == ["q", "", "late", "meanwhile"]
    shown = [message.text for message in held.source[held.start : held.stop]]
    assert (shown[1], shown[3]) == ("", "meanwhile")
    assert shown[2].startswith("no result available")


def test_a_regular_turn_goes_on_in_the_same_list():
    history = History([Message.user("q"), Message.assistant("a")])
    first, second = history.sent, history.append(Message.user("r")).sent

    assert first.messages is second.messages
    assert (first.stop, second.stop) == (2, 3)


def test_only_ranges_of_whole_steps_count_as_seen():
    call = Message.assistant(calls=[ToolCall(id="a", name="f", arguments={})])
    sent = History([Message.user("q"), call, Message.tool("a", "r"), Message.user("s")]).sent

    sent.note_seen(0, 2)
    assert sent.seen_from(0) == 0
    sent.note_seen(0, 3)
    assert [sent.seen_from(start) for start in range(5)] == [3, 3, 2, 3, 4]
    sent.note_seen(3, 4)
    assert sent.seen_from(1) == 4
