"""The numbers of an error and their roles: what is the limit, what was asked for, which part of it.

A number's role follows from the words beside it: the nearest word before it that decides (`limit of`, `requested`,
`contains`), and the part of the request behind it (`in the messages`, `output tokens`). No sentence is known by heart.
"""

import re
import string
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from . import number_words as nw
from .amounts import AMOUNT, value_of
from .words import Sentence

__all__ = ["Noun", "numbers"]

Noun = Literal["tokens", "output", "rate", "messages", "images", "bytes"]
"""What is counted: it names the keys. `output`: the limit is the output cap, the request the output asked for."""

_LARGEST: Final = 10**12
_UNIT: Final = (
    r"(?: ?\(?(?:input |output |document |total )?"
    r"(?:tokens?|bytes?|images?|messages?|documents?|pages?|items|characters)\)?)?"
)
_COMPARED: Final = re.compile(
    rf"(?P<left>{AMOUNT}){_UNIT}(?: ?\+ ?(?P<more>{AMOUNT}){_UNIT})? ?(?:>|vs\.?) ?"
    rf"(?P<right>{AMOUNT})(?P<minus> ?- ?\d[\d,._]*)?"
)
_BOUNDS: Final = re.compile(
    rf"[\[(]\s*\d+\s*(?:,|~|-|to)\s*(?P<a>{AMOUNT})\s*(?P<open>[\])])"
    rf"|(?:from|between|range of|in)\s+\d+\s*(?:\(\w+\)\s*)?(?:to|and|-)\s+(?P<b>{AMOUNT})\s*(?P<half>\(exclusive\))?"
)
_CODE: Final = re.compile(r"(\binvalid params\b.*)\(\d{4}\)$")
"""MiniMax ends its sentence with its own error number: `invalid params, context window exceeds limit (2013)`."""
_TOKEN: Final = re.compile(rf"([a-z_][a-z0-9_]*|<=|<|[,;:(+])|(?<![\w./\[-])(?<!\d:)({AMOUNT})(?![a-z0-9_]|[-:/][0-9])")
"""Words and amounts. A digit in `claude-3`, `messages.2`, `v1/x`, `2s`, `m[3]`, `2026-08-06` is no amount."""
_DIGIT: Final = re.compile("[0-9]")
_WORDS_ONLY: Final = string.ascii_lowercase + string.whitespace + string.punctuation
_NEAR: Final = 64
"""Characters before the first and behind the last digit of a sentence that may say what the numbers are."""
_REACH: Final = 8
"""A word decides for a number at most this many words behind it."""
_FAR: Final = 5
"""Words behind a number that may name its part."""
_MOST: Final = 400
"""Words of one sentence that are read."""


class _Before:
    """The words before a number that may give it its role."""

    __slots__ = ("strong", "strong_at", "weak", "window_at")

    def __init__(self) -> None:
        self.strong: str | None = None
        self.weak: str | None = None
        self.strong_at = self.window_at = -_REACH

    def take(self, kind: str, word: str, at: int) -> None:
        """Take a word that `BEFORE` knows."""
        if kind == "weak":
            self.weak = self.weak or "weak"
        elif kind == "weak_output":
            self.weak = self.weak or "output"
        else:
            self.strong, self.strong_at = kind, at
            if kind == "stop":
                self.weak = None
            elif word in nw.WINDOW:
                self.window_at = at

    def role(self, last: str, at: int) -> str | None:
        """Say what the words make of the number behind them: the nearest that decides, else whose number it is."""
        directly = nw.DIRECTLY.get(last)
        if directly is not None:
            return directly
        near = self.strong is not None and at - self.strong_at <= _REACH
        if not near or self.strong == "stop":
            return self.weak or ("stop" if near else None)
        if self.strong == "limit" and self.window_at >= max(0, self.strong_at - 4):
            return "window"
        return self.strong


class _Open:
    """A number whose part may still be named behind it."""

    __slots__ = ("at", "exceeding", "part", "previous", "role", "value")

    def __init__(self, value: int, role: str | None, at: int) -> None:
        self.value, self.role, self.at = value, role, at
        self.part: str | None = None
        self.previous = ""
        self.exceeding = False

    def closed_by(self, word: str, at: int) -> bool:
        """Take the next word; whether nothing more is said of the number."""
        if self.exceeding:
            # `(8200) exceeded this window` names what was asked for, `limit of 8200 exceeded` does not.
            self.role = "found" if word in nw.OBJECTS else self.role
            return True
        part = nw.BEHIND.get(word)
        if part == "subject":
            self.exceeding = True
            return False
        previous, self.previous = self.previous, word
        if part is None or (part == "past" and word == "for" and previous in {"", "tokens"}):
            return at - self.at >= _FAR
        if part != "past" and (word != "limit" or previous in {"token", "tokens"}):
            self.part = part
        return True


def numbers(noun: Noun, said: Iterable[Sentence], fields: Mapping[str, int]) -> dict[str, int]:
    """Give the numbers of the sentences by the contract's keys, in the contract's order.

    Args:
        noun: What the class of the error is about.
        said: The sentences, prose only.
        fields: `limit` and `requested` as the error object holds them; they win.
    """
    found = _Found(noun)
    for text, _ in said:
        digit = _DIGIT.search(text)
        if digit is not None:
            found.sentence(text[max(0, digit.start() - _NEAR) : len(text.rstrip(_WORDS_ONLY)) + _NEAR])
    return found.result(fields)


