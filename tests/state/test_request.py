"""An AssemblyRequest is read strictly: everything wrong is named at once, by path and value."""

import pytest

from turngraph.state.errors import BadRequest, UnknownSummarizer
from turngraph.state.request import read_request
from turngraph.state.sections import id_problem, source_problem

HISTORY = {"format": "openai-chat", "messages": [{"role": "user", "content": "hi"}]}
SECTION = {"id": "identity", "slot": "identity", "content": "You help."}
ATTACHMENT = {"id": "memory", "source": "memory", "trust": "untrusted_data", "content": "x"}
REF = "tool-output-0123456789abcdef"


def request(**fields):
    return {"version": 1, "history": HISTORY, **fields}


def refusal(document):
    with pytest.raises(BadRequest) as caught:
        read_request(document)
    return caught.value


def paths(document):
    return [problem["path"] for problem in refusal(document).details["problems"]]


def test_the_smallest_request_has_the_defaults_of_the_contract():
    read = read_request(request())

    assert read.scope == "main"
    assert read.context_id == "default"
    assert read.counter == "conservative"
    assert read.turn is None
    assert read.memory() is None


def test_every_field_of_the_contract_is_read():
    read = read_request(
        request(
            sections=[{**SECTION, "protected": True, "order": -3, "scopes": ["main"]}],
            attachments=[ATTACHMENT],
            messages=[{"role": "user", "content": "note"}],
            tools=[{"name": "search", "description": "find", "parameters": {"type": "object"}, "deferred": False}],
            budget={"model_max_tokens": 8000.0},
            mode=" Dynamic ",
            scope="reviewer",
            context_id="a.b-c_1",
            turn={"number": 3, "first_step_of_turn": True},
            counter="tiktoken:o200k_base",
            run_contract=None,
            skills=[],
            durable={"version": 1, "pressure": {"version": 1, "limits": {"m": 7000}}},
            summarizer={"kind": "scripted", "replies": ["a", {"text": "b", "finish_reason": "length"}, {"hang": True}]},
            model={"kind": "scripted", "responses": [{"text": "x"}, {"error": {"status": 500, "body": {}}}]},
            outputs={"kind": "memory", "items": {REF: "whole"}},
            recovery={"attempt": 1, "reason": "model-input-overflow", "limit": 9, "failed_tokens": 10},
            deadline_s=1,
        )
    )

    assert read.sections[0].given().order == -3
    assert read.attachments[0].given().source == "memory"
    assert read.contributed()[0].text == "note"
    assert read.tools[0].given().parameters == {"type": "object"}
    assert read.turn.given().number == 3
    assert read.recovery.given().failed_tokens == 10
    assert dict(read.memory().limits) == {"m": 7000}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"surprise": 1}, "surprise"),
        ({"version": 2}, "version"),
        ({"version": True}, "version"),
        ({"version": "1"}, "version"),
        ({"history": {"messages": []}}, "history.format"),
        ({"history": {"format": "openai-chat"}}, "history.messages"),
        ({"history": {**HISTORY, "more": 1}}, "history.more"),
        ({"history": {"format": "openai-chat", "messages": {}}}, "history.messages"),
        ({"history": None}, "history"),
        ({"sections": None}, "sections"),
        ({"sections": [{**SECTION, "extra": 1}]}, "sections[0].extra"),
        ({"sections": [{**SECTION, "id": "Bad id"}]}, "sections[0].id"),
        ({"sections": [{**SECTION, "id": "a__b"}]}, "sections[0].id"),
        ({"sections": [{**SECTION, "slot": "middle"}]}, "sections[0].slot"),
        ({"sections": [{**SECTION, "content": 5}]}, "sections[0].content"),
        ({"sections": [{**SECTION, "protected": "yes"}]}, "sections[0].protected"),
        ({"sections": [{**SECTION, "order": 1.5}]}, "sections[0].order"),
        ({"sections": [{**SECTION, "order": True}]}, "sections[0].order"),
        ({"sections": [{**SECTION, "scopes": ["main", "other"]}]}, "sections[0].scopes[1]"),
        ({"sections": [SECTION, SECTION]}, "sections[1].id"),
        ({"attachments": [ATTACHMENT, ATTACHMENT]}, "attachments[1].id"),
        ({"attachments": [{**ATTACHMENT, "trust": "trusted"}]}, "attachments[0].trust"),
        ({"attachments": [{**ATTACHMENT, "source": 'a"b'}]}, "attachments[0].source"),
        ({"attachments": [{**ATTACHMENT, "source": "x" * 201}]}, "attachments[0].source"),
        ({"messages": [{"content": "x"}]}, "messages[0].role"),
        ({"messages": ["x"]}, "messages[0]"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": "sound"}]}]}, "messages[0].content[0].type"),
        ({"messages": [{"role": "user", "content": "x", "mood": "good"}]}, "messages[0].mood"),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "tools[1].name"),
        ({"tools": [{"name": ""}]}, "tools[0].name"),
        ({"tools": [{"description": "x"}]}, "tools[0].name"),
        ({"tools": [{"name": "a", "parameters": []}]}, "tools[0].parameters"),
        ({"tools": [{"name": "a", "deferred": True}]}, "tools[0].deferred"),
        ({"budget": []}, "budget"),
        ({"budget": {"speed": 1}}, "budget.speed"),
        ({"budget": {"model_max_tokens": "many"}}, "budget.model_max_tokens"),
        ({"mode": 5}, "mode"),
        ({"mode": "legacy"}, "mode"),
        ({"mode": " Shadow "}, "mode"),
        ({"scope": "everyone"}, "scope"),
        ({"context_id": ""}, "context_id"),
        ({"context_id": ".hidden"}, "context_id"),
        ({"context_id": "a/b"}, "context_id"),
        ({"context_id": "a..b"}, "context_id"),
        ({"context_id": "x" * 129}, "context_id"),
        ({"context_id": "a\n"}, "context_id"),
        ({"turn": {"number": 0}}, "turn.number"),
        ({"turn": {"number": 1, "step": 2}}, "turn.step"),
        ({"counter": ""}, "counter"),
        ({"counter": None}, "counter"),
        ({"run_contract": "win"}, "run_contract"),
        ({"run_contract": {"objective": "win"}}, "run_contract"),
        ({"skills": [{"id": "a", "description": "b", "revision": "1"}]}, "skills"),
        ({"durable": {"version": 2}}, "durable.version"),
        ({"durable": {"version": 1, "goal": {}}}, "durable.goal"),
        ({"durable": {"version": 1, "pressure": {"version": 9}}}, "durable.pressure.version"),
        ({"summarizer": {}}, "summarizer.kind"),
        ({"summarizer": "extractive"}, "summarizer"),
        ({"summarizer": {"kind": "scripted"}}, "summarizer.replies"),
        ({"summarizer": {"kind": "none", "replies": []}}, "summarizer.replies"),
        ({"summarizer": {"kind": "scripted", "replies": [{"said": "x"}]}}, "summarizer.replies[0]"),
        ({"summarizer": {"kind": "scripted", "replies": [{"hang": False}]}}, "summarizer.replies[0].hang"),
        ({"model": {"kind": "real"}}, "model.kind"),
        ({"model": {"kind": "scripted", "responses": [{"voice": 1}]}}, "model.responses[0].voice"),
        ({"model": {"kind": "scripted", "responses": [{"calls": [{}]}]}}, "model.responses[0].calls[0].name"),
        ({"outputs": {"kind": "cloud"}}, "outputs.kind"),
        ({"outputs": {"kind": "files"}}, "outputs.path"),
        ({"outputs": {"kind": "memory", "items": {"tool-output-XYZ": "x"}}}, "outputs.items"),
        ({"outputs": {"kind": "memory", "items": {REF: 5}}}, f"outputs.items.{REF}"),
        ({"recovery": {"attempt": 0}}, "recovery.attempt"),
        ({"recovery": {"reason": "bored"}}, "recovery.reason"),
        ({"deadline_s": 0}, "deadline_s"),
        ({"deadline_s": -1}, "deadline_s"),
        ({"deadline_s": True}, "deadline_s"),
        ({"deadline_s": "1"}, "deadline_s"),
        ({"deadline_s": float("inf")}, "deadline_s"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(fields, path):
    assert path in paths(request(**fields))


def test_the_message_names_path_value_and_rule():
    message = refusal(request(sections=[{**SECTION, "slot": "middle"}])).message

    assert "sections[0].slot" in message
    assert "'governance'" in message
    assert '"middle"' in message


def test_all_problems_are_listed_at_once_whatever_finds_them():
    found = paths(
        request(
            surprise=1,
            sections=[SECTION, {**SECTION, "slot": "x"}],
            messages=[{"role": "user", "content": 3}],
            budget={"speed": 1},
            outputs={"kind": "memory", "items": {"x": "y"}},
            summarizer={"kind": "magic"},
        )
    )

    assert {
        "surprise",
        "sections[1].slot",
        "sections[1].id",
        "messages[0].content",
        "budget.speed",
        "outputs.items",
        "summarizer.kind",
    } <= set(found)


def test_a_later_feature_is_refused_as_such():
    for fields in ({"run_contract": "x"}, {"skills": [{"id": "a"}]}, {"tools": [{"name": "a", "deferred": True}]}):
        assert "not in this version yet" in refusal(request(**fields)).message


@pytest.mark.parametrize(
    "fields",
    [
        {"run_contract": None},
        {"run_contract": ""},
        {"skills": None},
        {"skills": []},
        {"mode": None},
        {"mode": ""},
        {"mode": "DYNAMIC"},
        {"model": None},
        {"outputs": None},
        {"durable": None},
        {"recovery": None},
        {"turn": None},
        {"deadline_s": None},
    ],
)
def test_a_field_that_asks_for_nothing_is_fine(fields):
    read_request(request(**fields))


def test_an_unknown_summarizer_has_a_code_of_its_own():
    with pytest.raises(UnknownSummarizer) as caught:
        read_request(request(summarizer={"kind": "magic"}))

    assert caught.value.details == {"kind": "magic", "known": ["extractive", "scripted", "none"]}


def test_values_out_of_range_are_left_to_the_budget():
    assert read_request(request(budget={"model_max_tokens": -1})).budget == {"model_max_tokens": -1}


def test_a_budget_value_that_an_argument_replaces_is_not_judged():
    read_request(request(budget={"model_max_tokens": "many"}), budget_argument={"model_max_tokens": 9000})


@pytest.mark.parametrize("document", [None, [], "x", 5, True])
def test_a_request_is_an_object(document):
    assert paths(document) == ["request"]


def test_a_contributed_message_of_another_role_is_kept_for_the_run_to_refuse():
    (message,) = read_request(request(messages=[{"role": "developer", "content": 5}])).contributed()

    assert message.role == "developer"


def test_a_large_value_is_cut_in_the_error():
    (problem,) = refusal(request(scope="x" * 10_000)).details["problems"]

    assert len(problem["value"]) < 250


@pytest.mark.parametrize("name", ["a", "a1.b-c_d", "A", "a b", "", "a.", "1a", "a" * 300, "ä"])
def test_ids_are_judged_as_in_python(name):
    found = paths_or_none(request(sections=[{**SECTION, "id": name}]))

    assert (found is None) == (id_problem(name) is None)


@pytest.mark.parametrize("name", ["a", "A b:/@-._", " a", "", "a\n", "x" * 200, "x" * 201, 'a"'])
def test_sources_are_judged_as_in_python(name):
    found = paths_or_none(request(attachments=[{**ATTACHMENT, "source": name}]))

    assert (found is None) == (source_problem(name) is None)


def paths_or_none(document):
    try:
        read_request(document)
    except BadRequest as error:
        return error.details["problems"]
    return None
