"""Content parts and calls of OpenAI chat messages, in both directions.

Facts of a part: `keys`, `inner` (further keys of the inner object) · `bare` (a string stood in the list) · `type`
(`input_audio`; `custom`, `function_call` for calls; the key that reasoning stood under) · `id`, `call_type`,
`arguments`: `absent` · `arguments`: `raw` (no string stood there), `object`.
"""

from typing import Any

from ..messages import File, Image, Opaque, Part, Reasoning, Text, ToolCall
from .arguments import given_arguments, read_arguments
from .facts import Facts, facts_of, note, others
from .json_values import compact, fresh, is_object
from .registry import OPENAI_CHAT

__all__ = [
    "ABSENT",
    "data_url",
    "read_block",
    "read_call",
    "read_function",
    "read_reasoning",
    "split_data_url",
    "write_block",
    "write_call",
    "write_function",
]

ABSENT = "absent"


def data_url(media_type: str, data: str) -> str:
    """Write base64 data as a data URL."""
    return f"data:{media_type};base64,{data}"


def split_data_url(url: str) -> tuple[str, str] | None:
    """Give media type and base64 data of a data URL; `None` for any other URL."""
    if not url.startswith("data:"):
        return None
    head, comma, data = url.partition(",")
    if not comma or not head.endswith(";base64"):
        return None
    return head[5:-7], data


# Content parts


def read_block(block: Any) -> Part:
    """Read one item of a content list; what is not understood becomes opaque."""
    if isinstance(block, str):
        return Text(block, extras=note(OPENAI_CHAT, {"bare": True}))
    if is_object(block):
        type: Any = block.get("type")
        if type == "text" and isinstance(text := block.get("text"), str):
            keys = others(block, ("type", "text")) if len(block) > 2 else None
            return Text(text, extras=note(OPENAI_CHAT, {}, keys))
        part = _read_media(type, block) if isinstance(type, str) and is_object(block.get(type)) else None
        if part is not None:
            return part
    return Opaque(format=OPENAI_CHAT, value=block)


def _read_media(type: str, block: dict[str, Any]) -> Part | None:
    inner: dict[str, Any] = block[type]
    keys = others(block, ("type", type))
    if type == "image_url" and isinstance(url := inner.get("url"), str):
        extras = note(OPENAI_CHAT, _inner(others(inner, ("url",))), keys)
        split = split_data_url(url)
        if split is None:
            return Image(url=url, extras=extras)
        return Image(media_type=split[0], data=split[1], extras=extras)
    if type == "file" and isinstance(url := inner.get("file_data"), str) and (split := split_data_url(url)):
        name = inner.get("filename")
        known = ("file_data", "filename") if isinstance(name, str) else ("file_data",)
        extras = note(OPENAI_CHAT, _inner(others(inner, known)), keys)
        return File(media_type=split[0], data=split[1], name=name if isinstance(name, str) else None, extras=extras)
    if type == "input_audio" and isinstance(data := inner.get("data"), str):
        form = inner.get("format")
        if isinstance(form, str):
            facts = {"type": type, **_inner(others(inner, ("data", "format")))}
            return File(media_type=f"audio/{form}", data=data, extras=note(OPENAI_CHAT, facts, keys))
    return None


def _inner(members: Facts) -> Facts:
    return {"inner": members} if members else {}


def write_block(part: Part) -> list[Any]:
    """Write one part as an item of a content list; nothing if the format has no such item."""
    if isinstance(part, Opaque):
        return [fresh(part.value)] if part.format == OPENAI_CHAT and read_block(part.value) == part else []
    facts = facts_of(part.extras, OPENAI_CHAT)
    keys, inner = _object(facts.get("keys")), _object(facts.get("inner"))
    if isinstance(part, Text):
        return [part.text if facts.get("bare") else {**keys, "type": "text", "text": part.text}]
    if isinstance(part, Image) and (part.data is None) != (part.url is None):
        url = part.url if part.data is None else data_url(part.media_type, part.data)
        return [{**keys, "type": "image_url", "image_url": {**inner, "url": url}}]
    if isinstance(part, File) and part.data is not None and part.url is None:
        type, member = _write_file(part, part.data, as_audio=facts.get("type") == "input_audio")
        return [{**keys, "type": type, type: {**inner, **member}}]
    return []


