"""Well-formed strings at every border: lone surrogates become U+FFFD, at every depth, keys and values."""

from typing import Any

__all__ = ["well_formed", "well_formed_json"]


def well_formed(text: str) -> str:
    """Give `text` with each lone surrogate replaced by U+FFFD. Cost: one encode when it is clean already."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair of surrogates that JSON escapes wrote apart is one character: join pairs, replace the rest.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def well_formed_json(value: Any) -> Any:
    """Give a JSON value with every string in it well-formed; the same object when nothing had to change."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        items: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            name, fresh = well_formed(str(key)), well_formed_json(item)
            while name in items:  # two keys that only their surrogates told apart
                name += "\ufffd"
            items[name] = fresh
            same = same and name is key and fresh is item
        return value if same else items
    if isinstance(value, list):
        fresh = [well_formed_json(item) for item in value]
        return value if all(a is b for a, b in zip(fresh, value, strict=True)) else fresh
    return value
