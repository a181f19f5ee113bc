"""The AssemblyRequest: everything that one assembly needs, as one JSON document that any language can write."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, cast

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema

from .budget import Budget
from .errors import BadRequest, BudgetInvalid, UnknownSummarizer
from .formats import message_from_json
from .formats.json_values import is_array, is_object
from .memory import PressureMemory
from .message_shape import ContributedShape
from .messages import Message, Origin, Role
from .outputs import is_ref
from .request_parts import (
    AttachmentItem,
    DurableItem,
    HistoryItem,
    ModelItem,
    OutputsItem,
    RecoveryItem,
    SectionItem,
    SummarizerItem,
    ToolItem,
    TurnItem,
    later,
)
from .request_problems import DocumentProblem, doubled, problems_of, worded
from .schema import ShapeOf
from .sections import Scope
from .strict import ContextId, Items, Name, Strict, VersionOne, wrong

__all__ = ["AssemblyRequest", "read_request"]

_LATER_MODES: Final = ("legacy", "shadow")
_CONTRIBUTED: Final = Origin("contribution")


def _mode(value: str | None) -> str | None:
    if value is not None and value.strip().lower() in _LATER_MODES:
        raise wrong("is not in this version yet: use 'dynamic'")
    return value


class AssemblyRequest(Strict):
    """Everything that one assembly needs. Unknown fields are refused; what is left out has its default.

    Read one with `read_request`, which finds more than the types can say.
    """

    version: VersionOne = 1
    """Of this document."""
    history: HistoryItem
    """The conversation so far."""
    sections: Items[SectionItem] = ()
    """Pieces of the system prompt, behind the system text of the history."""
    attachments: Items[AttachmentItem] = ()
    """Data for this turn."""
    messages: Annotated[list[Any], ShapeOf(ContributedShape, many=True)] = Field(default_factory=list[Any])
    """Contributed messages, for this turn only."""
    tools: Items[ToolItem] = ()
    """The tools that the model may call."""
    budget: Annotated[dict[str, Any], ShapeOf(Budget)] = Field(default_factory=dict[str, Any])
    """The bounds; what is left out comes from the environment, the bound model or the default."""
    mode: Annotated[str | None, BeforeValidator(lambda value: _mode(value) if isinstance(value, str) else value)] = None
    """`dynamic`, which null and blank stand for; `legacy` and `shadow` are for a later version."""
    scope: Scope = "main"
    """Whose turn this is; selects the sections."""
    context_id: ContextId = "default"
    """Name of the conversation."""
    turn: TurnItem | None = None
    """Absent or null: a standalone call, turn 1 and never a new one."""
    counter: Name = "conservative"
    """Who counts tokens: `conservative`, `tiktoken:o200k_base`, `tiktoken:cl100k_base`."""
    run_contract: Annotated[
        Any,
        later(None, "", {}),
        WithJsonSchema({"anyOf": [{"type": "null"}, {"const": ""}, {"type": "object", "maxProperties": 0}]}),
    ] = None
    """The agreed objective; for a later version of turngraph, which alone takes more than an empty one."""
    skills: Annotated[
        Any,
        later(None, []),
        WithJsonSchema({"anyOf": [{"type": "null"}, {"type": "array", "maxItems": 0}]}),
    ] = None
    """The skills on offer; for a later version of turngraph, which alone takes more than an empty list."""
    durable: DurableItem | None = None
    """The `durable` of the last result of this conversation."""
    summarizer: SummarizerItem | None = None
    """Who writes checkpoints; absent or null: the extractive one."""
    model: ModelItem | None = None
    """Bound, the run ends with its reply; null ends with the model input."""
    outputs: OutputsItem | None = None
    """Where whole tool outputs lie; null: nowhere, results without a reference stay whole."""
    recovery: RecoveryItem | None = None
    """Asks for the one forced pass."""
    deadline_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Seconds for the whole assembly, model call included."""

    def contributed(self) -> tuple[Message, ...]:
        """Give the contributed messages. A role other than user is kept, so that the run refuses it."""
        return tuple([_contributed(value, at) for at, value in enumerate(self.messages)])

    def memory(self) -> PressureMemory | None:
        """Give what the pressure handling remembers, if anything was handed back."""
        pressure = self.durable.pressure if self.durable is not None else None
        return PressureMemory.from_json(pressure) if pressure is not None else None


