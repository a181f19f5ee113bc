"""Readers and writers of conversation formats."""

from .bodies import write_body
from .body_parts import Body
from .detection import detect
from .files import read_path, read_stream
from .reading import Reading, read
from .registry import known_formats
from .turngraph_read import message_from_json
from .turngraph_write import message_to_json
from .writing import write_history

__all__ = [
    "Body",
    "Reading",
    "detect",
    "known_formats",
    "message_from_json",
    "message_to_json",
    "read",
    "read_path",
    "read_stream",
    "write_body",
    "write_history",
]
