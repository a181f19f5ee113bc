"""Content blocks of Anthropic messages, in both directions.

Facts of a part: `keys`, `inner` (further keys of the image or document source) · `bare` (a string stood in the
list) · `unsigned` (thinking without a signature) · `type`: `redacted_thinking` · `input`: `raw` (no object stood
there), `absent` · of a result also `content`: `list`, `absent` and `is_error`: false (it was said).
"""

from collections.abc import Callable
from typing import Any

from ..messages import File, Image, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from .arguments import given_arguments, read_arguments
from .facts import Facts, facts_of, note, others
from .json_values import fresh, is_array, is_object
from .registry import ANTHROPIC

__all__ = ["ABSENT", "content_value", "read_block", "read_result", "write_block", "write_result"]

ABSENT = "absent"


# Reading


def read_block(block: Any, *, calls: bool = False) -> Part:
    """Read one content block other than a result; opaque is what is not understood, and a call unless `calls`."""
    if isinstance(block, str):
        return Text(block, extras=note(ANTHROPIC, {"bare": True}))
    if is_object(block):
        type: Any = block.get("type")
        if type == "text" and isinstance(text := block.get("text"), str):
            return Text(text, extras=note(ANTHROPIC, {}, others(block, ("type", "text")) if len(block) > 2 else None))
        read = _READ.get(type) if isinstance(type, str) else None
        part = None if read is None else read(block)
        if part is not None and (calls or not isinstance(part, ToolCall)):
            return part
    return Opaque(format=ANTHROPIC, value=block)


def _read_thinking(block: dict[str, Any]) -> Part | None:
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (isinstance(signature, str) or "signature" not in block):
        return None
    facts: Facts = {} if isinstance(signature, str) else {"unsigned": True}
    keys = others(block, ("type", "thinking", "signature"))
    return Reasoning(
        text=text, signature=signature if isinstance(signature, str) else None, extras=note(ANTHROPIC, facts, keys)
    )


def _read_redacted(block: dict[str, Any]) -> Part | None:
    data = block.get("data")
    if not isinstance(data, str):
        return None
    return Reasoning(
        encrypted=data, extras=note(ANTHROPIC, {"type": "redacted_thinking"}, others(block, ("type", "data")))
    )


def _read_call(block: dict[str, Any]) -> Part | None:
    id, name, given = block.get("id"), block.get("name"), block.get("input")
    if not isinstance(id, str) or not isinstance(name, str):
        return None
    keys = others(block, ("type", "id", "name", "input"))
    if is_object(given):
        return ToolCall(id=id, name=name, arguments=given, extras=note(ANTHROPIC, {}, keys))
    arguments, extras = read_arguments(given)
    facts = {"input": "raw" if "input" in block else ABSENT}
    return ToolCall(id=id, name=name, arguments=arguments, extras={**extras, **(note(ANTHROPIC, facts, keys) or {})})


def _read_image(block: dict[str, Any]) -> Part | None:
    source = _read_source(block)
    if source is None:
        return None
    media_type, data, url, inner = source
    keys = others(block, ("type", "source"))
    return Image(media_type=media_type, data=data, url=url, extras=note(ANTHROPIC, inner, keys))


def _read_document(block: dict[str, Any]) -> Part | None:
    source = _read_source(block)
    if source is None:
        return None
    media_type, data, url, inner = source
    title = block.get("title")
    known = ("type", "source", "title") if isinstance(title, str) else ("type", "source")
    return File(
        media_type=media_type,
        data=data,
        url=url,
        name=title if isinstance(title, str) else None,
        extras=note(ANTHROPIC, inner, others(block, known)),
    )


def _read_source(block: dict[str, Any]) -> tuple[str, str | None, str | None, Facts] | None:
    source = block.get("source")
    if not is_object(source):
        return None
    type, media_type, data, url = (source.get(key) for key in ("type", "media_type", "data", "url"))
    if type == "base64" and isinstance(media_type, str) and isinstance(data, str):
        inner = others(source, ("type", "media_type", "data"))
        return media_type, data, None, {"inner": inner} if inner else {}
    if type == "url" and isinstance(url, str):
        inner = others(source, ("type", "url"))
        return "", None, url, {"inner": inner} if inner else {}
    return None


_READ: dict[str, Callable[[dict[str, Any]], Part | None]] = {
    "thinking": _read_thinking,
    "redacted_thinking": _read_redacted,
    "tool_use": _read_call,
    "image": _read_image,
    "document": _read_document,
}


