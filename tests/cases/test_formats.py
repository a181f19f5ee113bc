"""Field reports on conversation formats: what comes in in any shape goes out in a shape that providers accept."""

import json

import pytest

from turngraph import Assembler, Message, Origin, Reasoning, Text, ToolCall
from turngraph.testing import MemoryOutputStore

from .helpers import SUMMARY, Quarters, assembler, budget, call, codes, history, pairing, steps, texts


def openai_call(name: str, arguments: str | None = "{}", tool: str = "f") -> dict:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def openai_step(name: str, result: str, arguments: str | None = "{}") -> list[dict]:
    return [
        {"role": "assistant", "content": None, "tool_calls": [openai_call(name, arguments)]},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def anthropic_use(name: str, *before: dict) -> dict:
    return {"role": "assistant", "content": [*before, {"type": "tool_use", "id": name, "name": "f", "input": {}}]}


def anthropic_result(name: str, text: str, *behind: dict) -> dict:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": text}, *behind]}


def blocks(body: dict) -> list[list[str]]:
    """The types of the blocks of each message of an Anthropic body."""
    return [
        ["text"] if isinstance(item["content"], str) else [part["type"] for part in item["content"]]
        for item in body["messages"]
    ]


def test_a_user_text_beside_a_result_stays_when_the_exchange_is_folded():  # B004
    asked = [
        {"role": "user", "content": "task"},
        anthropic_use("tu_1"),
        anthropic_result("tu_1", "data " * 1200, {"type": "text", "text": "also please rename it"}),
        {"role": "assistant", "content": [{"type": "text", "text": "done " * 500}]},
        *[item for n in range(4) for item in (anthropic_use(f"t{n}"), anthropic_result(f"t{n}", "x" * 1500))],
        {"role": "user", "content": "next"},
    ]

    done = assembler(3000, SUMMARY, store=False).assemble(asked)

    assert pairing(done.model_input.messages) == []
    assert "also please rename it" in "\n".join(texts(done.model_input.messages))
    assert blocks(done.model_input.to("anthropic"))[-1] == ["tool_result", "text"]


def test_results_come_first_in_an_anthropic_user_message():  # B004, B087
    note = Message.user("note", origin=Origin("injection"))
    two = Message.assistant(
        "", calls=[ToolCall(id="A", name="f", arguments={}), ToolCall(id="B", name="g", arguments={})]
    )

    done = assembler(10_000).assemble(
        history("q", [two, Message.tool("A", "1"), note, Message.tool("B", "2")], Message.assistant("done"))
    )

    body = done.model_input.to("anthropic")
    assert blocks(body)[2] == ["tool_result", "tool_result", "text"]
    assert [item["role"] for item in body["messages"]] == ["user", "assistant", "user", "assistant"]


def test_results_of_one_batch_stand_together_in_an_openai_body():  # B088
    two = Message.assistant(
        "", calls=[ToolCall(id="c1", name="shot", arguments={}), ToolCall(id="c2", name="ls", arguments={})]
    )
    image = Message.user("image content of c1", origin=Origin("injection"))

    done = assembler(10_000).assemble(
        history("q", [two, Message.tool("c1", "see image"), image, Message.tool("c2", "a,b")])
    )

    roles = [item["role"] for item in done.model_input.to("openai")["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user"]


@pytest.mark.parametrize(
    "orphan", [{"role": "tool", "tool_call_id": "call_x1", "content": "42"}, {"role": "tool", "content": "42"}]
)
def test_a_result_without_its_call_never_reaches_a_provider(orphan):  # B013, B014
    done = assembler(1000).assemble([{"role": "user", "content": "hi"}, orphan])

    assert done.model_input.to("openai")["messages"] == [{"role": "user", "content": "hi"}]
    assert "PROJECTION_REPAIRED" in codes(done)


def test_neighbouring_user_messages_are_one_turn_for_anthropic_and_stay_two_elsewhere():  # B147
    done = assembler(10_000).assemble(history("t", Message.assistant("a"), "marker", "new prompt"))

    assert [item["role"] for item in done.model_input.to("anthropic")["messages"]] == ["user", "assistant", "user"]
    assert [item["content"] for item in done.model_input.to("openai")["messages"]][-2:] == ["marker", "new prompt"]


# ---- arguments


@pytest.mark.parametrize("format", ["openai", "anthropic"])
def test_arguments_that_are_no_json_go_out_as_an_object(format):  # B162
    broken = '{"command": "echo hal'
    asked = [
        {"role": "user", "content": "q"},
        *openai_step("c1", "[error] missing argument: command", broken),
        {"role": "user", "content": "go on"},
    ]

    done = assembler(10_000).assemble(asked)

    sent = done.model_input.to(format)["messages"][1]
    given = (
        json.loads(sent["tool_calls"][0]["function"]["arguments"])
        if format == "openai"
        else sent["content"][0]["input"]
    )
    assert given == {"_raw": broken}
    assert codes(done) == ["PROJECTION_REPAIRED"]
    assert pairing(done.model_input.messages) == []


@pytest.mark.parametrize("empty", ["{}", "", None])
def test_empty_arguments_are_an_empty_object_everywhere(empty):  # B163
    done = assembler(10_000).assemble([{"role": "user", "content": "q"}, *openai_step("t", "12:00", empty)])

    assert done.model_input.to("openai")["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert done.model_input.to("anthropic")["messages"][1]["content"][0]["input"] == {}


def test_an_empty_input_survives_the_way_from_anthropic():  # B163
    done = assembler(10_000).assemble(
        [{"role": "user", "content": "q"}, anthropic_use("t"), anthropic_result("t", "12:00")]
    )

    assert done.model_input.to("anthropic")["messages"][1]["content"] == [
        {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    ]
    assert done.model_input.to("openai")["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


# ---- text


def test_lone_surrogates_never_leave():  # B065
    cut = "report \ud83d... cut"
    asked = [
        {"role": "user", "content": cut},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [openai_call("c\ud83d", '{"\\ud83d": "\\udc00"}', "s\ud83d")],
        },
        {"role": "tool", "tool_call_id": "c\ud83d", "content": cut},
    ]

    done = assembler(10_000).assemble(asked)

    for shown in (
        done.model_input.as_json(),
        done.model_input.to("openai"),
        done.model_input.to("anthropic"),
        done.report.as_json(),
    ):
        json.dumps(shown, ensure_ascii=False).encode()
    sent = done.model_input.to("openai")["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"\ufffd": "\ufffd"}
    assert pairing(done.model_input.messages) == []


def test_a_summary_with_half_a_character_folds_to_clean_text():  # B065
    done = assembler(3000, SUMMARY.replace("log", "log \ud83d"), store=False).assemble(
        history("t \udc00", steps(10, 1000))
    )

    assert done.report.as_json()["compaction"]["summary"]["outcome"] == "accepted"
    "".join(texts(done.history)).encode()


@pytest.mark.parametrize("format", ["openai", "anthropic"])
def test_empty_messages_never_reach_a_provider(format):  # B083, B085
    asked = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "are you there?"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "   \n"},
    ]

    done = assembler(1000).assemble(asked)

    body = json.dumps(done.model_input.to(format))
    assert '"text": ""' not in body
    assert '"content": ""' not in body
    assert len(done.history) == 5


# ---- reasoning


def signed(text: str, signature: str) -> dict:
    return {"type": "thinking", "thinking": text, "signature": signature}


def test_signed_reasoning_travels_whole_and_first_or_not_at_all():  # B080
    asked = [{"role": "user", "content": "q"}]
    for number in range(8):
        asked += [
            anthropic_use(f"t{number}", signed(f"t{number} " * 50, f"sig{number}")),
            anthropic_result(f"t{number}", "x" * 1000),
        ]

    done = assembler(3000, SUMMARY, store=False).assemble(asked)

    assert done.report.as_json()["compaction"]["summary"]["outcome"] == "accepted"
    sent = [item for item in done.model_input.to("anthropic")["messages"] if item["role"] == "assistant"]
    assert sent
    assert all(item in asked for item in sent)


def test_the_latest_assistant_message_is_untouched_when_its_result_is_shortened():  # B082
    latest = anthropic_use("a", {"type": "redacted_thinking", "data": "ENC"}, signed("x", "s"))
    made = Assembler(budget=budget(3000), counter=Quarters(), summarizer=None, outputs=MemoryOutputStore())

    done = made.assemble([{"role": "user", "content": "q"}, latest, anthropic_result("a", "big " * 5000)])

    assert done.report.pruned
    assert done.model_input.to("anthropic")["messages"][1] == latest


def thinking_writer(characters: int) -> list[Message]:
    write = ToolCall(id="w", name="write", arguments={"content": "x" * characters})
    thought = Reasoning(text="t", signature="signed-t")
    return [Message(role="assistant", content=(thought, Text("w"), write)), Message.tool("w", "ok")]


def test_an_old_step_that_is_changed_loses_its_signed_reasoning():  # B080
    done = assembler(5000, summarizer=None).assemble(history("t", thinking_writer(30_000), steps(2, 200)))

    assert done.report.pruned
    assert "signed-t" not in json.dumps(done.model_input.to("anthropic"))


def test_the_latest_message_keeps_its_arguments_with_its_signed_reasoning():  # B082
    asked = history("t " * 100, steps(4, 3000, letter="y"), thinking_writer(12_000), "go on")

    done = assembler(5000, summarizer=None, compaction_tool_preview_bytes=256).assemble(asked)

    assert done.report.pruned
    assert asked[9] in list(done.model_input.messages)


# ---- round trips


def test_a_folded_history_survives_json_and_assembles_to_the_same_bytes():  # B134, B168
    asked = [{"role": "user", "content": "task"}]
    for number in range(10):
        asked += openai_step(f"c{number}", "x" * 1000)
    first = assembler(3000, SUMMARY, store=False).assemble(asked)

    from turngraph.state.formats import read, write_history

    written = json.loads(json.dumps(write_history(first.history, "openai-chat", system=first.history.system)))
    again = assembler(3000, store=False).assemble(list(read(written["messages"], "openai-chat").messages))

    assert again.model_input.to("openai") == first.model_input.to("openai")
    assert [m.id for m in again.history] == [m.id for m in first.history]


def test_injected_messages_come_back_as_injected_not_as_prompts():  # B078
    from turngraph.state.formats import read, write_history

    note = Message.user("<system-reminder>\nreflect\n</system-reminder>", origin=Origin("injection"), hidden=True)
    asked = history(note, "real question")

    written = write_history(asked, "openai-chat", system=None)
    back = read(json.loads(json.dumps(written["messages"])), "openai-chat").messages

    assert [message.origin.kind for message in back] == ["injection", "prompt"]
    assert [item["content"] for item in assembler(1000).assemble(list(back)).model_input.to("openai")["messages"]][
        -1
    ] == "real question"


def test_reasoning_that_a_provider_needs_comes_back_as_it_was():  # B080
    thought = call("c1")
    step = [
        Message(role="assistant", content=(Reasoning(text="t", signature="sig"), *thought.content)),
        Message.tool("c1", "r"),
    ]

    done = assembler(1000).assemble(history("q", step))

    assert done.model_input.to("anthropic")["messages"][1]["content"][0] == {
        "type": "thinking",
        "thinking": "t",
        "signature": "sig",
    }


# ---- damaged files


def line(number: int, text: str) -> bytes:
    message = {"role": "user" if number % 2 == 0 else "assistant", "content": text}
    entry = {"type": message["role"], "uuid": f"u{number}", "sessionId": "s", "message": message}
    return (json.dumps(entry, ensure_ascii=False) + "\n").encode()


@pytest.mark.parametrize(
    ("damage", "at"),
    [
        pytest.param(b"\0\0\0\0\n", 2, id="B129"),
        pytest.param(b'{"type":"user","mess\n', 2, id="torn in the middle"),
    ],
)
def test_damage_in_the_middle_of_a_file_is_reported_and_reading_goes_on(tmp_path, damage, at):
    from turngraph.state.formats import read_path

    path = tmp_path / "session.jsonl"
    path.write_bytes(line(0, "one") + damage + line(1, "two") + line(2, "three"))

    reading = read_path(path)

    assert texts(reading.messages) == ["one", "two", "three"]
    (noted,) = [item for item in reading.diagnostics if item.code == "INPUT_LINE_SKIPPED"]
    assert f"line {at}" in noted.message


def test_a_torn_last_line_costs_that_line_only_and_is_reported(tmp_path):  # B128
    from turngraph.state.formats import read_path

    path = tmp_path / "session.jsonl"
    path.write_bytes(line(0, "one") + line(1, "two") + line(2, "three")[:40])

    reading = read_path(path)

    assert texts(reading.messages)[:2] == ["one", "two"]
    assert [item.code for item in reading.diagnostics] == ["INPUT_LINE_SKIPPED"]


def test_lines_end_at_line_feeds_only(tmp_path):  # field lessons: U+2028 and U+0085 are text
    from turngraph.state.formats import read_path

    path = tmp_path / "session.jsonl"
    path.write_bytes(line(0, "a\u2028b\u0085c") + line(1, "two"))

    reading = read_path(path)

    assert (texts(reading.messages), list(reading.diagnostics)) == (["a\u2028b\u0085c", "two"], [])
