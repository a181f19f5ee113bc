"""What is worth keeping of a text, found without a model: paths, identifiers, error lines, one-line outcomes.

Every function is linear in the text; patterns have no nested repetition.
"""

import re

__all__ = ["FactFinder", "error_lines", "outcome_of", "shorten", "whole_words", "worth"]

_TOKEN = re.compile(r"[A-Za-z0-9_.@+~/-]{6,}+")
_LETTER, _DIGIT = re.compile(r"[A-Za-z]"), re.compile(r"[0-9]")
_FILE_NAME = re.compile(
    r"[\w.-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|sql|md|rst|txt|json|jsonl|"
    r"toml|yaml|yml|ini|cfg|csv|tsv|parquet|html|css|xml|svg|png|jpg|pdf|log|lock|ipynb|R|tex)"
)
_LINE_MARK = re.compile(r"(\.[a-z]{1,4})-[0-9]+(?:-.*)?$")
"""What `grep -n` sets behind the name of a file, around a match."""
_LONGEST = 160
"""A longer run of characters is data (base64, minified code), not a name."""

_ERROR_WORDS = (
    "Error",
    "error",
    "ERROR",
    "Exception",
    "FAIL",
    "fatal",
    "panic",
    "exit code",
    "Exit code",
    "denied",
    "No such file",
    "not found",
)
_ERROR_LINE = re.compile(
    r"(?:E +)?(?:[\w./\\-]{1,200}:[0-9]+:?(?:[0-9]+:)? )?"
    r"(?:[\w.]{0,100}(?:Error|Exception)|fatal|[Ee]rror|ERROR|panic|FAILED|FAIL)(?:[:\[(! ]|$)"
    r"|.{0,60}\b[Ee]xit(?:ed with)? code:? [1-9]|.{0,200}(?:Permission denied|No such file|not found$)"
)
_LONGEST_ERROR = 300
_COUNTED = re.compile(
    r"[0-9] (?:passed|failed|errors?|warnings?|tests?|files?|matches|results?|rows|insertions?|deletions?)\b"
)
_TAIL = 1500
"""The line of numbers, where there is one, stands near the end."""
_NEWLINE = "\n"
_WORD = re.compile(r"\S+")
_PREVIEW = "[tool output shortened: "


def shorten(text: str, limit: int) -> str:
    """Give the beginning of `text` on one line, at most `limit` code points, with `…` where it was cut."""
    body = text.strip()
    line = " ".join(body[: 4 * limit].split())
    if len(line) <= limit and len(body) <= 4 * limit:
        return line
    return f"{line[: limit - 1].rstrip()}…"


class FactFinder:
    """Finds paths, file names and identifiers (8 characters or more, a letter and a digit).

    It remembers what it looked at: the texts of one conversation repeat their names.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __call__(self, text: str) -> list[str]:
        """List the facts of a text, each once, in order."""
        names = self._names
        found: dict[str, None] = {}
        for token in dict.fromkeys(_TOKEN.findall(text)):
            if token.isalpha():
                continue
            name = names.get(token)
            if name is None:
                name = names[token] = _name(token) if len(token) <= _LONGEST else ""
            if name:
                found[name] = None
        return list(found)


def _name(token: str) -> str:
    """Give the name that a run of characters is, without sentence marks at its ends, or `""`."""
    name = token.lstrip("-+@").rstrip(".-+@")
    if "-" in name and "." in name:
        name = _LINE_MARK.sub(r"\1", name)
    if "/" in name.strip("/~."):
        return name if len(name) >= 6 and _LETTER.search(name) else ""
    if "." in name:
        return name if _FILE_NAME.fullmatch(name) else ""
    return name if len(name) >= 8 and _DIGIT.search(name) and _LETTER.search(name) else ""


def whole_words(text: str) -> str:
    """Give a text without the pieces of words at the cut of a preview; the line of the cut stays."""
    begin = text.find(_PREVIEW)
    if begin < 0:
        return text
    end = text.find(_NEWLINE, begin)
    end = len(text) if end < 0 else end
    head, tail = text[:begin].removesuffix(_NEWLINE), text[end + 1 :]
    whole = max(head.rfind(blank) for blank in " \t\n")
    piece = _WORD.match(tail)
    return f"{head[: whole + 1]}{text[begin:end]}{tail[piece.end() if piece else 0 :]}"


def worth(fact: str) -> float:
    """Weigh a fact: a bare file name says less than a path; `true/false` looks like a path and seldom is one."""
    if "/" not in fact:
        return 0.6 if "." in fact else 1.0
    return 0.4 if fact.count("/") == 1 and fact.replace("/", "").isalpha() else 1.0


def error_lines(text: str, most: int) -> list[str]:
    """List the first lines that report an error, at most `most`, each once and at most 300 code points long.

    A line of code or of a listing that only mentions an error is not one: the report stands at its beginning.
    """
    starts: set[int] = set()
    for word in _ERROR_WORDS:
        place = text.find(word)
        while place >= 0:
            starts.add(text.rfind("\n", 0, place) + 1)
            end = text.find("\n", place)
            place = text.find(word, end) if end >= 0 else -1
    lines: dict[str, None] = {}
    for start in sorted(starts):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)][: 4 * _LONGEST_ERROR].strip()
        if len(line) <= _LONGEST_ERROR and _ERROR_LINE.match(line):
            lines[line] = None
            if len(lines) >= most:
                break
    return list(lines)


def outcome_of(text: str) -> str:
    """Give what a result says in one line: itself if it is short, its line of numbers, or its length.

    `""` for a preview: its length says nothing.
    """
    body = text.strip()
    if not body:
        return "no output"
    if len(body) <= 160:
        return shorten(body, 160)
    tail = body[-_TAIL:]
    counted = list(_COUNTED.finditer(tail))
    if counted:
        place = counted[-1].start()
        end = tail.find("\n", place)
        return shorten(tail[tail.rfind("\n", 0, place) + 1 : end if end >= 0 else len(tail)].strip("= "), 120)
    return "" if _PREVIEW in body else f"{body.count(_NEWLINE) + 1} lines"
