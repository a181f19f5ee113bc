"""Records of tool results, and the channel that keeps the newest of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .values import bounded_arguments, bounded_result

__all__ = ["Record", "RecordChannel", "RecordStatus", "record_order"]

RecordStatus = Literal["succeeded", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One call and what it gave. A call id counts only inside its step, so the message is part of the identity."""

    message_id: str
    """The assistant message that made the call."""
    call_id: str
    tool_name: str
    sequence: int
    """Which call of the conversation it is, counted from 1 in the order in which the model made them."""
    status: RecordStatus
    args_text: str
    """The arguments as JSON, shortened where they were too long."""
    result_text: str
    """The result as JSON: what the text spelled, else the text as a string; shortened where it was too long."""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the call: its message and its id."""
        return self.message_id, self.call_id

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments, a fresh object each time."""
        value: dict[str, Any] = json.loads(self.args_text)
        return value

    @property
    def result(self) -> Any:
        """The result, a fresh value each time."""
        return json.loads(self.result_text)

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {
            "args": self.args,
            "call_id": self.call_id,
            "message_id": self.message_id,
            "result": self.result,
            "sequence": self.sequence,
            "status": self.status,
            "tool_name": self.tool_name,
        }

    @classmethod
    def of(
        cls,
        *,
        message_id: str,
        call_id: str,
        tool_name: str,
        sequence: int,
        failed: bool,
        arguments: Mapping[str, Any],
        value: Any,
        value_chars: int,
    ) -> "Record":
        """Make the record of a call, its values bounded to `value_chars` code points each."""
        return cls(
            message_id=message_id,
            call_id=call_id,
            tool_name=tool_name,
            sequence=sequence,
            status="failed" if failed else "succeeded",
            args_text=bounded_arguments(arguments, value_chars),
            result_text=bounded_result(value, value_chars),
        )


def record_order(record: Record) -> tuple[int, str]:
    """Sort key: by sequence, then by call id (code points)."""
    return record.sequence, record.call_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChannel:
    """The newest records of a channel, oldest first."""

    records: tuple[Record, ...] = ()
    """Of successful results."""
    failures: tuple[Record, ...] = ()
    """Of failed ones; always empty unless the rules ask for them."""
    text_memo: str | None = field(default=None, init=False, repr=False, compare=False)
    """What `as_text` gave."""

    def __bool__(self) -> bool:
        return bool(self.records or self.failures)

    def with_record(self, record: Record, *, most: int) -> "RecordChannel":
        """Give the channel with a record in it, in place of one of the same call id and message that is not newer.

        The newest `most` stay. The order in which records come makes no difference. A failure never takes the place of
        a success.
        """
        if record.status == "failed":
            if any(held.key == record.key and held.sequence >= record.sequence for held in self.records):
                return self
            return RecordChannel(records=self.records, failures=_with(self.failures, record, most))
        failures = tuple([held for held in self.failures if held.key != record.key or held.sequence > record.sequence])
        return RecordChannel(records=_with(self.records, record, most), failures=failures)

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {
            "records": [record.as_json() for record in self.records],
            "failures": [record.as_json() for record in self.failures],
        }

    def as_text(self) -> str:
        """Give the records as one JSON text for the model: without ids of messages and sequences. Written once."""
        if self.text_memo is None:
            text = f'{{"records":{_listed(self.records)}'
            text += f',"failures":{_listed(self.failures)}}}' if self.failures else "}"
            object.__setattr__(self, "text_memo", text)
            return text
        return self.text_memo


def _with(held: tuple[Record, ...], record: Record, most: int) -> tuple[Record, ...]:
    kept = [item for item in held if item.key != record.key or item.sequence > record.sequence]
    if len(kept) == len(held) and any(item.key == record.key for item in kept):
        return held
    return tuple(sorted([*kept, record], key=record_order)[-most:])


def _listed(records: tuple[Record, ...]) -> str:
    return f"[{','.join(map(_shown, records))}]"


def _shown(record: Record) -> str:
    call_id, tool = (json.dumps(text, ensure_ascii=False) for text in (record.call_id, record.tool_name))
    return (
        f'{{"args":{record.args_text},"call_id":{call_id},"result":{record.result_text},'
        f'"status":"{record.status}","tool_name":{tool}}}'
    )
