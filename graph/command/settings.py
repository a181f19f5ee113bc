"""The environment as turngraph reads it: what is set, and the usual mistakes in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ...state.budget import Budget
from ...state.budget_layers import LEARNED
from ...state.budget_sources import ENV_PREFIXES
from ...state.errors import TurngraphError
from ...state.mode import resolve_mode

__all__ = ["problems_of_environment", "variables"]

_PREFIXES: Final = tuple(prefix for _, prefix in ENV_PREFIXES)
_OTHERS: Final = frozenset(
    {"TURNGRAPH_DATA_DIR"} | {f"{prefix}MODE" for prefix in ("TURNGRAPH_", "SCIENCE_AGENT_CONTEXT_")}
)
_WITHOUT_VARIABLE: Final = frozenset({"per_source", "prune_arguments", "summary_fallback", LEARNED})


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the variables that are ours and set, and the cache folder of tiktoken."""
    ours = (name for name in sorted(environ) if name.startswith(_PREFIXES) or name == "TIKTOKEN_CACHE_DIR")
    return {name: environ[name] for name in ours}


def problems_of_environment(environ: Mapping[str, str]) -> list[str]:
    """Say what is set wrongly, each in one line."""
    found: list[str] = []
    try:
        Budget.resolve(env=environ)
    except TurngraphError as error:
        found += [item["message"] for item in error.details["problems"]]
    try:
        mode = resolve_mode(env=environ)
    except TurngraphError as error:
        found.append(error.message)
    else:
        if mode != "dynamic":
            found.append(f"mode {mode!r} is set for every run; it is for debugging and comes with a later version")
    read = _OTHERS | {
        f"{prefix}{name.upper()}"
        for prefix in _PREFIXES
        for name in Budget.model_fields
        if name not in _WITHOUT_VARIABLE
    }
    found += [
        f"{name} is set, but nothing reads it"
        for name in variables(environ)
        if name not in read | {"TIKTOKEN_CACHE_DIR"}
    ]
    cache = environ.get("TIKTOKEN_CACHE_DIR")
    if cache and not Path(cache).is_dir():
        found.append(f"TIKTOKEN_CACHE_DIR is {cache!r}, which is no folder")
    return found
