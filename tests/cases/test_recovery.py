"""Recovery: provider errors, the one forced pass, learned limits."""

import asyncio
import threading

import pytest

from turngraph import Message, OverflowAgain, OverflowNoProgress, ProviderFailed, Recovery
from turngraph.nodes.summarisers import ScriptedReply
from turngraph.testing import ModelError, ScriptedModel, ScriptedSummarizer

from .helpers import SUMMARY, assembler, history, steps, texts

OVERFLOW = {"error": {"status": 400, "message": "prompt is too long: 4100 tokens > 4000 maximum"}}
LONG = history("task", steps(7, 1000))


def run(*responses, asked=LONG, limit=3000, **more):
    model = ScriptedModel(list(responses))
    more.setdefault("store", False)
    done = assembler(limit, *[SUMMARY] * 5, model=model, **more).attempt(asked)
    return done, model


def test_after_an_overflow_the_same_turn_is_sent_once_more_and_smaller():  # rec-1
    done, model = run(OVERFLOW, {"text": "answer"})

    first, second = model.requests
    assert done.reply.text == "answer"
    assert len(second.messages) < len(first.messages)
    record = done.report.as_json()
    assert record["calls"] | {"waits_ms": []} == {"summary": 1, "provider": 2, "attempts": 2, "waits_ms": []}
    assert record["compaction"]["reason"] == "forced"
    assert record["compaction"]["recovery"] == {"attempt": 1, "reason": "model-input-overflow"}
    assert list(done.history)[1].name == "summary"


def test_a_second_overflow_surfaces():  # B042
    failed, model = run(OVERFLOW, OVERFLOW, {"text": "never"})

    assert failed.error.code == "overflow_again"
    assert len(model.requests) == 2
    assert failed.history == LONG


def test_cancelled_while_recovering_means_no_retry():  # rec-4
    stop = threading.Event()

    class Cancelling(ScriptedModel):
        def respond(self, model_input):
            stop.set()
            return super().respond(model_input)

    model = Cancelling([OVERFLOW, {"text": "never"}])
    failed = assembler(3000, SUMMARY, model=model, store=False).attempt(LONG, cancel=stop)

    assert failed.error.code == "cancelled"
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "asked", [pytest.param(history("q"), id="asm-10"), pytest.param(history(*"abcdefghi"), id="asm-15")]
)
def test_what_cannot_get_smaller_is_not_sent_again(asked):  # identical input is sent again in the reference
    failed, model = run(OVERFLOW, {"text": "never"}, asked=asked)
    by_host = assembler(3000, SUMMARY).attempt(asked, recovery=Recovery())

    assert failed.error.code == by_host.error.code == "overflow_no_progress"
    assert len(model.requests) == 1


def test_a_forced_pass_folds_although_there_is_no_pressure():  # asm-11
    asked = history("task", steps(6, 1000))
    made = assembler(9000, SUMMARY, store=False)
    calm = made.assemble(asked)

    forced = made.assemble(asked, recovery=Recovery())

    assert calm.report.as_json()["compaction"]["reason"] == "none"
    assert forced.report.as_json()["compaction"]["reason"] == "forced"
    assert forced.report.total_tokens < calm.report.total_tokens


