"""Tool specs of a provider body, as `{name, description, parameters, deferred?}`."""

from typing import Any

from .json_values import is_array, is_object

__all__ = ["read_tools"]


def read_tools(specs: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Read the specs of functions; give them and the names or types of the tools that are none of the host's."""
    found: list[dict[str, Any]] = []
    left_out: list[str] = []
    for spec in specs if is_array(specs) else []:
        tool = _read(spec) if is_object(spec) else None
        if tool is not None:
            found.append(tool)
        else:
            name: Any = (spec.get("name") or spec.get("type")) if is_object(spec) else None
            left_out.append(name if isinstance(name, str) else "?")
    return found, left_out


def _read(spec: dict[str, Any]) -> dict[str, Any] | None:
    function = spec.get("function")
    inner = function if is_object(function) else spec
    name, description = inner.get("name"), inner.get("description")
    parameters = next((inner[key] for key in ("parameters", "input_schema") if is_object(inner.get(key))), None)
    hosted = not is_object(function) and parameters is None and isinstance(spec.get("type"), str)
    if not isinstance(name, str) or hosted:
        return None
    tool: dict[str, Any] = {
        "name": name,
        "description": description if isinstance(description, str) else "",
        "parameters": parameters if parameters is not None else {"type": "object", "properties": {}},
    }
    if spec.get("defer_loading") is True:
        tool["deferred"] = True
    return tool
