"""Which tools are there but not loaded."""

from collections.abc import Sequence

from ...state.sections import ToolSpec
from .base import FixedSection

__all__ = ["McpCapabilities"]


class McpCapabilities(FixedSection):
    """Contributes the names of the deferred tools and how to load one, in slot capabilities.

    The list stays the same when some of them have been loaded, so that the cached prefix of the prompt does too.
    """

    def __init__(self, tools: Sequence[ToolSpec], *, search_tool: str = "tool_search") -> None:
        names = sorted(tool.name for tool in tools if tool.deferred)
        lines = [
            "## Tools on request",
            (
                f"These tools exist. One that is not among your tools has to be loaded first: `{search_tool}` with "
                "`select:name` loads it by its name, with words it looks for fitting ones. It can be called from the "
                "next turn on."
            ),
            *(f"- {name}" for name in names),
        ]
        super().__init__(
            id="mcp.capabilities", slot="capabilities", content="\n".join(lines) if names else "", order=110
        )
