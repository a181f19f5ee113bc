"""Exceptions in the shapes of the official clients, without any of them installed."""

import socket

import pytest

from turngraph.nodes.providers import classify, facts_from_exception

LONG = "This model's maximum context length is 8000 tokens. However, your messages resulted in 9001 tokens."


def raised(name, message="", base=Exception, **attributes):
    error = type(name, (base,), {})(message)
    for key, value in attributes.items():
        setattr(error, key, value)
    return error


class Response:
    def __init__(self, status=None, headers=None, text=""):
        self.status_code, self.headers, self.text = status, headers or {}, text


def judged(error):
    return classify(facts_from_exception(error))


def test_an_openai_error_is_read_from_its_body_and_headers():
    body = {"message": LONG, "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}
    text = f"Error code: 400 - {{'error': {body}}}"
    found = judged(
        raised("BadRequestError", text, status_code=400, body=body, code=body["code"], response=Response(400))
    )
    assert (found.error_class, dict(found.parsed)) == ("context_overflow", {"limit": 8000, "requested": 9001})
    limited = raised("RateLimitError", "slow", status_code=429, body=None, response=Response(429, {"Retry-After": "7"}))
    assert (judged(limited).error_class, judged(limited).retry_after_s) == ("rate_limit", 7.0)


def test_an_anthropic_error_is_read_from_its_body():
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert judged(raised("APIStatusError", "Error code: 529", status_code=529, body=body)).error_class == "overloaded"


def test_a_google_error_is_read_from_code_and_details():
    details = {
        "error": {"code": 429, "message": "Quota exceeded for metric: m, limit: 5", "details": [{"retryDelay": "31s"}]}
    }
    found = judged(
        raised("ClientError", "429 RESOURCE_EXHAUSTED", code=429, status="RESOURCE_EXHAUSTED", details=details)
    )
    assert (found.error_class, found.trigger, found.retry_after_s) == ("quota", "wait_and_retry", 31.0)


def test_a_botocore_error_is_read_from_its_dictionary():
    response = {
        "Error": {"Code": "ThrottlingException", "Message": "Too many tokens, please wait before trying again."},
        "ResponseMetadata": {"HTTPStatusCode": 429, "HTTPHeaders": {"retry-after": "3"}},
    }
    found = judged(raised("ClientError", "An error occurred", response=response))
    assert (found.error_class, found.retry_after_s) == ("rate_limit", 3.0)
    response = {"Error": {"Code": "ValidationException", "Message": "Input is too long for requested model."}}
    assert judged(raised("ClientError", "An error occurred", response=response)).error_class == "context_overflow"


def test_a_litellm_error_is_read_from_its_text():
    text = "litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicException - prompt is too long"
    found = facts_from_exception(raised("ContextWindowExceededError", text, status_code=400, llm_provider="anthropic"))
    assert (found.provider, classify(found).error_class) == ("anthropic", "context_overflow")


def test_an_httpx_error_is_read_from_its_response():
    error = raised("HTTPStatusError", "Client error '413'", response=Response(413, text="http: request body too large"))
    assert judged(error).error_class == "request_too_large"


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        raised("ReadTimeout"),
        raised("APITimeoutError", "Request timed out."),
        raised("ConnectTimeout"),
        raised("DeadlineExceeded", "504 Deadline Exceeded", code=504),
    ],
    ids=lambda error: type(error).__name__,
)
def test_running_out_of_time_is_a_timeout(error):
    assert judged(error).error_class == "timeout"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(111, "refused"),
        ConnectionResetError("peer"),
        raised("APIConnectionError", "Connection error."),
        raised("ConnectError", "All connection attempts failed"),
        raised("RemoteProtocolError", "peer closed connection without sending complete message body"),
        socket.gaierror(-2, "Name or service not known"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_broken_connection_is_a_server_error(error):
    found = judged(error)
    assert (found.error_class, found.trigger) == ("server_error", "wait_and_retry")


def test_the_cause_tells_what_the_wrapper_hides():
    outer = RuntimeError("the model failed")
    outer.__cause__ = raised("BadRequestError", LONG, status_code=400)
    assert judged(outer).error_class == "context_overflow"
    group = ExceptionGroup("several", [raised("RateLimitError", "", status_code=429)])
    assert judged(group).error_class == "rate_limit"


def test_a_circle_of_causes_ends():
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert judged(first).error_class == "unknown"


def test_attributes_that_raise_are_absent():
    class Unreadable(Exception):
        def __str__(self):
            raise ValueError

        @property
        def body(self):
            raise RuntimeError

    assert judged(Unreadable()).error_class == "unknown"


@pytest.mark.parametrize(
    "error", [KeyError("choices"), ValueError("no idea"), KeyboardInterrupt(), AttributeError("x")]
)
def test_an_exception_that_says_nothing_is_unknown(error):
    found = judged(error)
    assert (found.error_class, found.trigger) == ("unknown", "fail")


def test_the_module_of_an_exception_is_no_source():
    error = raised("BadRequestError", LONG, status_code=400)
    type(error).__module__ = "tool.client"
    assert judged(error).error_class == "context_overflow"