def _write_file(part: File, data: str, *, as_audio: bool) -> tuple[str, Facts]:
    if as_audio and part.media_type.startswith("audio/"):
        return "input_audio", {"data": data, "format": part.media_type.removeprefix("audio/")}
    name = {} if part.name is None else {"filename": part.name}
    return "file", {**name, "file_data": data_url(part.media_type, data)}


def _object(value: Any) -> Facts:
    return fresh(value) if is_object(value) else {}


# Calls


def read_call(entry: Any) -> ToolCall | None:
    """Read one entry of `tool_calls`; `None` if it is not understood."""
    if not is_object(entry):
        return None
    facts: Facts = {}
    keys: Facts = {}
    id = entry.get("id")
    if not isinstance(id, str):
        _odd("id", entry, facts, keys)
        id = ""
    if is_object(custom := entry.get("custom")) and entry.get("type") == "custom":
        if not isinstance(custom.get("name"), str) or not isinstance(custom.get("input"), str):
            return None
        facts |= {"type": "custom", **_inner(others(custom, ("name", "input")))}
        keys |= others(entry, ("id", "type", "custom"))
        return ToolCall(
            id=id,
            name=custom["name"],
            arguments={"input": custom["input"]},
            extras=note(OPENAI_CHAT, facts, keys),
        )
    function = entry.get("function")
    if not is_object(function) or not isinstance(function.get("name"), str):
        return None
    if entry.get("type") != "function":
        _odd("type", entry, facts, keys)
    keys |= others(entry, ("id", "type", "function"))
    return _read_function(id, function, facts, keys)


def read_function(given: Any) -> ToolCall | None:
    """Read a legacy `function_call`; its name is its id, as nothing else pairs it with its result."""
    if not is_object(given) or not isinstance(given.get("name"), str):
        return None
    return _read_function(given["name"], given, {"type": "function_call"}, {})


def _read_function(id: str, function: dict[str, Any], facts: Facts, keys: Facts) -> ToolCall:
    given = function.get("arguments")
    if is_object(given):
        facts["arguments"] = "object"
    elif "arguments" not in function:
        facts["arguments"] = ABSENT
    elif not isinstance(given, str):
        facts["arguments"] = "raw"
    if more := others(function, ("name", "arguments")):
        facts["inner"] = more
    arguments, extras = read_arguments(given)
    noted = note(OPENAI_CHAT, facts, keys)
    return ToolCall(
        id=id,
        name=function["name"],
        arguments=arguments,
        extras={**extras, **noted} if extras and noted else extras or noted,
    )


def _odd(key: str, given: dict[str, Any], facts: Facts, keys: Facts) -> None:
    """Note a known key that is absent or holds something unexpected."""
    if key in given:
        keys[key] = given[key]
    else:
        facts["call_type" if key == "type" else key] = ABSENT


def write_call(call: ToolCall) -> dict[str, Any]:
    """Write one entry of `tool_calls`."""
    facts = facts_of(call.extras, OPENAI_CHAT)
    entry = _object(facts.get("keys"))
    if call.id or not ("id" in entry or facts.get("id") == ABSENT):
        entry["id"] = call.id
    text = call.arguments.get("input")
    if facts.get("type") == "custom" and isinstance(text, str) and len(call.arguments) == 1:
        custom = {**_object(facts.get("inner")), "name": call.name, "input": text}
        return {**entry, "type": "custom", "custom": custom}
    if "type" not in entry and facts.get("call_type") != ABSENT:
        entry["type"] = "function"
    entry["function"] = write_function(call)
    return entry


def write_function(call: ToolCall) -> dict[str, Any]:
    """Write name and arguments; the arguments byte for byte as they were read, while they say the same."""
    facts = facts_of(call.extras, OPENAI_CHAT)
    function = {**_object(facts.get("inner")), "name": call.name}
    shape = facts.get("arguments")
    same, raw = given_arguments(call.arguments, call.extras)
    if shape == ABSENT and not call.arguments:
        return function
    if same and (isinstance(raw, str) or shape == "raw"):
        function["arguments"] = fresh(raw)
    elif shape == "object":
        function["arguments"] = fresh(call.arguments)
    else:
        function["arguments"] = compact(raw if same else call.arguments)
    return function


def read_reasoning(key: str, text: str) -> Reasoning:
    """Read the reasoning text that stood under `key` of the message."""
    return Reasoning(text=text, extras=note(OPENAI_CHAT, {"type": key}))
