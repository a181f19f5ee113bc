"""Foreign messages with their key `turngraph`, whatever the format."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..messages import Message, Role
from .keys import KEY, apply_key, key_of, take_key
from .origins import origin_to_json

__all__ = ["Plain", "hollow", "keyed", "read_keyed", "simple_key", "with_key"]

Reader = Callable[[dict[str, Any]], Message]

_USUAL: dict[Role, str] = {"system": "unknown", "user": "prompt", "assistant": "assistant", "tool": "tool"}


class Plain(NamedTuple):
    """A foreign message without our key."""

    value: dict[str, Any]
    kept: list[int]
    """For each part of its plain reading the canonical part that it is (inside the result of a tool message)."""


def hollow() -> Plain:
    """Give what carries a message of which the format can say nothing: all of it stands in the key."""
    return Plain({"role": "user", "content": []}, [])


def read_keyed(read: Reader, given: dict[str, Any], path: str) -> Message:
    """Read one message by `read` and what its key says. Raises `BadRequest` for a malformed key."""
    if KEY not in given:
        return read(given)
    plain, key = take_key(given)
    message = read(plain)
    return message if key is None else apply_key(message, key, f"{path}.{KEY}")


def simple_key(message: Message) -> dict[str, Any]:
    """Give the key of a message whose plain reading differs in id, origin and hidden at most."""
    key: dict[str, Any] = {"id": message.id} if message.id else {}
    origin = message.origin
    if origin.kind != _USUAL[message.role] or origin.data:
        key["origin"] = origin_to_json(origin)
    if message.hidden:
        key["hidden"] = True
    return key


def with_key(value: dict[str, Any], key: dict[str, Any]) -> dict[str, Any]:
    """Give the foreign message with its key, if there is anything to say."""
    return {**value, KEY: key} if key else value


def keyed(message: Message, plain: Plain, read: Reader) -> dict[str, Any]:
    """Give `plain` with the key that makes `read_keyed` give `message`."""
    back = read(plain.value)
    found = back.result.content if back.role == "tool" and back.result is not None else back.content
    if len(found) != len(plain.kept):
        plain = hollow()
        back = read(plain.value)
    return with_key(plain.value, key_of(message, back, plain.kept))
