"""What holds for every error: our own count, who speaks, reasons, numbers, waits, order, totality."""

import json
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turngraph.nodes.providers import TRIGGERS, ErrorClass, ErrorFacts, Trigger, classify, facts_from_json

OVERFLOWS = [
    "This model's maximum context length is 8000 tokens. However, your messages resulted in 9001 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "Requested token count exceeds the model's maximum context length of 131072 tokens.",
    "the request exceeds the available context size, try increasing it",
    "Range of input length should be [1, 129024]",
    "Too many input tokens",
]


def said(message, **known):
    return classify(ErrorFacts(message=message, **known))


def test_the_vocabulary_is_that_of_the_contract():
    assert set(TRIGGERS) == set(get_args(ErrorClass))
    assert set(TRIGGERS.values()) <= set(get_args(Trigger))
    assert len(get_args(ErrorClass)) == 22
    assert len(get_args(Trigger)) == 10


def test_explain_error_answers_with_four_fields():
    body = {"error": {"message": OVERFLOWS[0], "code": "context_length_exceeded"}}
    assert classify(facts_from_json({"status": 400, "body": body})).as_json() == {
        "class": "context_overflow",
        "reason": None,
        "trigger": "compact_once_retry_once",
        "parsed": {"limit": 8000, "requested": 9001},
    }


class TestOurOwnCount:
    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_decides_an_error_that_says_nothing(self, status):
        near = classify(ErrorFacts(status=status, estimate=90_000, limit=100_000))
        assert (near.error_class, near.trigger) == ("context_overflow", "compact_once_retry_once")

    @pytest.mark.parametrize(
        ("status", "error_class"), [(400, "invalid_request"), (413, "request_too_large"), (422, "invalid_request")]
    )
    def test_below_nine_tenths_it_is_no_overflow(self, status, error_class):
        assert classify(ErrorFacts(status=status, estimate=89_999, limit=100_000)).error_class == error_class

    @pytest.mark.parametrize("known", [{}, {"estimate": 99_000}, {"limit": 100_000}])
    def test_without_both_numbers_the_question_stays_open(self, known):
        found = classify(ErrorFacts(status=413, message="413 status code (no body)", **known))
        assert (found.error_class, found.trigger) == ("ambiguous", "ambiguous_use_local_estimate")

    def test_decides_a_local_server_that_died(self):
        died = {"status": 500, "message": "llama runner process has terminated: exit status 2", "limit": 8192}
        assert said(**died, estimate=8000).error_class == "context_overflow"
        small = said(**died, estimate=100)
        assert (small.error_class, small.trigger) == ("server_error", "wait_and_retry")

    @pytest.mark.parametrize(
        ("status", "message", "error_class"),
        [
            (400, "Unknown parameter: 'top_q'.", "invalid_request"),
            (429, "", "rate_limit"),
            (500, "Internal server error", "server_error"),
            (401, "", "auth"),
            (413, "Request Entity Too Large: body is over 30 MB", "request_too_large"),
        ],
    )
    def test_overrules_no_provider_that_speaks(self, status, message, error_class):
        found = said(message, status=status, estimate=99_999, limit=100_000)
        assert found.error_class == error_class

    def test_shows_a_prompt_that_was_cut_without_a_word(self):
        body = {"message": {"content": "hello"}, "prompt_eval_count": 16_386, "eval_count": 40, "done_reason": "stop"}
        found = classify(ErrorFacts(status=200, body=body, estimate=50_000))
        assert (found.error_class, found.trigger) == ("silent_overflow", "accept_but_record_overflow")
        assert classify(ErrorFacts(status=200, body=body, estimate=17_000)).error_class == "not_a_provider_error"

    def test_knows_the_window_that_a_reply_filled(self):
        body = {"choices": [{"finish_reason": "length", "message": {"content": ""}}], "usage": {"prompt_tokens": 50}}
        assert classify(ErrorFacts(status=200, body=body, limit=8192)).error_class == "not_a_provider_error"
        assert classify(ErrorFacts(status=200, body=body, limit=50)).error_class == "silent_overflow"


