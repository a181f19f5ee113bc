"""Why something is not, or not wholly, in what the model was sent: the reasons, in the order of the stages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ...state.outputs import find_previews, is_ref
from .index import Json, TraceIndex, texts_in

__all__ = ["Effect", "Reason", "explain"]

Effect = Literal["whole", "shortened", "changed", "missing"]
"""What became of the item by this reason alone; `whole` says that it is in the input as it was given."""

_NUMBERED: Final = re.compile(r"m(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason."""

    stage: str
    """The node that it happened in, `emit` for the input itself."""
    code: str
    """What happened, as one word for programs."""
    effect: Effect
    text: str
    """What happened, for people."""
    item: str
    """What it happened to: the item asked for, or the message that holds it."""
    facts: Json = field(default_factory=dict[str, Any])
    """Numbers and names behind the text: `ref`, `checkpoint`, `before`, `after`, `wanted`, `got`."""

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {
            "item": self.item,
            "stage": self.stage,
            "code": self.code,
            "effect": self.effect,
            "text": self.text,
            "facts": dict(self.facts),
        }


def explain(document: Json, item: str) -> list[Reason]:
    """Say what became of an item on its way into the input. A pure function of the document.

    Args:
        document: A trace that `check_document` let pass.
        item: Id of a message, section, attachment, contributor or tool call, or the reference of a stored tool output.

    Returns:
        The reasons in the order of the stages; one of effect `whole` for what is in the input as it was given; none
        for what the trace does not know.
    """
    trace = TraceIndex(document)
    found: list[Reason] = []
    if item in trace.contributors:
        found += _of_contributor(trace, item)
    if item in trace.sections or item in trace.rendered.get("sectionIds", ()):
        found += _of_section(trace, item)
    attachment = item.removeprefix("attachment:")
    if attachment in trace.attachments:
        found += _of_attachment(trace, attachment)
    elif item in trace.contributed:
        found += _of_contributed(trace, item)
    else:
        found += _of_message(trace, item)
    if not found:
        found += _of_ref(trace, item) if is_ref(item) else _of_call(trace, item)
    return [*_circumstances(trace, item), *found] if found else []


def _circumstances(trace: TraceIndex, item: str) -> Iterator[Reason]:
    if trace.in_shadow:
        text = "Mode shadow: the legacy input was sent. What follows is what the candidate made of it"
        yield Reason(stage="emit", code="SHADOW", effect="changed", text=text, item=item)


def _not_sent(trace: TraceIndex, item: str) -> Iterator[Reason]:
    """Say that nothing was sent at all."""
    if not trace.sent:
        error = trace.error or {"code": "unknown", "message": "the trace does not say why"}
        graph = trace.document["graph"]
        text = f"Nothing was sent, the assembly failed ({error['code']}): {error['message']}"
        stage = graph[-1]["node"] if graph else "collect"
        yield Reason(
            stage=stage, code="NOT_SENT", effect="missing", text=text, item=item, facts={"error": error["code"]}
        )


# ---- contributions


def _of_contributor(trace: TraceIndex, item: str) -> Iterator[Reason]:
    report = trace.contributors[item]
    if report["status"] != "failed":
        text = f"Contributor {item} was asked and gave its contribution"
        yield Reason(stage="collect", code="CONTRIBUTED", effect="whole", text=text, item=item)
        return
    need = "It is required, so the assembly failed" if report["required"] else "It is optional, so the turn went on"
    yield Reason(
        stage="collect",
        code="CONTRIBUTOR_FAILED",
        effect="missing",
        text=f"Contributor {item} failed and nothing of it was taken: {report.get('error')}. {need}",
        item=item,
        facts={"required": report["required"]},
    )
    if report["required"]:
        yield from _not_sent(trace, item)


def _of_section(trace: TraceIndex, item: str) -> list[Reason]:
    section, scope = trace.sections.get(item), trace.config["scope"]
    found: list[Reason] = []
    if section is not None and scope not in section["scopes"]:
        speaks = ", ".join(section["scopes"]) or "none"
        text = f"Section {item} speaks in the scopes {speaks}; this is a turn of scope {scope}"
        found.append(Reason(stage="admit", code="OTHER_SCOPE", effect="missing", text=text, item=item))
    found += _admission(trace, item, "CONTEXT_SECTION_TRUNCATED", "CONTEXT_SECTION_DROPPED")
    if section is not None and section.get("content") == "":
        text = f"Section {item} is empty: there is nothing to show"
        found.append(Reason(stage="admit", code="EMPTY", effect="missing", text=text, item=item))
    found += _not_sent(trace, item)
    return found or [_whole(item, f"Section {item} stands whole in the system prompt", stage="render")]


