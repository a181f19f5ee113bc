"""`read_tool_output` as a ready tool, which notices when a model reads the same output over and over."""

import hashlib
import json
from collections.abc import Mapping
from threading import Lock
from typing import Any

from ..state.outputs import READ_TOOL_OUTPUT_SPEC, OutputStore, handle_read_tool_output
from ..state.sections import ToolSpec
from .guard_settings import ToolOutputSettings
from .guard_text import size_of

__all__ = ["ReadToolOutput", "ReadTracker"]


class ReadTracker:
    """Counts what was read of each output in one run, and says when that is much. It never blocks a read.

    Args:
        settings: From how many bytes on it speaks.
    """

    def __init__(self, settings: ToolOutputSettings | None = None) -> None:
        self._settings = settings or ToolOutputSettings()
        self._bytes: dict[str, int] = {}
        self._seen: set[bytes] = set()
        self._lock = Lock()

    def read_bytes(self, ref: str) -> int:
        """Give the bytes of pages read of an output so far."""
        return self._bytes.get(ref, 0)

    def note(self, ref: str, request: Mapping[str, Any], size: int) -> str | None:
        """Count one page and give the advice for it, if any: one line.

        Args:
            ref: The output.
            request: The arguments of the read; the same ones again are a repeat.
            size: Bytes of the page.
        """
        asked = {name: value.strip() if isinstance(value, str) else value for name, value in request.items()}
        asked = {name: value for name, value in asked.items() if value is not None}
        key = hashlib.sha256(json.dumps([ref, asked], sort_keys=True, default=repr).encode()).digest()[:16]
        with self._lock:
            repeated = key in self._seen
            self._seen.add(key)
            total = self._bytes[ref] = self._bytes.get(ref, 0) + size
        if total >= self._settings.strong_advisory_bytes:
            advice = (
                f"{total} bytes of this output have been read. Stop paging through it: state which fact is missing and "
                "search for it with query, or go on with what is known"
            )
        elif total >= self._settings.advisory_bytes:
            advice = f"{total} bytes of this output have been read; use query for the specific fact that is missing"
        elif not repeated:
            return None
        else:
            advice = ""
        same = "exactly this was read before and has not changed" if repeated else ""
        return f"note: {'; '.join(said for said in (same, advice) if said)}"


class ReadToolOutput:
    """The tool: `spec` for the tool table, `handle` for its calls. Threads may share it.

    Args:
        outputs: Where the bodies are.
        tracker: One per run; by default a new one.
    """

    def __init__(self, outputs: OutputStore, tracker: ReadTracker | None = None) -> None:
        self.outputs = outputs
        self.tracker = ReadTracker() if tracker is None else tracker

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model is told of it."""
        return ToolSpec(
            name=READ_TOOL_OUTPUT_SPEC["name"],
            description=READ_TOOL_OUTPUT_SPEC["description"],
            parameters=READ_TOOL_OUTPUT_SPEC["parameters"],
        )

    def handle(self, arguments: Mapping[str, Any]) -> str:
        """Answer a call, at most 40 KiB; never raises for what a model writes or a store does.

        The advice, if any, is the second line, between the header and the page.
        """
        answer = handle_read_tool_output(self.outputs, arguments)
        ref = arguments.get("ref")
        if not isinstance(ref, str) or not answer.startswith(ref):
            return answer
        header, blank, page = answer.partition("\n\n")
        advice = self.tracker.note(ref, arguments, size_of(page))
        return answer if advice is None else f"{header}\n{advice}{blank}{page}"
