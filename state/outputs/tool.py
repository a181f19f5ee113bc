"""The reader as a tool for the model: its description, and the handler that never raises."""

from collections.abc import Mapping
from typing import Any, Final

from ..errors import TurngraphError, UsageError
from .pages import PAGE_BYTES, Page, parse_range
from .reader import MAX_QUERY_CHARS, Range, read_page
from .store import OutputStore

__all__ = ["READ_TOOL_OUTPUT", "READ_TOOL_OUTPUT_SPEC", "handle_read_tool_output"]

READ_TOOL_OUTPUT: Final = "read_tool_output"
"""The name of the tool."""

_SEARCH_OPTIONS: Final = ("case_sensitive", "context_chars", "max_matches")
_LISTED_MATCHES: Final = 20
_HEADER_BYTES: Final = 4 * 1024
"""Kept free of the page's bound for the header, so that header and text together stay under it."""

READ_TOOL_OUTPUT_SPEC: Final[dict[str, Any]] = {
    "name": READ_TOOL_OUTPUT,
    "description": (
        "Read the stored full text of an earlier tool result that was shortened in the conversation. "
        "Give the ref from the shortened result and one of: query (best when you know what to look for: a "
        "literal search that shows each match with its context), else lines (a range of lines), else chars "
        "(a range of characters, for lines wider than a page). With none it reads from the first line. "
        "A page holds at most 40 KiB and says how to read on."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "ref": {
                "type": "string",
                "description": "The reference, tool-output- and hex digits, exactly as it was given.",
            },
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_QUERY_CHARS,
                "description": "Literal text to find, no pattern; upper and lower case are the same.",
            },
            "lines": {
                "type": "string",
                "description": 'First and last line, from 1, as "A:B"; "A:" reads on from A.',
            },
            "chars": {
                "type": "string",
                "description": 'Characters from A to before B, from 0, as "A:B"; "A:" reads on from A.',
            },
            "case_sensitive": {"type": "boolean", "description": "Only with query; default false."},
            "context_chars": {
                "type": "integer",
                "minimum": 0,
                "description": "Only with query: characters around each match; default 500.",
            },
            "max_matches": {
                "type": "integer",
                "minimum": 1,
                "description": "Only with query: matches to show; default 5.",
            },
        },
        "required": ["ref"],
        "additionalProperties": False,
    },
}
"""The tool as data: name, description, JSON schema of the arguments."""


def handle_read_tool_output(store: OutputStore, arguments: Mapping[str, Any]) -> str:
    """Answer a call of the tool: a header line, a blank line, the page; or what is wrong, in words.

    The answer is at most `PAGE_BYTES` of UTF-8. Arguments that are null count as left out. A failing store
    is an answer too.
    """
    try:
        return _rendered(_page(store, arguments))
    except TurngraphError as error:
        return f"{READ_TOOL_OUTPUT} failed ({error.code}): {error.message}"
    except OSError as error:
        return f"{READ_TOOL_OUTPUT} failed: the stored outputs cannot be read ({error.strerror or error})"


def _page(store: OutputStore, arguments: Mapping[str, Any]) -> Page:
    given = {name: value for name, value in arguments.items() if value is not None}
    schema = READ_TOOL_OUTPUT_SPEC["parameters"]["properties"]
    for name, value in given.items():
        if name not in schema:
            raise UsageError(f"there is no argument {name!r:.100}; there are {', '.join(schema)}")
        wanted = {"string": str, "integer": int, "boolean": bool}[schema[name]["type"]]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is int):
            raise UsageError(f"{name} must be of type {schema[name]['type']}, got {value!r:.100}")
    if "ref" not in given:
        raise UsageError("ref is missing")
    stray = [name for name in _SEARCH_OPTIONS if name in given and "query" not in given]
    if stray:
        raise UsageError(f"{', '.join(stray)} can only stand beside query")
    return read_page(
        store,
        given["ref"],
        query=given.get("query"),
        lines=_range(given.get("lines")),
        chars=_range(given.get("chars")),
        case_sensitive=given.get("case_sensitive", False),
        context_chars=given.get("context_chars", 500),
        max_matches=given.get("max_matches", 5),
        limit_bytes=PAGE_BYTES - _HEADER_BYTES,
    )


def _range(text: str | None) -> Range | None:
    return None if text is None else parse_range(text)


def _rendered(page: Page) -> str:
    facts = [page.ref]
    if page.tool:
        facts.append(f"tool {page.tool[:100]}")
    facts.append(_extent(page))
    if page.next is not None:
        facts.append(f'continue with {page.mode} "{page.next}:"')
    if page.next_char is not None:
        facts.append(f'line {page.range[0]} is wider than a page: continue with chars "{page.next_char}:"')
        if page.range[1] < page.total:
            facts.append(f'or skip its rest with lines "{page.range[1] + 1}:"')
    header = " | ".join(facts)
    return f"{header}\n\n{page.text}" if page.text else header


def _extent(page: Page) -> str:
    first, last = page.range
    if page.matches is not None:
        if not page.total:
            return "no match; try another wording, or read lines"
        listed = page.matches[:_LISTED_MATCHES]
        places = ", ".join(f"line {match.line} chars {match.start}:{match.end}" for match in listed)
        more = ", ..." if len(page.matches) > len(listed) else ""
        shown = f"{len(page.matches)} of {page.total} matches ({places}{more})"
        return shown if not page.truncated else f"{shown}; raise max_matches or narrow the query for others"
    if not page.text:
        return f"nothing there: the text has {page.total} {'lines' if page.mode == 'lines' else 'characters'}"
    if page.mode == "lines":
        return f"lines {first}-{last} of {page.total}"
    return f"chars {first}:{last} of {page.total}"
