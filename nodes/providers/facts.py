"""What is known about one error before anybody judges it, and the reader of `explain-error`'s input."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ...state.errors import BadRequest

__all__ = ["ErrorFacts", "Source", "facts_from_json"]

Source = Literal["provider", "assistant", "tool"]

_SOURCES: Final = get_args(Source)
_TEXTS: Final = ("message", "provider", "operation", "type", "param", "sdk_exception")
_KNOWN: Final = frozenset({"status", "body", "code", "estimate", "limit", "source", *_TEXTS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFacts:
    """One error as it was met; `classify` turns it into a class."""

    status: int | None = None
    """The HTTP status; 200 for an error inside a stream or a reply that hides one."""
    message: str = ""
    """The text of the exception or of the response, JSON text included."""
    body: Any = None
    """The response body: parsed JSON, JSON text, plain text, HTML; `None` when there was none."""
    provider: str | None = None
    """A hint only: no rule asks which provider it was."""
    operation: str | None = None
    """`embeddings` or anything with `embed` in it turns an overflow into `embedding_input_too_long`."""
    estimate: int | None = None
    """Our own count of the input that was sent, in tokens; decides where the provider says nothing."""
    limit: int | None = None
    """The window that we believe in, in tokens."""
    source: Source = "provider"
    """Who wrote the text. What assistants and tools write is no provider error, whatever it says."""
    codes: tuple[str, ...] = ()
    """Error codes, types and names of exception classes, outermost first."""
    retry_after_s: float | None = None
    """Seconds from a `Retry-After` header."""


def facts_from_json(value: Mapping[str, Any]) -> ErrorFacts:
    """Read `{status?, body|message, provider?, operation?, estimate?, limit?, source?}`.

    `code`, `type`, `param` and `sdk_exception` beside them are taken too, as error reports write them; `null` is
    absence.

    Raises:
        BadRequest: Unknown fields, wrong types, or nothing to judge; `details["problems"]` lists all of them.
    """
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - foreign JSON
        problems = [{"path": "", "value": repr(value)[:200], "problem": "must be an object"}]
        raise BadRequest("The error to explain must be a JSON object", details={"problems": problems})
    given: dict[str, Any] = {str(name): item for name, item in value.items() if item is not None}
    problems = [{"path": path, "value": _short(given.get(path)), "problem": words} for path, words in _problems(given)]
    if problems:
        lines = "; ".join(f"{item['path'] or 'input'}: {item['problem']}" for item in problems)
        raise BadRequest(f"The error to explain is wrong: {lines}", details={"problems": problems})
    codes = [str(given[name]) for name in ("code", "type", "param", "sdk_exception") if name in given]
    return ErrorFacts(
        status=given.get("status"),
        message=given.get("message", ""),
        body=given.get("body"),
        provider=given.get("provider"),
        operation=given.get("operation"),
        estimate=given.get("estimate"),
        limit=given.get("limit"),
        source=given.get("source", "provider"),
        codes=tuple(codes),
    )


def _problems(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [(name, "unknown field") for name in sorted(set(given) - _KNOWN)]
    found += [(name, "must be text") for name in _TEXTS if not isinstance(given.get(name, ""), str)]
    if not _is_count(given.get("status", 100)) or not 100 <= given.get("status", 100) <= 999:
        found.append(("status", "must be an HTTP status, an integer from 100 to 999"))
    if not isinstance(given.get("code", ""), str) and not _is_count(given["code"]):
        found.append(("code", "must be text or an integer"))
    for name in ("estimate", "limit"):
        if not _is_count(given.get(name, 1)) or given.get(name, 1) < (1 if name == "limit" else 0):
            found.append((name, "must be a positive number of tokens"))
    if given.get("source", "provider") not in _SOURCES:
        found.append(("source", f"must be one of {', '.join(_SOURCES)}"))
    if not any(name in given for name in ("status", "body", "message")):
        found.append(("", "needs a body or a message, or at least a status"))
    return found


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else repr(value)[:200]
