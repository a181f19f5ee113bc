"""Invariants that take more than one assembly: the same again, otherwise, later, elsewhere."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from turngraph import Assembly, History, MemoryOutputStore, Message
from turngraph.state.formats import message_from_json, read, write_history

from .oracle import price_of_all
from .scenarios import Scenario, assembler_of, options_of, run

Many = Callable[[Scenario], None]
MANY: dict[str, Many] = {}


def many(function: Many) -> Many:
    MANY[function.__name__] = function
    return function


def result(assembly: Assembly) -> dict[str, Any]:
    """All that an assembly gave, as JSON without durations."""
    report = assembly.report.as_json()
    for step in report["path"]:
        del step["us"]
    # How many texts a broken tokenizer failed on depends on what was counted before.
    report["diagnostics"] = [item for item in report["diagnostics"] if item["code"] != "TOKENIZER_FALLBACK"]
    return {
        "input": assembly.model_input.as_json() if assembly.model_input is not None else None,
        "history": write_history(list(assembly.history), "turngraph"),
        "report": report,
        "error": assembly.error.as_json() if assembly.error is not None else None,
        "memory": assembly.memory.as_json(),
        "reply": assembly.reply.as_json() if assembly.reply is not None else None,
    }


@many
def the_same_twice_gives_the_same(scenario: Scenario) -> None:
    first, second = run(scenario), run(scenario)
    assert result(first.assembly) == result(second.assembly)
    assert (first.store.items if first.store else None) == (second.store.items if second.store else None)


@many
def one_assembler_gives_the_same_again(scenario: Scenario) -> None:
    """No hidden state but what the memory of the history says."""
    if scenario.summarizer in ("extractive", "none") and scenario.responses is None:
        outcome = run(scenario)
        again = outcome.assembler.attempt(outcome.given, **outcome.options)
        assert result(again) == result(outcome.assembly)


@many
def async_gives_the_same_as_sync(scenario: Scenario) -> None:
    outcome = run(scenario)
    assembler = assembler_of(scenario, MemoryOutputStore() if scenario.store else None)
    history = History(scenario.messages)
    found = asyncio.run(assembler.aattempt(history, **options_of(scenario)))
    assert result(found) == result(outcome.assembly)


@many
def a_history_that_grew_gives_the_same_as_one_made_at_once(scenario: Scenario) -> None:
    cold = run(scenario)
    warm = History()
    random = Random(len(scenario.messages))
    at = 0
    while at < len(scenario.messages):
        more = random.randint(1, 5)
        warm = warm.append(*scenario.messages[at : at + more])
        at += more
        if random.random() < 0.4:
            run(replace(scenario, responses=None), warm)
    assert list(warm) == list(cold.given)
    assert result(run(scenario, warm).assembly) == result(cold.assembly)


@many
def an_older_view_stays_what_it_was(scenario: Scenario) -> None:
    """Appending, assembling and branching leave every earlier history as it was."""
    cut = len(scenario.messages) // 2
    early = History(scenario.messages[:cut])
    before = result(run(scenario, early).assembly)
    late = early.append(*scenario.messages[cut:])
    run(scenario, late)
    assert result(run(scenario, early).assembly) == before
    other = early.append(Message.user("another way"), *scenario.messages[cut:])
    run(scenario, other)
    assert len(early) == cut
    assert result(run(scenario, early).assembly) == before
    fresh = run(scenario, History([*early, Message.user("another way"), *scenario.messages[cut:]]))
    assert result(run(scenario, other).assembly) == result(fresh.assembly)
    whole = run(scenario, History(scenario.messages))
    assert result(run(scenario, late).assembly) == result(whole.assembly)


@many
def assembling_the_new_history_again_gives_the_same_input(scenario: Scenario) -> None:
    """Nothing appended: the same input, and no pass but where it is still under pressure."""
    still = replace(scenario, recovery=None, responses=None, contributors=())
    first = run(still)
    if not first.ok:
        return
    again = run(still, first.assembly.history, first.store)
    assert again.ok
    one, two = first.assembly.model_input, again.assembly.model_input
    report = again.report
    if report["compaction"]["reason"] == "none":
        assert one.as_json() == two.as_json()
        assert again.assembly.history == first.assembly.history
    else:
        limit = report["tokens"]
        over = sum(limit["before"].values()) > limit["pressure_line"]
        count = len(first.assembly.history) - first.assembly.history.lead
        capped = (first.assembler.budget.per_source or {}).get("history")
        trigger = first.assembler.budget.compaction_trigger_messages
        assert over or count >= trigger or (capped is not None and limit["before"]["history"] > capped)


@many
def a_history_written_and_read_back_gives_the_same_input(scenario: Scenario) -> None:
    outcome = run(replace(scenario, responses=None))
    history = outcome.assembly.history
    for format in ("turngraph", "openai-chat", "anthropic"):
        document = write_history(list(history), format, system=history.system)
        reading = read(document["messages"], format, system=document.get("system"))
        back = History(reading.messages, format=reading.format, system=reading.system).remembering(history.memory)
        assert list(back) == list(history), format
        still = replace(scenario, recovery=None, responses=None)
        one = run(still, history, _copy(outcome.store))
        two = run(still, back, _copy(outcome.store))
        assert result(one.assembly) | {"history": None} == result(two.assembly) | {"history": None}, format


def _copy(store: MemoryOutputStore | None) -> MemoryOutputStore | None:
    return MemoryOutputStore(dict(store.items)) if store is not None else None


@many
def the_model_input_can_be_read_from_its_json(scenario: Scenario) -> None:
    outcome = run(scenario)
    if outcome.ok:
        messages = outcome.assembly.model_input.messages
        for message, value in zip(messages, outcome.assembly.model_input.as_json()["messages"], strict=True):
            assert message_from_json(value) == message


@many
def ids_are_never_given_twice(scenario: Scenario) -> None:
    """Over folds, appends and a round trip: an id that was seen belongs to one message for ever."""
    still = replace(scenario, recovery=None, responses=None, contributors=())
    history = History()
    owner: dict[str, Message] = {}
    store = MemoryOutputStore() if scenario.store else None
    plain = [message for message in scenario.messages if not message.id]
    for at in range(0, len(plain), 6):
        history = history.append(*plain[at : at + 6])
        for message in history:
            known = owner.setdefault(message.id, message)
            assert (known.role, known.origin.kind) == (message.role, message.origin.kind), message.id
        outcome = run(still, history, store)
        before = {message.id for message in history}
        history = outcome.assembly.history
        for message in history:
            assert message.id in before or message.id not in owner, message.id
            owner.setdefault(message.id, message)
        if at % 12 == 0:
            document = write_history(list(history), "openai-chat")
            history = History(read(document["messages"], "openai-chat").messages)


@many
def one_more_turn_disturbs_nothing_that_fits(scenario: Scenario) -> None:
    """Hysteresis: what a pass left under the line is not touched again by a small append."""
    still = replace(scenario, recovery=None, responses=None, contributors=())
    first = run(still)
    if not first.ok:
        return
    line = first.report["tokens"]["pressure_line"]
    more = Message.assistant("ok")
    grown = first.assembly.history.append(more)
    total = first.report["tokens"]["total"] + price_of_all([more], first.count)
    second = run(still, grown, first.store)
    guard = len(grown) - grown.lead >= first.assembler.budget.compaction_trigger_messages
    capped = (first.assembler.budget.per_source or {}).get("history")
    if total <= line and not guard and capped is None and not first.report["window"]["removed"]:
        assert second.report["compaction"]["reason"] == "none"