class TestWhoSpeaks:
    @pytest.mark.parametrize("source", ["assistant", "tool"])
    @pytest.mark.parametrize("message", [*OVERFLOWS, "Rate limit exceeded", "insufficient_quota"])
    def test_only_a_provider_has_provider_errors(self, source, message):
        found = said(message, status=400, source=source)
        assert (found.error_class, found.trigger, dict(found.parsed)) == ("not_a_provider_error", "fail", {})

    @pytest.mark.parametrize("provider", ["assistant text", "tool error text", "Tool", "user text"])
    def test_a_provider_that_is_none_counts_as_its_name_says(self, provider):
        assert said(OVERFLOWS[1], provider=provider).error_class == "not_a_provider_error"

    @pytest.mark.parametrize(
        "body",
        [
            {"choices": [{"message": {"content": OVERFLOWS[0]}, "finish_reason": "stop"}]},
            {"content": [{"type": "text", "text": OVERFLOWS[0]}], "stop_reason": "end_turn"},
            {"candidates": [{"content": {"parts": [{"text": OVERFLOWS[0]}]}, "finishReason": "STOP"}]},
            {"output": [{"type": "message", "content": [{"type": "output_text", "text": OVERFLOWS[0]}]}]},
        ],
    )
    def test_the_text_of_a_reply_is_never_an_error(self, body):
        assert classify(ErrorFacts(status=200, body=body)).error_class == "not_a_provider_error"

    def test_an_echo_of_the_request_is_not_the_error(self):
        body = {"detail": [{"loc": ["body", "top_p"], "msg": "Input should be a valid number", "input": OVERFLOWS[1]}]}
        assert classify(ErrorFacts(status=422, body=body)).error_class == "invalid_request"
        body = {"error": {"message": "Unknown parameter: 'x'."}, "request": {"messages": [{"content": OVERFLOWS[0]}]}}
        assert classify(ErrorFacts(status=400, body=body)).error_class == "invalid_request"


class TestOrder:
    @pytest.mark.parametrize(
        "words", ["Rate limit exceeded.", "Too many requests.", "ThrottlingException", "TPM reached."]
    )
    @pytest.mark.parametrize("overflow", OVERFLOWS)
    def test_rate_limit_words_win_over_overflow_words(self, overflow, words):
        for message in (f"{overflow} {words}", f"{words} {overflow}"):
            found = said(message, status=400)
            assert (found.error_class, found.trigger) == ("rate_limit", "wait_and_retry")

    @pytest.mark.parametrize("status", [429, 498])
    @pytest.mark.parametrize("overflow", OVERFLOWS)
    def test_the_status_of_a_rate_limit_wins_over_overflow_words(self, overflow, status):
        assert said(overflow, status=status).error_class == "rate_limit"

    @pytest.mark.parametrize("status", [None, 200, 400, 413, 422, 424, 500])
    @pytest.mark.parametrize("overflow", OVERFLOWS)
    def test_overflow_words_win_over_every_other_status(self, overflow, status):
        assert said(overflow, status=status).error_class == "context_overflow"

    @pytest.mark.parametrize("words", ["insufficient_quota", "Your credit balance is too low.", "Payment required"])
    def test_quota_words_win_over_overflow_words(self, words):
        assert said(f"{words} Too many tokens.", status=400).error_class == "quota"

    def test_prose_wins_over_codes(self):
        found = said(
            "Request payload size exceeds the limit: 20971520 bytes.", status=400, codes=("ContextWindowExceededError",)
        )
        assert found.error_class == "request_too_large"
        assert said("No luck", status=400, codes=("ContextWindowExceededError",)).error_class == "context_overflow"

    @pytest.mark.parametrize("operation", ["embeddings", "embed", "Embedding.create"])
    @pytest.mark.parametrize("overflow", OVERFLOWS)
    def test_an_overflow_of_an_embedding_call_is_another_class(self, overflow, operation):
        assert said(overflow, status=400, operation=operation).error_class == "embedding_input_too_long"
        assert said(overflow, status=400, operation="chat").error_class == "context_overflow"


