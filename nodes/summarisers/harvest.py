"""Reading folded steps for the extractive summariser: which lines a checkpoint could hold."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...state.checkpoint import SECTIONS
from ...state.messages import Message, ToolCall
from ...state.quotes import id_text
from ...state.readable import readable
from .facts import FactFinder, error_lines, outcome_of, shorten, whole_words, worth
from .ranking import Line
from .transcript import arguments_text

__all__ = ["EVIDENCE", "NEXT", "PENDING", "Harvest", "harvest"]

REQUEST, COMPLETED, EVIDENCE, DECISIONS, FAILED, PENDING, _, NEXT = range(len(SECTIONS))

_MAIN_ARGUMENTS = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "command",
    "cmd",
    "query",
    "pattern",
    "url",
    "skillId",
    "prompt",
    "description",
)
_FACTS_A_LINE = 6
_FACTS_A_MESSAGE = 96
_ERRORS_A_RESULT = 4
_UNANSWERED = "(no final answer in the folded part)"
_DECISION = re.compile(
    r"\b(?:[Dd]ecided|[Cc]hose|instead of|[Ww]ill use|must|[Rr]oot cause|because|constraint)\b"
    r"|决定|必须|因为|改用|原因是"
)
_INTENT = re.compile(
    r"(?:(?:OK|Okay|Good|Great|Perfect|So|Alright)[,.!:]? )?"
    r"(?:[Nn]ext|[Nn]ow|I'll|I will|I\u2019ll|I'm going to|[Ll]et me|[Ll]et's|[Rr]emaining|TODO)\b|接下来|下一步|现在"
)
_LEFT_OVER = re.compile(r"(?:[Nn]ext|[Rr]emaining|TODO)\b|下一步")
"""How a final answer names a next step."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")  # noqa: RUF001 - Chinese ends sentences with these


@dataclass(slots=True)
class Harvest:
    """The lines that were found."""

    first: list[Line] = field(default_factory=list[Line])
    """Those that every checkpoint should hold: next step, newest and oldest request, newest failure."""
    lines: list[Line] = field(default_factory=list[Line])
    """What was asked, done, decided, and what failed."""
    evidence: list[Line] = field(default_factory=list[Line])
    """Facts per message that no earlier line of evidence holds."""
    replaces_next: bool = False
    """The assistant spoke or is asked: the old checkpoint's next step is no longer the next one."""
    answers_old: bool = False
    """A final answer stands before the first request: the old checkpoint's newest request is answered."""

    def still_pending(self, lines: Sequence[str]) -> list[str]:
        """Leave out the newest unanswered request of the old checkpoint if its answer has come."""
        if not self.answers_old or not lines or not lines[-1].endswith(_UNANSWERED):
            return list(lines)
        return list(lines[:-1])


def harvest(steps: Sequence[Sequence[Message]]) -> Harvest:
    """Read the steps once. Linear in their text."""
    reader = _Reader()
    for step in steps:
        reader.read(step)
    return reader.finish()


