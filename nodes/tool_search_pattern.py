r"""Regular expressions in linear time, for patterns that a model wrote: no pattern can make the search hang.

Python's `re` tries one way after the other, which some patterns turn into exponential time, and a search that hangs
in it cannot be stopped. Here all ways are followed at once (Thompson's construction, made deterministic as the text is
read), with three bounds: the size of the pattern, of the automaton, and of the work spent on building it. What is over
a bound or outside the language (back references, look-around, named groups) is `None`: the caller takes it literally.

The language: literals, `.`, `[...]`, `\d \w \s` and their negations, `\b`, `\B`, `^`, `$`, groups, `|`, and the
quantifiers `* + ? {m} {m,} {,n} {m,n}`, lazy or not (whether there is a match is the same). Case is ignored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .tool_search_syntax import Alternatives, Node, Outside, Place, Repeat, Row, Single, Where, parse_pattern

__all__ = ["Pattern", "compile_pattern"]

MAX_STATES: Final = 400
"""Of the automaton; `(x{50}){50}` is over it."""
MAX_STEPS: Final = 20_000
"""Transitions that one search may build; patterns of good will need some hundreds."""
MAX_WORK: Final = 1_000_000
"""States that building them may visit: some tenths of a second, whatever the pattern."""

_Before = Literal["", "w", "n"]
"""What stands before a place: the beginning, a word character, another one."""


@dataclass(slots=True)
class _State:
    """One state: it eats a character that passes `test`, or it leads on at once where `where` holds."""

    out: tuple[int, ...] = ()
    test: Callable[[str], bool] | None = None
    where: Where | None = None


def compile_pattern(source: str) -> "Pattern | None":
    """Compile a pattern; `None`: it is outside the language or over a bound."""
    try:
        return Pattern(parse_pattern(source))
    except Outside:
        return None


class Pattern:
    """A compiled pattern. The deterministic automaton is built while it searches, and kept.

    Raises:
        Outside: It needs more states than there may be.
    """

    def __init__(self, tree: Node) -> None:
        self._states = [_State()]  # the first one is where a match ends
        self._start = self._emit(tree, 0)
        self._steps: dict[tuple[frozenset[int], _Before, str], tuple[frozenset[int], bool]] = {}
        self._work = 0

    def found_in(self, text: str) -> bool | None:
        """Tell whether the pattern matches anywhere; `None`: finding out takes too long. Linear in the text."""
        live: frozenset[int] = frozenset((self._start,))
        before: _Before = ""
        for char in (*text.casefold(), ""):
            key = (live, before, char)
            step = self._steps.get(key)
            if step is None:
                if len(self._steps) >= MAX_STEPS or self._work >= MAX_WORK:
                    return None
                step = self._steps[key] = self._step(live, before, char)
            live, done = step
            if done:
                return True
            before = "w" if char and _is_word(char) else "n"
        return False

    def _step(self, live: frozenset[int], before: "_Before", char: str) -> tuple[frozenset[int], bool]:
        """Follow what leads on between two characters, then eat the next one, which is empty at the end."""
        seen, waiting, fresh = set(live), list(live), {self._start}
        while waiting:
            number = waiting.pop()
            self._work += 1
            if number == 0:
                return frozenset(), True
            state = self._states[number]
            if state.test is not None:
                if char and state.test(char):
                    fresh.update(state.out)
            elif state.where is None or _holds(state.where, before, char):
                waiting += [other for other in state.out if other not in seen]
                seen.update(state.out)
        return frozenset(fresh), False

    def _emit(self, node: Node, after: int) -> int:
        """Make the states of a node, which lead to the state `after`; give the first. Every leaf makes one."""
        if isinstance(node, Single):
            return self._state(_State((after,), test=node.test))
        if isinstance(node, Place):
            return self._state(_State((after,), where=node.where))
        if isinstance(node, Row):
            return self._row(node.nodes, after)
        if isinstance(node, Alternatives):
            return self._state(_State(tuple([self._emit(option, after) for option in node.nodes])))
        return self._repeat(node, after)

    def _row(self, nodes: Sequence[Node], after: int) -> int:
        if not nodes:
            return self._state(_State((after,)))
        for node in reversed(nodes):
            after = self._emit(node, after)
        return after

    def _repeat(self, node: Repeat, after: int) -> int:
        if node.most is None:
            again = self._state(_State())
            self._states[again].out = (self._emit(node.node, again), after)
            first = again
        else:
            first = after
            for _ in range(node.most - node.least):
                first = self._state(_State((self._emit(node.node, first), after)))
        for _ in range(node.least):
            first = self._emit(node.node, first)
        return first

    def _state(self, state: _State) -> int:
        if len(self._states) >= MAX_STATES:
            raise Outside
        self._states.append(state)
        return len(self._states) - 1


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _holds(where: Where, before: str, char: str) -> bool:
    """Whether a place is what an assertion asks for."""
    if where == "^":
        return before == ""
    if where == "$":
        return char == ""
    border = (before == "w") != (char != "" and _is_word(char))
    return border if where == "b" else not border