class TestReason:
    SUM = (
        "maximum context length is {limit} tokens. However, you requested {output} output tokens and your prompt "
        "contains {input} input tokens"
    )

    @given(limit=st.integers(1000, 10**7), share=st.integers(1, 100))
    def test_up_to_three_fifths_the_output_is_what_is_too_large(self, limit, share):
        size = max(1, limit * share // 100)
        found = said(self.SUM.format(limit=limit, output=limit, input=size), status=400)
        assert found.error_class == "context_overflow"
        assert found.reason == ("output_reserve" if size <= 0.6 * limit else None)

    def test_tool_schemas_count_as_input(self):
        found = said(
            "maximum context length is 1000 tokens. However, you requested 1600 tokens (300 of text input, 300 of tool "
            "input, 1000 in the output).",
            status=400,
        )
        assert (found.reason, found.parsed["functions"]) == ("output_reserve", 300)
        assert said("maximum context length is 1000 tokens, requested 1601 tokens (301 of text input, 300 of tool "
                    "input, 1000 in the output)", status=400).reason is None  # fmt: skip

    @pytest.mark.parametrize("overflow", OVERFLOWS)
    def test_without_an_output_share_there_is_no_reason(self, overflow):
        assert said(overflow, status=400, estimate=1, limit=10**6).reason is None


def grouped(separator):
    return lambda number: f"{number:,}".replace(",", separator)


class TestNumbers:
    FORMS = (str, grouped(","), grouped("_"), grouped(" "), grouped("\u00a0"), grouped("\u202f"), grouped("."))

    @pytest.mark.parametrize("form", range(len(FORMS)))
    @given(limit=st.integers(1000, 10**8), over=st.integers(1, 10**7))
    def test_are_read_in_every_way_of_writing(self, form, limit, over):
        write = self.FORMS[form]
        found = said(f"prompt is too long: {write(limit + over)} tokens > {write(limit)} maximum", status=400)
        assert dict(found.parsed) == {"limit": limit, "requested": limit + over}

    @given(limit=st.integers(1, 2000))
    def test_are_read_with_a_letter_for_thousands_and_millions(self, limit):
        assert said(f"the context window of {limit}k tokens was exceeded", status=400).parsed["limit"] == limit * 1000
        assert said(f"maximum context length is {limit}M tokens", status=400).parsed["limit"] == limit * 1_000_000
        assert said(f"maximum context length is {limit} K tokens", status=400).error_class == "context_overflow"

    @pytest.mark.parametrize(
        ("written", "size"),
        [("5 MB", 5_000_000), ("5MB", 5_000_000), ("4.5 MB", 4_500_000), ("32 MiB", 33_554_432), ("512 KB", 512_000)],
    )
    def test_of_bytes_take_their_unit_in_its_smaller_reading(self, written, size):
        assert dict(said(f"request body exceeds the limit of {written}", status=413).parsed) == {"limit_bytes": size}

    @pytest.mark.parametrize(
        "message",
        [
            "model gpt-4-32768 at v1/8192: context length exceeded (request id 4711, code 1261)",
            "messages.2048.content: prompt is too long",
            "Context length exceeded on 2026-08-06 at 12:30:15",
            "prompt is too long, refused within 3600s",
            "context window exceeded: expected maxLength: 51200, actual: 60000",
        ],
    )
    def test_of_names_dates_and_characters_are_none(self, message):
        found = said(message, status=400)
        assert (found.error_class, dict(found.parsed)) == ("context_overflow", {})

    def test_come_from_the_fields_of_an_error_object_first(self):
        error = {
            "message": "the request exceeds the context size (about 9000 > 8000)",
            "n_prompt_tokens": 9001,
            "n_ctx": 8192,
        }
        found = classify(ErrorFacts(status=400, body={"error": error}))
        assert dict(found.parsed) == {"limit": 8192, "requested": 9001}

    @given(limit=st.integers(10, 10**6), used=st.integers(1, 10**6), requested=st.integers(1, 10**6))
    def test_of_a_rate_tell_whether_waiting_helps(self, limit, used, requested):
        rate = f"Rate limit reached on tokens per min (TPM): Limit {limit}"
        plain = said(f"{rate}, Used {used}, Requested {requested}. Please try again in 2s.", status=429)
        assert plain.error_class == "rate_limit"
        assert dict(plain.parsed) == {"limit": limit, "requested": requested, "used": used}
        alone = said(f"{rate}, Requested {requested}.", status=429)
        assert alone.error_class == ("request_exceeds_rate_limit" if requested > limit else "rate_limit")


class TestWaits:
    @pytest.mark.parametrize(
        ("message", "seconds"),
        [
            ("Please try again in 2s.", 2),
            ("Please try again in 1m30.5s.", 90.5),
            ("Please retry after 20 seconds.", 20),
            ("Retry in 350ms", 0.35),
            ("try again after 1 minute", 60),
            ("Please retry in 34.07s.", 34.07),
            ("try again in 2h5m", 7500),
        ],
    )
    def test_are_read_from_words(self, message, seconds):
        assert said(f"Rate limit reached. {message}", status=429).retry_after_s == pytest.approx(seconds)

    @pytest.mark.parametrize(
        ("field", "value", "seconds"),
        [("retry_after", 7, 7), ("retryDelay", "31s", 31), ("retry_after_ms", 1500, 1.5), ("retry_after", "12", 12)],
    )
    def test_are_read_from_the_body(self, field, value, seconds):
        body = {"error": {"message": "Too many requests", "details": [{field: value}]}}
        assert classify(ErrorFacts(status=429, body=body)).retry_after_s == seconds

    @pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 10**400, True, "soon", None, [], 10**9])
    def test_that_are_none_are_not_read(self, value):
        body = {"error": {"message": "Too many requests", "retry_after": value}}
        assert classify(ErrorFacts(status=429, body=body)).retry_after_s is None

    def test_of_headers_win(self):
        assert said("Rate limit. try again in 9s", status=429, retry_after_s=3.0).retry_after_s == 3.0

    def test_that_are_short_make_a_spent_quota_worth_waiting_for(self):
        assert said("Usage limit reached, try again in 5 minutes", status=429).trigger == "wait_and_retry"
        assert said("Usage limit reached, try again in 3 hours", status=429).trigger == "fail"


