"""The checkpoint: what stands in place of folded steps. One document, one text form, one recogniser.

The text has eight sections that a summariser wrote and, behind them, the engine's own part: the user's folded
prompts word for word, the ids of those that found no room, and the reference of everything that was folded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .checkpoint_sections import (
    ENGINE_HEADING,
    SECTIONS,
    TRANSCRIPT_LINE,
    ParsedSections,
    canonical_body,
    parse_sections,
    unknown_refs,
)
from .envelopes import CHECKPOINT_MARKER, CHECKPOINT_MARKERS, checkpoint_body, checkpoint_envelope
from .messages import Message, Origin, Text
from .quotes import NEXT_ENTRY, Quote, QuoteChoice, choose_quotes, id_text, quote_block, read_ids, read_quotes

__all__ = [
    "SECTIONS",
    "Checkpoint",
    "ParsedSections",
    "Quote",
    "QuoteChoice",
    "checkpoint_message",
    "checkpoint_of",
    "choose_quotes",
    "is_checkpoint_message",
    "parse_checkpoint",
    "parse_sections",
    "render",
    "unknown_refs",
]

_LABEL = (
    "Kept word for word for the rules and limits they set. They are already dealt with or carried on in the "
    "sections above; the current request stands outside of this checkpoint. Do not carry them out again."
)
_MOST_IDS = 40
"""More ids than this tell a reader nothing that their number does not."""
_LONGEST_ID = 90
"""Longer ids are counted, not listed."""

_ENGINE_LINE = re.compile(rf"^(?:{re.escape(ENGINE_HEADING)}$|\[folded messages: ref=)", re.MULTILINE)
_OMITTED = "[no longer quoted: "
_OMITTED_LINE = re.compile(rf"^{re.escape(_OMITTED)}(.*)\]$", re.MULTILINE)
_OTHERS = re.compile(r"(?:^| and )([0-9]{1,12}) others?$")
_WRAPPER = re.compile(r"\A\s*<checkpoint[^>\n]*>\n|\n</checkpoint>\s*\Z")
"""A wrapper that `checkpoint_body` did not take off, because blanks were added around it."""
_FOREIGN_HEADING = re.compile(r"\A\s*## (?:Scientific task checkpoint|Conversation summary so far)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A standing summary, as data."""

    sections: Mapping[str, str] = field(default_factory=dict[str, str])
    """Body by title; a missing title is the same as `""`."""
    quotes: tuple[Quote, ...] = ()
    """Folded user prompts, oldest first."""
    omitted: tuple[str, ...] = ()
    """Ids of the folded prompts that are no longer quoted, oldest first."""
    omitted_more: int = 0
    """How many further ones are no longer named either."""
    transcript: str | None = None
    """Reference of the whole folded text in the output store."""


# ---- writing


def render(checkpoint: Checkpoint) -> str:
    """Write the text of the checkpoint message, wrapper included.

    Rendering what was parsed from it gives the same text, however often.
    """
    sections = [f"## {title}\n{canonical_body(checkpoint.sections.get(title, '')) or '(none)'}" for title in SECTIONS]
    return checkpoint_envelope("\n\n".join(sections) + _engine_part(checkpoint))


def _engine_part(checkpoint: Checkpoint) -> str:
    pieces: list[str] = []
    omitted = _omitted_line(checkpoint)
    if checkpoint.quotes or omitted:
        pieces.append(f"{ENGINE_HEADING}\n{_LABEL}\n{quote_block(checkpoint.quotes)}{omitted}")
    if checkpoint.transcript is not None:
        pieces.append(f"[folded messages: ref={checkpoint.transcript}; read_tool_output returns them]\n")
    part = "".join(pieces)
    return f"\n\n{part[:-1]}" if part else ""


def _omitted_line(checkpoint: Checkpoint) -> str:
    short = [written for written in map(id_text, checkpoint.omitted) if len(written) <= _LONGEST_ID]
    listed = short[-_MOST_IDS:]
    others = checkpoint.omitted_more + len(checkpoint.omitted) - len(listed)
    words = [", ".join(listed)] if listed else []
    if others:
        words.append("1 other" if others == 1 else f"{others} others")
    return f"{_OMITTED}{' and '.join(words)}]\n" if words else ""


