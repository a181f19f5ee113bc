"""The eight sections of a checkpoint: how a candidate text is read, and how a section's body is kept one.

A body is *canonical* when it is well-formed, escaped, without blank edges and without a line that a reader of
the rendered checkpoint could take for structure. Making a body canonical twice changes nothing more.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .envelopes import CHECKPOINT_MARKERS, escape
from .wellformed import well_formed

__all__ = [
    "COMPLETED",
    "ENGINE_HEADING",
    "NEXT_STEP",
    "SECTIONS",
    "TRANSCRIPT_LINE",
    "ParsedSections",
    "canonical_body",
    "parse_sections",
    "unknown_refs",
]

COMPLETED = "Completed work and verified findings"
NEXT_STEP = "Next step"
SECTIONS = (
    "Primary request and intent",
    COMPLETED,
    "Evidence, artifacts, and references",
    "Decisions and constraints",
    "Failed or abandoned leads",
    "Pending requirements",
    "Optional leads",
    NEXT_STEP,
)
"""The titles, in the order in which they are always written."""

ENGINE_HEADING = "# Earlier user messages"
"""The line behind the sections with which the engine's own part begins."""
TRANSCRIPT_LINE = re.compile(r"^\[folded messages: ref=([^\s;\]]+); read_tool_output returns them\]$", re.MULTILINE)
"""The line that names the stored text of everything that was folded."""

_BY_NAME: Mapping[str, str] = {title.casefold(): title for title in SECTIONS}
_HEADING = re.compile(r" {0,3}(#{1,6})(?!#)(.*)")
_NUMBER = re.compile(r"^[0-9]{1,2}[.)][ \t]+")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|[0-9]{1,4}[.)])[ \t]", re.MULTILINE)
_WRAPPER = re.compile(r"^(?:<|&lt;)/?checkpoint(?: authority=\"data_only\")?>$")
_FENCE = re.compile(r"\A\s*```[a-z]*\n(#.*)\n```\s*\Z", re.DOTALL)
_BREAK = re.compile(r"(?<!\r)\r++\n")
_REF = re.compile(r"(?<![A-Za-z0-9_-])tool-output-[0-9a-f]+(?![A-Za-z0-9_-])")


class ParsedSections(NamedTuple):
    """A candidate text, sorted into the eight sections."""

    sections: Mapping[str, str]
    """All eight titles; `""` where there is nothing."""
    problems: tuple[str, ...]
    """What was wrong with the shape, in short words for the report's warnings."""


@dataclass(slots=True)
class _Filing:
    """Where the lines of a candidate go while it is read."""

    bodies: dict[str, list[str]] = field(default_factory=lambda: {title: [] for title in SECTIONS})
    seen: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    loose: bool = False
    """Text stood outside of the known sections."""


def parse_sections(text: str) -> ParsedSections:
    """Sort a candidate into the eight sections; never raises; linear.

    Headings are `#` to `######` and a title, case ignored, with or without a number, bold marks, a closing
    colon or closing `#`. Text outside of the eight is kept under "Completed work and verified findings": text
    before the first heading as it is, an unknown heading of the level of the sections with its heading. A
    deeper unknown heading is text of its section. What claims to be the engine's own part is left out.
    """
    fenced = _FENCE.match(text)
    body = fenced.group(1) if fenced else text
    filing = _Filing()
    ignored = _file_lines(_BREAK.sub("\n", body).split("\n"), filing)
    return ParsedSections(
        {title: _joined(lines) for title, lines in filing.bodies.items()}, _problems(filing, ignored=ignored)
    )


def _file_lines(lines: list[str], filing: _Filing) -> bool:
    """File each line; tell whether an engine's part was met and left out."""
    current, level, in_code, known = COMPLETED, 2, False, False
    for line in lines:
        if line.rstrip() == ENGINE_HEADING:
            return True
        heading = _HEADING.match(line) if "#" in line else None
        title = _known_title(heading.group(2)) if heading else None
        if heading and title:
            current, level, in_code, known = title, len(heading.group(1)), False, True
            filing.seen.append(title)
            continue
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif heading and not in_code and len(heading.group(1)) <= level and _is_heading(line):
            name = heading.group(2).rstrip("#").strip()
            filing.unknown.append(name)
            filing.loose = True
            current, known = COMPLETED, False
            filing.bodies[current].append(f"### {name}")
            continue
        if line.strip() in CHECKPOINT_MARKERS or _WRAPPER.match(line.strip()):
            continue
        if not known and line.strip():
            filing.loose = True
        filing.bodies[current].append(line)
    return False


def _known_title(words: str) -> str | None:
    name = words.strip().rstrip("#").strip().strip("*_").strip()
    name = _NUMBER.sub("", name).strip("*_").rstrip(":").rstrip("*_").strip()
    return _BY_NAME.get(name.casefold())


def _is_heading(line: str) -> bool:
    """Tell a heading from `#!/bin/sh` or `#123`: a blank stands behind the marks, and words behind it."""
    marks, _, words = line.strip().partition(" ")
    return not marks.strip("#") and bool(words.strip("# "))


def _joined(lines: list[str]) -> str:
    body = "\n".join(lines).strip()
    return "" if _says_none(body) else body


def _says_none(body: str) -> bool:
    return len(body) <= 12 and body.strip(" -*().\t").casefold() == "none"


def _problems(filing: _Filing, *, ignored: bool) -> tuple[str, ...]:
    problems = [f"unknown heading: {name[:80]}" for name in dict.fromkeys(filing.unknown)]
    if ignored:
        problems.append("quoted messages left out: only the engine quotes them")
    if filing.loose:
        problems.append(f"text outside the sections: filed under {COMPLETED}")
        if not filing.seen:
            problems.append("no known heading")
    for title in SECTIONS:
        count = filing.seen.count(title)
        if count == 0:
            problems.append(f"missing section: {title}")
        elif count > 1:
            problems.append(f"duplicate section merged: {title}")
    if len(_ITEM.findall("\n".join(filing.bodies[NEXT_STEP]))) > 1:
        problems.append("more than one item under Next step")
    return tuple(problems)


def unknown_refs(text: str, known: Container[str]) -> tuple[str, ...]:
    """List the references to stored outputs in `text` that are not in `known`, each once, in order."""
    found = dict.fromkeys(_REF.findall(text))
    return tuple(ref for ref in found if ref not in known)


def canonical_body(body: str) -> str:
    """Give a section's body as it is written (see above); `""` for a blank one and for "(none)"."""
    clean = _BREAK.sub("\n", escape(well_formed(body))).strip()
    if "#" in clean or "[folded" in clean:
        clean = "\n".join(f"> {line}" if _is_structure(line) else line for line in clean.split("\n"))
    return "" if _says_none(clean) else clean


def _is_structure(line: str) -> bool:
    if line.startswith("[folded messages:") or line.rstrip() == ENGINE_HEADING:
        return True
    heading = _HEADING.match(line)
    return heading is not None and _known_title(heading.group(2)) is not None
