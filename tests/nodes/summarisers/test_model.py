"""The summariser that asks a model: retries, overflow, time, what counts as a text, and the engine around it."""

import asyncio

import pytest

from tests.cases.helpers import SUMMARY, assembler, history, steps
from turngraph.nodes.model import ModelError, ScriptedModel
from turngraph.nodes.summarisers import (
    MemorySummaryCache,
    ModelSummarizer,
    SourceTooLong,
    SummaryReply,
    SummaryRequest,
    asks,
    summary_prompt,
)
from turngraph.nodes.summarisers.model import answer_text
from turngraph.state.messages import Message

STEPS = [[Message.user("tidy the repository", id="m1")]]
REQUEST = SummaryRequest(steps=STEPS, previous=None, max_tokens=100)

RATE = ModelError(status=429, message="Too many requests")
OVERLOADED = ModelError(status=529, message="Overloaded")
SERVER = ModelError(status=500, message="Internal server error")
AUTH = ModelError(status=401, message="Invalid API key")
TOO_LONG = ModelError(status=400, message="prompt is too long: 213462 tokens > 200000 maximum")


class Script:
    """A model, sync or async: answers and raises in order; keeps its prompts and waits, on a clock of its own."""

    def __init__(self, *answers, seconds=0.0):
        self.answers = list(answers)
        self.seconds = seconds
        self.prompts = []
        self.slept = []
        self.now = 100.0

    def __call__(self, prompt):
        self.prompts.append(prompt)
        self.now += self.seconds
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def later(self, prompt):
        await asyncio.sleep(0)
        return self(prompt)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    async def asleep(self, seconds):
        self.sleep(seconds)


def sync(script, request=REQUEST, **options):
    summarizer = ModelSummarizer(script, clock=lambda: script.now, sleep=script.sleep, **options)
    return summarizer.summarize(request)


def awaited(script, request=REQUEST, **options):
    summarizer = ModelSummarizer(script.later, clock=lambda: script.now, asleep=script.asleep, **options)
    return asyncio.run(summarizer.summarize(request))


def found_async(script, request=REQUEST, **options):
    """A callable that nobody can see to be async."""

    def hidden(prompt):
        return script.later(prompt)

    summarizer = ModelSummarizer(hidden, clock=lambda: script.now, asleep=script.asleep, **options)

    async def run():
        return await summarizer.summarize(request)

    return asyncio.run(run())


@pytest.fixture(params=[sync, awaited, found_async])
def ask(request):
    return request.param


def test_the_model_gets_the_whole_prompt_and_its_text_is_the_candidate(ask):
    script = Script(SUMMARY)

    assert ask(script) == SummaryReply(text=SUMMARY)
    assert script.prompts == [summary_prompt(REQUEST)]


def test_the_finish_reason_of_a_reply_is_kept(ask):
    assert ask(Script(SummaryReply(text="half", finish_reason="length"))).finish_reason == "length"


@pytest.mark.parametrize("error", [RATE, OVERLOADED, SERVER, TimeoutError("slow"), ConnectionError("reset")])
def test_errors_of_transport_are_met_by_the_same_request_at_most_twice(ask, error):
    script = Script(error, error, "text")

    assert ask(script).text == "text"
    assert (script.slept, len(set(script.prompts)), len(script.prompts)) == ([0.5, 1.0], 1, 3)


def test_the_third_failure_surfaces_as_it_is(ask):
    script = Script(RATE, SERVER, OVERLOADED, "never")

    with pytest.raises(ModelError, match="Overloaded") as caught:
        ask(script)
    assert caught.value is OVERLOADED
    assert len(script.prompts) == 3


def test_a_wait_that_the_provider_names_is_kept(ask):
    error = ModelError(status=429, message="Rate limit reached. Please try again in 7s.")
    script = Script(error, "text")

    assert ask(script).text == "text"
    assert script.slept == [7.0]


@pytest.mark.parametrize(("limit", "deadline"), [(30.0, 5.0), (5.0, None), (5.0, 30.0)])
def test_nothing_is_waited_for_that_cannot_come_in_time(ask, limit, deadline):
    error = ModelError(status=429, message="Please try again in 7s.")
    script = Script(error, "too late")
    request = SummaryRequest(steps=STEPS, previous=None, max_tokens=100, deadline_s=deadline)

    with pytest.raises(ModelError):
        ask(script, request, time_limit_s=limit)
    assert (script.slept, len(script.prompts)) == ([], 1)


def test_time_that_the_model_itself_took_counts(ask):
    script = Script(SERVER, SERVER, "too late", seconds=14.9)

    with pytest.raises(ModelError):
        ask(script, time_limit_s=30.0)
    assert (script.slept, len(script.prompts)) == ([0.5], 2)


@pytest.mark.parametrize("error", [AUTH, ValueError("odd"), ZeroDivisionError()])
def test_other_errors_are_not_tried_again(ask, error):
    script = Script(error, "never")

    with pytest.raises(type(error)):
        ask(script)
    assert (script.slept, len(script.prompts)) == ([], 1)


