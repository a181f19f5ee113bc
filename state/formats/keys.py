"""The key `turngraph` of a foreign message: what its format cannot say about a canonical message.

`id`, `origin`, `hidden` · `ref`, `is_error`, `interim` of the one result of a tool message · where the plain
reading of the foreign message would not give the canonical one back also `role`, `name`, `extras`, and
`content`: the canonical parts in order, each as a number (that part of the plain reading), as
`{"of": number, …}` (that part with these fields instead; a result's `content` is again such a list) or as a
whole part. Numbers that no longer exist are passed over and parts that nobody names stand at the end, so that a
host may edit the foreign message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..messages import Message, Part, ToolResult
from .checks import Problems
from .json_values import fresh, is_array, is_object
from .origins import origin_to_json
from .turngraph_read import ROLES, check_origin, check_part, check_places
from .turngraph_write import part_to_json

__all__ = ["KEY", "RESULT_FIELDS", "apply_key", "key_of", "take_key"]

KEY = "turngraph"

RESULT_FIELDS = ("ref", "is_error", "interim")
_KNOWN = ("id", "role", "name", "origin", "hidden", "extras", "content", *RESULT_FIELDS, "call")


# Writing


def key_of(message: Message, plain: Message, kept: Sequence[int]) -> dict[str, Any]:
    """Give what must be said beside a foreign message whose plain reading is `plain`.

    `kept` names for every part of `plain` the canonical part that it is; for a tool message it speaks of the
    parts inside the result.
    """
    key: dict[str, Any] = {"id": message.id} if message.id else {}
    if message.role != plain.role:
        key["role"] = message.role
    if message.name != plain.name:
        key["name"] = message.name
    if message.origin != plain.origin:
        key["origin"] = origin_to_json(message.origin)
    if message.hidden != plain.hidden:
        key["hidden"] = message.hidden
    if message.extras != plain.extras:
        key["extras"] = fresh(message.extras)
    if message.content != plain.content:
        _say_content(key, message, plain, kept)
    return key


def _say_content(key: dict[str, Any], message: Message, plain: Message, kept: Sequence[int]) -> None:
    result, read = message.result, plain.result
    if result is None or read is None or len(message.content) != 1 or len(plain.content) != 1:
        key["content"] = _items(message.content, plain.content, kept)
        return
    for field in RESULT_FIELDS:
        if getattr(result, field) != getattr(read, field):
            key[field] = getattr(result, field)
    read = replace(read, ref=result.ref, is_error=result.is_error, interim=result.interim)
    if read != result:
        key["content"] = [_patch(0, result, read, kept)]


def _items(parts: Sequence[Part], plain: Sequence[Part], kept: Sequence[int]) -> list[Any]:
    place = {canonical: number for number, canonical in enumerate(kept)}
    items: list[Any] = []
    for index, part in enumerate(parts):
        number = place.get(index)
        if number is None:
            items.append(part_to_json(part))
        elif plain[number] == part:
            items.append(number)
        else:
            items.append(_patch(number, part, plain[number], kept))
    return items


def _patch(number: int, part: Part, plain: Part, kept: Sequence[int]) -> dict[str, Any]:
    wanted, read = part_to_json(part), part_to_json(plain)
    patch: dict[str, Any] = {"of": number}
    for field in {**wanted, **read}:
        if wanted.get(field) != read.get(field):
            patch[field] = wanted.get(field)
    if "content" in patch and isinstance(part, ToolResult) and isinstance(plain, ToolResult):
        patch["content"] = _items(part.content, plain.content, kept)
    return patch


# Reading


def take_key(given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Part a foreign message into the message alone and the value of its key, `None` without one."""
    if KEY not in given:
        return given, None
    return {name: value for name, value in given.items() if name != KEY}, given[KEY]


def apply_key(message: Message, given: Any, path: str) -> Message:
    """Give `message`, read plainly, with what its key says. Raises `BadRequest` for a malformed key."""
    problems = Problems()
    key = problems.object(given, path, _KNOWN)
    changes: dict[str, Any] = {}
    if "content" in key:
        changes["content"] = _parts(key["content"], message.content, f"{path}.content", problems)
    if any(field in key for field in RESULT_FIELDS):
        changes["content"] = _with_result(key, changes.get("content", message.content), path, problems)
    _take_scalars(key, changes, path, problems)
    if not problems.found and ("role" in changes or "content" in changes):
        check_places(changes.get("role", message.role), changes.get("content", message.content), path, problems)
    problems.raise_any("malformed key 'turngraph' of a message")
    return replace(message, **changes) if changes else message


def _take_scalars(key: dict[str, Any], changes: dict[str, Any], path: str, problems: Problems) -> None:
    if "id" in key:
        changes["id"] = problems.text(key, "id", path)
    if "role" in key:
        changes["role"] = problems.one_of(key, "role", path, ROLES)
    if "name" in key:
        changes["name"] = problems.maybe_text(key, "name", path)
    if "origin" in key:
        changes["origin"] = check_origin(key["origin"], f"{path}.origin", problems)
    if "hidden" in key:
        changes["hidden"] = problems.flag(key, "hidden", path)
    if "extras" in key:
        changes["extras"] = problems.maybe_object(key, "extras", path)


def _with_result(key: Mapping[str, Any], content: Sequence[Part], path: str, problems: Problems) -> tuple[Part, ...]:
    result = content[0] if len(content) == 1 else None
    if not isinstance(result, ToolResult):
        problems.add(
            path, [field for field in RESULT_FIELDS if field in key], "only a message of one tool result has these"
        )
        return tuple(content)
    return (_patched(result, {field: key[field] for field in RESULT_FIELDS if field in key}, path, problems),)


def _parts(given: Any, plain: Sequence[Part], path: str, problems: Problems) -> tuple[Part, ...]:
    if not is_array(given):
        problems.add(path, given, "an array is expected")
        return tuple(plain)
    unnamed = dict(enumerate(plain))
    found: list[Part] = []
    for index, item in enumerate(given):
        at = f"{path}[{index}]"
        number: Any = item.get("of") if is_object(item) and "of" in item else item
        if isinstance(number, int) and not isinstance(number, bool):
            part = unnamed.pop(number, None)
            if part is not None:
                found.append(part if number is item else _patched(part, item, at, problems))
        elif (read := check_part(item, at, problems)) is not None:
            found.append(read)
    return (*found, *unnamed.values())


def _patched(part: Part, patch: Mapping[str, Any], path: str, problems: Problems) -> Part:
    fields = {name: value for name, value in patch.items() if name != "of"}
    if not isinstance(part, ToolResult):
        return _rewritten(part, fields, path, problems)
    content = _parts(fields.pop("content"), part.content, f"{path}.content", problems) if "content" in fields else None
    kept = part.content if content is None else content
    result = _rewritten(replace(part, content=()), fields, path, problems)
    return replace(result, content=kept) if isinstance(result, ToolResult) else result


def _rewritten(part: Part, fields: Mapping[str, Any], path: str, problems: Problems) -> Part:
    """Give `part` with `fields` instead of its own; null takes a field away."""
    value = {**part_to_json(part), **fields}
    return check_part({name: item for name, item in value.items() if item is not None}, path, problems) or part
