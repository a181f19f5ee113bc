"""The channel of what was reviewed, as data."""

from typing import ClassVar

from .projection import RecordProjection

__all__ = ["Reviews"]


class Reviews(RecordProjection):
    """Shows what was reviewed: the newest results of the tools that write this channel."""

    channel: ClassVar = "reviews"
