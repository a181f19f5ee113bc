"""The channel of what was found and noted, as data."""

from typing import ClassVar

from .projection import RecordProjection

__all__ = ["Memory"]


class Memory(RecordProjection):
    """Shows what was found and noted: the newest results of the tools that write this channel."""

    channel: ClassVar = "memory"
