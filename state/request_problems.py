"""What is wrong with a document, in words: path, value found, rule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from .formats.json_values import compact, is_array, is_object
from .wellformed import well_formed_json

__all__ = ["DocumentProblem", "doubled", "problems_of", "worded"]

_MOST_WORDED: Final = 12
_MOST_CHARS: Final = 200

_RULES: Final[Mapping[str, str]] = {
    "missing": "is required",
    "extra_forbidden": "is no field that this version knows",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "literal_error": "must be {expected}",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "must name its {discriminator}",
}


class DocumentProblem(NamedTuple):
    """One thing wrong with a document."""

    path: str
    value: Any
    problem: str
    kind: str = ""
    """pydantic's word, where it found the problem."""

    def as_json(self) -> dict[str, Any]:
        """Give the entry of `details["problems"]`; a large value is cut."""
        return {"path": self.path, "value": _short(self.value), "problem": self.problem}


def problems_of(error: ValidationError, document: object) -> list[DocumentProblem]:
    """Word what pydantic found wrong with `document`."""
    return [_problem(item, document) for item in error.errors(include_url=False)]


def doubled(path: str, key: str, items: object) -> Iterable[DocumentProblem]:
    """Find the objects of a list whose `key` an earlier one has."""
    seen: dict[str, int] = {}
    for at, item in enumerate(items if is_array(items) else ()):
        name: object = item.get(key) if is_object(item) else None
        if not isinstance(name, str):
            continue
        first = seen.setdefault(name, at)
        if first != at:
            yield DocumentProblem(f"{path}[{at}].{key}", name, f"must be unique; {path}[{first}] has it too")


def worded(problems: Sequence[DocumentProblem]) -> str:
    """Say all problems in one line; of very many, the first."""
    said = [f"{item.path}: {item.problem}, found {_found(item)}" for item in problems[:_MOST_WORDED]]
    rest = len(problems) - _MOST_WORDED
    return "; ".join(said) + (f"; and {rest} more, see details" if rest > 0 else "")


def _problem(item: ErrorDetails, document: object) -> DocumentProblem:
    kind = item["type"]
    rule = _RULES.get(kind)
    text = item["msg"].replace("Input should", "must") if rule is None else rule
    context = dict(item.get("ctx", {}))
    if rule is not None and context:
        text = rule.format_map({name: _spelled(value) for name, value in context.items()})
    path = _path(item["loc"], document)
    if kind.startswith("union_tag"):
        path = f"{path}.{_spelled(context.get('discriminator', 'kind'))}"
    return DocumentProblem(path, None if kind == "missing" else item["input"], text, kind)


def _spelled(value: object) -> str:
    """Spell a fact of pydantic's for readers of JSON."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    return {"True": "true", "False": "false", "'kind'": "kind"}.get(text, text.removeprefix("^").removesuffix("$"))


def _path(loc: Sequence[int | str], document: object) -> str:
    """Spell a location, without the words that name a branch of a union and are no key of the document."""
    path, here = "", document
    for step, last in ((step, at == len(loc) - 1) for at, step in enumerate(loc)):
        if isinstance(step, int):
            path += f"[{step}]"
            here = here[step] if is_array(here) and step < len(here) else None
        elif is_object(here) and (step in here or last):
            path += f".{step}" if path else step
            here = here.get(step)
    return path or "request"


def _short(value: object) -> object:
    if isinstance(value, str):
        value = value[: _MOST_CHARS + 1]
    value = well_formed_json(value)
    if isinstance(value, str):
        return value if len(value) <= _MOST_CHARS else f"{value[:_MOST_CHARS]}…"
    if value is None or isinstance(value, bool | int | float):
        return value
    text = _text(value)
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"


def _text(value: object) -> str:
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _found(item: DocumentProblem) -> str:
    if item.kind == "missing":
        return "nothing"
    text = _text(item.value)
    return text if len(text) <= 80 else f"{text[:80]}…"
