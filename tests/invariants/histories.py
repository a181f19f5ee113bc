"""Random conversations, clean ones and ones that no client should send but some do.

A conversation is a list of chunks, each the work of one number: lists of numbers shrink well and are made fast.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

from turngraph import File, Image, Message, Opaque, Origin, Reasoning, Text, ToolCall, ToolResult

from .texts import FORGED_CHECKPOINT, PALETTE, json_value, solid_text, text

CALL_IDS = ("c0", "c1", "c2", "call_0", "terminal:0", "", "c0 ", "call_m1_0", "编号", "\ud800")
TOOLS = ("read", "write", "bash", "read_tool_output", "查询")
PNG = PALETTE[8]

Chunk = list[Message]


def image(r: Random) -> Image:
    data = r.choice((None, PNG, PNG * 60))
    return Image(
        media_type=r.choice(("image/png", "")),
        data=data,
        url=None if data else "https://example.org/a.png",
        width=r.choice((None, 1, 640, 8000)),
        height=r.choice((None, 1, 480, 8000)),
    )


def file(r: Random) -> File:
    data = r.choice((None, PNG))
    return File(
        media_type=r.choice(("application/pdf", "text/plain", "")),
        data=data,
        url=None if data else "https://example.org/a.pdf",
        name=r.choice((None, "report.pdf", "报告.txt")),
    )


def opaque(r: Random) -> Opaque:
    format = r.choice(("anthropic", "openai-chat", "somewhere-else"))
    return Opaque(format=format, value={"type": "odd", "value": json_value(r)})


def reasoning(r: Random) -> Reasoning:
    return Reasoning(
        text=text(r),
        signature=r.choice((None, "c2ln", PNG)),
        encrypted=r.choice((None, PNG * 3)),
        id=r.choice((None, "rs_1")),
    )


def user_parts(r: Random) -> tuple[Any, ...]:
    if r.random() < 0.7:
        return (Text(text(r)),)
    return tuple([r.choice((lambda r: Text(text(r)), image, file, opaque))(r) for _ in range(r.randint(0, 3))])


def result_parts(r: Random) -> tuple[Any, ...]:
    if r.random() < 0.8:
        return (Text(text(r)),)
    return user_parts(r)


def tool_call(r: Random) -> ToolCall:
    name, tool = r.choice(CALL_IDS), r.choice(TOOLS)
    if r.random() < 0.1:
        raw = text(r)
        return ToolCall(
            id=name, name=tool, arguments={"_raw": raw} if raw.strip() else {}, extras={"raw_arguments": raw}
        )
    keys = ("path", "content", "q", "")
    return ToolCall(id=name, name=tool, arguments={r.choice(keys): json_value(r) for _ in range(r.randint(0, 2))})


def result(r: Random, call_id: str) -> Message:
    """A tool message: real, failed, interim or a placeholder."""
    kind = r.choice(("real", "real", "real", "real", "failed", "interim", "placeholder"))
    ref = r.choice((None, None, None, None, "tool-output-" + "f" * 32))
    found = ToolResult(
        call_id=call_id, content=result_parts(r), is_error=kind != "real", interim=kind == "interim", ref=ref
    )
    origin: Any = Origin("tool", {"placeholder": True}) if kind == "placeholder" else None
    return Message(role="tool", content=(found,), origin=origin)


def other(kind: str, words: str) -> Message:
    if kind == "assistant":
        return Message.assistant(words)
    if kind == "system":
        return Message.system(words)
    if kind == "injection":
        return Message.user(words, origin=Origin("injection", {"variant": "todo"}), hidden=True)
    if kind == "unknown":
        return Message.user(words, origin=Origin("unknown"))
    return Message.user(words, origin=Origin("steer") if kind == "steer" else Origin("prompt"))


def assistant_parts(r: Random) -> list[Any]:
    return [r.choice((lambda r: Text(text(r)), reasoning, opaque))(r) for _ in range(r.randint(0, 2))]


def exchange(r: Random) -> Chunk:
    """An assistant message with calls, and what came back: in any order, with gaps, doubles and strangers."""
    made = [tool_call(r) for _ in range(r.choice((1, 1, 2, 3, 4)))]
    head = Message(role="assistant", content=(*assistant_parts(r), *made))
    ids = [call.id for call in made]
    shape = r.choice(("clean", "clean", "clean", "clean", "shuffled", "open", "doubled"))
    if shape == "shuffled":
        r.shuffle(ids)
    elif shape == "open":
        ids = ids[: r.randint(0, len(ids) - 1)]
    elif shape == "doubled":
        ids.append(r.choice(ids))
    answers = [result(r, name) for name in ids]
    if r.random() < 0.15:
        kind = r.choice(("steer", "injection", "prompt", "assistant", "system"))
        answers.insert(r.randint(0, len(answers)), other(kind, text(r)))
    return [head, *answers]


def tidy_exchange(r: Random) -> Chunk:
    """An exchange as it should be."""
    names = r.sample(("c0", "c1", "c2", "call_0", "x9"), r.choice((1, 1, 1, 2, 3)))
    made = [ToolCall(id=name, name=r.choice(TOOLS), arguments={"path": solid_text(r)}) for name in names]
    answers = [Message.tool(name, solid_text(r), is_error=r.random() < 0.2) for name in names]
    return [Message.assistant(solid_text(r), calls=made), *answers]


KINDS = (
    *("prompt", "prompt", "prompt", "steer", "injection", "assistant", "system", "unknown"),
    *("orphan", "forged", "older", "rich", "thinking"),
)


def single(r: Random) -> Chunk:
    """One message that is no exchange."""
    kind = r.choice(KINDS)
    if kind == "orphan":
        return [result(r, r.choice(CALL_IDS))]
    if kind == "forged":
        return [Message.user(f"{FORGED_CHECKPOINT}\n{text(r)}", name="summary")]
    if kind == "older":
        body = f"[ScienceAgent summary checkpoint]\n{text(r)}"
        return [Message.user(body, name="summary", origin=Origin("checkpoint"), hidden=True)]
    if kind == "rich":
        return [Message.user(user_parts(r), origin=r.choice((None, Origin("steer"))))]
    if kind == "thinking":
        return [Message(role="assistant", content=tuple(assistant_parts(r)))]
    return [other(kind, text(r))]


def tidy_single(r: Random) -> Chunk:
    return [other(r.choice(("prompt", "prompt", "assistant")), solid_text(r))]


MAKERS: tuple[Callable[[Random], Chunk], ...] = (tidy_exchange, exchange, tidy_single, single, exchange, tidy_exchange)


def conversation(seeds: Sequence[int], moves: Sequence[tuple[int, int]], *, clean: bool = False) -> list[Message]:
    """The conversation that the numbers describe; `moves` displace messages."""
    out: list[Message] = []
    for at, seed in enumerate(seeds):
        r = Random(seed)
        if at == 0:
            words = solid_text(r) if clean or seed % 5 else text(r)
            out += [Message.system(words)] if seed % 3 == 0 else []
            out += [Message.user(solid_text(r))] if clean or seed % 7 else []
            continue
        maker = (tidy_exchange, tidy_single)[seed % 2] if clean else MAKERS[seed % len(MAKERS)]
        out += maker(r)
    for source, target in moves:
        if out:
            message = out.pop(source % len(out))
            out.insert(target % (len(out) + 1), message)
    return out


_SEEDS = st.integers(0, 2**32)


def histories(longest: int = 24) -> st.SearchStrategy[list[Message]]:
    """Any conversation."""
    lengths = st.sampled_from((3, 8, longest, longest))
    places = st.tuples(st.integers(0, 99), st.integers(0, 99))
    moves = st.one_of(st.just([]), st.just([]), st.lists(places, max_size=3))
    seeds = lengths.flatmap(lambda most: st.lists(_SEEDS, min_size=0 if most == 3 else most // 2, max_size=most))
    return st.builds(conversation, seeds, moves)


def clean_histories(longest: int = 24) -> st.SearchStrategy[list[Message]]:
    """A conversation as a careful client keeps it: solid texts, every call answered in place."""
    seeds = st.lists(_SEEDS, min_size=1, max_size=longest)
    return seeds.map(lambda found: conversation(found, (), clean=True))
