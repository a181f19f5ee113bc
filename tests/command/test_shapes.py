"""The shapes of the documents, key by key."""

import json

import pytest
from jsonschema import Draft202012Validator

from turngraph.graph.command.schema import Document, schema_of
from turngraph.graph.door import run_request

RESULT = Draft202012Validator(schema_of(Document.result))
REQUEST = Draft202012Validator(schema_of(Document.request))

RESULT_KEYS = ["version", "ok", "model_input", "history", "durable", "outputs", "report", "reply", "error"]
SOURCES = {"system", "tools", "messages", "attachments", "history"}
SUMMARY_KEYS = {
    "outcome",
    "attempts",
    "rejections",
    "source_tokens",
    "checkpoint_tokens",
    "covered",
    "replaced",
    "prompts_kept",
    "prompts_omitted",
    "warnings",
}


@pytest.fixture
def pressed(long_messages):
    return {
        "version": 1,
        "history": {"format": "openai-chat", "messages": long_messages},
        "tools": [{"name": "read", "description": "read a part", "parameters": {"type": "object"}}],
        "sections": [{"id": "identity", "slot": "identity", "content": "You read."}],
        "attachments": [{"id": "memory", "source": "memory", "trust": "untrusted_data", "content": "blue"}],
        "messages": [{"role": "user", "content": "a note"}],
        "budget": {"model_max_tokens": 4000, "output_reserve_tokens": 1000},
        "outputs": {"kind": "memory"},
    }


def test_the_keys_of_a_result_and_its_report_are_those_of_the_contract(pressed):
    result = run_request(pressed)
    report = result["report"]

    assert list(result) == RESULT_KEYS
    assert set(result["model_input"]) == {"system", "messages", "tools"}
    assert set(report) == {"path", "calls", "tokens", "compaction", "window", "cache", "diagnostics"}
    assert {frozenset(step) for step in report["path"]} == {frozenset({"node", "outcome", "to", "us"})}
    assert set(report["calls"]) == {"summary", "provider", "attempts", "waits_ms"}
    assert set(report["tokens"]) == {"counter", "limit", "pressure_line", "total", "by_source", "before"}
    assert set(report["tokens"]["by_source"]) == SOURCES
    assert set(report["tokens"]["before"]) >= SOURCES
    assert report["tokens"]["total"] == sum(report["tokens"]["by_source"].values())
    assert set(report["compaction"]) == {
        "reason",
        "before",
        "after",
        "pruned",
        "summary",
        "recollected",
        "recovery",
    }
    assert {frozenset(item) for item in report["compaction"]["pruned"]} == {
        frozenset({"message", "ref", "before", "after"})
    }
    assert set(report["compaction"]["summary"]) == SUMMARY_KEYS
    assert set(report["window"]) == {"kept", "removed"}
    assert report["cache"] is None


def test_the_path_leads_from_restore_to_end(pressed):
    path = run_request(pressed)["report"]["path"]

    assert path[0]["node"] == "restore"
    assert path[-1]["to"] == "END"
    assert [step["to"] for step in path[:-1]] == [step["node"] for step in path[1:]]


def documents(pressed):
    small = {"version": 1, "history": {"format": "openai-chat", "messages": [{"role": "user", "content": "hi"}]}}
    reply = {"text": "done", "calls": [{"id": "c", "name": "read", "arguments": {"part": 1}}]}
    yield "pressed", pressed
    yield "small", small
    yield "replied", {**small, "model": {"kind": "scripted", "responses": [reply]}}
    yield "rejected", {**pressed, "summarizer": {"kind": "scripted", "replies": ["", "I'm sorry"]}}
    yield "kept", {**pressed, "summarizer": {"kind": "none"}}
    yield "forced", {**pressed, "recovery": {"failed_tokens": 90_000, "limit": 3500}}
    yield "dropped", {**pressed, "budget": {**pressed["budget"], "prompt_budget_chars": 1, "data_budget_chars": 1}}
    yield "windowed", {**pressed, "budget": {"window_rounds": 1}}
    yield "files", {**pressed, "outputs": None}
    yield (
        "anthropic",
        {**small, "history": {"format": "anthropic", "system": "S", "messages": small["history"]["messages"]}},
    )


