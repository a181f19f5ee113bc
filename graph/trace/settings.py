"""Whether traces are written, where, and how long a turn waits for them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ...state.errors import UsageError
from ...state.outputs.location import data_dir

__all__ = [
    "DIR_VARIABLES",
    "SMALL_TOKENS",
    "TRACE_VARIABLES",
    "WAIT_S",
    "TraceSettings",
    "default_trace_dir",
    "trace_settings",
]

TRACE_VARIABLES: Final = ("TURNGRAPH_TRACE", "SCIENCE_AGENT_CONTEXT_TRACE")
"""The variables that turn traces on, the stronger first."""
DIR_VARIABLES: Final = ("TURNGRAPH_TRACE_DIR", "SCIENCE_AGENT_CONTEXT_TRACE_DIR")
"""The variables that name the folder, the stronger first."""
WAIT_S: Final = 2.0
"""A small trace takes a millisecond; two seconds are a disk that is not coming back."""
SMALL_TOKENS: Final = 8_000
"""Up to here a trace is small. Of a larger one, writing would cost a turn more than a tenth of its assembly."""

_ON: Final = frozenset({"1", "true", "on"})
_OFF: Final = frozenset({"0", "false", "off"})


def default_trace_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give `<data-dir>/context-traces`. `env` None is the environment of the process."""
    return data_dir(env) / "context-traces"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """What a writer needs to know."""

    enabled: bool = False
    """Traces hold whole conversations: nobody gets one unasked."""
    dir: Path = field(default_factory=default_trace_dir)
    """The folder of all traces; made, private, when the first one is written."""
    wait_s: float | None = None
    """So long a turn waits for its trace to be on the disk; then it goes on and the trace comes later or not at all.
    With 0 it never waits, and what went wrong is told with the next turn. `None`: it waits 2 s for a small trace, and
    not at all for one of an input of more than 8,000 tokens, which comes some milliseconds later."""


def trace_settings(
    argument: bool | str | os.PathLike[str] | TraceSettings | None = None,  # noqa: FBT001 - the value of an option
    env: Mapping[str, str] | None = None,
) -> TraceSettings:
    """Settle whether and where traces are written.

    Args:
        argument: On or off; a folder, which turns them on; or settings, which are taken as they are. `None`: the
            environment decides.
        env: The environment; `None` means that of the process. A blank variable counts as unset.

    Raises:
        UsageError: The variable is none of 0/1, false/true, off/on, or the folder is no path.
    """
    if isinstance(argument, TraceSettings):
        return argument
    environ = os.environ if env is None else env
    named = None if argument is None or isinstance(argument, bool) else os.fspath(argument)
    enabled = _switched_on(environ) if argument is None else argument is not False
    folder = named if named is not None else _folder(environ)
    if named is not None and not named.strip():
        raise UsageError("the folder of traces is blank", details={"value": named})
    if folder is not None and "\0" in folder:
        raise UsageError("the folder of traces holds a NUL character", details={"value": folder})
    place = Path(folder).expanduser() if folder is not None else default_trace_dir(environ)
    return TraceSettings(enabled=enabled, dir=place.absolute())


def _switched_on(environ: Mapping[str, str]) -> bool:
    for variable in TRACE_VARIABLES:
        value = environ.get(variable, "")
        word = value.strip().lower()
        if not word:
            continue
        if word not in _ON and word not in _OFF:
            raise UsageError(
                f"{variable} must be 0/1, false/true, or off/on, got {value!r}",
                details={"variable": variable, "value": value},
            )
        return word in _ON
    return False


def _folder(environ: Mapping[str, str]) -> str | None:
    found = (environ.get(variable, "").strip() for variable in DIR_VARIABLES)
    return next((folder for folder in found if folder), None)