def test_the_latest_request_outranks_the_checkpoint_of_a_forced_pass():  # B113
    told = SUMMARY.replace("Pending requirements\n(none)", "Pending requirements\n- Compare the remaining options.")
    asked = history("Compare the remaining options.", steps(6, 1200), "Stop that. Keep the rollout notes instead.")

    done = assembler(3000, told, model=ScriptedModel([OVERFLOW, {"text": "ok"}]), store=False).assemble(asked)

    assert texts(done.model_input.messages)[-1] == "Stop that. Keep the rollout notes instead."


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            (
                "input length and `max_tokens` exceed context limit: 170000 + 35000 > 200000, "
                "decrease input length or `max_tokens` and try again"
            ),
            id="B042",
        ),
        pytest.param(
            (
                "This model's maximum context length is 262144 tokens. However, you requested 0 "
                "output tokens and your prompt contains at least 262145 input tokens, for a total"
                " of at least 262145 tokens. Please reduce the length of the input prompt or the "
                "number of requested output tokens. (parameter=input_tokens, value=262145)"
            ),
            id="B043",
        ),
        pytest.param("ValidationException: The input is too long", id="B044"),
        pytest.param(
            "request (66000 tokens) exceeds the available context size (65536 tokens), try increasing it", id="B045"
        ),
        pytest.param("tokens in request more than max tokens allowed", id="B047"),
        pytest.param(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]", id="B048"
        ),
        pytest.param("prompt token count of 130000 exceeds the limit of 128000", id="B041"),
    ],
)
def test_an_overflow_in_any_words_gets_one_forced_pass_and_one_retry(message):
    done, model = run({"error": {"status": 400, "message": message}}, {"text": "answer"})

    assert (done.error, len(model.requests)) == (None, 2)
    assert done.report.path.count("recover") == 1


def test_an_overflow_without_a_status_is_one_too():  # ovf-5
    done, model = run({"error": {"message": "stream failed: context_length_exceeded"}}, {"text": "answer"})

    assert (done.error, len(model.requests)) == (None, 2)


def test_the_words_may_stand_in_the_body_only():  # B047
    body = {"error": {"message": "tokens in request more than max tokens allowed"}}

    done, _ = run({"error": {"status": 400, "body": body}}, {"text": "answer"})

    assert done.reply.text == "answer"


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        pytest.param(401, "token invalid", "provider_auth", id="ovf-2"),
        pytest.param(
            400,
            "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
            "provider_invalid_request",
            id="B017",
        ),
        pytest.param(
            400,
            (
                "Unable to submit request because it has a maxOutputTokens value of 340000 but "
                "the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value"
                " and try again."
            ),
            "provider_max_tokens_too_large",
            id="B123",
        ),
        pytest.param(413, "request body exceeds the configured payload limit", "provider_request_too_large", id="B041"),
        pytest.param(
            413,
            (
                "Request too large for model `m` on tokens per minute (TPM): Limit 6000, "
                "Requested 14000, please reduce your message size and try again."
            ),
            "provider_request_exceeds_rate_limit",
            id="B024",
        ),
    ],
)
def test_other_errors_are_never_compacted_away_nor_resent(status, message, code):
    failed, model = run({"error": {"status": status, "message": message}}, {"text": "never"})

    assert (failed.error.code, len(model.requests)) == (code, 1)
    assert "recover" not in failed.report.path
    assert failed.history == LONG


@pytest.mark.parametrize(
    ("status", "message"),
    [
        pytest.param(429, "ThrottlingException: Too many tokens, please wait before trying again.", id="B027"),
        pytest.param(429, "Limit 30000, Used 29000, Requested 2000. Please try again in 2s.", id="B024"),
        pytest.param(503, "overloaded", id="overloaded"),
    ],
)
def test_what_passes_with_time_is_resent_with_the_same_input_at_most_twice(status, message):
    error = {"error": {"status": status, "message": message}}
    done, model = run(error, error, {"text": "answer"})
    failed, other = run(*[error] * 5)

    assert done.reply.text == "answer"
    assert model.requests[0] is model.requests[2]
    assert len(done.report.as_json()["calls"]["waits_ms"]) == 2
    assert len(other.requests) == 3
    assert failed.error.code in {"provider_rate_limit", "provider_overloaded"}


def test_a_network_error_is_no_overflow():  # ovf-3
    class Dead(ScriptedModel):
        def respond(self, model_input):
            self.requests.append(model_input)
            raise ConnectionResetError("connection reset by peer")

    model = Dead([])
    failed = assembler(3000, SUMMARY, model=model, store=False).attempt(LONG)

    assert failed.error.code.startswith("provider_")
    assert "recover" not in failed.report.path


