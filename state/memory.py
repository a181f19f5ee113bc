"""What the pressure handling remembers from turn to turn: back-off, reads, learned limits. Opaque to hosts.

A host that drops it loses only the back-off.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .errors import BadRequest

__all__ = ["FailedSource", "Fruitless", "PressureMemory"]

VERSION = 1
GROWTH_PERCENT = 20
"""After a failed pass the same source is not offered again until it grew by this much (design, "judge")."""


@dataclass(frozen=True, slots=True)
class FailedSource:
    """The source of the last pass whose summary failed."""

    first_id: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Fruitless:
    """The last pass that freed nothing: how large the input was, and how much it had to free."""

    total: int
    excess: int


@dataclass(frozen=True, slots=True)
class PressureMemory:
    """The memory itself; immutable."""

    failed_source: FailedSource | None = None
    fruitless: Fruitless | None = None
    last_seen: str | None = None
    """Id of the newest message at the last pass: reads behind it are new."""
    limits: Mapping[str, int] | None = None
    """Input limit per model that a provider named in an error, in tokens."""

    def refuses(self, first_id: str, tokens: int) -> bool:
        """Tell whether a source was offered in vain and has not grown enough since."""
        failed = self.failed_source
        if failed is None or failed.first_id != first_id:
            return False
        return tokens * 100 < failed.tokens * (100 + GROWTH_PERCENT)

    def rests(self, total: int) -> bool:
        """Tell whether a pass would be as fruitless as the last one: the input has not grown by what it must free."""
        last = self.fruitless
        return last is not None and last.total <= total <= last.total + last.excess

    def with_limit(self, model: str, limit: int) -> "PressureMemory":
        """Remember the input limit of a model."""
        return replace(self, limits={**(self.limits or {}), model: limit})

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form; only what is known."""
        out: dict[str, Any] = {"version": VERSION}
        if self.failed_source:
            out["failed_source"] = {"first_id": self.failed_source.first_id, "tokens": self.failed_source.tokens}
        if self.fruitless:
            out["fruitless"] = {"total": self.fruitless.total, "excess": self.fruitless.excess}
        if self.last_seen is not None:
            out["last_seen"] = self.last_seen
        if self.limits:
            out["limits"] = dict(self.limits)
        return out

    @classmethod
    def from_json(cls, value: Any) -> "PressureMemory":
        """Read the JSON form back.

        Raises:
            BadRequest: It is not what `as_json` gave, or of another version.
        """
        try:
            if value["version"] != VERSION:
                raise BadRequest(
                    f"durable.pressure has version {value['version']!r}; this turngraph reads version {VERSION}. "
                    "Leave `durable` out to start without the back-off.",
                    details={"problems": [{"path": "durable.pressure.version", "value": value["version"]}]},
                )
            failed, fruitless = value.get("failed_source"), value.get("fruitless")
            limits = {str(model): int(limit) for model, limit in value.get("limits", {}).items()}
            return cls(
                failed_source=FailedSource(str(failed["first_id"]), int(failed["tokens"])) if failed else None,
                fruitless=Fruitless(int(fruitless["total"]), int(fruitless["excess"])) if fruitless else None,
                last_seen=value.get("last_seen"),
                limits=limits or None,
            )
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise BadRequest(
                f"durable.pressure is not what an earlier result gave: {error!r}",
                details={"problems": [{"path": "durable.pressure", "value": repr(value)[:200]}]},
            ) from error
