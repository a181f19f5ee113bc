"""Readers of the formats whose records are messages: our own, OpenAI chat, Anthropic."""

from abc import abstractmethod
from typing import Any

from ..errors import BadRequest
from .anthropic_keyed import AnthropicReader
from .checks import Problems
from .detection import is_message
from .json_values import is_object
from .keyed import read_keyed
from .openai_read import read_message
from .records import Reader, Verdict
from .registry import ANTHROPIC, OPENAI_CHAT, TURNGRAPH
from .turngraph_read import message_from_json

__all__ = ["AnthropicChat", "Chat", "OpenAIChat", "TurngraphChat"]


class Chat(Reader):
    """A list of messages."""

    def feed(self, record: Any, where: object) -> Verdict:
        """Take one message; a line that is none, or a malformed one, is passed over."""
        if not is_message(record):
            self.tally("lines without the role of a message", where)
            return "unknown"
        try:
            self.read(record, "message")
        except BadRequest as error:
            self.tally(f"malformed messages passed over: {error.message}", where)
            return "unknown"
        self.understood += 1
        return "read"

    def take(self, given: Any, path: str, problems: Problems) -> None:
        """Take one message of a document; what is wrong with it is noted in `problems`."""
        if not is_object(given):
            problems.add(path, given, "an object is expected")
            return
        try:
            self.read(given, path)
        except BadRequest as error:
            problems.found += error.details["problems"]

    @abstractmethod
    def read(self, given: dict[str, Any], path: str) -> None:
        """Read one message of the format. Raises `BadRequest` that lists its problems."""


class TurngraphChat(Chat):
    """Messages of our own format."""

    def __init__(self) -> None:
        super().__init__(TURNGRAPH)

    def read(self, given: dict[str, Any], path: str) -> None:
        """Read one message strictly."""
        self.messages.append(message_from_json(given, path))


class OpenAIChat(Chat):
    """OpenAI chat messages."""

    def __init__(self) -> None:
        super().__init__(OPENAI_CHAT)

    def read(self, given: dict[str, Any], path: str) -> None:
        """Read one message with its key."""
        self.messages.append(read_keyed(read_message, given, path))


class AnthropicChat(Chat):
    """Anthropic messages."""

    def __init__(self) -> None:
        super().__init__(ANTHROPIC)
        self._reader = AnthropicReader()

    def read(self, given: dict[str, Any], path: str) -> None:
        """Read one message with its keys: one canonical message or several."""
        self.messages += self._reader.read(given, path)