def test_real_documents_satisfy_the_published_schemas(pressed):
    for name, request in documents(pressed):
        result = json.loads(json.dumps(run_request(request)))

        assert result["ok"], (name, result["error"])
        assert [error.message for error in REQUEST.iter_errors(request)] == [], name
        assert [f"{error.json_path}: {error.message}" for error in RESULT.iter_errors(result)] == [], name


def test_failures_satisfy_the_published_schema(pressed):
    for fields in ({"surprise": 1}, {"deadline_s": 1e-9}, {"budget": {"model_max_tokens": 40}}, {"mode": "x"}):
        result = json.loads(json.dumps(run_request({**pressed, **fields})))

        assert not result["ok"]
        assert [f"{error.json_path}: {error.message}" for error in RESULT.iter_errors(result)] == []


def test_a_reply_is_given_beside_the_history_and_not_in_it():
    messages = [{"role": "user", "content": "hi"}]
    answer = {"text": "hello", "calls": [{"id": "c1", "name": "look", "args": {"at": "x"}}]}
    result = run_request(
        {
            "version": 1,
            "history": {"format": "openai-chat", "messages": messages},
            "model": {"kind": "scripted", "responses": [answer]},
        }
    )

    assert result["reply"] == {"text": "hello", "calls": [{"id": "c1", "name": "look", "arguments": {"at": "x"}}]}
    assert len(result["history"]["messages"]) == 1


@pytest.mark.parametrize("name", ["openai", "openai-chat", "anthropic", "turngraph"])
def test_the_history_comes_back_under_the_name_of_its_format(name):
    messages = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    history = {"format": name, "messages": messages}

    result = run_request({"version": 1, "history": history})

    assert result["history"]["format"] == name


def test_a_system_text_beside_the_list_comes_back_there_and_leads_the_prompt():
    history = {"format": "anthropic", "system": "Be kind.", "messages": [{"role": "user", "content": "hi"}]}

    result = run_request({"version": 1, "history": history})

    assert result["history"]["system"] == "Be kind."
    assert result["model_input"]["system"] == "Be kind."


def test_what_a_result_gives_can_be_handed_in_again(pressed):
    """History, durable and outputs of one result are those of the next request."""
    first = run_request(pressed)
    again = run_request(
        {
            **pressed,
            "history": first["history"],
            "durable": first["durable"],
            "outputs": {"kind": "memory", "items": first["outputs"]},
        }
    )

    assert again["ok"]
    assert again["model_input"]["messages"] == first["model_input"]["messages"]
    assert again["outputs"].keys() <= first["outputs"].keys()


def test_outputs_are_what_was_stored_and_what_the_history_still_names(pressed):
    unused = "tool-output-" + "ab" * 16
    first = run_request(pressed)
    items = {**first["outputs"], unused: "nobody names this"}

    again = run_request({**pressed, "history": first["history"], "outputs": {"kind": "memory", "items": items}})

    shown = json.dumps(again["history"])
    assert first["outputs"]
    assert set(again["outputs"]) == {ref for ref in items if ref in shown}


def test_outputs_are_empty_with_a_store_of_files(pressed, tmp_path):
    store = tmp_path / "store"

    result = run_request({**pressed, "outputs": {"kind": "files", "path": str(store)}})

    refs = [item["ref"] for item in result["report"]["compaction"]["pruned"]]
    assert result["outputs"] == {}
    assert refs
    assert all((store / f"{ref}.txt").exists() for ref in refs)


def test_lone_surrogates_are_replaced_at_the_door():
    result = run_request(
        {
            "version": 1,
            "history": {"format": "openai-chat", "messages": [{"role": "user", "content": "a\ud800b"}]},
            "sections": [{"id": "s", "slot": "footer", "content": "x\udfffy"}],
        }
    )

    assert result["model_input"]["system"] == "x\ufffdy"
    assert result["model_input"]["messages"][0]["content"][0]["text"] == "a\ufffdb"


def test_a_format_may_be_found_and_is_then_named():
    call = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    messages = [{"role": "user", "content": "look"}, {"role": "assistant", "content": [call]}]
    history = {"format": "auto", "messages": messages}

    assert run_request({"version": 1, "history": history})["history"]["format"] == "anthropic"


def test_a_transcript_format_that_is_only_read_comes_back_as_turngraph():
    line = {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "hi"}}

    result = run_request({"version": 1, "history": {"format": "claude-code", "messages": [line]}})

    assert result["history"]["format"] == "turngraph"
    assert result["history"]["messages"][0]["content"] == [{"type": "text", "text": "hi"}]