def test_a_limit_that_the_error_names_is_kept_for_later_turns():  # B039
    named = {
        "error": {
            "status": 400,
            "message": "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
        }
    }
    model = ScriptedModel([named, {"text": "ok"}, {"text": "ok"}])
    made = assembler(65_535, *[SUMMARY] * 9, model=model, store=False)

    done = made.assemble(history("task", steps(34, 1000)))
    later = made.assemble(done.history.extend(steps(2, 1000, first=40)))

    assert done.report.total_tokens <= 8192
    assert done.report.as_json()["tokens"]["limit"] == later.report.as_json()["tokens"]["limit"] == 8191


def test_where_only_the_output_is_too_large_nothing_is_folded():  # B121, B125
    small = (
        "This endpoint's maximum context length is 262144 tokens. However, you requested "
        "about 265000 tokens (52000 of text input, 13000 of tool input, 200000 in the "
        "output). Please reduce the length of either one."
    )

    failed, model = run({"error": {"status": 400, "message": small}}, {"text": "never"})

    assert failed.error.code == "provider_context_overflow"
    assert failed.error.details["reason"] == "output_reserve"
    assert "max_tokens" in failed.error.message
    assert (len(model.requests), failed.history == LONG) == (1, True)


def test_the_numbers_of_an_error_are_in_its_details():  # B120, B039
    text = (
        "This model's maximum context length is 1048576 tokens. However, you requested "
        "1070000 tokens (816000 in the messages, 254000 in the completion). Please reduce"
        " the length of the messages or completion."
    )

    failed, _ = run(*[{"error": {"status": 400, "message": text}}] * 2)

    parsed = failed.error.details["parsed"]
    assert (parsed["limit"], parsed["messages"], parsed["output"]) == (1048576, 816000, 254000)


# ---- a host with its own loop


def test_a_host_has_the_same_door():
    made = assembler(3000, *[SUMMARY] * 3, store=False)
    first = made.assemble(LONG)
    error = ModelError(status=400, message="prompt is too long: 4100 tokens > 4000 maximum")

    second = made.recover(first, error)

    assert second.report.total_tokens < first.report.total_tokens
    with pytest.raises(OverflowAgain):
        made.recover(second, error)
    with pytest.raises(ProviderFailed, match="auth"):
        made.recover(first, ModelError(status=401, message="bad key"))


def test_what_pruning_to_the_target_did_not_cure_is_made_much_smaller_by_the_forced_pass():
    made = assembler(10_000, *[SUMMARY] * 3, compaction_tool_preview_bytes=256)
    first = made.assemble(history("task", steps(16, 2200)))  # pruned to just under the target, nothing folded
    error = ModelError(status=400, message="context_length_exceeded")

    second = made.recover(first, error)
    by_hand = made.assemble(first.history, recovery=Recovery(failed_tokens=first.report.total_tokens))

    for forced in (second, by_hand):
        assert forced.report.total_tokens <= first.report.total_tokens // 2 + 1


def test_too_many_messages_are_folded_not_only_shortened():
    said = "Too many messages in the conversation: 501 > 500"
    asked = history("task", steps(1, 20_000), steps(25, 100, first=1))
    model = ScriptedModel([{"error": {"status": 400, "message": said}}, {"text": "answer"}])
    made = assembler(10_000, *[SUMMARY] * 3, model=model, compaction_tool_preview_bytes=256)

    done = made.assemble(asked)
    host = assembler(10_000, *[SUMMARY] * 3, compaction_tool_preview_bytes=256)
    by_host = host.recover(host.assemble(asked), ModelError(status=400, message=said))

    for assembly in (done, by_host):
        assert assembly.report.as_json()["compaction"]["summary"]["outcome"] == "accepted"
        assert len(assembly.model_input.messages) <= len(asked) // 2 + 2  # the request and the checkpoint stay too


def test_a_host_that_tries_a_third_time_is_refused():
    with pytest.raises(OverflowAgain):
        assembler(3000, SUMMARY).assemble(LONG, recovery=Recovery(attempt=2))


