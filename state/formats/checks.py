"""Strict reading of JSON objects: every problem with its path, all of them in one `BadRequest`."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from ..errors import BadRequest
from .json_values import compact, is_array, is_object

__all__ = ["Problems"]

W = TypeVar("W", bound=str)
_LONGEST_VALUE = 80


class Problems:
    """Collects what is wrong with a document and raises it at the end."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[dict[str, str]] = []
        """Objects of path, value (as JSON, shortened) and problem."""

    def add(self, path: str, value: Any, problem: str) -> None:
        """Note that the `value` at `path` is wrong."""
        shown = compact(value)
        if len(shown) > _LONGEST_VALUE:
            shown = shown[:_LONGEST_VALUE] + "…"
        self.found.append({"path": path, "value": shown, "problem": problem})

    def raise_any(self, what: str) -> None:
        """Raise `BadRequest` that lists the problems, if there are any."""
        if not self.found:
            return
        lines = [f"{one['path']}: {one['problem']}, got {one['value']}" for one in self.found]
        raise BadRequest(f"{what}: " + "; ".join(lines[:10]), details={"problems": self.found})

    def object(self, value: Any, path: str, known: Iterable[str]) -> dict[str, Any]:
        """Give `value` if it is an object of `known` keys only, else what can be checked of it."""
        if not is_object(value):
            self.add(path, value, "an object is expected")
            return {}
        for key in value:
            if key not in known:
                self.add(f"{path}.{key}", value[key], "unknown key")
        return value

    def array(self, given: dict[str, Any], key: str, path: str) -> list[Any]:
        """Give the required array `key`."""
        value = given.get(key)
        if is_array(value):
            return value
        self.add(f"{path}.{key}", value, "an array is expected")
        return []

    def text(self, given: dict[str, Any], key: str, path: str) -> str:
        """Give the required string `key`."""
        value = given.get(key)
        if isinstance(value, str):
            return value
        self.add(f"{path}.{key}", value, "a string is expected")
        return ""

    def maybe_text(self, given: dict[str, Any], key: str, path: str) -> str | None:
        """Give the optional string `key`; null is absent."""
        return None if given.get(key) is None else self.text(given, key, path)

    def maybe_object(self, given: dict[str, Any], key: str, path: str) -> dict[str, Any] | None:
        """Give the optional object `key`; null and an empty one are absent."""
        value = given.get(key)
        if value is None or is_object(value):
            return value or None
        self.add(f"{path}.{key}", value, "an object is expected")
        return None

    def flag(self, given: dict[str, Any], key: str, path: str) -> bool:
        """Give the optional boolean `key`, false if absent."""
        value = given.get(key, False)
        if isinstance(value, bool):
            return value
        self.add(f"{path}.{key}", value, "true or false is expected")
        return False

    def one_of(self, given: dict[str, Any], key: str, path: str, words: Sequence[W]) -> W:
        """Give the required `key`, one of `words`; the first of them where it is wrong."""
        value = given.get(key)
        for word in words:
            if word == value and isinstance(value, str):
                return word
        self.add(f"{path}.{key}", value, f"one of {', '.join(words)} is expected")
        return words[0]
