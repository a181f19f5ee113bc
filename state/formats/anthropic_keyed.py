"""Anthropic messages with their key `turngraph`, on the message or on a `tool_result` block."""

from typing import Any

from ..messages import Message
from .anthropic_read import read_messages
from .checks import Problems
from .json_values import is_array, is_object
from .keys import KEY, RESULT_FIELDS, apply_key, take_key

__all__ = ["AnthropicReader"]


class AnthropicReader:
    """Reads the messages of one conversation in order."""

    def __init__(self) -> None:
        self._after_results = False

    def read(self, given: dict[str, Any], path: str) -> list[Message]:
        """Read the next foreign message. Raises `BadRequest` for a malformed key."""
        plain, key = take_key(given)
        plain, on_blocks = _take_block_keys(plain)
        messages = read_messages(plain, after_results=self._after_results)
        self._after_results = all(message.role == "tool" for message in messages)
        _apply_by_call(messages, on_blocks, f"{path}.content")
        if is_object(key) and "messages" in key:
            _apply_each(messages, key, f"{path}.{KEY}")
        elif key is not None:
            _apply_one(messages, key, f"{path}.{KEY}")
        return messages


def _take_block_keys(given: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Any, Any]]]:
    content = given.get("content")
    if not is_array(content) or not any(_is_keyed(block) for block in content):
        return given, []
    found = [(block.get("tool_use_id"), block[KEY]) for block in content if _is_keyed(block)]
    bare = [
        {name: value for name, value in block.items() if name != KEY} if _is_keyed(block) else block
        for block in content
    ]
    return {**given, "content": bare}, found


def _is_keyed(block: Any) -> bool:
    return is_object(block) and KEY in block and block.get("type") == "tool_result"


def _apply_each(messages: list[Message], key: dict[str, Any], path: str) -> None:
    problems = Problems()
    problems.object(key, path, ("messages",))
    entries = problems.array(key, "messages", path)
    problems.raise_any("malformed key 'turngraph' of a message")
    _apply_by_call(
        messages,
        [(entry.get("call") if is_object(entry) else None, entry) for entry in entries],
        f"{path}.messages",
    )


def _apply_by_call(messages: list[Message], keys: list[tuple[Any, Any]], path: str) -> None:
    """Apply each key to the next message that holds the result of its call, without a call to the next other one."""
    places: dict[str | None, list[int]] = {}
    for index in reversed(range(len(messages))):
        result = messages[index].result
        places.setdefault(None if result is None else result.call_id, []).append(index)
    for number, (call, key) in enumerate(keys):
        free = places.get(call) if call is None or isinstance(call, str) else None
        if free:
            index = free.pop()
            messages[index] = apply_key(messages[index], key, f"{path}[{number}]")


def _apply_one(messages: list[Message], key: Any, path: str) -> None:
    """Apply a key without parts: facts of a result to the only result, the rest to the first other message."""
    if len(messages) == 1 or not is_object(key):
        messages[0] = apply_key(messages[0], key, path)
        return
    results = [index for index, message in enumerate(messages) if message.role == "tool"]
    rest = [index for index, message in enumerate(messages) if message.role != "tool"]
    of_result = {name: value for name, value in key.items() if name in RESULT_FIELDS}
    of_message = {name: value for name, value in key.items() if name not in RESULT_FIELDS}
    if of_result:
        problems = Problems()
        if len(results) != 1:
            problems.add(path, sorted(of_result), "only a message of one tool result has these")
        problems.raise_any("malformed key 'turngraph' of a message")
        messages[results[0]] = apply_key(messages[results[0]], of_result, path)
    index = (rest or results)[0]
    messages[index] = apply_key(messages[index], of_message, path)
