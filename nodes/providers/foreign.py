"""Looking at values of foreign types: JSON of any shape, attributes of any exception."""

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

__all__ = ["attribute", "is_list", "is_mapping", "mapping_of"]

_NOTHING: Final[Mapping[Any, Any]] = {}


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether `value` is a mapping of anything to anything."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether `value` is a list of anything."""
    return isinstance(value, list)


def mapping_of(value: Any) -> Mapping[Any, Any]:
    """Give `value` if it is a mapping, else an empty one."""
    return value if is_mapping(value) else _NOTHING


def attribute(item: Any, name: str) -> Any:
    """Read an attribute; `None` if there is none or if reading it raises, as the text of an unread stream does."""
    try:
        return getattr(item, name, None)
    except Exception:  # noqa: BLE001 - a property of a foreign class may raise anything
        return None
