"""Where a model's summaries are kept, so that a replay asks for none of them again."""

import hashlib
import json
import os
from collections import OrderedDict
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, Final, Protocol

from .protocol import SummaryReply

__all__ = ["FileSummaryCache", "MemorySummaryCache", "SummaryCache", "summary_key"]

_VERSION: Final = 1


def summary_key(name: str, prompt: str) -> str:
    """Give the key of a summary: a digest of who was asked and of all that was asked. 64 hex digits."""
    digest = hashlib.sha256(f"turngraph summary {_VERSION}\0{name}\0".encode(errors="replace"))
    digest.update(prompt.encode(errors="replace"))
    return digest.hexdigest()


class SummaryCache(Protocol):
    """Answers by key. Whatever either method raises counts as nothing held."""

    def get(self, key: str) -> SummaryReply | None:
        """Give the answer, or `None`."""
        ...

    def put(self, key: str, reply: SummaryReply) -> None:
        """Keep an answer."""
        ...


class MemorySummaryCache:
    """Keeps answers in memory; threads may share it.

    Args:
        max_entries: Of more than these, the one used longest ago goes.
    """

    def __init__(self, max_entries: int = 256) -> None:
        self._entries: OrderedDict[str, SummaryReply] = OrderedDict()
        self._max_entries = max_entries
        self._lock = Lock()

    def get(self, key: str) -> SummaryReply | None:
        """Give the answer, or `None`."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: str, reply: SummaryReply) -> None:
        """Keep an answer."""
        with self._lock:
            self._entries[key] = reply
            self._entries.move_to_end(key)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def __repr__(self) -> str:
        return f"MemorySummaryCache({len(self._entries)} answers)"


class FileSummaryCache:
    """Keeps answers as JSON files `<key>.json`, 0600 in a folder 0700; processes may share it.

    A file appears whole or not at all; one that cannot be read is as good as none and is written anew.

    Args:
        path: The folder; made at the first `put`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()

    def get(self, key: str) -> SummaryReply | None:
        """Give the answer, or `None`."""
        try:
            value: Any = json.loads((self.path / f"{key}.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("version") != _VERSION or value.get("key") != key:  # pyright: ignore[reportUnknownMemberType] - foreign JSON
            return None
        text, finish_reason = value.get("text"), value.get("finish_reason")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - likewise
        if not isinstance(text, str) or not isinstance(finish_reason, str | None):
            return None
        return SummaryReply(text=text, finish_reason=finish_reason)

    def put(self, key: str, reply: SummaryReply) -> None:
        """Keep an answer. Raises `OSError` if the folder cannot be written."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        value = {"version": _VERSION, "key": key, "text": reply.text, "finish_reason": reply.finish_reason}
        fresh = self.path / f".{token_hex(8)}.tmp"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(value).encode())
            fresh.replace(self.path / f"{key}.json")
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise

    def __repr__(self) -> str:
        return f"FileSummaryCache({os.fspath(self.path)!r})"
