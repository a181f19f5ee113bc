"""Conversations to measure with, as messages, as OpenAI chat dicts and as session files. Deterministic.

Every fifth step is a user's request; the others are a call with its result, every seventh of them two parallel calls.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from turngraph import Message
from turngraph.state.messages import Text, ToolCall, ToolResult

__all__ = ["FORMATS", "Writing", "chat", "conversation", "with_irregular", "write_file"]

Writing = Literal["ascii", "chinese", "emoji"]
"""What results are written in; `emoji` is ASCII with one emoji in each, which costs Python four bytes a character."""
FORMATS = ("claude-code", "codex", "openai-chat")

_ASCII = "2026-03-14T08:43:{:02d}Z checkout-{} handled order {} in 182 ms, cache miss, retried once\n"
_CHINESE = "结算服务第{:02d}秒由节点{}处理订单{} 缓存未命中 已重试一次 用时一百八十二毫秒 库存与优惠均已核对\n"


class _Step(NamedTuple):
    number: int
    calls: int
    """0: a user's request."""


def _plan(messages: int) -> Iterator[_Step]:
    """Give steps that make exactly so many messages."""
    number, left = 0, messages
    while left > 0:
        calls = 0 if number % 5 == 0 or left < 2 else 2 if number % 7 == 0 and left > 2 else 1
        yield _Step(number, calls)
        left -= 1 + calls
        number += 1


def _result(number: int, chars: int, writing: Writing) -> str:
    line = (_CHINESE if writing == "chinese" else _ASCII).format(number % 60, number % 9, number)
    text = (line * (chars // len(line) + 1))[:chars]
    return f"{text}🚚" if writing == "emoji" else text


def conversation(messages: int, *, chars: int = 150) -> list[Message]:
    """Give messages; results have so many characters."""
    out: list[Message] = []
    for number, count in _plan(messages):
        if not count:
            out.append(Message.user(f"Please look at order {number} and say what went wrong."))
            continue
        calls = [
            ToolCall(id=f"call_{number}_{k}", name="read_log", arguments={"path": f"log/{number}.{k}.txt"})
            for k in range(count)
        ]
        out.append(Message.assistant(f"I look at log {number}.", calls=calls))
        out += [Message.tool(call.id, _result(number, chars, "ascii")) for call in calls]
    return out


def with_irregular(messages: list[Message]) -> list[Message]:
    """Put irregular steps early into a conversation: an orphan, an open call, a displaced and an interim result."""

    def calling(name: str) -> Message:
        return Message.assistant(f"Now {name}.", calls=[ToolCall(id=name, name="read_log", arguments={})])

    running = ToolResult(call_id="interim", content=(Text("still running"),), interim=True)
    extra = [
        Message.tool("nobody", "a result whose call is nowhere"),
        calling("open"),
        calling("displaced"),
        Message.user("One more thing meanwhile."),
        Message.tool("displaced", "came late"),
        calling("interim"),
        replace(Message.tool("interim", ""), content=(running,)),
        Message.user("And another."),
        Message.tool("interim", "done at last"),
    ]
    second = [at for at, message in enumerate(messages) if message.role == "user"][1]
    return [*messages[:second], *extra, *messages[second:]]


def chat(messages: int, *, chars: int = 150, writing: Writing = "ascii") -> list[dict[str, Any]]:
    """Give the same conversation as OpenAI chat messages."""
    out: list[dict[str, Any]] = []
    for number, count in _plan(messages):
        if not count:
            out.append({"role": "user", "content": f"Please look at order {number} and say what went wrong."})
            continue
        calls = [
            {
                "id": f"call_{number}_{k}",
                "type": "function",
                "function": {"name": "read_log", "arguments": json.dumps({"path": f"log/{number}.{k}.txt"})},
            }
            for k in range(count)
        ]
        out.append({"role": "assistant", "content": f"I look at log {number}.", "tool_calls": calls})
        content = _result(number, chars, writing)
        out += [{"role": "tool", "tool_call_id": call["id"], "content": content} for call in calls]
    return out


def write_file(
    path: Path,
    format: str,
    *,
    size: int,
    writing: Writing = "ascii",
    chars: int = 2000,
    longest: int = 0,
    indent: int | None = None,
) -> int:
    """Write a session of about `size` bytes and give the number of its messages.

    `longest`: one result more, of so many bytes, on one line; `indent`: of `openai-chat`, as in `json.dumps`.
    """
    sample = chat(200, chars=chars, writing=writing)
    width = len(b"".join(_lines(sample, format))) / len(sample)
    messages = chat(max(8, int((size - longest) / width)), chars=chars, writing=writing)
    if longest:
        at = next(k for k in range(len(messages) // 2, len(messages)) if messages[k]["role"] == "tool")
        messages[at]["content"] = _result(1, longest // (3 if writing == "chinese" else 1), writing)
    with path.open("wb") as file:
        if indent is None:
            file.writelines(_lines(messages, format))
        else:
            file.write(json.dumps(messages, ensure_ascii=False, indent=indent).encode())
    return len(messages)


def _lines(messages: list[dict[str, Any]], format: str) -> Iterator[bytes]:
    if format == "openai-chat":
        yield _json(messages)
        return
    for number, message in enumerate(messages):
        for line in _claude_code(message, number) if format == "claude-code" else _codex(message):
            yield _json(line) + b"\n"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _claude_code(message: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    content: Any = message["content"]
    if message["role"] == "assistant":
        content = [{"type": "text", "text": content}] + [
            {
                "type": "tool_use",
                "id": call["id"],
                "name": "read_log",
                "input": json.loads(call["function"]["arguments"]),
            }
            for call in message["tool_calls"]
        ]
    elif message["role"] == "tool":
        content = [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content}]
    role = "assistant" if message["role"] == "assistant" else "user"
    yield {
        "parentUuid": f"00000000-0000-4000-8000-{number:012d}",
        "isSidechain": False,
        "cwd": "/srv/shop",
        "sessionId": "5d0c2f6e-8a41-4c53-9b7e-1f2d3a4b5c6d",
        "version": "2.1.36",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": f"00000000-0000-4000-8000-{number + 1:012d}",
        "timestamp": "2026-03-14T08:43:29.713Z",
    }


def _arguments(call: dict[str, Any]) -> Any:
    return json.loads(call["function"]["arguments"])


def _codex(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message["role"] == "tool":
        items.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]})
    else:
        kind = "output_text" if message["role"] == "assistant" else "input_text"
        text = {"type": kind, "text": message["content"]}
        items.append({"type": "message", "role": message["role"], "content": [text]})
        items += [
            {"type": "function_call", "call_id": call["id"], **call["function"]}
            for call in message.get("tool_calls", ())
        ]
    for item in items:
        yield {"timestamp": "2026-03-14T08:43:29.713Z", "type": "response_item", "payload": item}
