"""Choosing lines for a budget: the most new facts per token first, newest first among equals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

__all__ = ["Line", "Picker"]

_MISFITS = 40
"""So many lines in a row that do not fit end the choice: what is left is too little for a line."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One line of a section."""

    section: int
    """Its place among the eight."""
    order: int
    """Its place in the source; lines are written in this order."""
    text: str
    base: float = 0.0
    """What the line is worth beside its facts."""
    facts: Sequence[str] = ()
    weight: float = 1.0
    """What each fact that no chosen line holds is worth."""


class Picker:
    """Takes lines while they fit; each line is counted at most once."""

    def __init__(self, budget_tokens: int, count: Callable[[str], int]) -> None:
        self.left = budget_tokens
        self.chosen: list[Line] = []
        """In the order of choice: the last one is the first to go."""
        self._count = count
        self._costs: dict[int, int] = {}
        self._texts: set[tuple[int, str]] = set()
        self._held: set[str] = set()

    def cost(self, line: Line) -> int:
        """Give the price of a line with its newline."""
        known = self._costs.get(id(line))
        if known is None:
            known = self._costs[id(line)] = self._count(line.text) + 1
        return known

    def take(self, line: Line) -> bool:
        """Take one line if it fits; a line that stands in its section already is not taken again."""
        key = (line.section, line.text)
        if key in self._texts:
            return False
        cost = self.cost(line)
        if cost > self.left:
            return False
        self.left -= cost
        self.chosen.append(line)
        self._texts.add(key)
        self._held.update(line.facts)
        return True

    def take_in_order(self, lines: Iterable[Line], reserve: int) -> list[Line]:
        """Take lines as they come until only `reserve` would be left; give those that found no room."""
        rest: list[Line] = []
        full = False
        for line in lines:
            full = full or self.left - self.cost(line) < reserve
            if full or not self.take(line):
                rest.append(line)
        return rest

    def take_densest(self, lines: Sequence[Line], reserve: int) -> None:
        """Take lines by worth per token until only `reserve` is left.

        Only facts that no chosen line holds count. Beside its facts the newest line is worth twice the oldest.
        """
        newest = max((line.order for line in lines), default=0) or 1
        heap = [(-self._density(line, newest), -line.order, place) for place, line in enumerate(lines)]
        heapify(heap)
        misfits = 0
        while heap and misfits < _MISFITS and self.left > max(4, reserve):
            density, order, place = heappop(heap)
            if density >= 0:
                return
            line = lines[place]
            now = -self._density(line, newest)
            if now > density and heap and now > heap[0][0]:
                heappush(heap, (now, order, place))
            elif now < 0:
                fits = self.left - self.cost(line) >= reserve and self.take(line)
                misfits = 0 if fits else misfits + 1

    def _density(self, line: Line, newest: int) -> float:
        """Give worth per token; the price is estimated here and counted only when the line is taken."""
        held = self._held
        new = sum(1 for fact in line.facts if fact not in held)
        if line.facts and not new and line.base < 1:
            return 0.0
        fresh = 0.5 + 0.5 * line.order / newest
        return (line.base * fresh + new * line.weight) / (2 + len(line.text) / 3.5)
