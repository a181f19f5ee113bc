"""The channel of what was made, as data."""

from typing import ClassVar

from .projection import RecordProjection

__all__ = ["Artifacts"]


class Artifacts(RecordProjection):
    """Shows what was made: the newest results of the tools that write this channel."""

    channel: ClassVar = "artifacts"
