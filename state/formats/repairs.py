"""What a request body leaves out or changes: one diagnostic for each kind of repair."""

from collections.abc import Sequence
from typing import Any

from ..diagnostics import Code, Diagnostic, Severity
from ..messages import Part
from .facts import Extras, facts_of
from .json_values import is_object

__all__ = ["Repairs"]


class Repairs:
    """Decides what of a message's extras goes out, and counts what does not."""

    def __init__(self, format: str) -> None:
        self.format = format
        self._kinds: dict[tuple[Code, str, Severity], list[str]] = {}

    def note(self, what: str, id: str, *, severity: Severity = "info", code: Code = "PROJECTION_REPAIRED") -> None:
        """Count one repair of the message or call `id`."""
        self._kinds.setdefault((code, what, severity), []).append(id)

    def keep(
        self, extras: Extras | None, id: str, *, keys: Sequence[str] = (), facts: Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """Keep the `facts` named and of the unknown keys the `keys` named; report other keys of message `id`."""
        if extras is None:
            return None
        found = facts_of(extras, self.format)
        kept = {name: found[name] for name in facts if name in found}
        unknown = found.get("keys")
        if is_object(unknown):
            given = {name: unknown[name] for name in keys if name in unknown}
            if given:
                kept["keys"] = given
            for name, value in unknown.items():
                if name not in keys and value is not None:
                    self.note(f"the key {name!r} is left out", id)
        return {self.format: kept} if kept else None

    def lost(self, part: Part, id: str) -> None:
        """Report a part that the format cannot carry where it stands in message `id`."""
        what = type(part).__name__.lower()
        self.note(f"a part ({what}) that the format cannot carry here is left out", id)

    def diagnostics(self) -> list[Diagnostic]:
        """Give one diagnostic a kind, in the order of their first appearance."""
        return [
            Diagnostic(
                code=code,
                severity=severity,
                source=f"body.{self.format}",
                id=ids[0] or None,
                message=what if len(ids) == 1 else f"{what} ({len(ids)} times, the first named)",
            )
            for (code, what, severity), ids in self._kinds.items()
        ]
