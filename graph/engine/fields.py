"""The state as the engine sees it: names, annotations, and what is there when a run starts."""

import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from annotated_types import Interval, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ...state.errors import UsageError
from .annotations import bare, compatible, shown, unbounded

__all__ = ["Inputs", "StateFields", "read_bound"]

Inputs: typing.TypeAlias = Mapping[str, object] | BaseModel
"""What a run starts with: a model of the declared inputs, or a mapping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFields:
    """The fields of a state model and the rule for filling the first of them."""

    state: type[BaseModel]
    annotations: Mapping[str, object]
    """Field to annotation."""
    given: frozenset[str]
    """Fields that are there when a run starts."""
    inputs: type[BaseModel] | None
    """The model of the inputs; None when they are names only."""
    presets: Mapping[str, FieldInfo]
    """State fields with a default."""
    names: frozenset[str] | None = field(default=None)
    """The names that a run has to be given when there is no model of the inputs."""

    @classmethod
    def read(
        cls, state: type[BaseModel], inputs: type[BaseModel] | Collection[str] | None, problems: list[str]
    ) -> typing.Self:
        """Read the declaration; what is wrong with it goes to `problems`."""
        annotations: dict[str, object] = {name: info.annotation for name, info in state.model_fields.items()}
        presets = {name: info for name, info in state.model_fields.items() if not info.is_required()}
        model = inputs if isinstance(inputs, type) else None
        names = None if model is not None or inputs is None else frozenset(typing.cast("Collection[str]", inputs))
        asked = frozenset(model.model_fields) if model else names or frozenset()
        if not state.model_config.get("frozen"):
            problems.append(f"state {state.__name__} is not frozen: give it model_config = ConfigDict(frozen=True)")
        for name, info in state.model_fields.items():
            grows = unbounded(info.annotation, marks=info.metadata)
            if grows:
                problems.append(
                    f"state field {name!r} is {grows}, which is validated item by item at every write: "
                    f"use a class of its own, or mark it Annotated[…, Bounded] if it stays small"
                )
        problems.extend(
            f"input {name!r} is no field of {state.__name__}: add it to the state or drop it"
            for name in sorted(asked - annotations.keys())
        )
        if model:
            problems.extend(
                f"input {name!r} is {shown(info.annotation)}, the state field is {shown(annotations[name])}"
                for name, info in model.model_fields.items()
                if name in annotations and not compatible(info.annotation, annotations[name])
            )
        return cls(
            state=state,
            annotations=annotations,
            given=(asked & annotations.keys()) | presets.keys(),
            inputs=model,
            presets=presets,
            names=names,
        )

    def fill(self, inputs: Inputs) -> dict[str, object]:
        """Give the first state of a run; O(number of fields), values are shared.

        Raises:
            UsageError: a field is missing or unknown, or does not fit the model of the inputs.
        """
        values: dict[str, object] = {
            name: info.get_default(call_default_factory=True, validated_data={}) for name, info in self.presets.items()
        }
        if self.inputs is not None:
            model = inputs if isinstance(inputs, self.inputs) else _validated(self.inputs, _plain(inputs))
            values.update((name, getattr(model, name)) for name in self.inputs.model_fields)
            return values
        plain = _plain(inputs)
        allowed = self.annotations.keys() if self.names is None else self.names | self.presets.keys()
        unknown = sorted(plain.keys() - allowed)
        missing = sorted((self.names or frozenset()) - plain.keys())
        if unknown or missing:
            raise UsageError(
                f"inputs of {self.state.__name__}: missing {missing}, unknown {unknown}",
                details={"missing": missing, "unknown": unknown},
            )
        values.update(plain)
        return values

    def change(self, changes: Mapping[str, object]) -> None:
        """Refuse changes of fields that the state does not have.

        Raises:
            UsageError: a field is unknown.
        """
        unknown = sorted(changes.keys() - self.annotations.keys())
        if unknown:
            raise UsageError(f"{self.state.__name__} has no field {unknown[0]!r}", details={"unknown": unknown})


def _plain(inputs: Inputs) -> Mapping[str, object]:
    return dict(inputs) if isinstance(inputs, BaseModel) else inputs


def _validated(model: type[BaseModel], values: Mapping[str, object]) -> BaseModel:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise UsageError(f"inputs do not fit {model.__name__}: {error}") from error


def read_bound(fields: StateFields, path: tuple[str, ...]) -> tuple[int, int] | str:
    """Find the upper limit and the preset of a bound that is a field, or say what is wrong with it."""
    model: type[BaseModel] = fields.state
    info: FieldInfo | None = None
    for depth, name in enumerate(path):
        info = model.model_fields.get(name)
        if info is None:
            return f"{model.__name__} has no field {name!r}"
        if depth + 1 < len(path):
            inner = bare(info.annotation)
            if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
                return f"{name!r} is {shown(info.annotation)}, which is no model whose field could be a bound"
            model = inner
    if info is None or not compatible(info.annotation, int):
        return f"{'.'.join(path)!r} is no whole number"
    limits: list[int] = []
    for mark in info.metadata:
        if isinstance(mark, Le | Interval) and isinstance(mark.le, int):
            limits.append(mark.le)
        if isinstance(mark, Lt | Interval) and isinstance(mark.lt, int):
            limits.append(mark.lt - 1)
    if not limits:
        return f"field {path[-1]!r} of {model.__name__} declares no upper limit: give it Field(le=…)"
    upper = min(limits)
    default = info.default if isinstance(info.default, int) else 1
    return upper, max(1, min(upper, default))
