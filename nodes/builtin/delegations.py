"""The channel of work handed to others, as data."""

from typing import ClassVar

from .projection import RecordProjection

__all__ = ["Delegations"]


class Delegations(RecordProjection):
    """Shows work handed to others: the newest results of the tools that write this channel."""

    channel: ClassVar = "delegations"
