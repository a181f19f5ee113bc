"""The formats that the contract names, and which of them this version reads and writes."""

from typing import Any, Final, Literal, NamedTuple

from ..errors import UnknownFormat

__all__ = ["ANTHROPIC", "CLAUDE_CODE", "CODEX", "OPENAI_CHAT", "TURNGRAPH", "known_formats", "resolve"]

TURNGRAPH: Final = "turngraph"
OPENAI_CHAT: Final = "openai-chat"
ANTHROPIC: Final = "anthropic"
CLAUDE_CODE: Final = "claude-code"
CODEX: Final = "codex"

Use = Literal["read", "write", "body"]


class _Format(NamedTuple):
    name: str
    aliases: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()


_FORMATS = (
    _Format(TURNGRAPH, (), ("read", "write")),
    _Format(OPENAI_CHAT, ("openai",), ("read", "write", "body")),
    _Format("openai-responses", ("responses",)),
    _Format(ANTHROPIC, (), ("read", "write", "body")),
    _Format("gemini"),
    _Format("bedrock"),
    _Format("langchain"),
    _Format("pydantic-ai"),
    _Format(CLAUDE_CODE, (), ("read",)),
    _Format(CODEX, (), ("read",)),
    _Format("gemini-cli"),
    _Format("kimi-context"),
    _Format("kimi-wire"),
    _Format("copilot"),
    _Format("pi"),
    _Format("cline"),
    _Format("swe-agent"),
    _Format("mini-swe-agent"),
    _Format("openhands"),
    _Format("inspect"),
    _Format("tau-bench"),
    _Format("aider"),
)
_BY_NAME = {name: entry for entry in _FORMATS for name in (entry.name, *entry.aliases)}
_DOES = {"read": "read", "write": "written", "body": "written as a request body"}


def known_formats() -> list[dict[str, Any]]:
    """List every format of the contract with its aliases and whether this version reads and writes it."""
    return [
        {
            "name": entry.name,
            "aliases": list(entry.aliases),
            "read": "read" in entry.uses,
            "write": "write" in entry.uses,
        }
        for entry in _FORMATS
    ]


def resolve(name: str, use: Use) -> str:
    """Give the canonical name of format `name`, which must serve for `use`.

    Raises `UnknownFormat` for a name that nobody knows and for one that this version cannot use so. A readable
    transcript that nobody writes is no error for `write`: what stands in for it is the caller's decision.
    """
    entry = _BY_NAME.get(name.strip().lower())
    usable = [other.name for other in _FORMATS if use in other.uses]
    if entry is None:
        raise UnknownFormat(
            f"unknown format {name!r}; {_DOES[use]} can be: {', '.join(usable)}",
            details={"format": name, "formats": usable},
        )
    if use in entry.uses or (use == "write" and "read" in entry.uses):
        return entry.name
    raise UnknownFormat(
        f"format {entry.name!r} cannot be {_DOES[use]} by this version; {_DOES[use]} can be: {', '.join(usable)}",
        details={"format": entry.name, "formats": usable},
    )
