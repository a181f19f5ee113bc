"""Every edge of the compiled assembly graph is taken by a run with the real nodes, exhaustion included."""

import pytest

from turngraph import (
    Assembler,
    Budget,
    Contribution,
    History,
    MemoryOutputStore,
    Message,
    Origin,
    Recovery,
    Section,
    ToolCall,
)
from turngraph.graph.assembly import assembly_graph
from turngraph.state.checkpoint import Checkpoint, checkpoint_message
from turngraph.testing import ScriptedModel, ScriptedSummarizer

GOOD = "## Completed work and verified findings\nread the parts\n## Next step\ngo on"
OVERFLOW = {
    "error": {
        "status": 400,
        "body": {"error": {"code": "context_length_exceeded", "message": "maximum context length is 8000 tokens"}},
    }
}
NO_ROOM_FOR_OUTPUT = {
    "error": {
        "status": 400,
        "message": "This model's maximum context length is 32768 tokens. However, you requested 16384 output tokens "
        "and your prompt contains 1200 input tokens. Please reduce the length of the input or output.",
    }
}


class Quarters:
    """A token for every four characters: the scenarios do not depend on the estimator."""

    name = "quarters"

    def count(self, text):
        return -(-len(text) // 4)


def session(steps=12, size=2000, prompt="Tell me what is wrong."):
    """A prompt, then `steps` calls with results of `size` characters."""
    messages = [Message.user(prompt)]
    for number in range(steps):
        messages.append(Message.assistant(calls=[ToolCall(id=f"c{number}", name="read", arguments={"n": number})]))
        messages.append(Message.tool(f"c{number}", f"part {number} " + "word " * (size // 5)))
    return messages


def assembler(*, window=4000, reserve=500, store=True, contributors=(), model=None, summarizer=..., **budget):
    return Assembler(
        budget=Budget(model_max_tokens=window, output_reserve_tokens=reserve, **budget),
        outputs=MemoryOutputStore() if store else None,
        contributors=contributors,
        model=model,
        summarizer=summarizer,
        counter=Quarters(),
    )


class Raising:
    id = "raising"

    def contribute(self, request):
        raise RuntimeError("no")


class Seeing:
    """Tells the model that it sees the first message, whatever the window did."""

    id = "seeing"

    def contribute(self, request):
        return Contribution(visible=("m1",))


def scripted(*replies):
    from turngraph.nodes.summarisers import summarizer_from_json

    return summarizer_from_json({"kind": "scripted", "replies": list(replies)}, len)


def taken(assembly):
    """The edges of one run as (node, outcome, exhausted)."""
    return {(frame.node, type(frame.outcome).__name__ + "!" * frame.exhausted) for frame in assembly.run.frames}


def fits():
    return assembler().attempt(session(1))


def required_contributor_fails():
    return assembler(contributors=[Raising()]).attempt(session(1))


def protected_too_large():
    sections = [Section(id="rules", slot="governance", content="x" * 500, protected=True)]
    return assembler(prompt_budget_chars=100).attempt(session(1), sections=sections)


def fixed_too_large():
    return assembler().attempt(session(1, prompt="word " * 9000))


def pruned_and_relieved():
    return assembler(window=9000, compaction_target_percent=70).attempt(session(5, size=9000))


def nothing_old_enough_to_fold():
    return assembler(window=9500, store=False, compaction_min_clear_tokens=8000).attempt(session(4, size=7500))


def folded():
    return assembler(store=False).attempt(session(12, size=1000))


def summary_rejected_then_accepted():
    return assembler(store=False, summarizer=scripted("", GOOD)).attempt(session(12, size=1000))


def summary_rejected_to_exhaustion():
    return assembler(store=False, summarizer=scripted("", "")).attempt(session(30, size=1000))


def source_too_long_once():
    return assembler(store=False, summarizer=scripted({"overflow": True}, GOOD)).attempt(session(12, size=1000))


def source_too_long_to_exhaustion():
    script = scripted({"overflow": True}, {"overflow": True})
    return assembler(store=False, summarizer=script).attempt(session(30, size=1000))


def summariser_fails_and_nothing_is_folded():
    failing = scripted({"error": "down"})
    return assembler(store=False, summarizer=failing, summary_fallback="none").attempt(session(12, size=1000))


def still_pressed_after_the_pass():
    sections = [Section(id="s", slot="footer", content="word " * 2200)]
    return assembler(store=False).attempt(session(8, size=1000), sections=sections)


def forced_without_progress():
    return assembler().attempt(session(2, size=9000), recovery=Recovery(failed_tokens=10))


def forced_and_stuck():
    return assembler().attempt([Message.user("hello")], recovery=Recovery())


def narrowed():
    contributors = [Seeing()]
    return assembler(window=40_000, contributors=contributors, window_messages=4).attempt(session(12, size=1000))


def smallest_window_too_large():
    checkpoint = checkpoint_message(Checkpoint(sections={"Next step": "word " * 2000}), id="m0", covered_last_number=0)
    messages = [checkpoint, *session(1, size=3000, prompt="word " * 1000)]
    return assembler(store=False, summarizer=None, summary_fallback="none").attempt(messages)


def nothing_to_send():
    return assembler().attempt(History())


def model_replies():
    return assembler(model=ScriptedModel([{"text": "hi"}])).attempt(session(1))


def model_refuses_the_key():
    return assembler(model=ScriptedModel([{"error": {"status": 401, "message": "invalid api key"}}])).attempt(
        session(1)
    )


def overflow_recovered():
    model = ScriptedModel([OVERFLOW, {"text": "hi"}])
    return assembler(window=30_000, model=model).attempt(session(10, size=8000))


def overflow_again():
    return assembler(window=30_000, model=ScriptedModel([OVERFLOW, OVERFLOW])).attempt(session(10, size=8000))


def overflow_of_the_output():
    return assembler(window=30_000, model=ScriptedModel([NO_ROOM_FOR_OUTPUT])).attempt(session(1))


SCENARIOS = {
    fits: ("measure", "Fits"),
    required_contributor_fails: ("collect", "RequiredFailed"),
    protected_too_large: ("admit", "ProtectedTooLarge"),
    fixed_too_large: ("measure", "FixedTooLarge"),
    pruned_and_relieved: ("prune", "Relieved"),
    nothing_old_enough_to_fold: ("settle", "Unchanged"),
    folded: ("fold", "Folded"),
    summary_rejected_then_accepted: ("judge", "Rejected"),
    summary_rejected_to_exhaustion: ("judge", "Rejected!"),
    source_too_long_once: ("summarise", "TooLong"),
    source_too_long_to_exhaustion: ("summarise", "TooLong!"),
    summariser_fails_and_nothing_is_folded: ("fallback", "GaveUp"),
    still_pressed_after_the_pass: ("measure", "Pressed!"),
    forced_without_progress: ("measure", "NotSmaller"),
    forced_and_stuck: ("settle", "Stuck"),
    narrowed: ("window", "Narrowed!"),
    smallest_window_too_large: ("window", "CannotFit"),
    nothing_to_send: ("validate", "Invalid"),
    model_replies: ("call", "Replied"),
    model_refuses_the_key: ("call", "CallFailed"),
    overflow_recovered: ("recover", "Forced"),
    overflow_again: ("call", "Overflowed!"),
    overflow_of_the_output: ("recover", "Hopeless"),
}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_scenario_takes_its_edge(scenario):
    assert SCENARIOS[scenario] in taken(scenario())


def test_the_scenarios_together_take_every_edge():
    edges = {(edge.source, edge.name) for edge in assembly_graph().edges}

    assert edges - set().union(*(taken(scenario()) for scenario in SCENARIOS)) == set()


def test_a_steer_and_its_prompt_are_one_anchor():
    messages = [*session(12, size=1000), Message.user("And be quick.", origin=Origin("steer"))]

    shown = [message.text for message in assembler().assemble(messages).model_input.messages]

    assert (shown[0], "And be quick." in shown) == ("Tell me what is wrong.", True)


def test_the_scripted_summariser_is_the_public_double():
    assert isinstance(scripted("x"), ScriptedSummarizer)
