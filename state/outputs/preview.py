"""What stands in a conversation in place of a stored body: its head and tail, between them its reference."""

import re
from collections.abc import Iterator
from typing import Final

from .refs import REF_GRAMMAR, encoded

__all__ = ["find_named_refs", "find_previews", "is_preview", "preview", "preview_line"]

_HEAD_PERCENT: Final = 65

_MARK: Final = "[tool output shortened: ref="
_LINE: Final = re.compile(
    rf"^\[tool output shortened: ref=({REF_GRAMMAR}), ([0-9]{{1,19}}) bytes; "
    r"read_tool_output returns the rest\]$",
    re.MULTILINE,
)
_NAMED: Final = re.compile(rf"\bref(?:\s*[=:]\s*|\s+)[\"'`]?({REF_GRAMMAR})(?![0-9A-Za-z_-])")


def preview_line(ref: str, size: int) -> str:
    """Give the line between head and tail; `size` is the whole original in UTF-8 bytes."""
    return f"{_MARK}{ref}, {size} bytes; read_tool_output returns the rest]"


def preview(text: str, ref: str, limit_bytes: int) -> str:
    """Shorten a stored body to its head and tail, 65 and 35 percent of `limit_bytes` on whole code points.

    The line between them stands alone and is not counted in the limit. Where the preview would not be
    strictly smaller in UTF-8 bytes, the text itself is given back. `limit_bytes` is at least 1. Cost: one
    encode to size a text that is not ASCII; else only the limit counts.
    """
    if text.isascii():
        size = len(text)
    else:
        text, data = encoded(text)
        size = len(data)
    head_bytes = limit_bytes * _HEAD_PERCENT // 100
    tail_bytes = limit_bytes - head_bytes
    if size <= limit_bytes:
        return text
    head = text[:head_bytes].encode()[:head_bytes].decode("utf-8", "ignore")
    tail = text[-tail_bytes:].encode()[-tail_bytes:].decode("utf-8", "ignore")
    line = preview_line(ref, size)
    shortened = f"{head}{'' if head.endswith(chr(10)) or not head else chr(10)}{line}\n{tail}"
    return shortened if len(shortened.encode()) < size else text


def find_previews(text: str) -> list[str]:
    """List the references of all preview lines that stand alone in a text, in order. Linear."""
    return [match[1] for match in _lines(text)]


def _lines(text: str) -> Iterator[re.Match[str]]:
    """Give the preview lines: looking for their mark first is 20 times faster than trying every line."""
    place = text.find(_MARK)
    while place >= 0:
        match = _LINE.match(text, place)
        if match:
            yield match
        place = text.find(_MARK, place + 1)


def is_preview(text: str) -> bool:
    """Tell whether a text as a whole is what `preview` makes, of whatever limit.

    A body that only quotes a preview line, as a transcript does, is none: what stands around the line must
    be split 65 to 35 and be smaller than the original that the line names. Linear.
    """
    if _MARK not in text:
        return False
    size = _bytes(text)
    head = seen = 0
    for match in _lines(text):
        head += _bytes(text[seen : match.start()])
        seen = match.start()
        tail = size - head - len(match[0]) - 1
        if size < int(match[2]) and _is_split(head, tail):
            return True
    return False


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(encoded(text)[1])


def _is_split(head: int, tail: int) -> bool:
    """Tell whether some limit gives this head and tail: up to 3 bytes less each, up to one newline more."""
    for limit in range(max(1, head + tail - 1), head + tail + 7):
        head_bytes = limit * _HEAD_PERCENT // 100
        if -1 <= head_bytes - head <= 3 and 0 <= limit - head_bytes - tail <= 3:
            return True
    return False


def find_named_refs(text: str) -> list[str]:
    """List the references that a text names as `ref="tool-output-…"`, each once; quotes, `=`, `:` optional.

    Other systems put them into results that they shortened. Linear.
    """
    return list(dict.fromkeys(_NAMED.findall(text))) if "tool-output-" in text else []
