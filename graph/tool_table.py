"""The tools of a turn, mostly those of the last one: what is known is neither checked nor written anew."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from ..state.cleaning import clean_tool
from ..state.sections import ToolSpec
from .handed import as_tool

__all__ = ["ToolTable"]

_KEPT = 1000
"""So many tools are known at most; then all are forgotten."""


class ToolTable:
    """Makes `ToolSpec`s of what callers hand over.

    A tool is known by its whole JSON, which takes a microsecond to write. A known spec shares nothing with what was
    handed over, so that a caller may change it in place.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, ToolSpec] = {}

    def take(self, tools: Iterable[ToolSpec | Mapping[str, Any]]) -> tuple[ToolSpec, ...]:
        """Give the specs in order.

        Raises:
            BadRequest: A tool has other fields, or no name.
        """
        return tuple([self._take(tool) for tool in tools])

    def _take(self, tool: ToolSpec | Mapping[str, Any]) -> ToolSpec:
        try:
            key = orjson.dumps(tool)
        except orjson.JSONEncodeError:  # lone surrogates, keys that are no strings
            return clean_tool(as_tool(tool))
        known = self._known.get(key)
        if known is None:
            made = clean_tool(as_tool(tool))
            own = orjson.loads(orjson.dumps(made.parameters))
            known = ToolSpec(name=made.name, description=made.description, parameters=own, deferred=made.deferred)
            if len(self._known) >= _KEPT:
                self._known = {}
            self._known[key] = known
        return known
