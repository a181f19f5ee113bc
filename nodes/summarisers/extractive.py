"""The default summariser: no model, deterministic, bounded, linear.

It writes what it can find in the folded steps: requests, what each call did and what came of it, files and
identifiers, errors as failed leads, unanswered requests, the last stated intent. The old checkpoint's lines
are taken over section by section; where the room is short its oldest go first and new lines are chosen by the
facts that they hold per token.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...state.checkpoint import SECTIONS, Checkpoint
from ...state.checkpoint_sections import canonical_body
from ...state.readable import readable
from .facts import FactFinder, shorten
from .harvest import EVIDENCE, NEXT, PENDING, Harvest, harvest
from .protocol import SummaryReply, SummaryRequest
from .ranking import Line, Picker

__all__ = ["ExtractiveSummarizer"]

_LONGEST_LINE = 400
"""A line of an older checkpoint is taken over up to this length."""
_OLD_SHARE = 0.6
"""Part of the room that the old checkpoint may fill when the new lines need the rest."""
_EVIDENCE_LASTS = 3
"""So many lines of evidence are kept for each line of another section: they hold the most for their length."""
_EVIDENCE_SHARE = 0.65
"""Part of the room for new lines that is left to bare facts."""


class ExtractiveSummarizer:
    """Writes a checkpoint by rules. `count` gives the tokens of a text."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    @property
    def name(self) -> str:
        """The word in reports."""
        return "extractive"

    @property
    def window_tokens(self) -> int | None:
        """It takes a source of any size: it reads it once."""
        return 1 << 62

    def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Write the checkpoint. It costs at most `request.max_tokens`, halved for each attempt before."""
        limit = request.max_tokens >> min(request.attempt - 1, 30)
        found = harvest(request.steps)
        old = _old_lines(request.previous, found)
        frame = sum(self._count(f"## {title}\n(none)\n\n") for title in SECTIONS)
        room = limit - frame
        picker = Picker(max(room, limit // 2), self._count)
        _choose(picker, found, old)
        text = self._written(picker.chosen, limit, whole=room >= limit // 2)
        return SummaryReply(text=text or self._something(request, limit), finish_reason="stop")

    def _written(self, chosen: list[Line], limit: int, *, whole: bool) -> str:
        """Write the lines; drop what was chosen last until the text keeps the limit."""
        lines = list(chosen)
        while lines:
            text = _layout(lines, whole=whole)
            over = self._count(text) - limit
            if over <= 0:
                return text
            del lines[-max(1, over // 20) :]
        return ""

    def _something(self, request: SummaryRequest, limit: int) -> str:
        """Give the beginning of the newest text there is, as long as it fits: a fold never leaves nothing."""
        texts = (readable(message.content) for step in reversed(request.steps) for message in reversed(step))
        text = next((text for text in texts if text.strip()), "")
        for length in (200, 100, 50, 25, 12, 6, 3, 1):
            line = shorten(text, length)
            if line and self._count(line) <= limit:
                return line
        return ""


def _choose(picker: Picker, found: Harvest, old: Sequence[Line]) -> None:
    for line in found.first:
        picker.take(line)
    new = sum(2 + len(line.text) / 3.5 for line in (*found.lines, *found.evidence))
    rest = picker.take_in_order(old, int(min(picker.left * (1 - _OLD_SHARE), new)))
    picker.take_densest(found.lines, reserve=int(picker.left * _EVIDENCE_SHARE))
    picker.take_densest(found.evidence, reserve=0)
    picker.take_densest(found.lines, reserve=0)
    picker.take_in_order(rest, reserve=0)


def _old_lines(previous: Checkpoint | None, found: Harvest) -> list[Line]:
    """List the lines of the old checkpoint, the newest of each section first."""
    if previous is None:
        return []
    facts_of = FactFinder()
    ranked: list[tuple[float, int, Line]] = []
    for section, title in enumerate(SECTIONS):
        if section == NEXT and found.replaces_next:
            continue
        lines = [line for line in canonical_body(previous.sections.get(title, "")).split("\n") if line.strip()]
        if section == PENDING:
            lines = found.still_pending(lines)
        if section == NEXT:
            lines = lines[:1]
        for place, text in enumerate(lines):
            short = text.rstrip() if len(text) <= _LONGEST_LINE else shorten(text, _LONGEST_LINE)
            line = Line(section=section, order=place - len(lines), text=short, facts=facts_of(short))
            age = len(lines) - place
            ranked.append((age / _EVIDENCE_LASTS if section == EVIDENCE else age, section, line))
    ranked.sort(key=lambda item: item[:2])
    return [line for _, _, line in ranked]


def _layout(lines: Iterable[Line], *, whole: bool) -> str:
    bodies: Mapping[int, list[Line]] = {section: [] for section in range(len(SECTIONS))}
    for line in lines:
        bodies[line.section].append(line)
    pieces: list[str] = []
    for section, body in bodies.items():
        body.sort(key=lambda line: line.order)
        if body or whole:
            text = "\n".join(line.text for line in body) or "(none)"
            pieces.append(f"## {SECTIONS[section]}\n{text}")
    return "\n\n".join(pieces)
