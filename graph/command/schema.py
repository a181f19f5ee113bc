"""`turngraph schema`: the JSON schemas of our documents."""

from enum import StrEnum
from typing import Annotated

import typer

from .streams import write_document

__all__ = ["Document", "schema", "schema_of"]


class Document(StrEnum):
    """The documents that have a schema."""

    request = "request"
    result = "result"


def schema_of(document: Document) -> dict[str, object]:
    """Give the JSON schema (draft 2020-12) of a document."""
    from ...state.request import AssemblyRequest
    from ...state.result import AssemblyResult
    from ...state.schema import published

    model = AssemblyRequest if document is Document.request else AssemblyResult
    return published(model, identifier=f"urn:turngraph:schema:assembly-{document.value}:1", title=model.__name__)


def schema(
    document: Annotated[Document, typer.Argument(help="Which document.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="The same: a schema is JSON anyway.")] = False,  # noqa: ARG001
) -> None:
    """Print the JSON schema of an AssemblyRequest or an AssemblyResult."""
    write_document(schema_of(document), pretty=True)