class _Found:
    """Numbers by role; the first number in a role keeps it."""

    def __init__(self, noun: Noun) -> None:
        self.noun: Noun = noun
        self.roles: dict[str, int] = {}

    def put(self, role: str, value: int | None) -> None:
        # A share of zero output is said on purpose; any other zero is a placeholder.
        if value is not None and 0 <= value <= _LARGEST and (value or role in {"output", "used"}):
            self.roles.setdefault(role, value)

    def sentence(self, text: str) -> None:
        """Read one sentence."""
        if "maxlength" in text:
            return  # a length in the sense of JSON Schema: characters, not tokens
        if "invalid params" in text:
            text = _CODE.sub(r"\1", text)
        if self.noun in {"tokens", "output"}:
            text = self.bounds(text)
        if ">" in text or " vs" in text:
            text = self.comparison(text)
        self.walk(text)

    def bounds(self, text: str) -> str:
        """Read `[1, 8192]` or `from 1 to 8193 (exclusive)`, give the rest of the sentence."""
        if "[" not in text and "range" not in text and "between" not in text:
            return text
        found = _BOUNDS.search(text)
        if found is None:
            return text
        upper = value_of(found["a"] or found["b"])
        half_open = found["open"] == ")" or found["half"] is not None
        self.put("limit", None if upper is None else upper - half_open)
        return f"{text[: found.start()]} {text[found.end() :]}"

    def comparison(self, text: str) -> str:
        """Read `A > B` or `A + B > C`, give the rest of the sentence."""
        found = _COMPARED.search(text)
        if found is None:
            return text
        in_bytes = self.noun == "bytes"
        left, right = value_of(found["left"], in_bytes=in_bytes), value_of(found["right"], in_bytes=in_bytes)
        more = value_of(found["more"], in_bytes=in_bytes) if found["more"] is not None else None
        if found["minus"] is None:
            self.put("limit", right)
        if self.noun == "tokens" and more is not None:
            self.put("in", left)
            self.put("output", more)
        else:
            self.put("output" if self.noun == "output" else "found", (left or 0) + (more or 0))
        return f"{text[: found.start()]} {text[found.end() :]}"

    def walk(self, text: str) -> None:
        """Walk over words and numbers once; the last word that decides gives the next number its role."""
        kinds = nw.BEFORE
        before, last = _Before(), ""
        number: _Open | None = None
        for at, (word, amount) in enumerate(_TOKEN.findall(text)[:_MOST]):
            if amount:
                if number is not None:
                    self.place(number)
                value = value_of(amount, in_bytes=self.noun == "bytes")
                number = None if value is None else _Open(value, before.role(last, at), at)
                before, last = _Before(), ""
                continue
            if word in kinds:
                before.take(kinds[word], word, at)
            if number is not None and number.closed_by(word, at):
                self.place(number)
                number = None
            last = word
        if number is not None:
            self.place(number)

    def place(self, number: _Open) -> None:
        """Put one number where the words before it and behind it say."""
        noun, role, part = self.noun, number.role, number.part
        if role == "stop" or part == "characters":
            return
        if noun not in {"tokens", "output"}:
            part = None
        if part == "limit":
            role, part = role if role == "window" else "limit", None
        place = part or role
        if role in {"limit", "window"}:
            place = "cap" if part == "output" else role if noun == "output" else "limit"
        elif role in {"over", "used"}:
            place = role
        elif "output" in {role, part} or (noun == "output" and place in {"found", "asked"}):
            place = "output"
        if place is not None:
            self.put(place, number.value)

    def result(self, fields: Mapping[str, int]) -> dict[str, int]:
        """Name the roles."""
        roles = self.roles
        limit = fields.get("limit") or roles.get("limit")
        asked = fields.get("requested") or roles.get("asked")
        found = roles.get("found", roles.get("weak"))
        match self.noun:
            case "output":
                cap = roles.get("cap", roles.get("limit"))
                return _named(
                    limit=roles.get("window"), messages=roles.get("in"), output=roles.get("output"), output_cap=cap
                )
            case "rate":
                return _named(limit=limit, requested=asked, used=roles.get("used"))
            case "messages":
                return _named(messages=found or asked, limit_messages=limit)
            case "images":
                return _named(limit_images=limit, images=found or asked)
            case "bytes":
                return _named(limit_bytes=limit, bytes=found or asked)
            case "tokens":
                return self.tokens(limit, asked, found)

    def tokens(self, limit: int | None, asked: int | None, found: int | None) -> dict[str, int]:
        """Name the parts of a request that is too long."""
        output, inside, over_by = self.roles.get("output"), self.roles.get("in"), self.roles.get("over")
        if output is None:
            # Without an output share all of the request is input: one number says it.
            return _named(limit=limit, requested=asked or found or inside, over_by=over_by)
        return _named(
            limit=limit,
            requested=asked,
            messages=found if inside is None else inside,
            functions=self.roles.get("functions"),
            output=output,
            over_by=over_by,
        )


def _named(**values: int | None) -> dict[str, int]:
    return {name: value for name, value in values.items() if value is not None}
