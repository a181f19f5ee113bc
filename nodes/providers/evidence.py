"""What one error says: prose, codes, numbers and finish reasons, dug out of whatever shape it came in.

Bodies are nested objects, JSON inside strings inside JSON, stream events, HTML. Only what the provider says about the
error is read: the reply's own text (`choices`, `content`, `parts`, ...) and echoes of the request are never prose.
"""

import re
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import orjson

from .chinese import in_english
from .facts import ErrorFacts
from .foreign import is_list, is_mapping, mapping_of
from .waits import WAIT_FIELDS, wait_from_body

__all__ = ["Evidence", "read"]

LONGEST: Final = 20_000
"""Code points of text that are looked at; an error says what it has to say before that."""
_VALUES: Final = 400
"""Values of a body that are looked at."""
_DEEPEST: Final = 12

_CODES: Final = frozenset(
    {"code", "type", "status", "reason", "name", "error_type", "error_code", "errortype", "errorcode", "__type", "kind"}
)
_REPLY: Final = frozenset(
    {"choices", "candidates", "output", "content", "parts", "delta", "text", "thinking", "arguments", "completion",
     "reasoning_content", "reasoning", "refusal", "tool_calls", "failed_generation", "generated_text", "reply"}
)  # fmt: skip
"""The model's own words: searched for finish reasons, never for prose."""
_ECHO: Final = frozenset(
    {"input", "inputs", "messages", "prompt", "contents", "request", "headers", "config", "tools", "loc", "url", "id",
     "request_id", "requestid", "model", "object", "doc_url", "trace", "traceback", "stack", "role", "created"}
)  # fmt: skip
"""Parts of the request and of its envelope, which error bodies like to repeat."""
_FINISH: Final = frozenset({"finish_reason", "finishreason", "stop_reason", "stopreason", "done_reason", "blockreason",
                            "block_reason"})  # fmt: skip
_STATUSES: Final = frozenset({"code", "status", "status_code", "statuscode", "http_status", "httpstatus"})
_REPLIES: Final = frozenset({"choices", "candidates", "output", "content"})
_USAGE: Final = frozenset({"usage", "usagemetadata", "usage_metadata", "prompt_eval_count", "eval_count"})
_SPECIAL: Final = _FINISH | _USAGE | _REPLY | WAIT_FIELDS.keys() | {"incomplete_details"}
_NUMBERS: Final = {
    "n_ctx": "limit", "num_ctx": "limit", "context_window": "limit", "context_length": "limit", "window": "limit",
    "max_context_length": "limit", "max_model_len": "limit", "max_input_tokens": "limit", "max_prompt_tokens": "limit",
    "n_prompt_tokens": "requested", "prompt_tokens": "requested", "input_tokens": "requested",
    "token_count": "requested", "requested_tokens": "requested", "num_tokens": "requested",
}  # fmt: skip
"""Fields of error objects that hold the numbers of the sentence."""
_INPUT: Final = ("prompt_tokens", "input_tokens", "inputtokens", "prompttokencount", "prompt_eval_count")
_CACHED: Final = ("cache_read_input_tokens", "cache_creation_input_tokens", "cachereadinputtokens")
_OUTPUT: Final = ("completion_tokens", "output_tokens", "outputtokens", "candidatestokencount", "eval_count")

_QUOTES: Final = ("`", "'", '"', "\\", "*", "\t", "\r")
_FOREIGN_QUOTES: Final = {ord(character): " " for character in "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"}
_ABBREVIATIONS: Final = ("max. ", "min. ", "vs. ", "approx. ", "no. ", "i.e. ", "e.g. ")
"""Their dots end no sentence."""
_SPACES: Final = re.compile(" {2,}")
_TAG: Final = re.compile(r"<(?:script|style)\b[^<]*<|<[a-z/!][^<>]*>")
_HTML: Final = re.compile(r"<!doctype html|<html|<head>|<body")
_LINK: Final = re.compile(r"https?://\S+|\b(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,12}/\S+")
_ASIDE: Final = re.compile(r"\(parameter=[^()]*\)|<\d{3}>")
"""vLLM repeats the numbers of the sentence behind it, DashScope writes the status before it."""
_NAMES: Final = re.compile(
    r"\b[\w.]{0,80}[a-z](?:error|exception)\b:?|\b(?:\w{1,40}\.){1,4}\w{0,40}(?:parameter|quota|timeout)\b:?"
)
"""Names of exceptions inside prose: they are codes, and weaker than what the prose itself says."""
_STATUS: Final = re.compile(
    r"(?:error code|status[ _]?code|status|http(?:/\d(?:\.\d)?)?|error|code)\W{1,4}([1-5]\d\d)\b"
    r"|^\W{0,3}([45]\d\d)(?=\s*(?:$|\n|[:{<(-]|status|error|client|server|bad |unauth|payment|forbidden|not |request"
    r"|too many|internal|service|gateway|payload|unproc|conflict|[a-z_]+error|[a-z_]+:))"
)
"""A status in front of the text or behind a word that announces it; `402 items were found` has none."""


