"""The window: whole steps leave the input where they must, stay in history, and are listed."""

import pytest

from turngraph import Attachment, Message

from .helpers import SUMMARY, assembler, call, codes, history, pairing, steps, texts

ROUNDS = [
    "old",
    Message.assistant("old answer"),
    "new",
    [call("c1", "search"), Message.tool("c1", "result")],
    Message.assistant("answer"),
]


def cut(limit, *messages, **more):
    """Assemble with nothing that prunes or folds: what leaves, the window left out."""
    asked = history(*messages)
    parts = {"summarizer": None, "store": False, "summary_fallback": "none"}
    return assembler(limit, **parts, **more).attempt(asked), asked


def test_a_window_of_messages_keeps_whole_steps_and_the_request():  # win-1
    done, asked = cut(10_000, *ROUNDS, window_messages=3)

    assert texts(done.model_input.messages) == ["new", "step c1", "result", "answer"]
    assert done.report.as_json()["window"] == {"kept": 4, "removed": ["m0", "m1"]}
    assert codes(done) == ["CONTEXT_HISTORY_WINDOWED"]
    assert done.history == asked


def test_rounds_win_over_messages():  # win-6
    done, _ = cut(10_000, *ROUNDS, window_rounds=1, window_messages=1)

    assert texts(done.model_input.messages) == ["new", "step c1", "result", "answer"]


def test_without_limits_everything_is_sent():  # win-7
    done, asked = cut(10_000, *ROUNDS)

    assert list(done.model_input.messages) == list(asked)
    assert done.report.as_json()["window"] == {"kept": 6, "removed": []}


def test_one_long_round_is_cut_between_its_steps():  # win-11: never cut in the reference
    done, _ = cut(10_000, "q", [Message.assistant(f"s{number}") for number in range(30)], window_messages=5)

    assert texts(done.model_input.messages) == ["q", "s25", "s26", "s27", "s28", "s29"]


def test_what_stands_before_the_first_prompt_is_a_round_of_its_own():  # win-12
    done, _ = cut(10_000, Message.assistant("lead"), "q", Message.assistant("r"), window_rounds=1)

    assert texts(done.model_input.messages) == ["q", "r"]


def test_the_newest_step_stays_although_an_attachment_follows():  # win-10
    seen = Attachment(id="a.b", source="s", content="att")
    asked = history("task", Message.assistant("x" * 1600), [call("s"), Message.tool("s", "newest")])

    done = assembler(300, summarizer=None, store=False, summary_fallback="none").assemble(asked, attachments=[seen])

    assert texts(done.model_input.messages)[:3] == ["task", "step s", "newest"]
    assert len(done.model_input.messages) == 4


def test_an_old_step_of_the_same_request_leaves_before_the_newest():  # win-5
    done, _ = cut(
        100, "research task", [call("old", "search"), Message.tool("old", "x" * 400)], Message.assistant("latest")
    )

    assert texts(done.model_input.messages) == ["research task", "latest"]
    assert done.report.total_tokens <= 100


def test_the_checkpoint_and_the_request_stay_and_what_cannot_fit_fails():  # win-3: sent too large in the reference
    checkpoint = Message.user("[turngraph summary checkpoint]\n" + "s" * 100, name="summary")
    messages = [checkpoint, "old task", Message.assistant("x" * 400), "latest task"]

    fits, _ = cut(60, *messages)
    fails, asked = cut(40, *messages)

    assert texts(fits.model_input.messages) == [checkpoint.text, "latest task"]
    assert fails.error.code == "window_over_limit"
    assert fails.error.details["limit"] == 40
    assert (fails.model_input, fails.history == asked) == (None, True)


def test_open_calls_request_checkpoint_and_newest_step_are_never_left_out():  # win-8
    checkpoint = Message.user("[turngraph summary checkpoint]\nfacts", name="summary")
    messages = [
        checkpoint,
        "task",
        Message.assistant("x" * 400),
        call("open"),
        Message.assistant("y" * 400),
        Message.assistant("newest"),
    ]

    done, _ = cut(110, *messages)

    assert [m.id for m in done.model_input.messages if m.role != "tool"] == ["m0", "m1", "m3", "m5"]
    assert pairing(done.model_input.messages) == []


@pytest.mark.parametrize("count", range(1, 8))
def test_a_window_of_any_size_begins_with_a_user_and_keeps_the_task(count):  # B086, B114
    messages = [
        "q",
        [call("a1"), Message.tool("a1", "[truncated]")],
        Message.assistant("ok"),
        "the task text",
        steps(12, 10),
    ]

    done, _ = cut(10_000, *messages, window_messages=count)

    assert (done.model_input.messages[0].role, texts(done.model_input.messages)[0]) == ("user", "the task text")
    assert pairing(done.model_input.messages) == []


@pytest.mark.parametrize("limit", range(20, 700, 20))
def test_an_exchange_is_kept_whole_or_the_assembly_fails(limit):  # B010
    done, _ = cut(limit, "word " * 100, [call("c1", "f"), Message.tool("c1", "r" * 400)], steps(3, 200))

    if done.ok:
        assert pairing(done.model_input.messages) == []
        assert done.report.total_tokens <= limit
    else:
        assert done.error.code in {"fixed_part_over_limit", "window_over_limit"}


def test_the_window_setting_in_tokens_is_a_limit_like_any_other():
    done = assembler(100_000, SUMMARY, store=False, window_tokens=3000).assemble(history("task", steps(12, 1000)))

    assert done.report.as_json()["tokens"]["limit"] == 3000
    assert done.report.total_tokens <= 3000


def test_an_assembly_over_the_limit_is_a_failure_before_the_provider():
    from turngraph.testing import ScriptedModel

    model = ScriptedModel([{"text": "never"}])
    asked = history("task", [call("c"), Message.tool("c", "x" * 4000)])

    failed = assembler(500, summarizer=None, store=False, model=model, summary_fallback="none").attempt(asked)

    assert failed.error.code == "fixed_part_over_limit"
    assert model.requests == []
