"""Deferred tools: hidden until the model asks for them by `tool_search`, visible from its next turn on.

The names of hidden tools cost a few tokens each, their schemas hundreds. All of it is pure: what was promoted is an
immutable value that travels as JSON with the durable state.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self, cast

from ..state.errors import BadRequest, UsageError
from ..state.sections import ToolSpec
from .tool_search_pattern import compile_pattern

__all__ = [
    "TOOL_SEARCH",
    "TOOL_SEARCH_SPEC",
    "Promotions",
    "Searched",
    "ToolSearchAnswer",
    "guidance",
    "handle_tool_search",
    "hidden_names",
    "search",
    "visible_tools",
]

TOOL_SEARCH: Final = "tool_search"
"""The name of the tool."""
MAX_MATCHES: Final = 5
"""Tools that one search finds at most; `select:` names as many as it likes."""
MAX_QUERY_CHARS: Final = 4000
_SHOWN_CHARS: Final = 300
"""Of a description."""

TOOL_SEARCH_SPEC: Final = ToolSpec(
    name=TOOL_SEARCH,
    description=(
        "Find tools that are named in the instructions but not loaded yet. What is found can be called from your next "
        'turn on, not before. Queries: "select:NAME,OTHER" loads tools by their exact names; "+word more words" finds '
        "tools with the word in their name and ranks them by the others; anything else is a regular expression over "
        f"names and descriptions, upper and lower case the same. At most {MAX_MATCHES} are found, except by select."
    ),
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_CHARS}},
        "required": ["query"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a query found."""

    kind: Literal["select", "name", "pattern", "literal"]
    """How it was read; `literal` is a pattern that is none, or none that can be searched for safely."""
    tools: tuple[ToolSpec, ...]
    """What was found, best first."""
    total: int
    """All that match."""
    unknown: tuple[str, ...] = ()
    """Names of a `select:` that no tool has."""


def search(query: str, tools: Iterable[ToolSpec]) -> Searched:
    """Find tools; pure, linear in their texts whatever the query.

    `select:a,b` gives exactly these, in the order named. `+word other` gives tools with every `+word` in their name,
    those first that have more of the other words, a name counting double. All else is a regular expression of
    `tool_search_pattern`, hits in names before hits in descriptions; where it is none, the text itself is looked for.

    Raises:
        UsageError: The query is blank or over 4,000 code points.
    """
    text, known = query.strip(), list(tools)
    if not text or len(text) > MAX_QUERY_CHARS:
        raise UsageError(f"a query has 1 to {MAX_QUERY_CHARS} characters, got {len(text)}", details={"got": len(text)})
    if text.startswith("select:"):
        return _selected(text.removeprefix("select:"), known)
    if text.startswith("+"):
        return _named(text.split(), known)
    found, literal = _matching(text, known)
    return Searched(kind="literal" if literal else "pattern", tools=tuple(found[:MAX_MATCHES]), total=len(found))


def _selected(names: str, tools: Sequence[ToolSpec]) -> Searched:
    by_name = {tool.name: tool for tool in tools}
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    found = tuple([by_name[name] for name in wanted if name in by_name])
    unknown = tuple([name for name in wanted if name not in by_name])
    return Searched(kind="select", tools=found, total=len(found), unknown=unknown)


def _named(words: Sequence[str], tools: Sequence[ToolSpec]) -> Searched:
    required = [word[1:].casefold() for word in words if word[0] == "+" and len(word) > 1]
    others = [word.casefold() for word in words if word[0] != "+"]
    scored: list[tuple[int, ToolSpec]] = []
    for tool in tools:
        name, description = tool.name.casefold(), tool.description.casefold()
        if required and all(word in name for word in required):
            scored.append((-sum(2 * (word in name) + (word in description) for word in others), tool))
    ranked = [tool for _, tool in sorted(scored, key=lambda item: item[0])]
    return Searched(kind="name", tools=tuple(ranked[:MAX_MATCHES]), total=len(ranked))


def _matching(query: str, tools: Sequence[ToolSpec]) -> tuple[list[ToolSpec], bool]:
    """Give the tools that a pattern matches, and whether it had to be taken literally."""
    pattern = compile_pattern(query)
    if pattern is not None:
        found = _hits(pattern.found_in, tools)
        if found is not None:
            return found, False
    needle = query.casefold()
    return _hits(lambda text: needle in text.casefold(), tools) or [], True


def _hits(found_in: Callable[[str], bool | None], tools: Sequence[ToolSpec]) -> list[ToolSpec] | None:
    """Give hits in names, then in descriptions; `None` where one search gave up."""
    names: list[ToolSpec] = []
    descriptions: list[ToolSpec] = []
    for tool in tools:
        for text, hits in ((tool.name, names), (tool.description, descriptions)):
            found = found_in(text)
            if found is None:
                return None
            if found:
                hits.append(tool)
                break
    return names + descriptions


