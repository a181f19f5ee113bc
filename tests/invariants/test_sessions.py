"""Long sessions: usable every turn, nothing said is lost, the cost of keeping it so is bounded."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph import Message, ToolCall

from .oracle import PREVIEW, pairing
from .simulation import Session, prompt, start, step

SEEDS = st.integers(0, 2**32)


def play(seed: int, turns: int, limit: int, *, model: bool = False, prompts: bool = True, **more: object) -> Session:
    """Play a session and check each turn."""
    from random import Random

    random = Random(seed)
    session = start(random, limit, model=model, **more)
    prompt(session, random, 60)
    for _ in range(turns):
        if prompts and random.random() < 0.15:
            prompt(session, random, random.choice((20, 60)))
        else:
            sizes = [random.choice((10, 200, 2000, 9000)) for _ in range(random.choice((0, 1, 1, 2, 3)))]
            step(session, random, sizes)
        checked_turn(session)
    return session


def checked_turn(session: Session) -> None:
    done = session.assemble()
    assert done.ok, done.error
    messages = list(done.model_input.messages)
    assert pairing(messages) == []
    tokens = done.report.as_json()["tokens"]
    assert tokens["total"] <= tokens["limit"]
    if done.report.pressure.reason == "none":  # what a provider has cached stays the beginning
        assert messages[: len(session.sent)] == session.sent
    session.sent = messages
    sent = {message.id: message for message in messages}
    newest = list(session.prompts)[-1]
    assert sent[newest].text == session.prompts[newest]


@settings(max_examples=6)
@given(SEEDS, st.integers(20, 60), st.sampled_from((4000, 8000, 32000)), st.booleans())
def test_every_turn_is_usable(seed, turns, limit, model):
    play(seed, turns, limit, model=model, compaction_tool_preview_bytes=300)


@settings(max_examples=6)
@given(SEEDS, st.integers(20, 60), st.booleans())
def test_every_result_can_be_read_at_any_time(seed, turns, model):
    """Whole in the input, or stored: itself, or inside the text of what was folded."""
    session = play(seed, turns, 6000, model=model, compaction_tool_preview_bytes=300)
    stored = list(session.store.items.values())
    inline = {message.id: message for message in session.history}
    for name, body in session.bodies.items():
        message = inline.get(name)
        if message is not None and PREVIEW.search(message.text) is None:
            assert message.text == body
        else:
            assert any(body in text for text in stored)
        if message is not None and (shown := PREVIEW.search(message.text)):
            assert session.store.get(shown[1]) == body


@settings(max_examples=6)
@given(SEEDS, st.integers(40, 60), st.booleans())
def test_no_prompt_is_lost_while_all_of_them_fit_their_share(seed, turns, model):
    session = play(
        seed, turns, 6000, model=model, compaction_tool_preview_bytes=300, compaction_keep_prompts_percent=40
    )
    done = session.assemble()
    everything = "\n".join(message.text for message in done.model_input.messages)
    for text in session.prompts.values():
        assert text in everything
    assert session.folds > 0


@settings(max_examples=6)
@given(SEEDS, st.sampled_from((4000, 8000)), st.booleans())
def test_folds_and_summary_calls_are_bounded_by_what_was_appended(seed, limit, model):
    """A fold frees at least from the pressure line (80 %) to what may stay after it."""
    session = play(seed, 60, limit, model=model, compaction_tool_preview_bytes=300)
    bound = session.appended / (limit * 0.2) + 2
    assert session.folds <= bound
    assert session.summaries <= bound


@settings(max_examples=4)
@given(SEEDS, st.sampled_from(("", ValueError("down"))), st.sampled_from(("none", "extractive")))
def test_a_summariser_that_always_fails_is_asked_ever_more_seldom(seed, answer, fallback):
    """The same source is offered again when it grew by a fifth; a rejection is retried once."""
    from random import Random

    random = Random(seed)
    session = start(random, 4000, model=True, compaction_tool_preview_bytes=300, summary_fallback=fallback)
    session.summarizer.script = [answer]
    prompt(session, random, 60)
    for _ in range(80):
        step(session, random, [random.choice((10, 200, 2000, 9000)) for _ in range(random.choice((1, 1, 2, 3)))])
        checked_turn(session)
    offers = session.summaries / (2 if answer == "" else 1)
    assert offers <= 2 + session.folds * 3 + math.log(session.appended / 500, 1.2)


@settings(max_examples=6)
@given(SEEDS, st.booleans())
def test_the_first_rule_outlives_any_number_of_folds(seed, model):
    session = play(seed, 60, 3000, model=model, prompts=True, compaction_tool_preview_bytes=300)
    done = session.assemble()
    first = next(iter(session.prompts.values()))
    assert session.folds >= 2
    assert first in "\n".join(message.text for message in done.model_input.messages)


@settings(max_examples=6)
@given(SEEDS)
def test_an_open_call_stays_open_through_folds_and_takes_its_late_result(seed):
    from random import Random

    random = Random(seed)
    session = start(random, 4000, compaction_tool_preview_bytes=300)
    prompt(session, random, 60)
    session.append(Message.assistant("starting", calls=[ToolCall(id="late", name="build", arguments={})]))
    head = session.history[-1].id
    for _ in range(30):
        step(session, random, [2000])
        checked_turn(session)
        shown = [m for m in session.assemble().model_input.messages if m.role == "tool" and m.result.call_id == "late"]
        assert [m.text for m in shown] == ["no result available for this call; do not assume that it succeeded"]
    assert session.folds > 0
    session.append(Message.tool("late", "built"))
    done = session.assemble()
    messages = list(done.model_input.messages)
    at = next(at for at, message in enumerate(messages) if message.id == head)
    assert messages[at + 1].text == "built"
    assert pairing(messages) == []


@pytest.mark.slow
@settings(max_examples=150)
@given(SEEDS, st.integers(20, 60), st.sampled_from((2500, 4000, 8000, 16000)), st.booleans())
def test_every_turn_of_many_sessions_is_usable(seed, turns, limit, model):
    session = play(seed, turns, limit, model=model, compaction_tool_preview_bytes=200)
    assert session.folds <= session.appended / (limit * 0.2) + 2