class _Reader:
    def __init__(self) -> None:
        self.found = Harvest()
        self.facts_of = FactFinder()
        self.order = 0
        self.requests: list[Line] = []
        self.failures: list[Line] = []
        self.open_requests: list[tuple[str, str]] = []
        """Id and beginning of the requests that wait for a final answer."""
        self.unanswered: list[tuple[str, str]] = []
        self.intent = ""
        self.last_calls: tuple[str, Sequence[ToolCall]] | None = None
        self.calls: Mapping[str, ToolCall] = {}
        self.known: set[str] = set()
        """Facts that an evidence line holds already."""

    def read(self, step: Sequence[Message]) -> None:
        self.calls = {call.id: call for message in step for call in message.calls}
        for message in step:
            self.order += 1
            if message.role == "assistant":
                self._assistant(message)
            elif message.role == "tool":
                self._result(message)
            elif message.role == "user" and message.origin.kind in {"prompt", "steer"} and not message.hidden:
                self._request(message)

    def _add(self, section: int, text: str, *, base: float, facts: Sequence[str] = (), weight: float = 1.0) -> Line:
        line = Line(section=section, order=self.order, text=text, base=base, facts=facts, weight=weight)
        self.found.lines.append(line)
        return line

    def _request(self, message: Message) -> None:
        text = readable(message.content)
        if not text.strip():
            return
        short = shorten(text, 160)
        if message.origin.kind == "prompt":  # a steer joins the request under work
            self.unanswered += self.open_requests
            self.open_requests.clear()
        self.open_requests.append((id_text(message.id), short))
        line = f"- {id_text(message.id)}: {short}"
        self.requests.append(self._add(REQUEST, line, base=3, facts=self.facts_of(line)))
        self._evidence(id_text(message.id), self.facts_of(text))

    def _assistant(self, message: Message) -> None:
        text = readable(message.content)
        calls = message.calls
        self.found.replaces_next = True
        if text.strip():
            self._said(id_text(message.id), text, final=not calls)
        for call in calls:
            self._evidence(id_text(message.id), self.facts_of(arguments_text(call)))
        self.last_calls = (id_text(message.id), calls) if calls else None

    def _said(self, id: str, text: str, *, final: bool) -> None:
        if final:
            self.found.answers_old |= not self.requests
            self.open_requests.clear()
            said, base = f"- {id} answered: {shorten(text, 240)}", 5.0
        else:
            said, base = f"- {id} said: {shorten(text, 160)}", 1.0
        self._add(COMPLETED, said, base=base, facts=self.facts_of(said))
        sentences = [part.strip(" -*#") for part in _SENTENCE_END.split(text)]
        decided = [part for part in sentences if len(part) > 20 and _DECISION.search(part)]
        for part in decided[-2:]:
            line = f"- {id}: {shorten(part, 200)}"
            self._add(DECISIONS, line, base=2.5, facts=self.facts_of(line))
        intent = _LEFT_OVER if final else _INTENT
        intents = [part for part in sentences if intent.match(part)]
        if intents or final:
            self.intent = shorten(intents[-1], 240) if intents else ""
        self._evidence(id, self.facts_of(text))

    def _result(self, message: Message) -> None:
        result = message.result
        if result is None:
            return
        text = readable(result.content)
        call = self.calls.get(result.call_id)
        name = shorten((call.name if call else message.name) or "tool", 60)
        id = id_text(message.id)
        argument = _main_argument(call) if call else ""
        what = f"- {id} {name} {argument}".rstrip()
        errors = error_lines(text, _ERRORS_A_RESULT)
        if result.is_error and not errors:
            errors = [shorten(text, 200) or "failed without a word"]
        for place, line in enumerate(errors):
            failure = f"{what if place == 0 else f'- {id}'}: {line}"
            self.failures.append(self._add(FAILED, failure, base=1.0, facts=(line,), weight=2.0))
        outcome = "" if result.is_error else outcome_of(text)
        if not result.is_error and (argument or outcome):
            done = f"{what} → {outcome}" if outcome else what
            self._add(COMPLETED, done, base=0.8, facts=self.facts_of(done))
        found = self.facts_of(whole_words(text))
        if result.ref:
            found.append(result.ref)
        self._evidence(id, found)

    def _evidence(self, id: str, facts: list[str]) -> None:
        known, ids = self.known, self.calls
        fresh = [fact for fact in facts if fact not in known and fact not in ids][:_FACTS_A_MESSAGE]
        known.update(fresh)
        fresh.sort(key=lambda fact: len(fact) / worth(fact))
        for start in range(0, len(fresh), _FACTS_A_LINE):
            part = fresh[start : start + _FACTS_A_LINE]
            weight = sum(map(worth, part)) / len(part)
            line = f"- {id}: {', '.join(part)}"
            self.found.evidence.append(Line(section=EVIDENCE, order=self.order, text=line, facts=part, weight=weight))

    def finish(self) -> Harvest:
        found = self.found
        self.unanswered += self.open_requests
        pending: list[Line] = []
        for name, text in self.unanswered[-5:]:
            self.order += 1
            pending.append(self._add(PENDING, f"- {name}: {text} {_UNANSWERED}", base=3))
        step = self.intent
        if not step and self.last_calls:
            name, calls = self.last_calls
            step = shorten(f"Go on after {name}: {calls[-1].name} {_main_argument(calls[-1])}", 160)
        elif not step and self.open_requests:
            step = f"Answer {self.open_requests[-1][0]}"
        if step:
            found.replaces_next = True
            found.first.append(Line(section=NEXT, order=self.order, text=f"- {step}"))
        for lines in (self.requests[:1], self.requests[-1:], pending[-1:], self.failures[-1:]):
            found.first.extend(line for line in lines if line not in found.first)
        return found


def _main_argument(call: ToolCall) -> str:
    """Give the argument that says what a call is about, shortened; `""` when it has none."""
    arguments = call.arguments
    for name in _MAIN_ARGUMENTS:
        text = _argument_text(arguments.get(name))
        if text:
            return shorten(text, 100)
    texts = (_argument_text(value) for value in arguments.values())
    return shorten(next((text for text in texts if text), ""), 100)


def _argument_text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list | tuple):
        return " ".join(item for item in value if isinstance(item, str))  # pyright: ignore[reportUnknownVariableType]
    return ""