class Evidence:
    """What was found; `prose` and `codes` are in lower case, without quotes, links and markup."""

    status: int | None = None
    prose: str = ""
    codes: str = ""
    html: bool = False
    replied: bool = False
    """The body is a reply of a model, with choices or the like."""
    blank: bool = False
    """The reply's text is the empty string."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    retry_after_s: float | None = None

    def __init__(self) -> None:
        self.finishes: list[str] = []
        self.numbers: dict[str, int] = {}
        """Numbers that the error object holds as fields: `limit` and `requested`."""


def read(facts: ErrorFacts) -> Evidence:
    """Collect what `facts` say. Never raises on a JSON value; linear in the text looked at."""
    walk = _Walk()
    body = _parsed(facts.body)
    message = _parsed(facts.message)
    for value in (body, message):
        if isinstance(value, str):
            walk.say(_without(value, walk.prose))
        elif value is not None:
            walk.value(value, "", 0, of_reply=False)
    walk.codes += facts.codes
    return walk.result(facts)


def _without(text: str, known: list[str]) -> str:
    """Give what `text` says beside `known`: SDKs put the whole body behind `Error code: 400 - `."""
    return text[:LONGEST].partition("{")[0] if any(other in text for other in known) else text


def _parsed(value: Any) -> Any:
    """Give the JSON value inside a text, behind a prefix like `429 ` or `data: `; the text itself if there is none."""
    if isinstance(value, bytes | bytearray):
        value = bytes(value[: LONGEST * 4]).decode("utf-8", "replace")
    if not isinstance(value, str) or not value:
        return value
    start = value.find("{")
    if "[" in value:
        start = min((at for at in (start, value.find("[{"), value.find('["')) if at >= 0), default=-1)
    if start < 0 or start > 200 or len(value) > LONGEST * 10:
        return value
    text = value[start:].rstrip()
    head = value[:start].strip()
    if text[-1] in "}]" and (found := _loads(text)) is not None:
        return [head, found] if head and not head.endswith("data:") else found
    if "data:" in value[:200] or "\n" in text:
        lines = [line.partition(":")[2] if line.startswith("data:") else line for line in value[:LONGEST].split("\n")]
        events = [found for line in lines if (found := _loads(line.strip())) is not None]
        return events or value
    return value


def _loads(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    try:
        found = orjson.loads(text)
    except ValueError:
        return None
    return found or None


class _Walk:
    """One pass over the values of a body."""

    def __init__(self) -> None:
        self.found = Evidence()
        self.prose: list[str] = []
        self.codes: list[str] = []
        self.left = _VALUES
        self.room = LONGEST

    def say(self, text: str) -> None:
        """Take prose; what is already part of other prose is not taken twice."""
        text = text[: self.room]
        if "_" in text and len(text) <= 100 and text.isascii() and text.replace("_", "").isalnum():
            self.codes.append(text)  # `prompt_too_long` as a message
        elif text and not any(text in other for other in self.prose):
            self.room -= len(text)
            self.prose.append(text)

    def value(self, value: Any, key: str, depth: int, *, of_reply: bool) -> None:
        """Look at one value of a body."""
        self.left -= 1
        if self.left < 0 or depth > _DEEPEST:
            return
        if isinstance(value, str):
            if not of_reply:
                self._text(value, key, depth)
        elif is_list(value):
            for item in islice(value, 50):
                self.value(item, key, depth + 1, of_reply=of_reply)
        elif is_mapping(value):
            for name, item in islice(value.items(), _VALUES):
                self._member(str(name).lower(), item, depth, of_reply=of_reply)

    def _member(self, key: str, value: Any, depth: int, *, of_reply: bool) -> None:
        if key in _SPECIAL:
            self._special(key, value, depth, of_reply=of_reply)
        elif isinstance(value, int) and not of_reply:
            self._number(key, value)
        elif value is not None and (of_reply or key not in _ECHO):
            self.value(value, key, depth + 1, of_reply=of_reply)

    def _special(self, key: str, value: Any, depth: int, *, of_reply: bool) -> None:
        """Look at a member that says something by its name."""
        found = self.found
        if key in _FINISH:
            if isinstance(value, str):
                found.finishes.append(value.lower())
        elif key in _USAGE:
            self._usage(mapping_of(value) or {key: value})
        elif key in _REPLY:
            found.replied = found.replied or (key in _REPLIES and bool(value))
            found.blank = found.blank or (key in {"content", "text"} and value in ("", [], None))
            self.value(value, key, depth + 1, of_reply=True)
        elif key == "incomplete_details":
            found.finishes.append(str(mapping_of(value).get("reason")).lower())
        elif found.retry_after_s is None and not of_reply:
            found.retry_after_s = wait_from_body(key, value)

    def _number(self, key: str, value: int) -> None:
        if key in _STATUSES and 100 <= value <= 599:
            if self.found.status is None or self.found.status < 400:
                self.found.status = value
        elif key in _NUMBERS and 0 <= value <= 10**12:
            self.found.numbers.setdefault(_NUMBERS[key], value)

    def _usage(self, usage: Mapping[Any, Any]) -> None:
        counts = {
            str(name).lower(): item
            for name, item in usage.items()
            if isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= 10**12
        }
        counted = [counts[name] for name in _INPUT if name in counts]
        if counted:
            self.found.input_tokens = counted[0] + sum(counts.get(name, 0) for name in _CACHED)
        written = [counts[name] for name in _OUTPUT if name in counts]
        if written:
            self.found.output_tokens = written[0]

    def _text(self, value: str, key: str, depth: int) -> None:
        inner = _parsed(value) if value.find("{", 0, 200) >= 0 or value.startswith("data:") else value
        if not isinstance(inner, str):
            self.value(inner, key, depth + 1, of_reply=False)
        elif key in _CODES and len(value) <= 100 and " " not in value.strip():
            self.codes.append(value)
            if self.found.status is None and len(value) == 3 and value.isdecimal():
                self.found.status = int(value)
        else:
            self.say(value)

    def result(self, facts: ErrorFacts) -> Evidence:
        """Give what was found, in the form that rules read."""
        found = self.found
        text, found.html = _plain("\n".join(self.prose))
        stated = _STATUS.search(text[:200]) if facts.status is None and found.status is None else None
        text = _ASIDE.sub("", text) if "(parameter=" in text or "<" in text else text
        names: list[str] = []
        if "error" in text or "exception" in text:
            names = _NAMES.findall(text)
            text = _NAMES.sub(" ", text) if names else text
        found.prose = text.strip()
        if self.codes or names:
            found.codes = _plain("\n".join([*self.codes, *names]))[0].replace("_", " ")
        if facts.status is not None and (facts.status >= 300 or found.status is None or found.status < 400):
            found.status = facts.status
        elif found.status is None and stated is not None:
            found.status = int(stated[1] or stated[2])
        if facts.retry_after_s is not None:
            found.retry_after_s = facts.retry_after_s
        return found


def _plain(text: str) -> tuple[str, bool]:
    """Give `text` in lower case without quotes, links and markup, and whether it was HTML."""
    if not text.isascii():
        text = in_english(unicodedata.normalize("NFKC", text)).translate(_FOREIGN_QUOTES)
    if "\\" in text:
        text = text.replace("\\n", "\n").replace("\\u003e", ">").replace("\\u003c", "<")
    text = text[:LONGEST].lower()
    for quote in _QUOTES:
        if quote in text:
            text = text.replace(quote, " ")
    html = False
    if "<" in text and _HTML.search(text) is not None:
        html = True
        text = _TAG.sub(". ", text)
    if "/" in text:
        text = _LINK.sub(" ", text)
    if ". " in text:
        for dotted in _ABBREVIATIONS:
            if dotted in text:
                text = text.replace(dotted, dotted[:-2] + " ")
    return (_SPACES.sub(" ", text) if "  " in text else text), html