def test_an_overflow_asks_for_a_smaller_source(ask):
    script = Script(RATE, TOO_LONG, "never")

    with pytest.raises(SourceTooLong, match="213462 tokens") as caught:
        ask(script)
    assert caught.value.__cause__ is TOO_LONG
    assert len(script.prompts) == 2


def test_an_overflow_that_comes_as_an_empty_success_is_one_too(ask):
    with pytest.raises(SourceTooLong, match="model_context_window_exceeded"):
        ask(Script(SummaryReply(text="", finish_reason="model_context_window_exceeded")))


def test_a_callable_may_ask_for_a_smaller_source_itself(ask):
    script = Script(SourceTooLong("mine"), "never")

    with pytest.raises(SourceTooLong, match="mine"):
        ask(script)
    assert len(script.prompts) == 1


@pytest.mark.parametrize("attempts", [1, 2])
def test_the_number_of_requests_can_be_lowered(ask, attempts):
    script = Script(RATE, RATE, "never")

    with pytest.raises(ModelError):
        ask(script, attempts=attempts)
    assert len(script.prompts) == attempts


def test_reasons_of_rejection_stand_in_the_prompt_of_the_retry(ask):
    script = Script("text")
    request = SummaryRequest(steps=STEPS, previous=None, max_tokens=100, attempt=2, told=("empty: nothing came",))

    ask(script, request)
    assert "Earlier attempts were rejected:\n- empty: nothing came\n" in script.prompts[0]


@pytest.mark.parametrize("answer", [None, 5, {"text": "x"}, ["x"], b"x", "", "  \n", "<think>only thoughts</think>\n"])
def test_what_is_no_text_is_the_empty_text(ask, answer):
    assert ask(Script(answer)) == SummaryReply(text="")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (" ## A\n- b\n", "## A\n- b"),
        ("<think>hm</think>## A", "## A"),
        ("\n<Thinking>\n<think>x</think>\n</thinking>\n<reasoning>y</reasoning>## A", "## A"),
        ("<think>never closed ## A", ""),
        ("<think>İİİ</think>## A", "## A"),
        ("## A\n<think>quoted</think>", "## A\n<think>quoted</think>"),
        ("```markdown\n## A\n- b\n```", "## A\n- b"),
        ("```\n## A\n```\n", "## A"),
        ("```python\nx\n```", "```python\nx\n```"),
        ("```\na\n```\nthen\n```\nb\n```", "```\na\n```\nthen\n```\nb\n```"),
    ],
)
def test_thoughts_in_front_and_a_fence_around_are_taken_off(answer, text):
    assert answer_text(answer) == text


def test_many_thoughts_are_read_in_linear_time():
    assert answer_text("<think></think>" * 100_000 + "## A") == "## A"


def test_a_model_of_a_run_can_be_asked_too():
    model = ScriptedModel([{"text": "one", "finish_reason": "stop"}])

    reply = ModelSummarizer(asks(model)).summarize(REQUEST)
    assert reply == SummaryReply(text="one", finish_reason="stop")
    (sent,) = model.requests
    assert [message.text for message in sent.messages] == [summary_prompt(REQUEST)]
    assert (sent.system.count("\n"), sent.tools) == (0, ())


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"window_tokens": 0}, {"time_limit_s": 0.0}])
def test_limits_that_allow_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match="at least once"):
        ModelSummarizer(Script(), **wrong)


LONG = history("tidy the repository", *[steps(12, 1600)], "go on")


def assembled(ask, *, cache=None, **options):
    return assembler(4000, summarizer=ModelSummarizer(ask, cache=cache), store=False, **options).assemble(LONG)


def summary_of(assembly):
    return assembly.report.as_json()["compaction"]["summary"]


def test_the_engine_folds_with_what_the_model_wrote_and_a_replay_asks_nothing():
    script, cache = Script("I'm sorry, but I cannot help with that.", SUMMARY), MemorySummaryCache()

    first = assembled(script, cache=cache, compaction_summary_retries=1)
    again = assembled(script, cache=cache, compaction_summary_retries=1)

    assert summary_of(first)["outcome"] == "accepted"
    assert [item["reason"] for item in summary_of(first)["rejections"]] == ["refused"]
    assert "the answer was a refusal" in script.prompts[1]
    assert len(script.prompts) == 2
    assert list(again.model_input.messages) == list(first.model_input.messages)


def test_the_engine_offers_a_smaller_source_after_an_overflow():
    script = Script(TOO_LONG, SUMMARY)

    result = assembled(script)

    assert summary_of(result)["outcome"] == "accepted"
    assert [item["reason"] for item in summary_of(result)["rejections"]] == ["overflow"]
    assert len(script.prompts[1]) < len(script.prompts[0])


def test_an_async_model_serves_an_async_run():
    script = Script(SUMMARY)
    result = asyncio.run(assembler(4000, summarizer=ModelSummarizer(script.later), store=False).aassemble(LONG))

    assert summary_of(result)["outcome"] == "accepted"
    assert len(script.prompts) == 1
