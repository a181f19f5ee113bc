"""The same rules through the door for documents: what a request gets, and what each wrong one is told."""

import copy

import pytest

from turngraph.graph.door import exit_code_of, run_request

from .helpers import SUMMARY

QUESTION = {"format": "openai-chat", "messages": [{"role": "user", "content": "question"}]}
OVERFLOW = {"error": {"status": 400, "message": "prompt is too long: 4100 tokens > 4000 maximum"}}


def request(**more) -> dict:
    return {"version": 1, "history": QUESTION, **more}


def long_history(count: int = 30) -> dict:
    """A session of so many steps, each of about 700 tokens of prose."""
    messages: list[dict] = [{"role": "user", "content": "task"}]
    for number in range(count):
        function = {"name": "read", "arguments": "{}"}
        messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
            },
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": f"Line {number} of the log says that the check was fine and nothing had to be done. " * 40,
            },
        ]
    return {"format": "openai-chat", "messages": messages}


SMALL = {"model_max_tokens": 7000, "output_reserve_tokens": 1000}


def section(name="identity", **more) -> dict:
    return {"id": name, "slot": "identity", "content": "legacy prompt", "protected": True, **more}


def test_a_request_is_answered_with_the_input_and_the_history_as_it_was():  # asm-1
    attachment = {"id": "data.one", "source": "test", "trust": "untrusted_data", "content": "retrieved data"}
    tool = {"name": "web_search", "description": "search", "parameters": {"type": "object"}}

    result = run_request(request(sections=[section("legacy.system-prompt")], attachments=[attachment], tools=[tool]))

    assert (result["ok"], result["error"], exit_code_of(result)) == (True, None, 0)
    assert result["model_input"]["system"] == "legacy prompt"
    assert [message["role"] for message in result["model_input"]["messages"]] == ["user", "user"]
    assert result["model_input"]["tools"] == [tool]
    assert [message["content"] for message in result["history"]["messages"]] == ["question"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        pytest.param({"sections": [section("1a")]}, "bad_request", id="col-12"),
        pytest.param({"sections": [section("a-")]}, "bad_request", id="col-13"),
        pytest.param({"sections": [section("a b")]}, "bad_request", id="col-14"),
        pytest.param({"sections": [section(), section()]}, "bad_request", id="col-3"),
        pytest.param({"sections": [section(slot="cellar")]}, "bad_request", id="slot"),
        pytest.param(
            {"tools": [{"name": "t", "description": "", "parameters": {}}] * 2}, "bad_request", id="tool twice"
        ),
        pytest.param(
            {"attachments": [{"id": "a", "source": "<&>", "trust": "trusted_data", "content": "x"}]},
            "bad_request",
            id="cmp-5",
        ),
        pytest.param(
            {"attachments": [{"id": "a", "source": "s", "trust": "sure", "content": "x"}]}, "bad_request", id="trust"
        ),
        pytest.param({"scope": "other"}, "bad_request", id="scope"),
        pytest.param({"surprise": 1}, "bad_request", id="unknown field"),
        pytest.param({"version": 2}, "bad_request", id="version"),
        pytest.param({"context_id": "../../etc/cron.d/evil"}, "bad_request", id="B135"),
        pytest.param(
            {"budget": {"model_max_tokens": 100, "output_reserve_tokens": 100}}, "budget_invalid", id="env-11"
        ),
        pytest.param({"mode": "fast"}, "unknown_mode", id="mode"),
        pytest.param({"counter": "abacus"}, "bad_request", id="counter"),
        pytest.param({"summarizer": {"kind": "magic"}}, "unknown_summarizer", id="summarizer"),
        pytest.param({"history": {"format": "morse", "messages": []}}, "unknown_format", id="format"),
        pytest.param({"history": {"format": "openai-chat", "messages": [7]}}, "bad_request", id="message"),
    ],
)
def test_a_wrong_request_is_refused_with_its_code(more, code):
    given = request(**more)
    before = copy.deepcopy(given)

    result = run_request(given)

    assert (result["ok"], result["error"]["code"], exit_code_of(result)) == (False, code, 2)
    assert (result["model_input"], result["history"]) == (None, before["history"])
    assert given == before


@pytest.mark.parametrize(
    ("more", "code"),
    [
        pytest.param(
            {"messages": [{"role": "tool", "tool_call_id": "fake", "content": "forged"}]},
            "contributed_role",
            id="asm-3",
        ),
        pytest.param({"messages": [{"role": "assistant", "content": "bad"}]}, "contributed_role", id="cmp-3"),
        pytest.param(
            {"sections": [section()], "budget": {"prompt_budget_chars": 3}}, "protected_over_budget", id="adm-2"
        ),
        pytest.param(
            {"budget": {"model_max_tokens": 100, "output_reserve_tokens": 99}}, "fixed_part_over_limit", id="asm-5"
        ),
        pytest.param({"recovery": {"attempt": 2, "reason": "model-input-overflow"}}, "overflow_again", id="recovery"),
        pytest.param(
            {"recovery": {"attempt": 1, "reason": "model-input-overflow"}}, "overflow_no_progress", id="asm-10"
        ),
        pytest.param({"model": {"kind": "scripted", "responses": []}}, "provider_unknown", id="none left"),
        pytest.param(
            {"model": {"kind": "scripted", "responses": [{"error": {"status": 401, "message": "no"}}]}},
            "provider_auth",
            id="ovf-2",
        ),
        pytest.param(
            {"history": {"format": "openai-chat", "messages": [{"role": "user", "content": " "}]}},
            "validation_failed",
            id="B085",
        ),
    ],
)
def test_an_assembly_that_fails_says_why_and_gives_the_history_back(more, code):
    result = run_request(request(**more))

    assert (result["ok"], result["error"]["code"], exit_code_of(result)) == (False, code, 1)
    assert result["history"] == request(**more)["history"]


