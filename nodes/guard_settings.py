"""The limits of tool outputs and of reading them again, from arguments or from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from ..state.errors import BudgetInvalid

__all__ = ["ToolOutputSettings"]

_SUFFIXES: Final = {
    "max_bytes": "MAX_BYTES",
    "max_lines": "MAX_LINES",
    "retention_bytes": "RETENTION_BYTES",
    "advisory_bytes": "READ_ADVISORY_BYTES",
    "strong_advisory_bytes": "READ_STRONG_ADVISORY_BYTES",
}
_PREFIXES: Final = ("TURNGRAPH_TOOL_OUTPUT_", "SCIENCE_AGENT_TOOL_OUTPUT_")
"""The first that is set wins; blank counts as unset."""
_LOWEST: Final = {"max_bytes": 1024, "max_lines": 8}
"""Below these, our own lines would leave no room for the output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutputSettings:
    """Limits of tool outputs.

    Raises:
        BudgetInvalid: Values out of range; all of them at once.
    """

    max_bytes: int = 50 * 1024
    """Of one result in the history, in bytes of UTF-8; at least 1,024."""
    max_lines: int = 2000
    """Of one result in the history; at least 8."""
    retention_bytes: int = 8 * 1024
    """Larger results are stored though they are shown whole."""
    advisory_bytes: int = 64 * 1024
    """From so many bytes read of one stored output on, the reader advises to narrow down."""
    strong_advisory_bytes: int = 96 * 1024
    """From here on it does so more plainly; at least `advisory_bytes`."""

    def __post_init__(self) -> None:
        """Check all values at once."""
        _check({field.name: getattr(self, field.name) for field in fields(self)}, {})

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Self:
        """Read `TURNGRAPH_TOOL_OUTPUT_*`, with the alias `SCIENCE_AGENT_TOOL_OUTPUT_*`.

        `MAX_BYTES`, `MAX_LINES`, `RETENTION_BYTES`, `READ_ADVISORY_BYTES`, `READ_STRONG_ADVISORY_BYTES`. `env` None
        is the environment of the process.

        Raises:
            BudgetInvalid: Values that are no whole numbers or out of range; the message names the variables.
        """
        environ = os.environ if env is None else env
        values: dict[str, Any] = {field.name: field.default for field in fields(cls)}
        names: dict[str, str] = {}
        for name, suffix in _SUFFIXES.items():
            for variable in (prefix + suffix for prefix in _PREFIXES):
                said = environ.get(variable, "").strip()
                if said:
                    names[name] = variable
                    values[name] = int(said) if said.isascii() and said.isdigit() and len(said) < 19 else said
                    break
        _check(values, names)
        return cls(**values)


def _check(values: Mapping[str, Any], names: Mapping[str, str]) -> None:
    problems: list[dict[str, Any]] = []
    for name, value in values.items():
        lowest = _LOWEST.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
            rule = f"must be a whole number of at least {lowest}"
            problems.append({"field": names.get(name, name), "value": value, "rule": rule})
    strong, ordinary = "strong_advisory_bytes", "advisory_bytes"
    if not problems and values[strong] < values[ordinary]:
        rule = f"must be at least {names.get(ordinary, ordinary)}, which is {values[ordinary]}"
        problems.append({"field": names.get(strong, strong), "value": values[strong], "rule": rule})
    if problems:
        said = "; ".join(f"{item['field']} {item['rule']}, got {item['value']!r:.60}" for item in problems)
        raise BudgetInvalid(f"The limits of tool outputs are wrong: {said}", details={"problems": problems})
