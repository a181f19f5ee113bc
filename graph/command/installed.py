"""Which packages and extras of turngraph are installed; read from metadata, nothing is imported."""

import re
from importlib import metadata
from typing import Any, Final

__all__ = ["extras", "packages"]

_CORE: Final = (
    "networkx",
    "orjson",
    "pydantic",
    "pydantic-settings",
    "rich",
    "sqlalchemy",
    "tenacity",
    "tiktoken",
    "typer",
)
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*).*?;.*extra\s*==\s*['\"]([^'\"]+)['\"]")


def packages() -> dict[str, str | None]:
    """Give the version of each package of the core; `None` where it is missing."""
    return {name: _version(name) for name in _CORE}


def extras() -> list[dict[str, Any]]:
    """List the extras with the packages that they lack; empty where turngraph runs from a source tree."""
    try:
        described = metadata.metadata("turngraph")
    except metadata.PackageNotFoundError:
        return []
    needed: dict[str, list[str]] = {name: [] for name in described.get_all("Provides-Extra") or ()}
    for line in described.get_all("Requires-Dist") or ():
        found = _REQUIREMENT.match(line)
        if found:
            needed.setdefault(found[2], []).append(found[1])
    return [
        {
            "name": name,
            "installed": not (missing := [item for item in names if _version(item) is None]),
            "missing": missing,
        }
        for name, names in needed.items()
    ]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
