"""What a contributor may see of durable state: the channels that it declared, nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.durable import CHANNELS, DurableState
from ..contributors import Contributor

__all__ = ["LEFT_OUT", "StateReads", "reads_of", "reads_problem"]

LEFT_OUT = "left_out"
"""Ids of the history messages that the window left out. A fact of the run: everybody may read it."""


class StateReads(Mapping[str, Any]):
    """The `state` of a contribution request: immutable, one snapshot for all contributors of a turn.

    Reading what was not declared is a `KeyError` that says so.
    """

    __slots__ = ("_left_out", "_names", "_owner", "_state")

    def __init__(self, contributor: Contributor, state: DurableState, left_out: Sequence[str]) -> None:
        self._owner = contributor.id
        self._names = reads_of(contributor)
        self._state = state
        self._left_out = left_out

    def __getitem__(self, name: str) -> Any:
        if name == LEFT_OUT:
            return self._left_out
        if name in self._names and name in CHANNELS:
            return getattr(self._state, name)
        if name in CHANNELS:
            raise KeyError(f"contributor {self._owner!r} reads {name!r} without naming it in `state_reads`")
        raise KeyError(f"there is no channel {name!r}; there are {', '.join(CHANNELS)}, and {LEFT_OUT}")

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in self._names if name in CHANNELS)
        yield LEFT_OUT

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<StateReads of {self._owner}: {', '.join(self)}>"


def reads_of(contributor: Contributor) -> tuple[str, ...]:
    """Give the channels that a contributor declares; none without the attribute."""
    return tuple(dict.fromkeys(getattr(contributor, "state_reads", ())))


def reads_problem(contributor: Contributor) -> str | None:
    """Say which declared channel does not exist, or give `None`."""
    unknown = [name for name in reads_of(contributor) if name not in (*CHANNELS, LEFT_OUT)]
    if not unknown:
        return None
    return f"contributor {contributor.id!r} reads unknown channels {unknown}; there are {', '.join(CHANNELS)}"
