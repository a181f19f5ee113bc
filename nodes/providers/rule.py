"""One row of the table of rules, and how a row is found."""

import functools
import re
from dataclasses import dataclass

from .classes import ErrorClass
from .words import Sentence

__all__ = ["Rule", "any_of", "first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A class and the sentence that shows it."""

    name: str
    error_class: ErrorClass
    every: int
    """Families that all stand in the sentence."""
    some: int = -1
    """At least one of these families stands in the sentence."""
    none: int = 0
    """None of these families stands in the sentence."""
    absent: int = 0
    """None of these families stands anywhere in the text."""
    pattern: str | None = None
    """A regular expression found in the sentence."""
    veto: str | None = None
    """A regular expression not found in the sentence."""
    why: str = ""
    """The reason for what is not obvious in the rule."""


def first(rules: tuple[Rule, ...], said: list[Sentence]) -> Rule | None:
    """Give the first rule that one of the sentences satisfies."""
    everything = 0
    for _, families in said:
        everything |= families
    for rule in rules:
        every = rule.every
        if everything & every == every and not everything & rule.absent and _holds(rule, said):
            return rule
    return None


def _holds(rule: Rule, said: list[Sentence]) -> bool:
    every, some, none, pattern, veto = rule.every, rule.some, rule.none, rule.pattern, rule.veto
    for text, found in said:
        if (
            found & every == every
            and found & some
            and not found & none
            and (pattern is None or _compiled(pattern).search(text) is not None)
            and (veto is None or _compiled(veto).search(text) is None)
        ):
            return True
    return False


def any_of(*patterns: str) -> str:
    """Join alternatives."""
    return "|".join(patterns)


# Rules are many and errors are few: a pattern is compiled when a sentence first asks for it, then kept.
_compiled = functools.cache(re.compile)
