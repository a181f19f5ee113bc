"""An independent checker of an assembly against the transcript that it was made of.

Written against the contract's JSON, from scratch: it knows nothing of the splitter, the projection or the
validator. Every check gives a list of problems; an empty list is what is wanted.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

NO_RESULT = "no result available for this call; do not assume that it succeeded"
LINE = re.compile(
    r"^\[tool output shortened: ref=(tool-output-[0-9a-f]{16,64}), ([0-9]+) bytes; "
    r"read_tool_output returns the rest\]$",
    re.MULTILINE,
)
FOLDED = re.compile(
    r"^\[folded messages: ref=(tool-output-[0-9a-f]{16,64}); read_tool_output returns them\]$", re.MULTILINE
)
Json = dict[str, Any]


def calls_of(message: Json) -> list[Json]:
    return [part for part in message["content"] if part["type"] == "tool_call"]


def result_of(message: Json) -> Json:
    (part,) = message["content"]
    return part


def texts_of(parts: Sequence[Json]) -> list[str]:
    return [part["text"] for part in parts if part["type"] == "text"]


def exchange_problems(messages: Sequence[Json]) -> list[str]:
    """Orphan, split, reordered, doubled or unanswered calls, empty messages and blocks."""
    found: list[str] = []
    seen: set[str] = set()
    at = 0
    while at < len(messages):
        message = messages[at]
        if message["id"] in seen:
            found.append(f"{message['id']} goes out twice")
        seen.add(message["id"])
        if not message["content"]:
            found.append(f"{message['id']} is empty")
        if message["role"] == "tool":
            found.append(f"{message['id']} answers {result_of(message)['call_id']!r}, which nobody asked here")
            at += 1
            continue
        if any(part["type"] == "text" and not part["text"].strip() for part in message["content"]):
            found.append(f"{message['id']} has an empty block")
        asked = [call["id"] for call in calls_of(message)]
        if len(set(asked)) < len(asked) or "" in asked:
            found.append(f"{message['id']} asks {asked}")
        answers = messages[at + 1 : at + 1 + len(asked)]
        given = [result_of(answer)["call_id"] if answer["role"] == "tool" else None for answer in answers]
        if given != asked:
            found.append(f"{message['id']} asks {asked} and gets {given}")
        seen.update(answer["id"] for answer in answers if answer["role"] == "tool")
        at += 1 + sum(name is not None for name in given)
    return found


def order_problems(source: Sequence[Json], messages: Sequence[Json]) -> list[str]:
    """What is sent of the transcript keeps its order; the active request may stand before the checkpoint."""
    place = {message["id"]: at for at, message in enumerate(source)}
    heads = [message for message in messages if message["id"] in place and message["role"] != "tool"]
    checkpoints = [at for at, message in enumerate(messages) if message.get("name") == "summary"]
    moved = {message["id"] for message in messages[: checkpoints[-1]]} if checkpoints else set()
    places = [place[message["id"]] for message in heads if message["id"] not in moved]
    return [] if places == sorted(places) else [f"out of order: {places}"]


def stranger_problems(source: Sequence[Json], messages: Sequence[Json]) -> list[str]:
    """Nothing is sent that is not of the transcript, but one checkpoint and placeholders for unanswered calls."""
    own = {message["id"]: message for message in source}
    found: list[str] = []
    extra = [message for message in messages if message["id"] not in own]
    if sum(message.get("name") == "summary" for message in extra) > 1:
        found.append("several checkpoints")
    for message in extra:
        if message.get("name") == "summary":
            continue
        if message["role"] != "tool" or texts_of(result_of(message)["content"]) != [NO_RESULT]:
            found.append(f"{message['id']} is a stranger")
    for at, message in enumerate(messages):
        if message["role"] == "tool" and texts_of(result_of(message)["content"]) == [NO_RESULT]:
            head = next(item for item in reversed(messages[:at]) if item["role"] == "assistant")
            if answered(source, head["id"], result_of(message)["call_id"]):
                found.append(f"call {result_of(message)['call_id']} of {head['id']} has a result that is not sent")
    return found


def answered(source: Sequence[Json], head: str, call_id: str) -> bool:
    """Whether a result of the call stands anywhere behind it, before another message asks under the same id."""
    begin = next(at for at, message in enumerate(source) if message["id"] == head)
    for message in source[begin + 1 :]:
        if any(call["id"] == call_id for call in calls_of(message)):
            return False
        if message["role"] == "tool" and result_of(message)["call_id"] == call_id:
            return True
    return False


def request_problems(source: Sequence[Json], messages: Sequence[Json]) -> list[str]:
    """The newest message that a user wrote is sent word for word."""
    asked = [
        message
        for message in source
        if message["role"] == "user" and message["origin"]["kind"] == "prompt" and message.get("name") != "summary"
    ]
    if not asked:
        return []
    newest = asked[-1]
    sent = next((message for message in messages if message["id"] == newest["id"]), None)
    wanted = [part for part in newest["content"] if part["type"] != "text" or part["text"].strip()]
    if sent is None:
        return [f"the active request {newest['id']} is not sent"]
    return [] if sent["content"] == wanted else [f"the active request {newest['id']} was changed"]


def byte_problems(source: Sequence[Json], history: Sequence[Json], store: Mapping[str, str]) -> list[str]:
    """Every byte of the transcript stands in the new history, or can be read by a reference that stands there."""
    now = {message["id"]: message for message in history}
    checkpoint = next((message for message in reversed(history) if message.get("name") == "summary"), None)
    behind = _behind(texts_of(checkpoint["content"])[0], store) if checkpoint else []
    found: list[str] = []
    for message in source:
        new = now.get(message["id"])
        if new == message:
            continue
        for text in _texts(message):
            if not text.strip():
                continue
            if new is not None:
                shown = [ref for kept in _texts(new) for ref, _ in LINE.findall(kept)]
                whole = any(text == kept for kept in _texts(new)) or any(text in store.get(ref, "") for ref in shown)
            else:
                whole = any(text in kept or _as_json(text) in kept for kept in behind) or _by_itself(
                    text, behind, store
                )
            if not whole:
                found.append(f"{message['id']}: {len(text)} characters cannot be read again: {text[:60]!r}")
    return found


def _behind(text: str, store: Mapping[str, str]) -> list[str]:
    """The stored texts that a checkpoint leads to, the ones that older checkpoints led to included."""
    found: list[str] = []
    waiting = FOLDED.findall(text)[-1:]
    seen: set[str] = set()
    while waiting:
        ref = waiting.pop()
        if ref in seen or ref not in store:
            continue
        seen.add(ref)
        found.append(store[ref])
        waiting += FOLDED.findall(store[ref])
    return found


def _by_itself(text: str, behind: Sequence[str], store: Mapping[str, str]) -> bool:
    """A body that was shortened before it was folded: the stored text of the fold names its reference."""
    return any(text in body and any(ref in kept for kept in behind) for ref, body in store.items())


def _as_json(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)[1:-1]


def _texts(message: Json) -> list[str]:
    found: list[str] = []

    def look(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    for part in message["content"]:
        if part["type"] == "text":
            found.append(part["text"])
        elif part["type"] == "tool_result":
            found.extend(texts_of(part["content"]))
        elif part["type"] == "tool_call":
            look(part["arguments"])
    return found


def problems(
    source: Sequence[Json], messages: Sequence[Json], history: Sequence[Json], store: Mapping[str, str]
) -> list[str]:
    """All of it."""
    body = [message for message in source if message["role"] != "system" or source.index(message) > _lead(source)]
    return [
        *exchange_problems(messages),
        *order_problems(body, messages),
        *stranger_problems(source, messages),
        *request_problems(source, messages),
        *byte_problems(source, history, store),
    ]


def _lead(source: Sequence[Json]) -> int:
    at = 0
    while at < len(source) and source[at]["role"] == "system":
        at += 1
    return at - 1