def test_a_forced_pass_ends_below_what_the_host_says_overflowed():
    with pytest.raises(OverflowNoProgress):
        assembler(3000, SUMMARY, store=False).assemble(LONG, recovery=Recovery(failed_tokens=10))


def test_the_async_door_does_the_same():
    async def turn():
        made = assembler(3000, *[SUMMARY] * 3, store=False)
        first = await made.aassemble(LONG)
        return await made.arecover(first, ModelError(status=400, message="context_length_exceeded"))

    assert asyncio.run(turn()).report.as_json()["compaction"]["reason"] == "forced"


def test_the_summariser_is_asked_a_bounded_number_of_times():
    scripted = ScriptedSummarizer(["x" * 90_000] * 99)
    made = assembler(
        3000, summarizer=scripted, model=ScriptedModel([OVERFLOW] * 9), store=False, compaction_summary_retries=2
    )

    made.attempt(history("task", steps(9, 1000)))

    assert len(scripted.requests) <= 3 + 2


def test_a_model_that_hangs_ends_with_the_deadline_and_changes_nothing():
    release = threading.Event()

    class Hanging(ScriptedModel):
        def respond(self, model_input):
            release.wait(10)

    failed = assembler(9000, model=Hanging([], scripted=False)).attempt(LONG, deadline_s=0.1)
    release.set()

    assert failed.error.code == "deadline_exceeded"
    assert (failed.model_input, failed.history == LONG) == (None, True)


def test_a_summariser_that_hangs_ends_with_the_deadline_and_changes_nothing():
    release = threading.Event()

    class Hanging:
        name, window_tokens = "hanging", None

        def summarize(self, request):
            release.wait(10)

    asked = history("task", steps(9, 1000))
    failed = assembler(3000, summarizer=Hanging(), store=False).attempt(asked, deadline_s=0.1)
    release.set()

    assert failed.error.code == "deadline_exceeded"
    assert failed.history == asked
    assert failed.report.as_json()["compaction"]["summary"]["rejections"] == [{"attempt": 1, "reason": "error"}]


@pytest.mark.parametrize("answer", [None, "text", {"text": "x"}])
def test_a_model_that_answers_something_else_is_a_stated_failure(answer):
    class Odd(ScriptedModel):
        def respond(self, model_input):
            return answer

    failed = assembler(9000, model=Odd([])).attempt(LONG)

    assert failed.error.code.startswith("provider_")
    assert failed.history == LONG


def test_a_window_that_was_full_is_smaller_after_the_forced_pass():
    # the history is larger than the limit, the summariser takes a part of it only: the window fills the rest
    asked = history("task", steps(40, 1000))
    model = ScriptedModel([{"error": {"status": 400, "message": "context_length_exceeded"}}, {"text": "answer"}])

    done = assembler(3000, *[SUMMARY] * 9, model=model, store=False).attempt(asked)

    first, second = model.requests
    price = lambda sent: sum(4 + len(text) // 4 for text in texts(sent.messages))  # noqa: E731
    assert done.reply.text == "answer"
    assert price(second) < price(first)


def test_a_host_that_says_what_overflowed_gets_an_input_below_it():
    asked = history("task", steps(6, 1000))

    done = assembler(9000, ScriptedReply(error="down"), store=False).assemble(
        asked, recovery=Recovery(failed_tokens=4000)
    )

    assert done.report.total_tokens < 4000


def test_a_source_that_is_next_to_nothing_is_not_offered():
    # the oldest step goes out as nothing, the next one is larger than the summariser takes
    scripted = ScriptedSummarizer([SUMMARY] * 9)
    asked = history(Message.assistant(""), steps(1, 9000), "task", steps(5, 1000, first=1))

    done = assembler(3000, summarizer=scripted, store=False).assemble(asked)

    assert scripted.requests == []
    assert done.report.as_json()["compaction"]["summary"]["outcome"] == "fallback"
