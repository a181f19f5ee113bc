"""What a reader notes in `extras` so that its writer can give a message back as it was.

`extras[<format>]` holds the facts of that format, JSON values only; the usual shape needs none. Words shared by
all formats: `keys` = unknown keys and known keys whose value is of an unexpected type, verbatim · `inner` = the
same one level down · `whole` = the content is one opaque part that is the whole message. A fact is a hint: a
writer follows it only while it still agrees with the content.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..messages import Message, Opaque, Origin
from .json_values import fresh, is_object

__all__ = ["Extras", "Facts", "facts_of", "note", "others", "stored_ref", "unread", "whole_of"]

Extras = Mapping[str, Any]
Facts = dict[str, Any]

_NONE: Facts = {}
_SHARED: dict[Any, dict[str, Any]] = {}
_MOST_SHARED = 4096


def facts_of(extras: Extras | None, format: str) -> Facts:
    """Give the facts of `format` in `extras`; an empty object where there are none."""
    if extras is None:
        return _NONE
    found = extras.get(format)
    return found if is_object(found) else _NONE


def note(format: str, facts: Facts, keys: Facts | None = None) -> dict[str, Any] | None:
    """Make the extras that hold `facts` and `keys`; `None` for nothing. Equal plain facts share one object."""
    if keys:
        return {format: {**facts, "keys": keys}}
    if not facts:
        return None
    if "part" in facts:  # each is of one message
        return {format: facts}
    shape = (format, *facts.items())
    try:
        found = _SHARED.get(shape)
    except TypeError:  # a fact that is itself an object
        return {format: facts}
    if found is None:
        found = {format: facts}
        if len(_SHARED) < _MOST_SHARED:
            _SHARED[shape] = found
    return found


def others(given: Mapping[str, Any], known: Iterable[str]) -> Facts:
    """Give the members of `given` that are not `known`."""
    return {key: value for key, value in given.items() if key not in known}


def unread(format: str, given: Facts) -> Message:
    """Make the message that stands for an object whose role nobody knows."""
    return Message(
        role="user",
        content=(Opaque(format=format, value=given),),
        origin=Origin("unknown"),
        extras=note(format, {"whole": True}),
    )


def whole_of(format: str, message: Message) -> Facts | None:
    """Give the object that `unread` made `message` of, if it still is that."""
    if not facts_of(message.extras, format).get("whole") or len(message.content) != 1:
        return None
    part = message.content[0]
    if isinstance(part, Opaque) and part.format == format and is_object(part.value):
        value: Facts = fresh(part.value)
        return value
    return None


def stored_ref(given: dict[str, Any]) -> str | None:
    """Give the output reference that LangChain hosts keep in `additional_kwargs.tool_output.ref`."""
    kwargs = given.get("additional_kwargs")
    output = kwargs.get("tool_output") if is_object(kwargs) else None
    ref = output.get("ref") if is_object(output) else None
    return ref if isinstance(ref, str) else None
