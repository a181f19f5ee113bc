"""The guard at the entry of the history: every tool result is bounded, and what is cut off is stored first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..state.errors import TurngraphError
from ..state.messages import Message, Part, Text, ToolResult
from ..state.outputs import READ_TOOL_OUTPUT, OutputStore
from ..state.outputs.pages import count_lines
from ..state.wellformed import well_formed
from .guard_settings import ToolOutputSettings
from .guard_text import Keep, cut_text, size_of

__all__ = ["RUN_TOOLS", "SELF_BOUNDED_FACTOR", "Guarded", "ToolOutputGuard"]

RUN_TOOLS: Final = (
    "bash",
    "exec",
    "execute",
    "execute_bash",
    "local_shell",
    "python",
    "run",
    "run_command",
    "run_npu_job",
    "run_python",
    "run_r",
    "run_shell",
    "run_shell_command",
    "run_terminal_cmd",
    "shell",
    "terminal",
)
"""Tools that run something: what matters stands at the end of their output."""
SELF_BOUNDED_FACTOR: Final = 4
"""Tools that bound their results themselves, as a reader of pages does, get so many times the limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A result as it enters the history."""

    message: Message
    """The tool message; its result has the `ref` of the stored whole, if there is one."""
    truncated: bool
    """The text is cut to head and tail."""
    ref: str | None
    total_bytes: int
    """The whole text, in bytes of UTF-8."""
    total_lines: int
    problem: str | None
    """Why the whole could not be stored though it should have been."""


class ToolOutputGuard:
    """Bounds the text of tool results in bytes and lines; images, files and other parts pass as they are.

    What is over the limits is cut to its head and tail, 65 and 35 percent, for tools that run something the other way
    round; the whole is stored and the text says under which reference. What is over `retention_bytes` is shown
    whole and stored too, so that a later pass can shorten it. A store that fails costs the rest of a cut text, never
    the turn.

    Args:
        outputs: Where bodies go; `None`: nowhere, and a cut text says so.
        max_bytes: Of the text that enters the history, our own lines included.
        max_lines: Likewise.
        retention_bytes: Larger texts are stored though they are shown whole.
        run_tools: Names of tools whose tail gets the larger share.
        self_bounded: Names of tools that bound their results themselves: four times the limits, and stored only when
            cut. `read_tool_output` always is one.

    Raises:
        BudgetInvalid: A limit is too small to work with.
    """

    def __init__(
        self,
        outputs: OutputStore | None,
        *,
        max_bytes: int = 50 * 1024,
        max_lines: int = 2000,
        retention_bytes: int = 8 * 1024,
        run_tools: Iterable[str] = RUN_TOOLS,
        self_bounded: Iterable[str] = (),
    ) -> None:
        self.outputs = outputs
        self.settings = ToolOutputSettings(max_bytes=max_bytes, max_lines=max_lines, retention_bytes=retention_bytes)
        self.run_tools = frozenset(run_tools)
        self.self_bounded = frozenset(self_bounded) | {READ_TOOL_OUTPUT}

    def result(
        self,
        call_id: str,
        content: str | Sequence[Part],
        *,
        tool: str,
        is_error: bool = False,
        self_bounded: bool | None = None,
        id: str = "",
    ) -> Guarded:
        """Make the tool message of a result.

        Args:
            call_id: The call that it answers.
            content: What the tool gave.
            tool: The tool's name.
            is_error: The tool failed.
            self_bounded: Whether this result was bounded by the tool itself; by default its name decides.
            id: The message's id; empty, the history gives one.

        Cost: one pass over the text, and one `put`.
        """
        parts = (Text(content),) if isinstance(content, str) else tuple(content)
        text = well_formed("\n".join([part.text for part in parts if isinstance(part, Text)]))
        bounded = tool in self.self_bounded if self_bounded is None else self_bounded
        factor = SELF_BOUNDED_FACTOR if bounded else 1
        max_bytes, max_lines = self.settings.max_bytes * factor, self.settings.max_lines * factor
        size, lines = size_of(text), count_lines(text)
        over = size > max_bytes or lines > max_lines
        ref, problem = None, None
        if over or (size > self.settings.retention_bytes and not bounded):
            ref, problem = self._stored(text, tool)
        if over:
            keep: Keep = "tail" if tool in self.run_tools else "head"
            shown = cut_text(
                text, tool=tool, ref=ref, problem=problem, max_bytes=max_bytes, max_lines=max_lines, keep=keep
            )
            parts = (Text(shown), *[part for part in parts if not isinstance(part, Text)])
        answer = ToolResult(call_id=call_id, content=parts, is_error=is_error, ref=ref)
        return Guarded(
            message=Message(role="tool", content=(answer,), id=id, name=tool or None),
            truncated=over,
            ref=ref,
            total_bytes=size,
            total_lines=lines,
            problem=problem,
        )

    def _stored(self, text: str, tool: str) -> tuple[str | None, str | None]:
        """Give the reference, or why there is none."""
        if self.outputs is None:
            return None, "the whole is not stored: there is no store"
        try:
            return self.outputs.put(text, tool=tool), None
        except (OSError, TurngraphError) as error:
            why = error.strerror if isinstance(error, OSError) else error.code
        except Exception as error:  # noqa: BLE001 - a store is plugged in, and a turn is worth more than a body
            why = type(error).__name__
        return None, "the whole could not be stored" + (f" ({well_formed(why)[:60]})" if why else "")

    def __repr__(self) -> str:
        limits = f"{self.settings.max_bytes} bytes, {self.settings.max_lines} lines"
        return f"ToolOutputGuard({limits}, outputs={self.outputs!r})"