def read_request(value: object, *, budget_argument: Mapping[str, Any] | None = None) -> AssemblyRequest:
    """Read a request, the result of parsing its JSON. Cost: linear in the request, the history left alone.

    The values of the budget are judged when the budget is resolved, the mode when it is, the messages of the
    history by the reader of their format.

    Args:
        value: The document.
        budget_argument: Budget values that replace those of the request; what is replaced is not judged.

    Raises:
        BadRequest: Fields are wrong; `details["problems"]` lists all of them as `{path, value, problem}`.
        UnknownSummarizer: Nothing else is wrong than the kind of the summariser.
    """
    found: list[DocumentProblem] = []
    request = None
    try:
        request = AssemblyRequest.model_validate(value)
    except ValidationError as error:
        found += problems_of(error, value)
    if is_object(value):
        found += _deeper_problems(value, budget_argument or {})
    if request is None or found:
        raise _error(found)
    return request


def _error(found: Sequence[DocumentProblem]) -> BadRequest | UnknownSummarizer:
    unknown = next((item for item in found if _is_unknown_summarizer(item)), None)
    if unknown is not None and len(found) == 1:
        kinds = ["extractive", "scripted", "none"]
        kind = unknown.value.get("kind")
        return UnknownSummarizer(
            f"summarizer.kind must be one of {', '.join(kinds)}, found {kind!r}",
            details={"kind": kind, "known": kinds},
        )
    return BadRequest(
        f"The request is wrong: {worded(found)}", details={"problems": [item.as_json() for item in found]}
    )


def _is_unknown_summarizer(item: DocumentProblem) -> bool:
    return item.path == "summarizer.kind" and item.kind == "union_tag_invalid"


def _deeper_problems(document: Mapping[str, Any], budget_argument: Mapping[str, Any]) -> Iterator[DocumentProblem]:
    """Find what types cannot say. Parts of a wrong type are passed over: pydantic names them."""
    for path, key in (("sections", "id"), ("attachments", "id"), ("tools", "name")):
        yield from doubled(path, key, document.get(path))
    messages: object = document.get("messages")
    for at, message in enumerate(messages if is_array(messages) else ()):
        yield from _refused(partial(_contributed, message, at))
    budget: object = document.get("budget")
    if is_object(budget):
        yield from _refused(partial(Budget.resolve, argument=budget_argument, request=budget, env={}))
    for ref in _object_in(document.get("outputs"), "items"):
        if not is_ref(ref):
            rule = "must be a reference: tool-output- and 16 to 64 lower-case hex digits"
            yield DocumentProblem("outputs.items", ref, rule)
    pressure = _object_in(document.get("durable"), "pressure")
    if pressure:
        yield from _refused(partial(PressureMemory.from_json, pressure))


def _object_in(value: object, name: str) -> Mapping[str, Any]:
    """Give the object at `name`; an empty one where there is none."""
    inner: object = value.get(name) if is_object(value) else None
    return inner if is_object(inner) else {}


def _refused(read: Callable[[], object]) -> Iterator[DocumentProblem]:
    """Give the problems that a stricter reader finds; values out of range are for the budget itself."""
    try:
        read()
    except BadRequest as error:
        for item in error.details["problems"]:
            words = item.get("problem") or item.get("rule") or error.message
            yield DocumentProblem(item["path"], item.get("value"), words)
    except BudgetInvalid:
        return


def _contributed(value: object, at: int) -> Message:
    path = f"messages[{at}]"
    item = value if is_object(value) else {}
    role: object = item.get("role")
    if not isinstance(role, str):
        place, found = (f"{path}.role", role) if is_object(value) else (path, value)
        problem = {"path": place, "value": found, "problem": "must be a message with role 'user'"}
        raise BadRequest("A contributed message has no role", details={"problems": [problem]})
    if role != "user":
        return Message(role=cast("Role", role), content=(), origin=_CONTRIBUTED)  # `collect` names the role
    content: object = item.get("content")
    if isinstance(content, str):
        item = {**item, "content": [{"type": "text", "text": content}]}
    return message_from_json(item, path)
