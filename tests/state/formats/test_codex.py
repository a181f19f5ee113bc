"""Codex rollouts, new and old."""

from turngraph.state.formats import read, read_path
from turngraph.state.messages import Opaque

from .helpers import FIXTURES, outline, said


def item(**payload):
    return {"timestamp": "t", "type": "response_item", "payload": payload}


def test_a_rollout_is_read_as_the_conversation_that_it_was():
    reading = read_path(FIXTURES / "codex.jsonl")

    assert reading.format == "codex"
    assert reading.system == "You are an agent."
    assert outline(reading.messages) == [
        "system 'Be brief.'",
        "user (unknown) '<environment_context>\\n  <cwd>/repo</cwd>\\n</environment_context>'",
        "user 'list files' [Image image/png]",
        "assistant <Use ls.|None|ZW5j> 'So.' call-1:shell{'command': ['ls']} call-2:apply_patch{'input': '*** Begin'}",
        "tool call-1='a.txt\\n'",
        "tool call-2='done'",
        "assistant ?openai-responses call-3:local_shell{'type': 'exec', 'command': ['pwd']}",
        "tool call-3=!'denied'",
        "user (unknown) 'Summary of the work so far.'",
        "assistant call-4:shell{'_raw': '{\"cut'}",
    ]


def test_what_is_no_conversation_is_kept_raw_and_unknown_items_are_reported():
    reading = read_path(FIXTURES / "codex.jsonl")

    assert [raw[17:50] for raw in reading.rest] == [
        b'"type":"session_meta","payload":{',
        b'"type":"turn_context","payload":{',
        b'"type":"response_item","payload":',
        b'"type":"compacted","payload":{"me',
        b'"type":"response_item","payload":',
    ]
    (message,) = said(reading.diagnostics)
    assert message.startswith("1 items of unknown type 'hologram' (the first: line 18, byte ")


def test_namespace_kind_and_broken_arguments_of_calls_are_kept():
    calls = [call for message in read_path(FIXTURES / "codex.jsonl").messages for call in message.calls]

    assert [call.extras for call in calls] == [
        {"codex": {"namespace": "core"}},
        {"codex": {"type": "custom_tool_call"}},
        {"codex": {"type": "local_shell_call"}},
        {"raw_arguments": '{"cut'},
    ]


def test_an_old_rollout_without_payloads_is_read():
    reading = read_path(FIXTURES / "codex_old.jsonl")

    assert (reading.format, reading.system) == ("codex", "You are an agent.")
    assert outline(reading.messages) == [
        "user (unknown) '<user_instructions>\\nBe kind.\\n</user_instructions>'",
        "user 'run the tests'",
        "assistant <Run pytest.|None|None> call-1:shell{'command': ['pytest']}",
        'tool call-1=\'{"output":"1 passed","metadata":{"exit_code":0}}\'',
        "assistant 'They pass.'",
    ]
    assert len(reading.rest) == 2


def test_arguments_that_are_nothing_become_an_empty_object():
    reading = read([item(type="function_call", name="f", arguments=None, call_id="c")])

    assert reading.messages[0].calls[0].arguments == {}


def test_a_hosted_call_without_an_id_is_opaque_and_never_open():
    given = {"type": "web_search_call", "status": "completed", "action": {"type": "search"}}
    (message,) = read([item(**given)]).messages

    assert message.calls == ()
    assert message.content == (Opaque(format="openai-responses", value=given),)


def test_what_another_agent_sent_is_no_prompt():
    given = item(type="agent_message", author="a", content=[{"type": "input_text", "text": "hello"}])

    assert outline(read([given]).messages) == ["user (unknown) 'hello'"]


def test_a_tool_search_is_a_call_with_its_result():
    session = [
        item(type="tool_search_call", call_id="c", arguments={"query": "q"}),
        item(type="tool_search_output", call_id="c", tools=[]),
    ]

    assert outline(read(session).messages) == ["assistant c:tool_search{'query': 'q'}", "tool c="]
