"""Facts out of whatever a client raised, by looking, without importing any SDK.

OpenAI and Anthropic keep `status_code`, `body` and `response`; Google `code`, `status`, `details`; botocore a dict
`response`; httpx and requests a `response` with `headers` and text; others wrap one of these as their cause.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeGuard

from .facts import ErrorFacts
from .foreign import attribute, mapping_of
from .waits import wait_from_headers

__all__ = ["facts_from_exception"]

_DEEPEST: Final = 8
_STATUSES: Final = ("status_code", "status", "http_status", "code", "http_status_code", "statusCode")
_CODES: Final = ("code", "type", "error_code", "error_type", "status", "reason")
_BODIES: Final = ("body", "response_json", "json_body", "details", "error", "http_body")
_PLAIN: Final = frozenset({"Exception", "BaseException", "RuntimeError", "ValueError", "TypeError", "OSError"})
"""Names that say nothing about a provider."""


def facts_from_exception(exc: BaseException) -> ErrorFacts:
    """Collect status, body, codes, texts and `Retry-After` of an exception and of what it was raised from.

    Never raises: attributes that raise are absent. A plain `TimeoutError` is a timeout, a plain `ConnectionError` a
    failure of the connection; an exception that says nothing is classified by its text.
    """
    chain = list(_chain(exc))
    status = _first(map(_status, chain))
    texts = [text for text in map(_text, chain) if text]
    names = [name for item in chain for name in _names(item)]
    return ErrorFacts(
        status=status,
        message="\n".join(dict.fromkeys(texts))[:40_000],
        body=_first(map(_body, chain)),
        provider=_first(name for name in (attribute(item, "llm_provider") for item in chain) if isinstance(name, str)),
        codes=tuple(dict.fromkeys([*names, *[code for item in chain for code in _codes(item)]])),
        retry_after_s=_first(wait_from_headers(headers) for item in chain for headers in _headers(item)),
    )


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """Give the exception, then what it was explicitly raised from, each once; groups give their members."""
    waiting: list[BaseException] = [exc]
    seen: set[int] = set()
    while waiting and len(seen) < _DEEPEST:
        item = waiting.pop(0)
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, BaseExceptionGroup):
            waiting.extend(item.exceptions[:_DEEPEST])  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - any group
        if item.__cause__ is not None:
            waiting.append(item.__cause__)


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _status(exc: BaseException) -> int | None:
    response = attribute(exc, "response")
    places = [exc, response]
    value = mapping_of(mapping_of(response).get("ResponseMetadata")).get("HTTPStatusCode")
    if _is_status(value):
        return value
    for place in places:
        for name in _STATUSES:
            value = attribute(place, name)
            if isinstance(value, str) and len(value) == 3 and value.isdecimal():
                value = int(value)
            if _is_status(value):
                return value
    return None


def _is_status(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 999


def _body(exc: BaseException) -> Any:
    for name in _BODIES:
        value: Any = attribute(exc, name)
        if value and any(isinstance(value, kind) for kind in (Mapping, list, str, bytes)):
            return value
    response = attribute(exc, "response")
    if isinstance(response, Mapping):
        return mapping_of(response).get("Error") or None
    text = attribute(response, "text")
    return text if isinstance(text, str) and text else None


def _text(exc: BaseException) -> str:
    message = attribute(exc, "message")
    try:
        text = str(exc)
    except Exception:  # noqa: BLE001 - `__str__` of a foreign class may raise anything
        text = ""
    if isinstance(message, str) and message and message not in text:
        return f"{message}\n{text}"
    return text


def _names(exc: BaseException) -> list[str]:
    """Give the names of the classes of an exception that mean something."""
    if isinstance(exc, TimeoutError):
        return ["timeout"]
    names = [kind.__name__ for kind in type(exc).__mro__ if kind.__module__ != "builtins"]
    if isinstance(exc, ConnectionError):
        names.append("ConnectionError")
    return [name for name in names if name not in _PLAIN][:4]


def _codes(exc: BaseException) -> list[str]:
    codes = [value for name in _CODES if isinstance(value := attribute(exc, name), str) and 0 < len(value) <= 100]
    code = mapping_of(mapping_of(attribute(exc, "response")).get("Error")).get("Code")
    return [*codes, code] if isinstance(code, str) else codes


def _headers(exc: BaseException) -> Iterator[Any]:
    response = attribute(exc, "response")
    for place in (exc, response):
        yield attribute(place, "headers")
    yield attribute(exc, "litellm_response_headers")
    yield mapping_of(mapping_of(response).get("ResponseMetadata")).get("HTTPHeaders")
