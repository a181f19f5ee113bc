"""The readable text of message parts: what a person or a summariser is shown of them."""

from collections.abc import Sequence

from .messages import File, Image, Opaque, Part, Text, ToolResult

__all__ = ["readable"]


def readable(parts: Sequence[Part]) -> str:
    """Give the text of `parts`, joined by one newline; linear.

    Text is verbatim, results are their content, media and foreign blocks are a one-line placeholder.
    Reasoning and calls are left out.
    """
    return "\n".join(_pieces(parts))


def _pieces(parts: Sequence[Part]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if isinstance(part, Text):
            found.append(part.text)
        elif isinstance(part, ToolResult):
            found.extend(_pieces(part.content))
        elif isinstance(part, Image):
            size = f"{part.width}x{part.height}" if part.width and part.height else ""
            found.append(_placeholder("image", part.media_type, size))
        elif isinstance(part, File):
            found.append(_placeholder("file", part.name or "", part.media_type))
        elif isinstance(part, Opaque):
            found.append(_placeholder("block of", part.format))
    return found


def _placeholder(*words: str) -> str:
    return f"[{' '.join(word for word in words if word)}]"
