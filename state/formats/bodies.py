"""Request bodies: what a provider's API takes."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..messages import Message
from .body_anthropic import anthropic_body
from .body_openai import openai_body
from .body_parts import Body
from .registry import OPENAI_CHAT, resolve

__all__ = ["write_body"]


def write_body(system: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], format: str) -> Body:
    """Write the body of a request: OpenAI `{"messages", "tools"?}`, Anthropic `{"system"?, "messages", "tools"?}`.

    `tools` are `{name, description, parameters}`. No key of ours goes out; opaque parts go to the format that
    they came from alone. What is left out, moved or rewritten is a diagnostic. Raises `UnknownFormat` for a
    format that has no body in this version. Cost: linear.
    """
    name = resolve(format, "body")
    write = openai_body if name == OPENAI_CHAT else anthropic_body
    return write(system, list(messages), tools)
