"""What the tools' schemas do not say."""

from collections.abc import Mapping

from .base import FixedSection

__all__ = ["ToolCapabilities"]


class ToolCapabilities(FixedSection):
    """Contributes hints for the use of tools, by tool name, in slot capabilities.

    The tools themselves stand in the tool table with their schemas; nothing of it is repeated.
    """

    def __init__(self, notes: Mapping[str, str]) -> None:
        lines = [f"- `{name}`: {' '.join(note.split())}" for name, note in notes.items() if note.strip()]
        content = "\n".join(["## Using the tools", *lines]) if lines else ""
        super().__init__(id="tools.capabilities", slot="capabilities", content=content, order=100)
