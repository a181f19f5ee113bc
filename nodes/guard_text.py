"""How a text is bounded: so many bytes, so many lines, whole code points; and how the guard's cut of a result reads.

[run_python: 600034 bytes in 100001 lines; the first and the last of them follow]
head
[tool output shortened: ref=tool-output-…, 600034 bytes; read_tool_output returns the rest]
tail
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from ..state.outputs import preview_line
from ..state.outputs.pages import count_lines
from ..state.wellformed import well_formed

__all__ = ["Bounded", "Keep", "bound_text", "cut_text", "shorten_cut", "size_of"]

Keep = Literal["head", "tail"]

LARGER_PERCENT: Final = 65
"""Of bytes and lines, the share of the end that is kept longer."""
_FOLLOW: Final = "the first and the last of them follow"
_HEADER: Final = re.compile(rf"\[[^\n]*: [0-9]+ bytes in [0-9]+ lines; {_FOLLOW}(?:; [^\n]*)?\]\n")
_LOST: Final = "[what stood here is not stored; call the tool again for less at a time]"
_NAME_CHARS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """One end of a text."""

    text: str
    keep: Keep
    total_bytes: int
    total_lines: int
    omitted_bytes: int
    omitted_lines: int
    """Lines that are not there at all; of one that is cut a part is there."""
    partial_line: bool
    """The cut lies inside a line."""

    @property
    def truncated(self) -> bool:
        """Something is left out."""
        return self.omitted_bytes > 0


def size_of(text: str) -> int:
    """Give the bytes of UTF-8; `text` is well-formed."""
    return len(text) if text.isascii() else len(text.encode())


def bound_text(text: str, *, max_bytes: int, max_lines: int, keep: Keep = "head") -> Bounded:
    """Keep one end of a text in at most so many bytes and lines; the text itself where it is inside both.

    The cut lies at a line's end if that leaves at least half of what fits, else between two code points. Cost: one
    count of the text, else only what is kept.
    """
    text = well_formed(text)
    size, lines = size_of(text), count_lines(text)
    kept = text
    if size > max_bytes or lines > max_lines:
        kept = _head(text, max_bytes, max_lines) if keep == "head" else _tail(text, max_bytes, max_lines)
    cut_inside = _cuts_line(text, kept, keep)
    return Bounded(
        text=kept,
        keep=keep,
        total_bytes=size,
        total_lines=lines,
        omitted_bytes=size - size_of(kept),
        omitted_lines=lines - count_lines(kept),
        partial_line=cut_inside,
    )


def _cuts_line(text: str, kept: str, keep: Keep) -> bool:
    if len(kept) == len(text):
        return False
    if keep == "head":
        return not kept.endswith("\n") if kept else False
    return bool(kept) and text[len(text) - len(kept) - 1] != "\n"


def _head(text: str, max_bytes: int, max_lines: int) -> str:
    piece = text[:max_bytes].encode()[:max_bytes].decode("utf-8", "ignore")
    if piece.count("\n") >= max_lines:
        return piece[: _nth_end(piece, max_lines)]
    whole = piece.rfind("\n") + 1
    return piece[:whole] if len(piece) < len(text) and 2 * whole >= len(piece) and whole else piece


def _nth_end(text: str, count: int) -> int:
    end = 0
    for _ in range(count):
        end = text.index("\n", end) + 1
    return end


def _tail(text: str, max_bytes: int, max_lines: int) -> str:
    piece = text[max(0, len(text) - max_bytes) :].encode()[-max_bytes:].decode("utf-8", "ignore") if max_bytes else ""
    start = len(piece) - (piece[-1:] == "\n")
    for _ in range(max_lines):
        found = piece.rfind("\n", 0, start)
        if found < 0:
            break
        start = found
    else:
        return piece[start + 1 :] if max_lines else ""
    first = piece.find("\n") + 1
    return piece[first:] if len(piece) < len(text) and first and 2 * (len(piece) - first) >= len(piece) else piece


def cut_text(
    text: str, *, tool: str, ref: str | None, problem: str | None, max_bytes: int, max_lines: int, keep: Keep
) -> str:
    """Cut a text that is over the bounds to its head and tail, our two lines included in the bounds.

    Args:
        text: Well-formed.
        tool: Whose output it is.
        ref: Where the whole is stored; `None`: nowhere, for the reason `problem`.
        problem: Said in the header.
        max_bytes: At least 1,024.
        max_lines: At least 8.
        keep: The end that gets the larger share.
    """
    size, lines = size_of(text), count_lines(text)
    name = re.sub(r"[\s\[\]]+", " ", well_formed(tool)).strip()[:_NAME_CHARS] or "tool"
    header = f"[{name}: {size} bytes in {lines} lines; {_FOLLOW}{f'; {problem}' if problem else ''}]\n"
    middle = f"{preview_line(ref, size) if ref else _LOST}\n"
    room = max_bytes - size_of(header) - len(middle) - 1
    rows = max_lines - 2
    larger, more = room * LARGER_PERCENT // 100, rows * LARGER_PERCENT // 100
    head_bytes, head_lines = (larger, more) if keep == "head" else (room - larger, rows - more)
    head = bound_text(text, max_bytes=head_bytes, max_lines=head_lines).text
    tail = bound_text(text, max_bytes=room - head_bytes, max_lines=rows - head_lines, keep="tail").text
    return f"{header}{head}{'' if head.endswith(chr(10)) or not head else chr(10)}{middle}{tail}"


def shorten_cut(text: str, ref: str, limit_bytes: int) -> str | None:
    """Make the preview of the stored whole out of the guard's cut of it, without reading the store.

    For pruning: head and tail of a cut are those of the whole, so nothing has to be stored a second time.

    Args:
        text: The content of a result.
        ref: The reference of the result.
        limit_bytes: Head and tail of the preview, 65 and 35 percent.

    Returns:
        The preview, or `None`: the text is no cut of that reference, or the preview would not be smaller.
    """
    header = _HEADER.match(text)
    mark = preview_line(ref, 0).partition(" 0 bytes")[0]
    start = -1 if header is None else text.find(f"\n{mark} ", header.end() - 1) + 1
    end = text.find("\n", start) if start else -1
    if header is None or end < 0:
        return None
    head_bytes = limit_bytes * LARGER_PERCENT // 100
    tail_bytes = limit_bytes - head_bytes
    head, tail = text[header.end() : start], text[end + 1 :]
    if size_of(head) < head_bytes or size_of(tail) < tail_bytes:
        return None
    head = head[:head_bytes].encode()[:head_bytes].decode("utf-8", "ignore")
    tail = tail[-tail_bytes:].encode()[-tail_bytes:].decode("utf-8", "ignore")
    shortened = f"{head}{'' if head.endswith(chr(10)) or not head else chr(10)}{text[start:end]}\n{tail}"
    return shortened if size_of(shortened) < size_of(text) else None
