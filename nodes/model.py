"""The model that `call` sends the input to, and the scripted double that ships for tests and replays."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..state.errors import BadRequest
from ..state.foreign import is_array, is_object
from ..state.messages import ToolCall
from ..state.model_input import ModelInput

__all__ = ["Model", "ModelError", "Reply", "ScriptedModel", "model_from_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model answered. It is not part of the returned history: the host decides what becomes of it."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Mapping[str, Any] | None = None
    finish_reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give `{text, calls}` of the contract."""
        calls = [{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in self.calls]
        return {"text": self.text, "calls": calls}


class Model(Protocol):
    """Anything that answers a model input."""

    @property
    def name(self) -> str:
        """The name that limits are remembered for."""
        ...

    @property
    def scripted(self) -> bool:
        """True: waits between attempts are reported, not slept."""
        ...

    def respond(self, model_input: ModelInput) -> Reply | Awaitable[Reply]:
        """Answer.

        Raises:
            Exception: Classified by `nodes.providers`; SDK exceptions, `ModelError`, anything.
        """
        ...


class ModelError(Exception):
    """A provider's error as a script or a thin client gives it: status and body."""

    def __init__(self, *, status: int | None, body: Any = None, message: str = "") -> None:
        super().__init__(message or f"HTTP {status}")
        self.status_code = status
        self.body = body
        self.message = message


@dataclass(slots=True)
class ScriptedModel:
    """Answers from a list, in order; none left is an error of class `unknown`."""

    responses: Sequence[Mapping[str, Any]]
    name: str = "scripted"
    scripted: bool = True
    requests: list[ModelInput] = field(default_factory=list[ModelInput])
    """The inputs it was sent."""

    def respond(self, model_input: ModelInput) -> Reply:
        """Give the next reply or raise the next error."""
        number = len(self.requests)
        self.requests.append(model_input)
        if number >= len(self.responses):
            raise ModelError(status=None, message=f"the script has {len(self.responses)} responses, none is left")
        response = self.responses[number]
        error = response.get("error")
        if error is not None:
            message = str(error.get("message") or "")
            raise ModelError(status=error.get("status"), body=error.get("body"), message=message)
        calls = tuple([_call(call, at) for at, call in enumerate(response.get("calls") or ())])
        return Reply(
            text=response.get("text") or "",
            calls=calls,
            usage=response.get("usage"),
            finish_reason=response.get("finish_reason"),
        )


def _call(value: Mapping[str, Any], at: int) -> ToolCall:
    arguments = value.get("arguments", value.get("args", {}))
    return ToolCall(id=str(value.get("id", f"call_{at}")), name=str(value["name"]), arguments=arguments)


def model_from_json(value: Any) -> ScriptedModel | None:
    """Make the model of a request: `null` or `{"kind": "scripted", "responses": [...]}`.

    Raises:
        BadRequest: Another kind, or wrong fields.
    """
    if value is None:
        return None
    problems: list[dict[str, Any]] = []
    if not is_object(value):
        problems.append({"path": "model", "value": value, "problem": "must be null or an object"})
    else:
        if value.get("kind") != "scripted":
            problem = "the only kind is 'scripted'"
            problems.append({"path": "model.kind", "value": value.get("kind"), "problem": problem})
        extra = sorted(set(value) - {"kind", "responses"})
        problems.extend({"path": f"model.{name}", "value": value[name], "problem": "unknown field"} for name in extra)
        responses = value.get("responses")
        if not is_array(responses):
            problems.append({"path": "model.responses", "value": responses, "problem": "must be a list"})
        else:
            problems.extend(_response_problems(responses))
    if problems:
        lines = "; ".join(f"{item['path']}: {item['problem']}, found {item['value']!r}" for item in problems)
        raise BadRequest(f"The request's model is wrong: {lines}", details={"problems": problems})
    return ScriptedModel(value["responses"])


def _response_problems(responses: list[Any]) -> list[dict[str, Any]]:
    known = {"text", "calls", "usage", "finish_reason", "error"}
    problems: list[dict[str, Any]] = []
    for number, response in enumerate(responses):
        path = f"model.responses[{number}]"
        if not is_object(response):
            problems.append({"path": path, "value": response, "problem": "must be an object"})
            continue
        problems.extend(
            {"path": f"{path}.{name}", "value": response[name], "problem": "unknown field"}
            for name in sorted(set(response) - known)
        )
        error = response.get("error")
        if error is not None and not is_object(error):
            problems.append({"path": f"{path}.error", "value": error, "problem": "must be an object"})
        for at, call in enumerate(response.get("calls") or ()):
            if not is_object(call) or not isinstance(call.get("name"), str):
                problems.append({"path": f"{path}.calls[{at}]", "value": call, "problem": "needs a name"})
    return problems
