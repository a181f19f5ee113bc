"""Projections: durable state as hidden messages of data. They read channels, never the stores behind the tools."""

from typing import ClassVar

from ...state.durable import Channel, RecordChannel
from ...state.envelopes import durable_envelope
from ...state.messages import Message, Origin
from ...state.sections import Contribution
from ..contributors import ContributionRequest
from .base import NOTHING, BuiltIn

__all__ = ["Projection", "RecordProjection", "projected"]


def projected(channel: Channel, data: str) -> Message:
    """Make the message that shows a channel: untrusted data without authority, as the model wrote most of it."""
    return Message.user(
        durable_envelope(channel, "untrusted_data", data),
        id=f"durable:{channel}",
        origin=Origin("contribution", {"channel": channel}),
        hidden=True,
    )


class Projection(BuiltIn):
    """A contributor whose message shows a channel. Such messages stand behind the attachments, the plan admitted first.

    They are shown whole or not at all: shortened JSON says something else.
    """

    channel: ClassVar[Channel]


class RecordProjection(Projection):
    """Shows the newest records of a channel. The same message as long as the channel is the same."""

    channel: ClassVar[Channel]
    required = False

    def __init__(self) -> None:
        self.id = f"durable.{self.channel}"
        self.state_reads = (self.channel,)
        self._last: tuple[RecordChannel, Contribution] | None = None

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Give the records; nothing of an empty channel."""
        held: RecordChannel = request.state[self.channel]
        if not held:
            return NOTHING
        last = self._last
        if last is not None and last[0] is held:
            return last[1]
        given = Contribution(messages=(projected(self.channel, held.as_text()),))
        self._last = (held, given)
        return given