def _of_attachment(trace: TraceIndex, item: str) -> list[Reason]:
    found = list(_admission(trace, item, "CONTEXT_ATTACHMENT_TRUNCATED", "CONTEXT_ATTACHMENT_DROPPED"))
    if not found and trace.attachments[item].get("content") == "":
        text = f"Attachment {item} is empty: there is nothing to show"
        found.append(Reason(stage="admit", code="EMPTY", effect="missing", text=text, item=item))
    found += _not_sent(trace, item)
    return found or [_whole(item, f"Attachment {item} is in the input whole, as message attachment:{item}")]


def _admission(trace: TraceIndex, item: str, shortened: str, dropped: str) -> Iterator[Reason]:
    for note in trace.noted(item, shortened, dropped):
        facts = {name: note[name] for name in ("wanted", "got") if name in note}
        effect: Effect = "missing" if note["code"] == dropped else "shortened"
        yield Reason(stage="admit", code=note["code"], effect=effect, text=note["message"], item=item, facts=facts)


def _of_contributed(trace: TraceIndex, item: str) -> list[Reason]:
    admitted = {message["id"] for message in (trace.admitted or {}).get("messages", ())}
    found: list[Reason] = []
    if trace.admitted is not None and item not in admitted:
        notes = [note for note in trace.diagnostics if note["code"] == "CONTEXT_MESSAGES_DROPPED"]
        why = f": {notes[0]['message']}" if notes else ""
        text = f"Contributed message {item} did not fit the budget of contributed messages, or is blank{why}"
        found.append(Reason(stage="admit", code="CONTEXT_MESSAGES_DROPPED", effect="missing", text=text, item=item))
    found += _not_sent(trace, item)
    return found or [_whole(item, f"Contributed message {item} is in the input whole")]


# ---- the history


def _of_message(trace: TraceIndex, item: str) -> list[Reason]:
    found = [*_pruning(trace, item), *_folding(trace, item)]
    if item in trace.leading:
        text = (
            f"Message {item} leads the history as system text: it stands in the system prompt (section history.system)"
        )
        return [*found, *(list(_not_sent(trace, item)) or [_whole(item, text, stage="render")])]
    if item not in trace.everywhere and not found:
        return list(_folded_before(trace, item))
    if item in trace.covered or item not in trace.everywhere:
        return [*found, *_not_sent(trace, item)]
    found += _earlier_previews(trace, item, {reason.facts.get("ref") for reason in found})
    found += _repairs(trace, item)
    found += _windowing(trace, item)
    found += _not_sent(trace, item)
    if not found and item not in trace.input and not trace.in_shadow:
        text = f"Message {item} stays in the history; no provider may see it as it stands"
        found.append(Reason(stage="compose", code="PROJECTION_REPAIRED", effect="missing", text=text, item=item))
    if not found and item in trace.history and item not in trace.as_it_stands and not trace.in_shadow:
        text = f"Message {item} was sent otherwise than it stands in the history: its step was repaired"
        found.append(Reason(stage="compose", code="PROJECTION_REPAIRED", effect="changed", text=text, item=item))
    return found or [_whole(item, _whole_text(trace, item))]


def _whole_text(trace: TraceIndex, item: str) -> str:
    if item == trace.summary.get("checkpoint"):
        return f"Message {item} is the checkpoint that this turn made; it stands for {len(trace.covered)} messages"
    if trace.in_shadow:
        return f"Nothing took message {item} out of the candidate's input"
    if trace.input.get(item, {}).get("origin", {}).get("placeholder"):
        return f"Message {item} stands in for a result that is missing; the history keeps the call open"
    return f"Message {item} is in the input whole"


def _pruning(trace: TraceIndex, item: str) -> Iterator[Reason]:
    for entry in trace.pruned:
        if entry["message"] == item:
            yield Reason(
                stage="prune",
                code="PRUNED",
                effect="shortened",
                text=f"The body of message {item} was replaced by its head and tail, {entry['before']:,} → "
                f"{entry['after']:,} tokens, to relieve the pressure; read_tool_output returns the whole from "
                f"{entry['ref']}",
                item=item,
                facts={"ref": entry["ref"], "before": entry["before"], "after": entry["after"]},
            )


