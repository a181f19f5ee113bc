"""The report of one run: what happened, read off its frames. Built when it is looked at."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from ..nodes.call import Calls
from ..nodes.compose import Composition
from ..state.diagnostics import Diagnostic
from ..state.model_input import ModelInput
from ..state.products import Admitted, Bill, Collected, Folded, Limits, PressurePass, PrunedItem, Staged, Window

if TYPE_CHECKING:
    from .engine import Run

__all__ = ["Report"]


class Report:
    """What one assembly did. `as_json` gives the `report` object of an AssemblyResult."""

    def __init__(
        self, run: "Run", counter: str, *, extra: Sequence[Diagnostic] = (), previous: ModelInput | None = None
    ) -> None:
        self._run = run
        self._counter = counter
        self._extra = tuple(extra)
        self._previous = previous

    @property
    def path(self) -> tuple[str, ...]:
        """The nodes in the order in which they ran."""
        return tuple([frame.node for frame in self._run.frames])

    @property
    def total_tokens(self) -> int | None:
        """What the input costs, by the run's counter."""
        bill = self.bill
        return bill.total if bill else None

    @property
    def bill(self) -> Bill | None:
        """The price of the input by source; the last one measured if none was sent."""
        return cast("Bill | None", self._run.state.get("sent") or self._run.state.get("bill"))

    @property
    def pressure(self) -> PressurePass:
        """The record of the pressure handling."""
        return cast("PressurePass", self._run.state["pressure"])

    @property
    def pruned(self) -> tuple[PrunedItem, ...]:
        """Bodies that became previews in this run."""
        return self.pressure.pruned

    @property
    def folded(self) -> Folded | None:
        """The fold of this run, if there was one."""
        return self.pressure.folded

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything lost, repaired or noticed, in the order of the stages."""
        state = self._run.state
        found: list[Diagnostic] = list(self._extra)
        collected = cast("Collected | None", state.get("collected"))
        admitted = cast("Admitted | None", state.get("admitted"))
        staged = cast("Staged | None", state.get("staged"))
        composition = cast("Composition | None", state.get("composition"))
        for product in (staged, collected, admitted):
            if product is not None:
                found += product.diagnostics
        found += self.pressure.diagnostics
        found += [
            Diagnostic(
                code="SUMMARY_REJECTED",
                severity="warning",
                source="summarise" if item.reason in ("error", "overflow") else "judge",
                message=f"Summary attempt {item.attempt} was not taken ({item.reason})"
                + (f": {item.detail}" if item.detail else ""),
            )
            for item in self.pressure.rejections
        ]
        if composition is not None:
            found += composition.diagnostics
        found += cast("Window", state["left_out"]).diagnostics
        return tuple(found)

    def as_json(self) -> dict[str, Any]:
        """Give the JSON shape of the contract; what the run did not reach is null."""
        state = self._run.state
        calls = cast("Calls", state["calls"])
        record = self.pressure
        return {
            "path": [
                {"node": f.node, "outcome": type(f.outcome).__name__, "to": f.to, "us": f.duration_us}
                for f in self._run.frames
            ],
            "calls": {
                "summary": record.attempts,
                "provider": calls.turns,
                "attempts": calls.attempts,
                "waits_ms": [*record.waits_ms, *calls.waits_ms],
            },
            "tokens": self._tokens(),
            "compaction": self._compaction(),
            "window": self._window(),
            "cache": self.cache,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    def _tokens(self) -> dict[str, Any] | None:
        limits = cast("Limits | None", self._run.state.get("limits"))
        bill = self.bill
        if limits is None or bill is None:
            return None
        before = self.pressure.before or bill
        return {
            "counter": self._counter,
            "limit": limits.limit,
            "pressure_line": limits.pressure,
            "total": bill.total,
            "by_source": bill.by_source(),
            "before": before.by_source(),
        }

    def _compaction(self) -> dict[str, Any] | None:
        bill, record = self.bill, self.pressure
        if bill is None:
            return None
        fold = record.folded
        recovery = {"attempt": record.recoveries, "reason": record.recovery_reason} if record.recoveries else None
        return {
            "reason": record.reason,
            "before": (record.before or bill).total,
            "after": bill.total,
            "pruned": [
                {"message": item.message, "ref": item.ref, "before": item.before, "after": item.after}
                for item in record.pruned
            ],
            "summary": {
                "outcome": record.outcome,
                "attempts": record.attempts,
                "rejections": [{"attempt": item.attempt, "reason": item.reason} for item in record.rejections],
                "source_tokens": record.source_tokens,
                "checkpoint_tokens": fold.checkpoint_tokens if fold else None,
                "covered": list(fold.covered) if fold else [],
                "replaced": fold.replaced if fold else None,
                "prompts_kept": list(fold.prompts_kept) if fold else [],
                "prompts_omitted": list(fold.prompts_omitted) if fold else [],
                "warnings": list(record.warnings),
            },
            "recollected": record.recollected,
            "recovery": recovery,
        }

    def _window(self) -> dict[str, Any] | None:
        if "sent" not in self._run.state:
            return None
        window = cast("Window", self._run.state["left_out"])
        return {"kept": window.kept, "removed": list(window.removed)}

    @cached_property
    def cache(self) -> dict[str, Any] | None:
        """How much of the previous input this one repeats from its start; `None` without a previous input.

        Cost: O(messages) when looked at, by identity of the messages.
        """
        model_input = cast("ModelInput | None", self._run.state.get("model_input"))
        sums = self._run.state.get("limits")
        if self._previous is None or model_input is None or sums is None:
            return None
        before, now = self._previous, model_input
        if before.tools != now.tools:
            return {"prefix_tokens": 0, "moved_by": "tools"}
        if before.system != now.system:
            return {"prefix_tokens": 0, "moved_by": "system"}
        tokens = 0
        for old, new in zip(before.messages, now.messages, strict=False):
            if old is not new and old != new:
                return {"prefix_tokens": tokens, "moved_by": self._mover(old.id)}
            memo = new.price_memo
            tokens += memo[1] if memo else 0
        return {"prefix_tokens": tokens, "moved_by": None}

    def _mover(self, message_id: str) -> str:
        if self.folded is not None:
            return "fold"
        if any(item.message == message_id for item in self.pruned):
            return "prune"
        return "window" if cast("Window", self._run.state["left_out"]).removed else "history"

    def __repr__(self) -> str:
        bill = self.bill
        return f"<Report: {len(self._run.frames)} nodes, {bill.total if bill else '?'} tokens>"
