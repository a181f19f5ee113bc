"""How the layers of a budget become one validated object that still knows who gave each value."""

import os
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from .budget_rules import (
    Problem,
    complete,
    fail,
    field_problems,
    problem,
    relation_problems,
    rule_of,
    unknown_field,
)
from .budget_sources import Given, Source, environment, parse_integer

__all__ = ["LEARNED", "LayeredSettings", "all_sources", "gather", "settle"]

LEARNED: Final = "learned_limit_tokens"
"""The one field that no layer may set."""

_NO_VARIABLE: Final = frozenset({"per_source", "prune_arguments", "summary_fallback", LEARNED})
_MODEL_FACTS: Final = ("model_max_tokens", "output_reserve_tokens")


class LayeredSettings(BaseSettings):
    """Settings that know which layer gave each value.

    `BaseSettings` merges its layers before it validates: it can neither say which variable a bad value stood
    in nor report relations beside ranges, and it builds dotenv and secret sources that nobody asked for. So
    the constructor gathers the layers itself. It stands in a base class because type checkers then still
    derive the keyword arguments of `Budget` from its fields.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        protected_namespaces=(),  # older pydantic-settings reserve `model_`, with which our fields begin
    )

    def __init__(self, **values: Any) -> None:
        settle(self, gather(type(self), argument=values, request=None, env=None, model=None))


def gather(
    settings: type[BaseSettings],
    *,
    argument: Mapping[str, Any] | None,
    request: Mapping[str, Any] | None,
    env: Mapping[str, str] | None,
    model: Mapping[str, Any] | None,
) -> dict[str, Given]:
    """Collect the strongest value of each field; `env` None is the environment of the process."""
    facts = model or {}
    given = {name: Given(facts[name], "model") for name in _MODEL_FACTS if facts.get(name) is not None}
    given |= environment(settings, os.environ if env is None else env, without=_NO_VARIABLE)
    given |= {name: Given(value, "request") for name, value in (request or {}).items()}
    given |= {name: Given(value, "argument") for name, value in (argument or {}).items()}
    return given


def settle(budget: BaseSettings, given: dict[str, Given], learned: int | None = None) -> None:
    """Validate the given values and write them into the new object, or raise with every problem."""
    settings = type(budget)
    problems: list[Problem] = []
    values: dict[str, object] = {}
    for name, item in given.items():
        value = item.value
        if name == LEARNED:
            problems.append(unknown_field(name, item))
            continue
        if item.variable is not None and isinstance(value, str):
            value = parse_integer(value)
            if value is None:
                problems.append(problem(name, item, rule_of(settings.model_fields[name])))
                continue
        elif isinstance(value, float) and value.is_integer():  # JSON does not tell 8000.0 from 8000
            value = int(value)
        values[name] = value
    complete(values, given)
    if learned is not None:
        values[LEARNED] = learned
    try:
        BaseModel.__init__(budget, **values)
    except ValidationError as error:
        problems += field_problems(error, given, settings.model_fields)
    wrong = frozenset(item.field for item in problems)
    known = {name: field.default for name, field in settings.model_fields.items()} | values
    fail([*problems, *relation_problems(known, given, wrong=wrong)])
    # Beside the fields, where `cached_property` looks first: pydantic's equality and its dumps leave it out.
    vars(budget)["sources"] = all_sources(settings, {name: item.source for name, item in given.items()})


def all_sources(settings: type[BaseModel], given: Mapping[str, Source]) -> Mapping[str, Source]:
    """Name the source of every field that has one."""
    names = (name for name in settings.model_fields if name != LEARNED)
    return {name: given.get(name, "default") for name in names}
