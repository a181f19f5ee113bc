"""admit: character budgets. Protected sections whole or not at all; every other loss is a diagnostic."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..state.budget import Budget
from ..state.cleaning import outgoing
from ..state.diagnostics import Code, Diagnostic
from ..state.envelopes import attachment_envelope
from ..state.errors import AssemblyError, ProtectedOverBudget
from ..state.given import Given
from ..state.history import History
from ..state.messages import Message, Origin
from ..state.node import Outcome, View
from ..state.products import Admitted as Admission
from ..state.products import Collected
from ..state.sections import Section, section_order
from .services import AssemblyServices

__all__ = ["CUT_MARKER", "Admitted", "ProtectedTooLarge", "admit", "shortened"]

CUT_MARKER = "\n[shortened by the context budget]"
_SOURCE = "admit"


class AdmitView(View):
    """What wants in, and the budgets."""

    history: History
    collected: Collected
    given: Given
    budget: Budget


class Admitted(Outcome):
    """What fits."""

    admitted: Admission


class ProtectedTooLarge(Outcome):
    """Protected sections alone are over the prompt budget."""

    error: AssemblyError


def admit(view: AdmitView, services: AssemblyServices) -> Admitted | ProtectedTooLarge:
    """Admit sections, attachments and messages. Cost: O(contributions)."""
    budget, collected = view.budget, view.collected
    caps = budget.per_source or {}
    count = services.pricer.text
    wanted = [section for section in collected.sections if view.given.scope in section.scopes]
    protected = [section for section in wanted if section.protected]
    size = sum(len(section.content) for section in protected) + max(0, len(protected) - 1)
    if size > budget.prompt_budget_chars:
        return ProtectedTooLarge(error=_protected_error(protected, size, budget.prompt_budget_chars))
    losses: list[Diagnostic] = []
    room = _Room(budget.prompt_budget_chars - size, caps.get("system"), count, joined=bool(protected))
    room.spend_tokens(sum(count(section.content) for section in protected))
    sections = list(protected)
    for section in sorted((item for item in wanted if not item.protected), key=section_order):
        text = room.fit(section.content, budget.section_max_chars)
        _note(losses, "SECTION", section.id, section.content, text)
        if text is not None:
            sections.append(section if text is section.content else replace(section, content=text))
    system_text = view.history.system_text
    attachments = _attachments(collected, budget, caps.get("attachments"), count, losses)
    messages = _messages(collected.messages, budget, caps.get("messages"), count, losses)
    guarded = [section.content for section in protected] + ([system_text] if system_text else [])
    return Admitted(
        admitted=Admission(
            sections=tuple(sorted(sections, key=section_order)),
            protected=tuple(guarded),
            messages=messages,
            attachments=attachments,
            diagnostics=tuple(losses),
        )
    )


def shortened(text: str, room: int) -> str | None:
    """Cut `text` to `room` code points, marker included; `None` when there is room for no more than the marker."""
    if len(text) <= room:
        return text
    if room <= len(CUT_MARKER):
        return None
    return text[: room - len(CUT_MARKER)] + CUT_MARKER


class _Room:
    """What is left of a character budget and, where one is set, of a token cap."""

    def __init__(self, chars: int, tokens: int | None, count: Callable[[str], int], *, joined: bool) -> None:
        self.chars, self.tokens, self.count = chars, tokens, count
        self.joined = joined
        """The next text stands behind another one: the newline between them counts."""

    def spend_tokens(self, tokens: int) -> None:
        if self.tokens is not None:
            self.tokens -= tokens

    def fit(self, text: str, most: int) -> str | None:
        """Give as much of `text` as fits, `None` for nothing, and spend it."""
        if not text:
            return None
        fitting = shortened(text, min(most, self.chars - self.joined))
        if fitting is not None and self.tokens is not None and self.count(fitting) > self.tokens:
            fitting = self._fit_tokens(text, len(fitting), self.tokens)
        if fitting is not None:
            self.chars -= len(fitting) + self.joined
            self.joined = True
            self.spend_tokens(self.count(fitting) if self.tokens is not None else 0)
        return fitting

    def _fit_tokens(self, text: str, most: int, tokens: int) -> str | None:
        low, high = len(CUT_MARKER), most
        while low < high:
            middle = (low + high + 1) // 2
            candidate = shortened(text, middle)
            if candidate is not None and self.count(candidate) <= tokens:
                low = middle
            else:
                high = middle - 1
        return shortened(text, low)


def _attachments(
    collected: Collected,
    budget: Budget,
    cap: int | None,
    count: Callable[[str], int],
    losses: list[Diagnostic],
) -> tuple[Message, ...]:
    room = _Room(budget.data_budget_chars, cap, count, joined=False)
    out: list[Message] = []
    for item in collected.attachments:
        room.joined = False
        text = room.fit(item.content, budget.attachment_max_chars)
        _note(losses, "ATTACHMENT", item.id, item.content, text)
        if text is not None:
            origin = Origin("contribution", {"attachment": item.id})
            wrapped = attachment_envelope(item.source, item.trust, text)
            out.append(Message.user(wrapped, id=f"attachment:{item.id}", origin=origin, hidden=True))
    return tuple(out)


def _messages(
    messages: tuple[Message, ...],
    budget: Budget,
    cap: int | None,
    count: Callable[[str], int],
    losses: list[Diagnostic],
) -> tuple[Message, ...]:
    """Keep the newest that fit, in order; one that is too large or blank is skipped, not a stop."""
    kept: list[tuple[int, Message]] = []
    chars, tokens = budget.contributed_message_budget_chars, cap
    for number, message in reversed(list(enumerate(messages))):
        if len(kept) >= budget.max_contributed_messages:
            break
        sent, _ = outgoing(message)
        size, price = len(message.text), count(message.text) if tokens is not None else 0
        if sent is None or size > chars or (tokens is not None and price > tokens):
            continue
        chars -= size
        tokens = None if tokens is None else tokens - price
        kept.append((number, sent))
    if len(kept) < len(messages):
        losses.append(
            Diagnostic(
                code="CONTEXT_MESSAGES_DROPPED",
                severity="warning",
                source=_SOURCE,
                message=f"Kept {len(kept)} of {len(messages)} contributed messages",
                wanted=sum(len(message.text) for message in messages),
                got=sum(len(message.text) for _, message in kept),
            )
        )
    return tuple([_contributed(number, message) for number, message in reversed(kept)])


def _contributed(number: int, message: Message) -> Message:
    name = message.id or f"contributed:{number}"
    return replace(message, id=name, hidden=True, origin=Origin("contribution", message.origin.data))


def _note(losses: list[Diagnostic], kind: str, name: str, wanted: str, got: str | None) -> None:
    if got == wanted or not wanted:
        return
    codes: dict[tuple[str, bool], Code] = {
        ("SECTION", True): "CONTEXT_SECTION_DROPPED",
        ("SECTION", False): "CONTEXT_SECTION_TRUNCATED",
        ("ATTACHMENT", True): "CONTEXT_ATTACHMENT_DROPPED",
        ("ATTACHMENT", False): "CONTEXT_ATTACHMENT_TRUNCATED",
    }
    done = "left out" if got is None else f"shortened to {len(got)} characters"
    losses.append(
        Diagnostic(
            code=codes[kind, got is None],
            severity="warning",
            source=_SOURCE,
            id=name,
            message=f"{kind.capitalize()} {name} of {len(wanted)} characters {done} by the context budget",
            wanted=len(wanted),
            got=0 if got is None else len(got),
        )
    )


def _protected_error(protected: Iterable[Section], size: int, limit: int) -> ProtectedOverBudget:
    ids = {section.id: len(section.content) for section in protected}
    return ProtectedOverBudget(
        f"Protected sections need {size} characters, TURNGRAPH_PROMPT_BUDGET_CHARS allows {limit}: "
        + ", ".join(f"{name} {length}" for name, length in ids.items())
        + ". Shorten them or raise prompt_budget_chars; protected sections are never cut",
        details={"needed": size, "limit": limit, "sections": ids},
    )
