"""What the model is sent: system text, messages, tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .messages import Message
from .sections import ToolSpec

if TYPE_CHECKING:
    from .formats import Body

__all__ = ["ModelInput"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """One validated model input.

    `messages` is a sequence over slices of the shared log: reading copies nothing.
    """

    system: str
    """All system text that leads."""
    messages: Sequence[Message]
    tools: tuple[ToolSpec, ...]

    def to(self, format: str) -> dict[str, Any]:
        """Give the body that the provider's API takes (`openai`, `anthropic`). Linear in the input.

        Raises:
            UnknownFormat: No writer makes a body of that format.
        """
        return self.body(format).value

    def body(self, format: str) -> "Body":
        """Give the provider's body and what had to be repaired for it."""
        from .formats import write_body

        tools = [tool.as_json() for tool in self.tools]
        return write_body(self.system, self.messages, tools, format)

    def as_json(self) -> dict[str, Any]:
        """Give the JSON shape of the contract: `{system, messages, tools}`."""
        from .formats import message_to_json

        return {
            "system": self.system,
            "messages": [message_to_json(message) for message in self.messages],
            "tools": [tool.as_json() for tool in self.tools],
        }

    def __repr__(self) -> str:
        system, tools = len(self.system), len(self.tools)
        return f"<ModelInput: {system} characters of system, {len(self.messages)} messages, {tools} tools>"
