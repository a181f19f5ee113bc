"""What must not lie on a disk: a hook that sees every string of a trace, and ready rules for common secrets.

The rules know secrets by their form. They are a net, no proof: a secret of a form that nobody published passes, and so
does the rest of one that a preview has cut in two.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["SECRET_RULES", "Redactor", "SecretRule", "redact_secrets", "redactor"]

Redactor = Callable[[str], str]
"""Gives a string as it may be written. Pure: the same text always gives the same text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretRule:
    """One form of secret; `[redacted:<name>]` takes its place."""

    name: str
    marks: tuple[str, ...]
    """In lower case, found in any case. Only where one stands is the pattern tried: a text without costs a search."""
    pattern: re.Pattern[str]
    """Begins with a mark; the one group that matched is the secret. It fails within a bounded number of characters,
    or at the begin of a run in which it is not tried again: redaction is linear."""

    def replaced_in(self, text: str, lower: str) -> str:
        """Give `text` without the secrets of this form; `lower` is `text` with ASCII letters made small."""
        for mark in self.marks:
            if mark in lower:
                pieces = list(self._pieces(text, lower, mark))
                if len(pieces) > 1:
                    text = "".join(pieces)
                    lower = lowered(text)
        return text

    def _pieces(self, text: str, lower: str, mark: str) -> Iterator[str]:
        done, place = 0, lower.find(mark)
        while place >= 0:
            found = self.pattern.match(text, place)
            if found is not None:
                first, last = found.span(found.lastindex or 0)
                yield text[done:first]
                yield f"[redacted:{self.name}]"
                done = last
            place = lower.find(mark, max(place + 1, done))
        yield text[done:]


_ASCII_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """Make ASCII letters small; the length stays."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)  # a capital I with a dot becomes two


def _any_case(pattern: str) -> str:
    """Spell the small letters of a pattern in both cases: IGNORECASE would fold other alphabets into them."""
    return re.sub(r"[a-z]", lambda found: f"[{found[0].upper()}{found[0]}]", pattern)


def _after(*words: str) -> str:
    """Match behind one of some words, which have different lengths."""
    return f"(?:{'|'.join([f'(?<={_any_case(word)})' for word in words])})"


def _parted(*words: str) -> tuple[str, ...]:
    return tuple([word + sign for word in words for sign in ("", "_", "-")])


_FIRST: Final = r"(?<![A-Za-z0-9_-])"
"""A secret begins where no character of one stands before it, so that no run is read twice."""
_IS: Final = r"[\"'\\]{0,3}[ \t]{0,3}[:=]{1,2}>?[ \t]{0,3}"
"""How a value follows its name, in JSON, YAML, headers, INI files and code."""
_NOT_YET: Final = r"(?!\[redacted:)"
_SCHEME: Final = _any_case(r"(?:(?:basic|bearer|token|apikey|digest)") + r"[ \t]{1,3})?+"
_VALUE: Final = (
    rf"(?:\\?[\"']{_NOT_YET}([^\n\"'\\]{{4,2000}})(?=\\?[\"'])"
    rf"|{_NOT_YET}(?![\w.]{{0,200}}\()([^\s\"'\\;,&<>(){{}}$\[\]]{{4,}}))"
)
"""In quotes; or bare, if it is neither a call nor a template."""
_KEYS: Final = _after(*_parted("api", "access", "secret", "private", "account"), "sharedaccess")
_TOKENS: Final = _after(*_parted("access", "refresh", "auth", "session", "bot"))
_SECRETS: Final = _after(*_parted("client", "app", "api", "shared"))
_SHORTEST: Final = 8
"""No form is shorter than this, with its mark."""


def _rule(name: str, marks: str, pattern: str) -> SecretRule:
    return SecretRule(name=name, marks=tuple(marks.split()), pattern=re.compile(pattern))


SECRET_RULES: Final = (
    _rule(
        "private-key",
        "-----begin",
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[A-Za-z0-9+/=\s\\:,.()-])*"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)",
    ),
    _rule("jwt", "eyj", rf"{_FIRST}(eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}(?:\.[A-Za-z0-9_-]*){{0,3}})"),
    _rule("api-key", "sk-", rf"{_FIRST}(sk-(?=[A-Za-z_-]{{0,200}}[0-9])[A-Za-z0-9_-]{{16,}})"),
    _rule("api-key", "sk_ rk_", rf"{_FIRST}([sr]k_(?:live|test)_[A-Za-z0-9]{{10,}})"),
    _rule("api-key", "aiza", rf"{_FIRST}(AIza[A-Za-z0-9_-]{{35}})"),
    _rule("api-key", "hf_ npm_ gsk_ xai-", rf"{_FIRST}((?:hf_|npm_|gsk_|xai-)[A-Za-z0-9]{{20,}})"),
    _rule("api-key", "pypi- glpat-", rf"{_FIRST}((?:pypi|glpat)-[A-Za-z0-9_-]{{20,}})"),
    _rule("aws-key", "akia asia", r"(?<![A-Za-z0-9])(A[KS]IA[A-Z0-9]{16})(?![A-Za-z0-9])"),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?<![A-Za-z0-9])(gh[pousr]_[A-Za-z0-9]{20,})"),
    _rule("github-token", "github_pat_", r"(?<![A-Za-z0-9])(github_pat_[A-Za-z0-9_]{22,})"),
    _rule("slack-token", "xox xapp-", r"(?<![A-Za-z0-9-])((?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,})"),
    _rule(
        "slack-token", "hooks.slack.com/", r"hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9/_-]{10,})"
    ),
    _rule(
        "authorization",
        "authorization api-key auth-token private-token",
        _any_case(r"(?:authorization|api-key|auth-token|private-token)")
        + rf"{_IS}[\"'\\]{{0,3}}+{_SCHEME}({_NOT_YET}[^\s\"'\\,;]{{6,}})",
    ),
    _rule(
        "bearer",
        "bearer",
        _any_case("bearer") + r"[ \t]{1,3}((?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,})",
    ),
    _rule("url-password", "://", rf"://[^\s/:@\"'<>]{{0,128}}:({_NOT_YET}[^\s/@\"'<>]{{1,256}})@"),
    _rule("password", "passw passphrase pwd", _any_case(r"(?:passw(?:or)?d|passphrase|pwd)") + _IS + _VALUE),
    _rule("password", "key", _KEYS + _any_case("key") + _IS + _VALUE),
    _rule("password", "token", _TOKENS + _any_case("token") + _IS + _VALUE),
    _rule("password", "secret", _SECRETS + _any_case("secret") + _IS + _VALUE),
    _rule("password", "sharedaccesssignature", _any_case("sharedaccesssignature") + _IS + _VALUE),
)
"""The ready rules, in the order in which they run: the narrow forms before the wide ones."""


def redactor(rules: Iterable[SecretRule] = SECRET_RULES, *, behind: Redactor | None = None) -> Redactor:
    """Make a hook of rules, and of one of your own that sees what they leave.

    Redacting what is redacted changes nothing. Cost: linear; a text without marks costs one search per mark.
    """
    chosen = tuple(rules)

    def redact(text: str) -> str:
        if len(text) >= _SHORTEST:
            lower = lowered(text)
            for rule in chosen:
                fresh = rule.replaced_in(text, lower)
                if fresh is not text:
                    text, lower = fresh, lowered(fresh)
        return text if behind is None else behind(text)

    return redact


redact_secrets: Final = redactor()
"""The ready rules as a hook."""
