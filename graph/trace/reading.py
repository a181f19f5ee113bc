"""Reading a trace back: what is no trace, or one of another version, is said before anything is made of it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from ...state.errors import UnknownFormat, UnreadableInput
from ...state.formats.json_values import NotJson, is_object, parse
from .document import SCHEMA_VERSION

__all__ = ["check_document", "read_trace"]

_SHOWN = 5
"""So many wrong places are named; a file that is broken once is broken often."""


class _Open(BaseModel):
    """An object of which only what readers rely on is checked; fields of later versions pass."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, alias_generator=to_camel)


class _Named(_Open):
    id: str


class _Message(_Named):
    role: str
    content: list[dict[str, Any]]


class _Contributor(_Open):
    contributor_id: str
    status: str
    required: bool
    error: str | None = None


class _Section(_Open):
    id: str
    scopes: list[str]
    content: str | None = None


class _Attachment(_Open):
    id: str
    content: str


class _Diagnostic(_Open):
    code: str
    message: str
    source: str
    id: str | None = None
    wanted: int | None = None
    got: int | None = None


class _Contributed(_Open):
    sections: list[_Section]
    attachments: list[_Attachment]
    messages: list[dict[str, Any]]


class _Collection(_Open):
    contributors: list[_Contributor]
    collected: _Contributed | None


class _Admitted(_Open):
    sections: list[_Section]
    attachments: list[_Named]
    messages: list[_Named]
    diagnostics: list[_Diagnostic]


class _Pruned(_Open):
    message: str
    ref: str
    before: int
    after: int


class _Summary(_Open):
    outcome: str
    covered: list[str]
    replaced: str | None
    prompts_kept: list[str]
    prompts_omitted: list[str]
    checkpoint: str | None
    checkpoint_tokens: int | None
    source_tokens: int | None


class _Compaction(_Open):
    reason: str
    pruned: list[_Pruned]
    summary: _Summary


class _Window(_Open):
    kept: int
    removed: list[str]


class _Tokens(_Open):
    counter: str
    limit: int
    total: int


class _Statistics(_Open):
    tokens: _Tokens | None
    window: _Window | None


class _Rendered(_Open):
    system_prompt: str | None
    section_ids: list[str]
    history: list[_Named]
    statistics: _Statistics
    diagnostics: list[_Diagnostic]
    compaction: _Compaction | None


class _Input(_Open):
    system: str
    messages: list[_Message]
    tools: list[dict[str, Any]]


class _Config(_Open):
    mode: str
    scope: str
    budget: dict[str, Any]


class _Frame(_Open):
    node: str
    outcome: str
    to: str
    duration_us: int
    tokens: int | None


class _Error(_Open):
    code: str
    message: str


class _Recovery(_Open):
    attempt: int
    reason: str


class _Document(_Open):
    schema_version: Literal[5]
    context_id: str
    turn: int
    exported_at: str
    context_config: _Config
    selected_path: str
    collection: _Collection
    admitted: _Admitted | None
    rendered_context: _Rendered | None
    llm_input: _Input | None
    recovery: _Recovery | None = None
    error: _Error | None = None
    graph: list[_Frame]


def read_trace(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a trace file.

    Raises:
        UnreadableInput: There is no such file, it is no JSON, or it is a damaged trace.
        UnknownFormat: It is JSON but no trace, or a trace of another schema version.
    """
    name = os.fspath(path)
    try:
        if not Path(name).is_file():  # a pipe would be waited for
            raise UnreadableInput(f"{name!r} is no file", details={"path": name})
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UnreadableInput(f"cannot read {name!r}: {why}", details={"path": name}) from error
    try:
        value = parse(data)
    except NotJson as error:
        raise UnreadableInput(f"{name!r} is no JSON: {error}", details={"path": name}) from error
    return check_document(value, name=name)


def check_document(value: Any, *, name: str = "the document") -> dict[str, Any]:
    """Give a JSON value back if it is a trace document that this version reads.

    Raises:
        UnreadableInput: A damaged trace; `details["problems"]` names the places.
        UnknownFormat: No trace, or one of another schema version.
    """
    version = value.get("schemaVersion") if is_object(value) else None
    if not is_object(value) or version is None or "contextId" not in value:
        raise UnknownFormat(f"{name} is no trace: it has no schemaVersion or no contextId", details={"path": name})
    if isinstance(version, bool) or version != SCHEMA_VERSION:
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        advice = "; a newer turngraph wrote it" if newer else ""
        raise UnknownFormat(
            f"{name} is a trace of schema {version!r}, this turngraph reads schema {SCHEMA_VERSION}{advice}",
            details={"path": name, "schemaVersion": version},
        )
    if "graph" not in value:
        raise UnknownFormat(
            f"{name} is a trace of another program: it has no graph, which turngraph writes", details={"path": name}
        )
    try:
        _Document.model_validate(value)
    except ValidationError as error:
        raise _damaged(name, error) from error
    return value


def _damaged(name: str, error: ValidationError) -> UnreadableInput:
    problems: list[Mapping[str, Any]] = [
        {"path": ".".join(map(str, item["loc"])), "problem": item["msg"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    told = "; ".join(f"{item['path']}: {item['problem']}" for item in problems[:_SHOWN])
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return UnreadableInput(
        f"{name} is a damaged trace: {told}{more}", details={"path": name, "problems": problems[:50]}
    )