NAMES = [
    *("error", "message", "code", "type", "status", "usage", "prompt_tokens", "choices", "finish_reason", "n_ctx"),
    *("retry_after", "detail", "raw", "content", "window", "incomplete_details", "reason"),
]
KEYS = st.text(max_size=8) | st.sampled_from(NAMES)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(OVERFLOWS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


class TestTotality:
    @given(
        status=st.none() | st.integers(100, 999),
        message=st.text(max_size=200),
        body=JSON,
        provider=st.none() | st.text(max_size=10),
        estimate=st.none() | st.integers(0, 10**9),
        limit=st.none() | st.integers(1, 10**9),
    )
    @example(status=200, message="\ud800 {", body="\udfff[{", provider=None, estimate=None, limit=None)
    @example(status=None, message="[" * 5000, body='{"a":' * 3000, provider=None, estimate=None, limit=None)
    @example(status=None, message="", body={"usage": {"prompt_tokens": 10**400}}, provider=None, estimate=None, limit=5)
    def test_any_json_value_gets_the_same_answer_twice(self, **known):
        facts = ErrorFacts(**known)
        first = classify(facts)
        assert first == classify(facts)
        assert first.error_class in TRIGGERS
        assert all(isinstance(number, int) and number >= 0 for number in first.parsed.values())

    @given(body=JSON)
    def test_a_body_as_text_says_what_it_says_as_json(self, body):
        if not isinstance(body, dict) or not body:
            return
        text = json.dumps(body)
        known = classify(ErrorFacts(status=400, body=json.loads(text)))
        assert classify(ErrorFacts(status=400, body=text)) == known or "NaN" in text or "Infinity" in text

    @pytest.mark.parametrize(
        "filler", ["lorem ipsum ", "a", "1,", "tokens ", "a.b", "<b>", "(", "error.", "\\n", "input "]
    )
    def test_what_stands_behind_twenty_thousand_characters_does_not_count(self, filler):
        long = (filler * (20_001 // len(filler) + 1))[:20_001]
        assert said(long + OVERFLOWS[1], status=400) == said(long, status=400)
        assert said(f"{OVERFLOWS[1]}. {long * 5}", status=400).error_class == "context_overflow"
