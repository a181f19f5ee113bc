"""JSON documents that a command takes from a file or from stdin."""

import sys
from pathlib import Path
from typing import Any, Final

from ...state.errors import UnreadableInput
from .progress import LARGE_BYTES, progress_of

__all__ = ["STDIN", "read_document"]

STDIN: Final = "-"


def read_document(name: str) -> Any:
    """Parse the JSON document in a file, or in stdin for `-`.

    Raises:
        UnreadableInput: There is no such file, or what is in it is no JSON.
    """
    from ...state.formats.json_values import NotJson, parse, parse_fast

    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableInput(f"cannot read {name!r}: {reason}", details={"path": name}) from error
    if len(data) > LARGE_BYTES:
        with progress_of(name) as progress:
            progress.say(f"parsing {len(data) / 1e6:.1f} MB of JSON")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise UnreadableInput(f"{name!r} is empty", details={"path": name})
    try:
        return parse_fast(data)
    except NotJson:
        pass
    try:
        return parse(data)  # what the fast parser refuses and this one reads: lone surrogates, NaN
    except NotJson as error:
        raise UnreadableInput(f"{name!r} is no JSON document: {error}", details={"path": name}) from None
