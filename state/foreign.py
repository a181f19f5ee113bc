"""Narrowing foreign JSON: what the strict checkers are to believe once it was looked at."""

from collections.abc import Mapping
from typing import Any, TypeGuard

__all__ = ["is_array", "is_object"]


def is_object(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell whether a value is a JSON object; whether its keys are texts is another question."""
    return isinstance(value, Mapping)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list)
