"""What an HTTP status means when words have not decided, and the words of servers and networks that broke."""

import re
from typing import Final, NamedTuple

from . import words as w
from .classes import ErrorClass, Trigger
from .evidence import Evidence
from .words import Sentence

__all__ = ["Verdict", "by_status", "limits_use"]

_USE: Final[dict[int, ErrorClass]] = {
    **dict.fromkeys((429, 498), "rate_limit"),
    **dict.fromkeys((503, 529), "overloaded"),
    **dict.fromkeys((401, 407), "auth"),
    **dict.fromkeys((408, 504, 522, 524, 598, 599), "timeout"),
    402: "quota",
}
"""Statuses about use, whatever the text says about sizes."""
_PROXY: Final = re.compile(r"upstream|gateway|nginx|cloudflare|connect|proxy|backend|bad response")
_GENERIC: Final = frozenset(
    word
    for line in (
        "status code no body bad request error errors http https provider returned client the a an failed with from",
        "api for url invalid message response none null post call server by upstream was rejected exception occurred",
        "is has please check your model unknown details detail empty format apierror",
        "openai azure anthropic bedrock vertex vertexai gemini google mistral cohere groq openrouter together xai",
        "zhipu fireworks deepseek dashscope moonshot minimax cerebras sambanova ollama vllm litellm copilot databricks",
    )
    for word in line.split()
)
"""A text of only these words says nothing."""
_ASIDE: Final = re.compile(r"\([\w .-]{1,30}\)")
_WORD: Final = re.compile(r"[a-z]+")
_BROKEN: Final = re.compile(
    r"internal[ _]?(?:server )?error|internalserver|bad gateway|server (?:had an )?error|service[ _]?unavailable|"
    r"temporarily unavailable|upstream|connection (?:attempts|error|reset|refused|aborted|closed|failed|was)|"
    r"connectionerror|connecterror|apiconnection|econn|epipe|enotfound|socket hang up|fetch failed|network error|"
    r"disconnect|incomplete chunked|unexpected eof|^\W*eof|something went wrong|unexpected error|"
    r"an error occurred while|name or service not known|getaddrinfo|gaierror|unreachable|\b(?:ssl|tls)|"
    r"stream (?:ended|closed|error|read)|"
    r"peer closed|remoteprotocol|readerror|terminated|no response"
)
_CRASH: Final = re.compile(
    r"(?:runner|process|worker|engine|model|server)\b.{0,40}(?:terminated|crashed|exit|killed|died)|"
    r"exit (?:status|code)|cuda|out of memory|\boom\b|segfault|segmentation fault|ggml|panic"
)


class Verdict(NamedTuple):
    """What remains to be said without words that decide."""

    error_class: ErrorClass
    trigger: Trigger | None = None
    """Instead of the trigger of the class."""
    open: bool = False
    """Our own count may turn it into an overflow."""


_DIED: Final = Verdict("server_error", "ambiguous_use_local_estimate", open=True)
"""A local server that dies may have been given too much: the text does not say."""


def limits_use(status: int | None, prose: str) -> ErrorClass | None:
    """Give the class of a status that is about use whatever the text says about sizes."""
    if status == 503 and _PROXY.search(prose) is not None:
        return "server_error"
    return None if status is None else _USE.get(status)


def by_status(found: Evidence, prose: list[Sentence], codes: list[Sentence]) -> Verdict:
    """Judge an error whose words say nothing about the request."""
    status = found.status
    if status is None or status < 300 or status >= 500:
        return _of_server(status, [*prose, *codes])
    if status in {400, 413, 422}:
        silent = all(word in _GENERIC for text, _ in prose for word in _WORD.findall(_ASIDE.sub("", text)))
        named: ErrorClass = "request_too_large" if status == 413 else "invalid_request"
        return Verdict("ambiguous" if silent else named, open=True)
    if status == 403:
        return Verdict("auth")
    return Verdict("invalid_request" if status >= 400 else "unknown")


def _of_server(status: int | None, said: list[Sentence]) -> Verdict:
    """Judge by the words of servers and networks that broke."""
    if any(families & w.CRASH and _CRASH.search(text) for text, families in said):
        return _DIED
    broken = any((families & w.SERVER or "error" in text) and _BROKEN.search(text) for text, families in said)
    return Verdict("server_error" if broken or (status is not None and status >= 500) else "unknown")
