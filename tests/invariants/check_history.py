"""Invariants of the history that comes back, and of what left it."""

import json

from turngraph import Image, Message, Text, ToolCall

from .check_registry import check, texts_in_blocks
from .oracle import (
    FOLDED,
    PREVIEW,
    anchor_of,
    is_checkpoint,
    price_of,
    split,
    texts_in,
    well_formed,
)
from .scenarios import Outcome


@check
def what_left_the_history_is_what_the_checkpoint_covers(o: Outcome) -> None:
    if not o.ok:
        return
    summary = o.report["compaction"]["summary"]
    before, after = [m.id for m in o.given], [m.id for m in o.assembly.history]
    gone = [name for name in before if name not in set(after)]
    assert sorted(gone) == sorted(summary["covered"])
    added = [name for name in after if name not in set(before)]
    if summary["covered"]:
        assert summary["outcome"] in ("accepted", "fallback")
        assert len(added) == 1
        assert is_checkpoint(o.assembly.history[o.assembly.history.find(added[0])])
        assert o.assembly.history.checkpoint() == o.assembly.history.find(added[0])
        if summary["replaced"] is not None:
            assert summary["replaced"] in summary["covered"]
    else:
        assert added == []
        assert summary["outcome"] in ("none", "kept")
    assert len(set(after)) == len(after)


@check
def what_stays_keeps_its_order_but_for_the_anchor(o: Outcome) -> None:
    if o.ok:
        anchor = {o.given[at].id for at in anchor_of(o.given)}
        after = {m.id for m in o.assembly.history}
        before = [m.id for m in o.given if m.id in after and m.id not in anchor]
        own = {m.id for m in o.given}
        assert [m.id for m in o.assembly.history if m.id in own and m.id not in anchor] == before


@check
def open_calls_the_anchor_and_their_steps_are_never_covered(o: Outcome) -> None:
    if not o.ok:
        return
    covered = set(o.report["compaction"]["summary"]["covered"])
    assert not covered & {o.given[at].id for at in anchor_of(o.given)}
    found = split(list(o.given))
    for step in found.steps:
        if not found.closed(step):
            assert not covered & {o.given[at].id for at in step.positions}
    lead = {o.given[at].id for at in range(found.lead)}
    assert not covered & lead


@check
def steps_are_covered_whole(o: Outcome) -> None:
    if o.ok:
        covered = set(o.report["compaction"]["summary"]["covered"])
        for step in split(list(o.given)).steps:
            inside = {o.given[at].id in covered for at in step.positions}
            assert len(inside) == 1, (step, covered)


@check
def pruning_keeps_everything_but_the_bodies(o: Outcome) -> None:
    if not o.ok:
        return
    pruned = {item["message"] for item in o.report["compaction"]["pruned"]}
    after = {message.id: message for message in o.assembly.history}
    for message in o.given:
        new = after.get(message.id)
        if new is None:
            continue
        if message.id not in pruned:
            assert new == message
            continue
        assert (new.role, new.name, new.origin, new.hidden) == (
            message.role,
            message.name,
            message.origin,
            message.hidden,
        )
        assert price_of(new, o.count) < price_of(message, o.count)
        if message.role == "tool":
            old_result, new_result = message.result, new.result
            assert (new_result.call_id, new_result.is_error, new_result.interim) == (
                old_result.call_id,
                old_result.is_error,
                old_result.interim,
            )
        else:
            assert [(c.id, c.name, shape(c.arguments)) for c in new.calls] == [
                (c.id, c.name, shape(c.arguments)) for c in message.calls
            ]
            others = [p for p in message.content if not isinstance(p, ToolCall)]
            unsigned = [p for p in others if not (getattr(p, "signature", None) or getattr(p, "encrypted", None))]
            assert [p for p in new.content if not isinstance(p, ToolCall)] in (others, unsigned)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shape(item) for item in value]
    return type(value).__name__


@check
def every_pruned_byte_can_be_read_again(o: Outcome) -> None:
    if not o.ok or o.store is None:
        return
    after = {message.id: message for message in o.assembly.history}
    for message in o.given:
        new = after.get(message.id)
        if new is not None and new != message:
            lost = originals(message, new)
            assert lost
            for text, refs in lost:
                assert any(o.store.contains(ref) and o.store.get(ref) == text for ref in refs)
    for item in o.report["compaction"]["pruned"]:
        assert o.store.contains(item["ref"])
        assert item["after"] < item["before"]


