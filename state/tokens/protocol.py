"""The one thing a token counter must be able to do."""

from typing import Protocol, runtime_checkable

__all__ = ["TokenCounter"]


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text; messages, images and tools are priced on top of it elsewhere."""

    @property
    def name(self) -> str:
        """What reports call this counter, e.g. `"conservative"` or `"tiktoken:o200k_base"`."""
        ...

    def count(self, text: str, /) -> int:
        """Count `text`: never negative, 0 for the empty text, the same number every time."""
        ...
