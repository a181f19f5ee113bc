"""What the models of published documents share: strict types, no unknown fields, problems in our words."""

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from .budget_sources import SAFE_INTEGER

__all__ = [
    "ContextId",
    "Count",
    "Items",
    "Name",
    "Positive",
    "SectionId",
    "SourceName",
    "Strict",
    "VersionOne",
    "Whole",
    "wrong",
]

T = TypeVar("T")

_CONTEXT_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"


class Strict(BaseModel):
    """A frozen JSON object that takes no unknown fields and converts nothing."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def wrong(problem: str) -> PydanticCustomError:
    """Make the error of a validator, worded so that it can follow the path of the field."""
    return PydanticCustomError("turngraph", "{problem}", {"problem": problem})


def _integral(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _one(value: object) -> object:
    if isinstance(value, bool) or value != 1:
        raise wrong("must be 1, the only version that this turngraph reads")
    return 1


def _no_way_up(value: str) -> str:
    if ".." in value:
        raise wrong("must not hold '..'")
    return value


Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A JSON list. Not strict itself, since JSON gives a list where a tuple is kept; its items are."""

Whole = Annotated[int, Field(ge=-SAFE_INTEGER, le=SAFE_INTEGER), BeforeValidator(_integral)]
"""A whole number; `8000.0` is one, since JSON does not tell it from 8000."""
Count = Annotated[int, Field(ge=0, le=SAFE_INTEGER), BeforeValidator(_integral)]
Positive = Annotated[int, Field(ge=1, le=SAFE_INTEGER), BeforeValidator(_integral)]
Name = Annotated[str, Field(min_length=1)]
VersionOne = Annotated[Literal[1], BeforeValidator(_one)]

SectionId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*([._-][a-z0-9]+)*$")]
"""The id of a section or attachment, as `sections.id_problem` has it."""
SourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._:/@-]{0,199}$")]
"""What an envelope names as its source, as `sections.source_problem` has it."""
ContextId = Annotated[
    str,
    Field(pattern=f"^{_CONTEXT_ID}$"),
    AfterValidator(_no_way_up),
    WithJsonSchema({"type": "string", "pattern": rf"^(?!.*\.\.){_CONTEXT_ID}$"}),
]
"""The name of a conversation. It names a folder of traces, so it cannot lead out of one."""
