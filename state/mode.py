"""The assembly mode: `dynamic` (the default), `shadow` or `legacy`."""

import os
from collections.abc import Mapping
from typing import Final, Literal, get_args

from .errors import UnknownMode

__all__ = ["MODES", "MODE_VARIABLES", "Mode", "resolve_mode"]

Mode = Literal["dynamic", "shadow", "legacy"]
"""`legacy` runs the graph with the old system's policies, `shadow` runs both and compares."""

MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""The three modes, the default first."""

MODE_VARIABLES: Final = ("TURNGRAPH_MODE", "SCIENCE_AGENT_CONTEXT_MODE")
"""The environment variables that set the mode, the stronger first."""


def resolve_mode(argument: str | None = None, env: Mapping[str, str] | None = None) -> Mode:
    """Give the mode of a run: the argument, else the environment, else `dynamic`.

    Values are trimmed and read in any case; a blank one counts as not given.

    Args:
        argument: The mode of an option or a request.
        env: The environment; None means that of the process.

    Raises:
        UnknownMode: The strongest value given is none of the three; `details` name it and its variable.
    """
    environ = os.environ if env is None else env
    candidates = [(None, argument), *((variable, environ.get(variable)) for variable in MODE_VARIABLES)]
    for variable, value in candidates:
        word = (value or "").strip().lower()
        if not word:
            continue
        for mode in MODES:
            if mode == word:
                return mode
        raise UnknownMode(
            f"{variable or 'mode'} must be one of {', '.join(MODES)}, got {value!r}",
            details={"variable": variable, "value": value, "modes": list(MODES)},
        )
    return "dynamic"
