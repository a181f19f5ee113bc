"""The plan: the model's own list of steps, replaced as a whole by each `update_plan`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..errors import BadRequest
from ..sections import ToolSpec
from .values import is_fields, is_items

__all__ = [
    "MAX_EXPLANATION",
    "MAX_ITEMS",
    "MAX_STEP",
    "UPDATE_PLAN",
    "Plan",
    "PlanItem",
    "PlanSnapshot",
    "PlanStatus",
    "read_plan",
    "superseded_answer",
]

PlanStatus = Literal["pending", "in_progress", "completed"]
_STATUS_OF: Mapping[str, PlanStatus] = {word: word for word in get_args(PlanStatus)}

MAX_EXPLANATION = 2000
MAX_ITEMS = 20
MAX_STEP = 1000
"""Code points, items, code points after trimming: the limits of the reference system's schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One step of a plan."""

    step: str
    status: PlanStatus = "pending"

    def as_json(self) -> dict[str, str]:
        """Give the JSON form."""
        return {"step": self.step, "status": self.status}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSnapshot:
    """What one `update_plan` says: the whole plan."""

    items: tuple[PlanItem, ...] = ()
    """Empty: there is no plan any more."""
    explanation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The standing plan and the call that set it."""

    items: tuple[PlanItem, ...] = ()
    explanation: str | None = None
    message_id: str
    """The assistant message that made the call."""
    call_id: str
    sequence: int
    """Which call of the conversation it is."""
    updated_at: str | None = None
    """When, as the runtime said it; a plan read from history has no time."""

    def __bool__(self) -> bool:
        return bool(self.items)

    def shown(self) -> dict[str, Any]:
        """Give what the model is shown: the plan in the words of `update_plan`."""
        out: dict[str, Any] = {"plan": [item.as_json() for item in self.items]}
        if self.explanation is not None:
            out["explanation"] = self.explanation
        return out

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {
            "items": [item.as_json() for item in self.items],
            "explanation": self.explanation,
            "message_id": self.message_id,
            "call_id": self.call_id,
            "sequence": self.sequence,
            "updated_at": self.updated_at,
        }


UPDATE_PLAN = ToolSpec(
    name="update_plan",
    description="Replace the plan as a whole. Send every step with its status; an empty list clears the plan. "
    "Of several updates in one message the last counts.",
    parameters={
        "type": "object",
        "properties": {
            "explanation": {"type": "string", "maxLength": MAX_EXPLANATION},
            "plan": {
                "type": "array",
                "maxItems": MAX_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "step": {"type": "string", "minLength": 1, "maxLength": MAX_STEP},
                        "status": {"enum": list(_STATUS_OF)},
                    },
                    "required": ["step", "status"],
                },
            },
        },
        "required": ["plan"],
    },
)
"""The tool as a model is told of it."""


def read_plan(arguments: Mapping[str, Any]) -> PlanSnapshot:
    """Read the arguments of `update_plan`. Texts are trimmed; fields that are not ours are passed over.

    Raises:
        BadRequest: `details["problems"]` lists every field that is wrong with path and value.
    """
    problems: list[dict[str, Any]] = []

    def wrong(path: str, value: object, problem: str) -> None:
        problems.append({"path": path, "value": value, "problem": problem})

    explanation: object = arguments.get("explanation")
    if explanation is not None and not isinstance(explanation, str):
        wrong("explanation", explanation, "must be a string")
    elif explanation is not None and len(explanation.strip()) > MAX_EXPLANATION:
        wrong("explanation", explanation, f"must have at most {MAX_EXPLANATION} characters")
    listed: object = arguments.get("plan")
    found = listed if is_items(listed) else ()
    if not is_items(listed):
        wrong("plan", listed, "must be a list of steps")
    if len(found) > MAX_ITEMS:
        wrong("plan", len(found), f"must have at most {MAX_ITEMS} steps")
    items: list[PlanItem] = []
    for at, item in enumerate(found[:MAX_ITEMS]):
        fields: Mapping[str, Any] = item if is_fields(item) else {}
        step: object = fields.get("step")
        text = step.strip() if isinstance(step, str) else ""
        if not 1 <= len(text) <= MAX_STEP:
            wrong(f"plan[{at}].step", step, f"must be a text of 1 to {MAX_STEP} characters")
        status = _STATUS_OF.get(str(fields.get("status")))
        if status is None:
            wrong(f"plan[{at}].status", fields.get("status"), f"must be one of {', '.join(_STATUS_OF)}")
        items.append(PlanItem(step=text, status=status or "pending"))
    if problems:
        said = "; ".join(f"{item['path']} {item['problem']}" for item in problems)
        raise BadRequest(f"The plan is wrong: {said}", details={"problems": problems})
    text = explanation.strip() if isinstance(explanation, str) else ""
    return PlanSnapshot(items=tuple(items), explanation=text or None)


def superseded_answer(by: str) -> str:
    """Give the result of an update that a later one in the same message replaced: it was not carried out."""
    return json.dumps({"ok": True, "superseded": True, "supersededBy": by}, ensure_ascii=False, separators=(",", ":"))
