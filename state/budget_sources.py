"""Where budget values come from: arguments, a request, the environment under two prefixes, model facts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

__all__ = ["ENV_PREFIXES", "Given", "Source", "environment", "parse_integer", "variable_name"]

Source = Literal["argument", "request", "env", "alias", "model", "default"]
"""Who gave a value, strongest first. A `--budget` file counts as a request."""

ENV_PREFIXES: Final[tuple[tuple[Source, str], ...]] = (
    ("alias", "SCIENCE_AGENT_CONTEXT_"),
    ("env", "TURNGRAPH_"),
)
"""The prefixes of the environment, the weaker first; the alias is the name of the older system."""

SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (ECMA-262, Number.MAX_SAFE_INTEGER)."""

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RADIX: Final = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


class Given(NamedTuple):
    """One value with its origin; `variable` is the name of the environment variable it stood in."""

    value: object
    source: Source
    variable: str | None = None


def parse_integer(text: str) -> int | None:
    """Read a trimmed number that denotes a safe integer, else give None.

    The spellings are those of JavaScript's `Number()`, which the older system read its variables with:
    `1000`, `1e3`, `1.0`, `0x10`, `0o17`, `0b11`. Underscores, `inf` and `nan` are none of them.
    """
    text = text.strip()
    if _RADIX.fullmatch(text):
        number = int(text, 0)
        return number if number <= SAFE_INTEGER else None
    if not _DECIMAL.fullmatch(text):
        return None
    real = float(text)
    return int(real) if real.is_integer() and abs(real) <= SAFE_INTEGER else None


def variable_name(field: str, prefix: str) -> str:
    """Name the environment variable of a field."""
    return prefix + field.upper()


class _PrefixSource(PydanticBaseSettingsSource):
    """One prefix of the environment; blank variables count as unset, values stay text."""

    def __init__(
        self, settings: type[BaseSettings], *, environ: Mapping[str, str], source: Source, prefix: str
    ) -> None:
        super().__init__(settings)
        self._environ = environ
        self._source: Source = source
        self._prefix = prefix

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        variable = variable_name(field_name, self._prefix)
        return self._environ.get(variable), variable, False

    def __call__(self) -> dict[str, Any]:
        return dict(self.given())

    def given(self) -> Iterator[tuple[str, Given]]:
        for name, field in self.settings_cls.model_fields.items():
            value, variable, _ = self.get_field_value(field, name)
            if value is not None and value.strip():
                yield name, Given(value, self._source, variable)


def environment(
    settings: type[BaseSettings], environ: Mapping[str, str], *, without: frozenset[str]
) -> dict[str, Given]:
    """Collect the fields that the environment sets, still as text; `TURNGRAPH_*` beats the alias.

    The environment is walked once, so the cost is one prefix test per variable of the process and hardly
    more when none is ours.

    Args:
        settings: The class whose fields are looked for.
        environ: The environment.
        without: Fields that have no variable.
    """
    prefixes = tuple(prefix for _, prefix in ENV_PREFIXES)
    ours = {name: environ[name] for name in environ if name.startswith(prefixes)}
    if not ours:
        return {}
    found: dict[str, Given] = {}
    for source, prefix in ENV_PREFIXES:
        found |= _PrefixSource(settings, environ=ours, source=source, prefix=prefix)()
    return {name: value for name, value in found.items() if name not in without}