def read_result(block: Any) -> ToolResult | None:
    """Read a `tool_result` block; `None` for anything else."""
    if not is_object(block) or block.get("type") != "tool_result":
        return None
    id = block.get("tool_use_id")
    if not isinstance(id, str):
        return None
    facts: Facts = {}
    keys = others(block, ("type", "tool_use_id", "content", "is_error"))
    content = _read_content(block, facts, keys)
    is_error = block.get("is_error")
    if "is_error" in block and is_error is not True:
        if is_error is False:
            facts["is_error"] = False
        else:
            keys["is_error"] = is_error
    return ToolResult(call_id=id, content=content, is_error=is_error is True, extras=note(ANTHROPIC, facts, keys))


def _read_content(block: dict[str, Any], facts: Facts, keys: Facts) -> tuple[Part, ...]:
    content = block.get("content")
    if isinstance(content, str):
        return (Text(content),)
    if is_array(content):
        parts = tuple([read_block(item) for item in content])
        if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None:
            facts["content"] = "list"
        return parts
    if "content" in block:
        keys["content"] = content
    else:
        facts["content"] = ABSENT
    return ()


# Writing


def write_block(part: Part, *, calls: bool = False, results: bool = False) -> list[Any]:
    """Write one part as a content block; nothing if the format cannot say it there, and for results.

    `calls`: calls may stand here · `results`: a `tool_result` block here is read as a result, never as opaque.
    """
    if isinstance(part, Opaque):
        same = part.format == ANTHROPIC and read_block(part.value, calls=calls) == part
        return [fresh(part.value)] if same and not (results and read_result(part.value)) else []
    facts = facts_of(part.extras, ANTHROPIC)
    keys = _object(facts.get("keys"))
    if isinstance(part, Text):
        return [part.text if facts.get("bare") else {**keys, "type": "text", "text": part.text}]
    if isinstance(part, ToolCall) and calls:
        return [{**keys, "type": "tool_use", "id": part.id, "name": part.name, **_input(part, facts)}]
    if isinstance(part, Reasoning):
        return [{**keys, **said} for said in _write_reasoning(part, facts)]
    if isinstance(part, Image | File) and (part.data is None) != (part.url is None):
        return [{**keys, **_write_media(part, _object(facts.get("inner")))}]
    return []


def _object(value: Any) -> Facts:
    return fresh(value) if is_object(value) else {}


def _input(call: ToolCall, facts: Facts) -> Facts:
    shape = facts.get("input")
    if shape == ABSENT and not call.arguments:
        return {}
    if shape == "raw":
        same, raw = given_arguments(call.arguments, call.extras)
        if same:
            return {"input": fresh(raw)}
    return {"input": fresh(call.arguments)}


def _write_reasoning(part: Reasoning, facts: Facts) -> list[Facts]:
    if facts.get("type") == "redacted_thinking" and part.encrypted is not None:
        return [{"type": "redacted_thinking", "data": part.encrypted}]
    if part.encrypted is not None or part.id is not None:
        return []
    if part.signature is not None:
        return [{"type": "thinking", "thinking": part.text, "signature": part.signature}]
    return [{"type": "thinking", "thinking": part.text}] if facts.get("unsigned") else []


def _write_media(part: Image | File, inner: Facts) -> Facts:
    if part.data is not None:
        source = {**inner, "type": "base64", "media_type": part.media_type, "data": part.data}
    else:
        source = {**inner, "type": "url", "url": part.url}
    if isinstance(part, Image):
        return {"type": "image", "source": source}
    title = {} if part.name is None else {"title": part.name}
    return {**title, "type": "document", "source": source}


def write_result(result: ToolResult) -> tuple[dict[str, Any], list[int]]:
    """Write a result as a `tool_result` block, and which parts of its content the block holds."""
    facts = facts_of(result.extras, ANTHROPIC)
    out: Facts = {**_object(facts.get("keys")), "type": "tool_result", "tool_use_id": result.call_id}
    written = [(index, block) for index, part in enumerate(result.content) for block in write_block(part)]
    shape = facts.get("content")
    if written:
        out["content"] = content_value([block for _, block in written], as_list=shape == "list")
    elif shape == ABSENT:
        out.pop("content", None)
    elif "content" not in out:
        out["content"] = []
    if result.is_error:
        out["is_error"] = True
    elif facts.get("is_error") is False:
        out["is_error"] = False
    return out, [index for index, _ in written]


def content_value(blocks: list[Any], *, as_list: bool) -> Any:
    """Give a list of blocks, or the text of a single plain text block."""
    only = blocks[0] if len(blocks) == 1 and not as_list else None
    if is_object(only) and len(only) == 2 and only.get("type") == "text" and isinstance(only.get("text"), str):
        return only["text"]
    return blocks
