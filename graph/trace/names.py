"""How trace files are called. An id that could lead out of the folder is refused, never rewritten.

Rewriting hostile ids, as the older system did, lets two of them share a folder.
"""

import re
from typing import Final

from ...state.errors import TraceIdInvalid

__all__ = ["check_context_id", "file_name"]

_CONTEXT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def check_context_id(context_id: str) -> str:
    """Give `context_id` back if it can name a folder of traces.

    Raises:
        TraceIdInvalid: It is not of the form `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, or holds `..`.
    """
    if _CONTEXT_ID.fullmatch(context_id) and ".." not in context_id:
        return context_id
    shown = context_id if len(context_id) <= 100 else f"{context_id[:100]}…"
    raise TraceIdInvalid(
        f"context id {shown!r} cannot name a folder of traces: it begins with an ASCII letter or digit, goes on with "
        "letters, digits, '.', '_' and '-', has no '..' and at most 128 characters",
        details={"context_id": shown, "length": len(context_id)},
    )


def file_name(turn: int, recovery: int = 0) -> str:
    """Name the file of a turn: `turn-0001.json`, of its forced pass `turn-0001-recovery-1.json`."""
    return f"turn-{turn:04d}{f'-recovery-{recovery}' if recovery else ''}.json"
