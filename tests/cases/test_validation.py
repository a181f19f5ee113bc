"""The validator: the last gate, which judges the final input independently of how it was made."""

from dataclasses import replace

import pytest

from turngraph import Message, ModelInput, Section, Text, ToolCall
from turngraph.nodes.reach import SyncReach
from turngraph.nodes.services import AssemblyServices
from turngraph.nodes.validate import Invalid, Valid, ValidateView, validate
from turngraph.state.rope import MessageView, Span

from .helpers import assembler, call, history, steps

SEARCH = {"name": "search", "description": "search", "parameters": {"type": "object"}}
IDENTITY = Section(id="identity", slot="identity", content="authority", protected=True)


def gate(change, *messages):
    """Stop a run in front of the validator, change the input, and let it judge."""
    made = assembler(3000)
    run = made.start(history(*(messages or ["q", steps(1, 10)])), tools=[SEARCH], sections=[IDENTITY])
    run.run_until("validate")
    names = ("model_input", "history", "admitted", "prompt", "given", "limits")
    fields = {name: run.state[name] for name in names}
    fields["model_input"] = change(fields["model_input"])
    return validate(ValidateView(**fields), AssemblyServices(pricer=made.pricer, reach=SyncReach(float, sleep=float)))


def problem(outcome) -> str:
    assert isinstance(outcome, Invalid)
    assert outcome.error.code == "validation_failed"
    return outcome.error.message


def messages_of(*messages):
    def change(model_input: ModelInput) -> ModelInput:
        own = [message.with_id(f"x{at}") for at, message in enumerate(messages)]
        return replace(model_input, messages=MessageView([Span(own, 0, len(own))]))

    return change


def test_what_was_assembled_passes():  # val-1
    assert isinstance(gate(lambda same: same), Valid)


def test_a_protected_section_that_is_gone_or_changed_is_noticed():  # val-2
    assert "protected section" in problem(gate(lambda given: replace(given, system="")))
    assert "protected section" in problem(gate(lambda given: replace(given, system="Authority")))


def test_another_tool_set_is_noticed():  # val-3
    assert "search" in problem(gate(lambda given: replace(given, tools=())))
    other = lambda given: replace(given, tools=(replace(given.tools[0], parameters={}),))  # noqa: E731
    assert "schema" in problem(gate(other))


CALL = Message.assistant("", calls=[ToolCall(id="a", name="f", arguments={}), ToolCall(id="b", name="f", arguments={})])
A, B = Message.tool("a", "1"), Message.tool("b", "2")


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([A, CALL], id="val-5 result before its call"),
        pytest.param([CALL], id="val-6 no result"),
        pytest.param([CALL, A], id="one result missing"),
        pytest.param([CALL, B, A], id="out of the declared order"),
        pytest.param([CALL, A, B, B], id="twice"),
        pytest.param([CALL, A, Message.user("x"), B], id="not contiguous"),
        pytest.param([Message.user("q"), Message.tool("", "x")], id="val-8 no id"),
        pytest.param([Message.assistant("", calls=[*CALL.calls[:1], *CALL.calls[:1]]), A, A], id="doubled id"),
        pytest.param([Message.assistant("")], id="empty message"),
        pytest.param([Message.user([Text("  \n")])], id="blank text"),
        pytest.param([Message.user("\ud83d")], id="lone surrogate"),
        pytest.param([], id="nothing"),
    ],
)
def test_an_input_that_breaks_a_rule_is_not_sent(messages):
    problem(gate(messages_of(*messages)))


def test_an_input_over_the_limit_is_not_sent():
    assert "limit" in problem(gate(messages_of(Message.user("x" * 20_000))))


def test_all_problems_are_named_at_once():
    both = lambda given: replace(messages_of(A)(given), system="")  # noqa: E731

    text = problem(gate(both))

    assert "protected section" in text
    assert "x0" in text


def test_a_blank_history_is_a_clear_failure_before_any_call():  # B085
    failed = assembler(1000).attempt(history("   \n", Message.assistant(""), ""))

    assert failed.error.code == "validation_failed"
    assert "no message" in failed.error.message


def test_empty_messages_are_left_out_and_stay_in_history():  # B083, B085
    asked = history("hi", Message.assistant(""), "are you there?", Message.user("  "))

    done = assembler(1000).assemble(asked)

    assert [message.text for message in done.model_input.messages] == ["hi", "are you there?"]
    assert done.history == asked


def test_an_unusual_tool_name_is_a_call_like_any_other():  # B017: names are the provider's rule
    odd = call("c1", "$TEAM.read-messages")

    done = assembler(1000).assemble(history("q", odd, Message.tool("c1", "r")))

    assert done.model_input.messages[1].calls[0].name == "$TEAM.read-messages"
