"""The rules between budget values, and the two errors that name everything wrong with a budget at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from .budget_sources import SAFE_INTEGER, Given
from .errors import BadRequest, BudgetInvalid

__all__ = [
    "Problem",
    "complete",
    "fail",
    "field_problems",
    "problem",
    "relation_problems",
    "rule_of",
    "unknown_field",
]

_OUT_OF_RANGE: Final = frozenset({"greater_than_equal", "less_than_equal", "literal_error"})
"""pydantic's names for a value of the right type outside its range; all others are wrong types or names."""

_RELATIONS: Final = (
    ("output_reserve_tokens", "model_max_tokens", -1, "must be smaller than"),
    ("compaction_retain_percent", "compaction_pressure_percent", -1, "must be smaller than"),
    ("compaction_target_percent", "compaction_pressure_percent", 0, "must not be larger than"),
    ("compaction_keep_messages", "compaction_trigger_messages", 0, "must not be larger than"),
)
"""(field, other, slack, words): field <= other + slack."""


class Problem(NamedTuple):
    """One wrong value; `of_request` tells a wrong name or type from a value out of range."""

    field: str
    variable: str | None
    value: object
    rule: str
    message: str
    of_request: bool = False

    def as_json(self) -> dict[str, Any]:
        """Give the entry of `details["problems"]`; `path` stands there too, as in other bad requests."""
        return {
            "field": self.field,
            "path": f"budget.{self.field}",
            "variable": self.variable,
            "value": self.value if isinstance(self.value, str | int | None) else repr(self.value)[:200],
            "rule": self.rule,
            "message": self.message,
        }


def problem(name: str, given: Given, rule: str, *, of_request: bool = False) -> Problem:
    """Word one problem: what is named, the rule, and the value with where it stood."""
    subject = given.variable or (f"budget.{name}" if given.source == "request" else name)
    origin = {"default": " (its default)", "model": " (a fact of the model)"}.get(given.source, "")
    message = f"{subject} {rule}, got {repr(given.value)[:100]}{origin}"
    return Problem(name, given.variable, given.value, rule, message, of_request)


def unknown_field(name: str, given: Given) -> Problem:
    """Word the problem of a name that is no field."""
    return problem(name, given, "is no field of a budget", of_request=True)


def rule_of(field: FieldInfo) -> str:
    """Word the range that the metadata of an integer field declares."""
    lower = next((item.ge for item in field.metadata if hasattr(item, "ge")), None)
    upper = next((item.le for item in field.metadata if hasattr(item, "le")), None)
    if lower is None:
        return "must be a positive integer"
    kind = "must be a positive integer" if lower else "must be a non-negative integer"
    if upper == SAFE_INTEGER:
        return kind
    return f"must be between {lower} and {upper}" if lower else f"{kind} up to {upper}"


def field_problems(
    error: ValidationError, given: Mapping[str, Given], fields: Mapping[str, FieldInfo]
) -> list[Problem]:
    """Turn pydantic's list into ours: ranges as the fields declare them, wrong types and names apart."""
    found: list[Problem] = []
    for item in error.errors(include_url=False):
        name = str(item["loc"][0])
        path = ".".join(str(step) for step in item["loc"] if step != "[key]")
        origin = given.get(name, Given(None, "argument"))
        value = origin if origin.variable else Given(item["input"], origin.source)
        is_name = item["type"] == "extra_forbidden" or item["loc"][-1] == "[key]"
        out_of_range = item["type"] in _OUT_OF_RANGE and not is_name
        if is_name:
            rule = "is no field of a budget"
        elif out_of_range and item["type"] != "literal_error":
            rule = rule_of(fields[name])
        elif item["type"] == "int_type":
            rule = "must be an integer"
        else:
            rule = item["msg"].replace("Input should", "must")
        found.append(problem(path, value, rule, of_request=not out_of_range))
    return found


def complete(values: dict[str, object], given: dict[str, Given]) -> None:
    """Fill in the defaults that follow other values, in place; what is no positive integer is left alone.

    * reserve: 16,384, or a quarter of the window where that is less; also where a model's own policy would
      leave nothing of a smaller window that the caller chose;
    * target: 50 percent, or the pressure where that is less;
    * kept messages: 1,000, or half of the trigger where that is less.
    """
    window = _positive(values, "model_max_tokens", 131_072)
    reserve = values.get("output_reserve_tokens")
    policy = given.get("output_reserve_tokens")
    if policy is not None and policy.source == "model" and isinstance(reserve, int) and reserve >= window:
        del given["output_reserve_tokens"], values["output_reserve_tokens"]
    values.setdefault("output_reserve_tokens", max(1, min(16_384, window // 4)))
    values.setdefault("compaction_target_percent", min(50, _positive(values, "compaction_pressure_percent", 80)))
    values.setdefault(
        "compaction_keep_messages",
        max(1, min(1_000, _positive(values, "compaction_trigger_messages", 2_000) // 2)),
    )


def _positive(values: Mapping[str, object], name: str, default: int) -> int:
    value = values.get(name, default)
    return value if isinstance(value, int) and value > 0 else default


def relation_problems(
    values: Mapping[str, object], given: Mapping[str, Given], *, wrong: frozenset[str] = frozenset()
) -> list[Problem]:
    """Check the rules between two values; fields already found wrong are left out."""
    found: list[Problem] = []
    for name, other, slack, words in _RELATIONS:
        value, bound = values[name], values[other]
        if name in wrong or other in wrong or not (isinstance(value, int) and isinstance(bound, int)):
            continue
        if value > bound + slack:
            there = given.get(other)
            rule = f"{words} {(there and there.variable) or other} ({bound})"
            found.append(problem(name, given.get(name, Given(value, "default")), rule))
    return found


def fail(problems: Sequence[Problem]) -> None:
    """Raise the error that names all problems; none: return.

    Raises:
        BadRequest: At least one name or type is wrong; only such problems are listed then, for ranges are
            judged in a well-formed budget.
        BudgetInvalid: Values are out of range.
    """
    malformed = [item for item in problems if item.of_request]
    listed = malformed or problems
    if listed:
        error = BadRequest if malformed else BudgetInvalid
        raise error(
            "; ".join(item.message for item in listed),
            details={"problems": [item.as_json() for item in listed]},
        )