class Promotions(NamedTuple):
    """The deferred tools that a run has asked for. Immutable; the order is that of asking."""

    visible: tuple[str, ...] = ()
    """Can be called."""
    pending: tuple[str, ...] = ()
    """Found in this turn: their schemas have not been shown yet."""

    def promote(self, names: Iterable[str]) -> Self:
        """Add what was found; it waits for the next turn."""
        fresh = [name for name in dict.fromkeys(names) if name not in self.visible and name not in self.pending]
        return self._replace(pending=(*self.pending, *fresh)) if fresh else self

    def next_turn(self) -> Self:
        """Make visible what waits: to be called once before each model turn."""
        return self._replace(visible=(*self.visible, *self.pending), pending=()) if self.pending else self

    def as_json(self) -> dict[str, Any]:
        """Give `{version, visible, pending}`, to travel in `durable`."""
        return {"version": 1, "visible": list(self.visible), "pending": list(self.pending)}

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Read what `as_json` gave; `null` is none.

        Raises:
            BadRequest: It is something else.
        """
        if value is None:
            return cls()
        if not isinstance(value, Mapping):
            raise _bad(value)
        fields = cast("Mapping[str, Any]", value)
        lists = [fields.get(name) for name in ("visible", "pending")]
        if (
            set(fields) != {"version", "visible", "pending"}
            or fields["version"] != 1
            or not all(map(_are_names, lists))
        ):
            raise _bad(fields)
        visible, pending = (tuple(dict.fromkeys(cast("list[str]", names))) for names in lists)
        return cls(visible, tuple([name for name in pending if name not in visible]))


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in cast("list[object]", value))


def _bad(value: object) -> BadRequest:
    problem = {"path": "durable.tools", "value": value, "problem": "must be {version: 1, visible, pending} with names"}
    return BadRequest(f"the promoted tools are wrong: {problem['problem']}", details={"problems": [problem]})


def visible_tools(tools: Iterable[ToolSpec], promotions: Promotions) -> tuple[ToolSpec, ...]:
    """Give the tool table of a turn: all but hidden tools, and `tool_search` behind them if any tool is deferred.

    The search stays when everything is visible: the table changes as little as it can. A tool of that name among
    `tools` stands in for ours.
    """
    given = list(tools)
    shown = [tool for tool in given if not tool.deferred or tool.name in promotions.visible]
    needed = any(tool.deferred for tool in given) and all(tool.name != TOOL_SEARCH for tool in given)
    return (*shown, TOOL_SEARCH_SPEC) if needed else tuple(shown)


def hidden_names(tools: Iterable[ToolSpec], promotions: Promotions) -> tuple[str, ...]:
    """List the names that the prompt tells of: deferred tools that cannot be called yet."""
    return tuple([tool.name for tool in tools if tool.deferred and tool.name not in promotions.visible])


def guidance(name: str, promotions: Promotions | None = None) -> str:
    """Say to the model what to do instead of calling a hidden tool; the text of an error result."""
    if promotions is not None and name in promotions.pending:
        return f"The tool {name!r:.200} was found in this turn and can be called from your next turn on. Call it then."
    return (
        f"The tool {name!r:.200} is not loaded, so it was not run. Call {TOOL_SEARCH} with the query "
        f'"select:{name[:200]}"; then it can be called from your next turn on.'
    )


class ToolSearchAnswer(NamedTuple):
    """The result of a call of `tool_search`."""

    text: str
    promotions: Promotions
    is_error: bool = False


def handle_tool_search(
    arguments: Mapping[str, Any], tools: Iterable[ToolSpec], promotions: Promotions
) -> ToolSearchAnswer:
    """Answer a call: what was found is promoted. Never raises for what a model writes.

    Args:
        arguments: Of the call.
        tools: The tools of the run that its policy allows; only deferred ones are searched.
        promotions: What was promoted so far.
    """
    query = arguments.get("query")
    if not isinstance(query, str) or set(arguments) != {"query"}:
        return ToolSearchAnswer(f"{TOOL_SEARCH} takes one argument, query, a text", promotions, is_error=True)
    given = list(tools)
    try:
        found = search(query, [tool for tool in given if tool.deferred])
    except UsageError as error:
        return ToolSearchAnswer(f"{TOOL_SEARCH} failed: {error.message}", promotions, is_error=True)
    loaded = {tool.name for tool in given if not tool.deferred}
    return ToolSearchAnswer(
        _described(found, loaded, promotions), promotions.promote(tool.name for tool in found.tools)
    )


def _described(found: Searched, loaded: set[str], promotions: Promotions) -> str:
    lines = [_line(tool, promotions) for tool in found.tools]
    if lines:
        more = (
            f" {len(lines)} of {found.total} are shown; narrow the query for others."
            if found.total > len(lines)
            else ""
        )
        lines.insert(0, f"These tools can be called from your next turn on, not before.{more}")
    for name in found.unknown:
        known = "is loaded already: call it" if name in loaded else "is no tool of this run"
        lines.append(f"{name[:200]!r} {known}.")
    if not lines:
        lines.append("No tool matches. Try one word, or a name as the instructions give it with select:NAME.")
    if found.kind == "literal" and not found.tools:
        lines.append("The query is no regular expression that can be searched for; it was taken literally.")
    return "\n".join(lines)


def _line(tool: ToolSpec, promotions: Promotions) -> str:
    words = " ".join(tool.description.split())
    words = words if len(words) <= _SHOWN_CHARS else f"{words[:_SHOWN_CHARS]}…"
    now = " (can be called now)" if tool.name in promotions.visible else ""
    return f"- {tool.name}{now}{': ' if words else ''}{words}"