def checkpoint_message(checkpoint: Checkpoint, *, id: str, covered_last_number: int) -> Message:
    """Make the hidden user message that carries a checkpoint.

    Args:
        checkpoint: What it says.
        id: Its message id.
        covered_last_number: Number of the newest covered message, kept as `last_id` in its origin.
    """
    return Message(
        role="user",
        content=(Text(render(checkpoint)),),
        id=id,
        name="summary",
        origin=Origin("checkpoint", {"last_id": covered_last_number}),
        hidden=True,
    )


# ---- reading


def is_checkpoint_message(message: Message) -> bool:
    """Tell whether a message is a standing checkpoint, by its origin or by name and first line."""
    if message.origin.kind == "checkpoint":
        return True
    if message.role != "user" or message.name != "summary":
        return False
    return message.text.partition("\n")[0].strip() in CHECKPOINT_MARKERS


def checkpoint_of(message: Message) -> Checkpoint | None:
    """Read the checkpoint that a message carries; `None` if it carries none.

    What is known by its origin only, without a marker line, is a body as a whole.
    """
    if not is_checkpoint_message(message):
        return None
    text = message.text
    return parse_checkpoint(text) or _from_body(_foreign_body(text))


def parse_checkpoint(text: str) -> Checkpoint | None:
    """Read what `render` wrote; `None` if the first line is none of the markers. Never raises; linear.

    Foreign bodies, older spellings and damaged ones are read as far as possible: text without known headings
    is filed as completed work, a damaged quote ends where the next one begins.
    """
    body = checkpoint_body(text)
    if body is None:
        return None
    own = text.startswith(CHECKPOINT_MARKER)
    return _from_body(_WRAPPER.sub("", body) if own else _foreign_body(body))


def _foreign_body(text: str) -> str:
    """Take off the wrapper of the reference system, which also escaped `&`, `<` and `>`."""
    opening, closing = "<durable_context_data>\n", "\n</durable_context_data>"
    begin, end = text.find(opening), text.rfind(closing)
    if not 0 <= begin < end:
        return text
    inner = _FOREIGN_HEADING.sub("", text[begin + len(opening) : end])
    return inner.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _from_body(body: str) -> Checkpoint:
    own = _own_sections(body)
    if own is not None:
        return _with_engine_part(own.sections, body, own.end)
    start = _engine_start(body, 0)
    parsed = parse_sections(body[:start]).sections
    sections = {title: canonical_body(text) for title, text in parsed.items()}
    return _with_engine_part(sections, body, start)


class _OwnSections(NamedTuple):
    sections: Mapping[str, str]
    end: int
    """Where the engine's part begins, or the end of the body."""


def _own_sections(body: str) -> _OwnSections | None:
    """Read the eight sections exactly as `render` writes them; `None` for anything else."""
    sections: dict[str, str] = {}
    position = 0
    for title, following in zip(SECTIONS, (*SECTIONS[1:], ""), strict=True):
        head = f"## {title}\n"
        if not body.startswith(head, position):
            return None
        begin = position + len(head)
        end = body.find(f"\n\n## {following}\n", begin) if following else _engine_start(body, begin)
        if end < 0:
            return None
        sections[title] = canonical_body(body[begin:end])
        position = end + 2
    return _OwnSections(sections, position - 2)


def _engine_start(body: str, begin: int) -> int:
    found = _ENGINE_LINE.search(body, begin)
    return found.start() if found else len(body)


def _with_engine_part(sections: Mapping[str, str], body: str, start: int) -> Checkpoint:
    quotes: list[Quote] = []
    position = start
    while (entry := NEXT_ENTRY.search(body, position)) is not None:
        read = read_quotes(body, entry.start())
        if not read.quotes:
            break
        quotes.extend(read.quotes)
        position = read.end
    omitted = _OMITTED_LINE.search(body, position)
    listed = omitted[1] if omitted else ""
    others = _OTHERS.search(listed)
    transcript = TRANSCRIPT_LINE.search(body, position)
    return Checkpoint(
        sections=sections,
        quotes=tuple(quotes),
        omitted=read_ids(listed[: others.start()] if others else listed),
        omitted_more=int(others[1]) if others else 0,
        transcript=transcript[1] if transcript else None,
    )