def originals(old: Message, new: Message) -> list[tuple[str, list[str]]]:
    """(whole text, references of which one must give it) of everything that was shortened between two versions."""
    if old.role == "tool":
        bodies = [part.text for part in old.result.content if isinstance(part, Text)]
        shown = [part.text for part in new.result.content if isinstance(part, Text)]
        out: list[tuple[str, list[str]]] = []
        body = "\n".join(bodies)
        if bodies and shown[: len(bodies)] != bodies and not set(bodies) <= set(shown):
            out.append((body, [ref for text in shown for ref in refs_of_preview(text)]))
        for part in old.result.content:
            if isinstance(part, Image) and part not in new.result.content:
                url = f"data:{part.media_type or 'application/octet-stream'};base64,{part.data}"
                out.append((url, [ref for text in shown for ref in refs_of_preview(text)]))
        return out
    return [
        (a, refs_of_preview(b))
        for call_a, call_b in zip(old.calls, new.calls, strict=True)
        for a, b in pairs(call_a.arguments, call_b.arguments)
    ]


def pairs(old: object, new: object) -> list[tuple[str, str]]:
    if isinstance(old, str):
        return [(old, new)] if old != new else []
    if isinstance(old, dict):
        return [pair for key in old for pair in pairs(old[key], new[key])]
    if isinstance(old, list | tuple):
        return [pair for a, b in zip(old, new, strict=True) for pair in pairs(a, b)]
    return []


def refs_of_preview(text: str) -> list[str]:
    """Every reference that a preview line names: what was shortened may quote lines of its own."""
    return [match[1] for match in PREVIEW.finditer(text)]


@check
def what_a_fold_took_out_can_be_read_again(o: Outcome) -> None:
    if not (o.ok and o.store is not None and o.report["compaction"]["summary"]["covered"]):
        return
    at = o.assembly.history.checkpoint()
    kept = everything_behind(o.assembly.history[at].text, o)
    covered = set(o.report["compaction"]["summary"]["covered"])
    for message in o.given:
        if message.id in covered:
            for text in [text for text in texts_in(message) if text.strip() and not is_checkpoint(message)]:
                assert message.calls or any(text in stored for stored in kept) or text in o.store.items.values()
                assert not message.calls or text in texts_in_blocks(message) or written(text, kept, o)


def everything_behind(text: str, o: Outcome) -> list[str]:
    """The stored texts that a checkpoint leads to: a fold stores the checkpoint that it replaces."""
    found: list[str] = []
    waiting = FOLDED.findall(text)[-1:]
    while waiting:
        stored = o.store.get(waiting.pop())
        found.append(stored)
        waiting += [ref for ref in FOLDED.findall(stored) if o.store.contains(ref) and o.store.get(ref) not in found]
    return found


def written(text: str, kept: list[str], o: Outcome) -> bool:
    """A string value of arguments, as JSON has it, or shortened and stored by itself."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return any(inside in stored or text in stored for stored in kept) or text in o.store.items.values()


@check
def the_input_history_is_unchanged(o: Outcome) -> None:
    assert o.assembly.given_history is o.given
    plain = o.scenario.messages
    assert len(o.given) == len(plain)
    for at, (mine, theirs) in enumerate(zip(plain, o.given, strict=True)):
        assert (mine.role, mine.origin, mine.name, mine.hidden) == (
            theirs.role,
            theirs.origin,
            theirs.name,
            theirs.hidden,
        )
        assert theirs.id == (mine.id or f"m{at}")
        assert [well_formed(text) for text in texts_in(mine)] == texts_in(theirs)


@check
def a_failure_changes_nothing_and_says_why(o: Outcome) -> None:
    if not o.ok:
        assert o.assembly.model_input is None
        assert o.assembly.reply is None
        assert o.assembly.history is o.given
        assert o.assembly.error.code in STATED, o.assembly.error
        assert o.assembly.error.message


STATED = {
    "bad_request",
    "protected_over_budget",
    "contributor_failed",
    "contributed_role",
    "fixed_part_over_limit",
    "window_over_limit",
    "validation_failed",
    "overflow_again",
    "overflow_no_progress",
    "provider_context_overflow",
    "provider_rate_limit",
    "provider_overloaded",
    "provider_auth",
    "provider_timeout",
    "provider_server_error",
    "provider_unknown",
    "provider_invalid_request",
}


@check
def validation_fails_only_where_there_is_nothing_to_send(o: Outcome) -> None:
    """The validator is the last gate: what it finds otherwise is a defect of a stage before it."""
    if not o.ok and o.assembly.error.code == "validation_failed":
        assert o.assembly.error.details["problems"] == ["there is no message to send"], o.assembly.error
