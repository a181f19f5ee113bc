"""What a run leaves behind: one record per finished node, shown as a frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from ...state.node import Outcome

__all__ = ["Frame", "Frames", "Record"]


class Record(NamedTuple):
    """A finished node as the driver notes it: references only, nothing is copied but the table of fields."""

    node: str
    outcome: Outcome
    to: str
    exhausted: bool
    spent: tuple[int, ...]
    state: dict[str, object]
    """The state after the node; shares every value with its neighbours."""
    duration_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One finished node of a run."""

    index: int
    """From 0, in the order of execution; a fork goes on counting where it left its parent."""
    node: str
    outcome: Outcome
    """The outcome itself; its class chose the edge, its fields were written."""
    to: str
    """The next node, or `END` or `FAILED`."""
    written: tuple[str, ...]
    """Names of the fields that the outcome wrote."""
    duration_us: int
    """The node's own time in whole microseconds, by the clock of the run."""
    counters: Mapping[str, int] = field(repr=False)
    """How often each bounded edge was taken so far, by `node.Outcome`."""
    exhausted: bool = False
    """True when the bound of the edge was spent, so that the run took its `otherwise`."""

    def as_json(self) -> dict[str, object]:
        """Give the frame without the values written: every field by its name, the outcome by its class."""
        return {
            "index": self.index,
            "node": self.node,
            "outcome": type(self.outcome).__name__,
            "to": self.to,
            "written": list(self.written),
            "duration_us": self.duration_us,
            "counters": dict(self.counters),
            "exhausted": self.exhausted,
        }


def frame_of(record: Record, index: int, labels: Sequence[str]) -> Frame:
    """Show a record as the frame with this index."""
    return Frame(
        index=index,
        node=record.node,
        outcome=record.outcome,
        to=record.to,
        written=tuple(type(record.outcome).model_fields),
        duration_us=record.duration_us,
        counters=dict(zip(labels, record.spent, strict=True)),
        exhausted=record.exhausted,
    )


class Frames(Sequence[Frame]):
    """The frames of a run, built from its records when looked at: recording stays cheap."""

    __slots__ = ("_labels", "_records")

    def __init__(self, records: Sequence[Record], labels: Sequence[str]) -> None:
        self._records = records
        self._labels = labels

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        positions = range(len(self._records))[index]
        if isinstance(positions, int):
            return frame_of(self._records[positions], positions, self._labels)
        return [frame_of(self._records[position], position, self._labels) for position in positions]

    def __iter__(self) -> Iterator[Frame]:
        for index, record in enumerate(self._records):
            yield frame_of(record, index, self._labels)

    def __repr__(self) -> str:
        return f"<{len(self._records)} frames>"
