"""The goal: what the run contract says is to be reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequest
from .values import is_fields, is_items, parsed

__all__ = ["Goal", "read_goal"]

_KEYS = {"objective": "objective", "constraints": "constraints"} | dict.fromkeys(
    ("output_requirements", "outputRequirements"), "output_requirements"
)
"""Field by the name that a contract may use for it; the second spelling is the reference system's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A run contract. Either its three parts, or only the text that it is."""

    objective: str | None = None
    constraints: tuple[str, ...] = ()
    output_requirements: tuple[str, ...] = ()
    raw: str | None = None
    """The text, where the contract came as one."""
    sequence: int | None = None
    """Which call of the conversation set it; `None`: the host did, and then no call changes it."""

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form; what is absent is left out."""
        out: dict[str, Any] = {}
        if self.objective is not None:
            out["objective"] = self.objective
        if self.constraints:
            out["constraints"] = list(self.constraints)
        if self.output_requirements:
            out["output_requirements"] = list(self.output_requirements)
        if self.raw is not None:
            out["raw"] = self.raw
        if self.sequence is not None:
            out["sequence"] = self.sequence
        return out

    def as_markdown(self) -> str:
        """Give the contract as lines to read."""
        if self.objective is None:
            return self.raw or ""
        lines = [f"Objective: {self.objective}"]
        for title, items in (("Constraints", self.constraints), ("Output requirements", self.output_requirements)):
            if items:
                lines += [f"{title}:", *(f"- {item}" for item in items)]
        return "\n".join(lines)


def read_goal(value: Any, path: str = "run_contract") -> Goal | None:
    """Read a run contract: nothing, a text, or `{objective, constraints?, output_requirements?}`.

    A text that is itself such an object in JSON gives its parts and stays in `raw`. Blank and empty are `None`.

    Raises:
        BadRequest: Another type, unknown fields, no objective.
    """
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        found = parsed(text)
        if is_fields(found):
            parts, problems = _parts(found, path)
            if not problems:
                return Goal(**parts, raw=text)
        return Goal(raw=text)
    if not is_fields(value):
        raise _refusal([{"path": path, "value": value, "problem": "must be null, a text or an object"}])
    if not value:
        return None
    parts, problems = _parts(value, path)
    if problems:
        raise _refusal(problems)
    return Goal(**parts)


def _parts(fields: Mapping[str, Any], path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give the parts of a contract, and what is wrong with them."""
    parts: dict[str, Any] = {}
    problems: list[dict[str, Any]] = []
    for key, value in fields.items():
        name = _KEYS.get(key)
        if name is None:
            problems.append({"path": f"{path}.{key}", "value": value, "problem": "is no field of a run contract"})
        elif name == "objective":
            if isinstance(value, str) and value.strip():
                parts[name] = value.strip()
            else:
                problems.append({"path": f"{path}.{key}", "value": value, "problem": "must be a text"})
        elif value is not None:
            items = [value] if isinstance(value, str) else value
            if is_items(items) and all(isinstance(item, str) for item in items):
                parts[name] = tuple([item.strip() for item in items if item.strip()])
            else:
                problems.append({"path": f"{path}.{key}", "value": value, "problem": "must be a list of texts"})
    if "objective" not in fields:
        problems.append({"path": f"{path}.objective", "value": None, "problem": "is required"})
    return parts, problems


def _refusal(problems: list[dict[str, Any]]) -> BadRequest:
    said = "; ".join(f"{item['path']} {item['problem']}" for item in problems)
    return BadRequest(f"The run contract is wrong: {said}", details={"problems": problems})
