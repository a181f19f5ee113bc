"""JSON schemas of our documents, published with what their fields mean."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

__all__ = ["ShapeOf", "published"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PACKAGE = __name__.partition(".")[0]


class ShapeOf:
    """Marks a field that is published as `model`, or as a list of it, but is read by code of its own."""

    def __init__(self, model: type[BaseModel], *, many: bool = False) -> None:
        self._model, self._many = model, many

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Give the schema of the model in place of that of the field."""
        shape = handler(self._model.__pydantic_core_schema__)
        return {"type": "array", "items": shape} if self._many else shape


def published(model: type[BaseModel], *, identifier: str, title: str) -> dict[str, Any]:
    """Give the JSON schema (draft 2020-12) of a document, with `identifier` as its `$id`.

    Docstrings of classes and of fields become descriptions. They are read here and not by pydantic, which
    would parse the source of every model at import.
    """
    schema = model.model_json_schema(schema_generator=_Described)
    head = {"$schema": _DIALECT, "$id": identifier, "title": title, "description": schema.pop("description")}
    parts = schema.pop("$defs", {})
    return {**head, **schema, "title": title, "$defs": parts}


class _Described(GenerateJsonSchema):
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        shape = super().model_schema(schema)
        model: type[Any] = schema["cls"]
        shape["description"] = _flat((model.__doc__ or "").strip().partition("\n\n")[0])
        properties: dict[str, Any] = shape.get("properties", {})
        for base in reversed(model.__mro__):
            for name, text in _field_docs(base):
                if name in properties:
                    properties[name]["description"] = _flat(text)
        return shape


def _flat(text: str) -> str:
    return " ".join(text.split())


def _field_docs(model: type[Any]) -> Iterator[tuple[str, str]]:
    """Give the docstring behind each field of our models; nothing where the source is not there."""
    if model.__module__.partition(".")[0] != _PACKAGE:
        return
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except OSError:
        return
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    for field, doc in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(doc, ast.Expr)
            and isinstance(doc.value, ast.Constant)
            and isinstance(doc.value.value, str)
        ):
            yield field.target.id, doc.value.value