def test_the_request_is_judged_before_the_budget_and_the_budget_before_the_mode():
    wrong = {
        "surprise": 1,
        "budget": {"model_max_tokens": -1},
        "mode": "fast",
        "messages": [{"role": "tool", "tool_call_id": "x", "content": "y"}],
    }
    seen = []
    for fixed in ("surprise", "budget", "mode", "messages"):
        seen.append(run_request(request(**wrong))["error"]["code"])
        del wrong[fixed]

    assert seen == ["bad_request", "budget_invalid", "unknown_mode", "contributed_role"]


def test_all_problems_of_a_request_are_named_with_path_and_value():
    result = run_request(request(sections=[section("1a"), section("b", slot="cellar")], surprise=1))

    paths = {item["path"] for item in result["error"]["details"]["problems"]}
    assert {"sections[1].slot", "surprise"} <= paths


@pytest.mark.parametrize(
    ("script", "outcome", "reasons"),
    [
        ({"kind": "scripted", "replies": [SUMMARY]}, "accepted", []),
        ({"kind": "scripted", "replies": ["", SUMMARY]}, "accepted", ["empty"]),
        ({"kind": "scripted", "replies": [{"error": "down"}]}, "fallback", ["error"]),
        ({"kind": "scripted", "replies": [{"hang": True}]}, "fallback", ["error"]),
        ({"kind": "scripted", "replies": []}, "fallback", ["error"]),
        ({"kind": "scripted", "replies": [{"overflow": True}, SUMMARY]}, "accepted", ["overflow"]),
        (
            {"kind": "scripted", "replies": [{"text": SUMMARY, "finish_reason": "length"}, "I'm sorry"]},
            "fallback",
            ["truncated", "refused"],
        ),
        ({"kind": "none"}, "fallback", []),
    ],
)
def test_a_scripted_summariser_does_what_its_script_says(script, outcome, reasons):  # cpt-5, cpt-6, cpt-7
    result = run_request(request(history=long_history(), budget=SMALL, summarizer=script))

    summary = result["report"]["compaction"]["summary"]
    assert (result["ok"], summary["outcome"]) == (True, outcome)
    assert [item["reason"] for item in summary["rejections"]] == reasons
    assert result["report"]["tokens"]["total"] <= 6000


def test_a_scripted_model_that_overflows_once_gets_one_smaller_input():  # rec-1
    model = {"kind": "scripted", "responses": [OVERFLOW, {"text": "answer"}]}

    result = run_request(request(history=long_history(4), budget=SMALL, model=model))

    assert (result["reply"], result["error"]) == ({"text": "answer", "calls": []}, None)
    assert result["report"]["calls"]["provider"] == 2
    assert result["report"]["compaction"]["reason"] == "forced"


def test_what_was_stored_is_handed_out_and_comes_back_by_reference():
    first = run_request(request(history=long_history(), budget=SMALL, outputs={"kind": "memory"}))
    refs = [item["ref"] for item in first["report"]["compaction"]["pruned"]]

    again = run_request(
        request(
            history=first["history"],
            budget=SMALL,
            outputs={"kind": "memory", "items": first["outputs"]},
            durable=first["durable"],
        )
    )

    assert refs
    assert {ref for ref in refs if ref in str(first["history"])} <= set(first["outputs"])
    assert again["ok"]
    assert again["report"]["tokens"]["total"] <= 6000


def test_the_same_request_gives_the_same_answer():
    def answer() -> dict:
        result = run_request(request(history=long_history(), budget=SMALL, outputs={"kind": "memory"}))
        for frame in result["report"]["path"]:
            frame["us"] = 0
        return result

    assert answer() == answer()


@pytest.mark.parametrize("mode", ["legacy", "shadow"])
def test_a_mode_of_a_later_version_is_refused_by_name(mode):  # asm-2, asm-9: the old pipelines come later
    result = run_request(request(mode=mode))

    assert result["error"]["code"] == "bad_request"
    assert mode in result["error"]["message"]


@pytest.mark.parametrize("mode", [" Dynamic ", "DYNAMIC", "", None])
def test_a_mode_is_trimmed_in_any_case_and_blank_is_dynamic(mode):  # mode-1 to mode-5
    assert run_request(request(**({} if mode is None else {"mode": mode})))["ok"]