def _folding(trace: TraceIndex, item: str) -> Iterator[Reason]:
    summary = trace.summary
    if item not in trace.covered:
        return
    checkpoint = summary["checkpoint"]
    if item == summary["replaced"]:
        text = f"Checkpoint {item} was replaced by checkpoint {checkpoint}, which takes over what it said"
    else:
        text = f"Message {item} was folded into checkpoint {checkpoint} with {len(trace.covered) - 1} others"
    if item in summary["promptsKept"]:
        text += "; the checkpoint quotes it word for word"
    elif item in summary["promptsOmitted"]:
        text += "; there was no room to quote it, the checkpoint only names it"
    facts = {"checkpoint": checkpoint}
    kept = trace.folded_text(checkpoint)
    if kept is not None:
        text += f"; the folded text can be read from {kept}"
        facts["ref"] = kept
    yield Reason(stage="fold", code="FOLDED", effect="missing", text=text, item=item, facts=facts)


def _folded_before(trace: TraceIndex, item: str) -> Iterator[Reason]:
    """Find a checkpoint of an earlier turn that says that ids up to this one were given and are gone."""
    number = _NUMBERED.fullmatch(item)
    for name, message in trace.everywhere.items():
        origin = message.get("origin", {})
        last = origin.get("last_id")
        if number and origin.get("kind") == "checkpoint" and isinstance(last, int) and int(number[1]) <= last:
            text = (
                f"Message {item} is no longer in the history: an earlier turn folded it into checkpoint {name}, "
                "or into one that this checkpoint replaced"
            )
            yield Reason(
                stage="fold", code="FOLDED_BEFORE", effect="missing", text=text, item=item, facts={"checkpoint": name}
            )
            return


def _earlier_previews(trace: TraceIndex, item: str, known: set[Any]) -> Iterator[Reason]:
    message = trace.everywhere[item]
    if message.get("origin", {}).get("kind") == "checkpoint":
        return
    shown = [ref for text in texts_in(message.get("content", ())) for ref in find_previews(text)]
    for ref in dict.fromkeys(shown):
        if ref in known:
            continue
        code, when = ("PRUNED", "shortened too") if known else ("SHORTENED_BEFORE", "shortened before this turn")
        text = f"Message {item} shows a body that was {when}; read_tool_output returns the whole from {ref}"
        yield Reason(stage="prune", code=code, effect="shortened", text=text, item=item, facts={"ref": ref})


def _repairs(trace: TraceIndex, item: str) -> Iterator[Reason]:
    for note in trace.noted(item, "PROJECTION_REPAIRED"):
        effect: Effect = "changed" if item in trace.input else "missing"
        yield Reason(stage="compose", code=note["code"], effect=effect, text=note["message"], item=item)


def _windowing(trace: TraceIndex, item: str) -> Iterator[Reason]:
    if item in trace.windowed:
        budget = trace.config["budget"]
        bounds = {name: budget.get(name) for name in ("windowRounds", "windowMessages", "windowTokens")}
        asked = [f"{name} = {value:,}" for name, value in bounds.items() if value is not None]
        limit = trace.rendered["statistics"]["tokens"]["limit"]
        why = f"{' and '.join(asked)}, limit {limit:,} tokens" if asked else f"the limit is {limit:,} tokens"
        text = f"Message {item} was left out of this input by the window ({why}); it stays in the history"
        yield Reason(stage="window", code="CONTEXT_HISTORY_WINDOWED", effect="missing", text=text, item=item)


# ---- stored outputs and calls


def _of_ref(trace: TraceIndex, ref: str) -> list[Reason]:
    found = [reason for entry in trace.pruned if entry["ref"] == ref for reason in _of_message(trace, entry["message"])]
    told = {reason.item for reason in found}
    for name in trace.messages_showing(ref):
        if name not in told:
            found += _showing(trace, name, ref)
    return found


def _showing(trace: TraceIndex, name: str, ref: str) -> list[Reason]:
    if trace.everywhere[name].get("origin", {}).get("kind") != "checkpoint":
        return _of_message(trace, name)
    kept = trace.folded_text(name) == ref
    text = f"{ref} holds what was folded into checkpoint {name}" if kept else f"Checkpoint {name} only names {ref}"
    facts = {"ref": ref, "checkpoint": name}
    text += "; read_tool_output returns it"
    return [Reason(stage="fold", code="FOLDED", effect="missing", text=text, item=name, facts=facts)]


def _of_call(trace: TraceIndex, item: str) -> list[Reason]:
    found = [
        Reason(stage="compose", code=note["code"], effect="changed", text=note["message"], item=item)
        for note in trace.noted(item, "CALL_UNANSWERED")
    ]
    for name in trace.messages_of_call(item):
        found += _of_message(trace, name)
    return found


def _whole(item: str, text: str, *, stage: str = "emit") -> Reason:
    return Reason(stage=stage, code="WHOLE", effect="whole", text=text, item=item)
