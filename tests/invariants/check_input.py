"""Invariants of what is sent."""

import json

from .check_registry import check, goes_out_as_it_stands, solid_parts, texts_in_blocks
from .oracle import (
    anchor_of,
    expected_ids,
    is_blank,
    is_checkpoint,
    pairing,
    price_of_all,
    price_of_input,
    well_formed,
)
from .scenarios import Outcome


@check
def every_result_stands_behind_its_call_in_declared_order(o: Outcome) -> None:
    if o.ok:
        assert pairing(o.assembly.model_input.messages) == []


@check
def the_input_is_the_history_without_what_the_report_names(o: Outcome) -> None:
    """No orphan, no duplicate, no stranger: exactly the projected history, then messages, then attachments."""
    if not o.ok:
        return
    left_out = set(o.report["window"]["removed"])
    wanted = [name for name in expected_ids(list(o.assembly.history)) if name.lstrip("?") not in left_out]
    sent: list[str] = []
    tail: list[str] = []
    for message in o.assembly.model_input.messages:
        placeholder = (message.origin.data or {}).get("placeholder") and not o.assembly.history.mentions(message.id)
        if message.origin.kind == "contribution":
            tail.append(message.id)
        elif placeholder:
            sent.append(f"?{message.id.split('.no-result.')[0]}")
            assert message.result.is_error
            assert message.text == "no result available for this call; do not assume that it succeeded"
        else:
            assert not tail, "history stands behind contributions"
            sent.append(message.id)
    assert sent == wanted
    assert tail == sorted(tail, key=lambda name: name.startswith("attachment:"))


@check
def an_unanswered_call_is_named_in_a_diagnostic(o: Outcome) -> None:
    if o.ok and len(o.report["diagnostics"]) < 50:
        sent = sum(
            not o.assembly.history.mentions(message.id) and message.role == "tool"
            for message in o.assembly.model_input.messages
        )
        named = sum(item["code"] == "CALL_UNANSWERED" for item in o.report["diagnostics"])
        assert named >= sent


@check
def nothing_empty_is_sent(o: Outcome) -> None:
    if o.ok:
        for message in o.assembly.model_input.messages:
            assert message.content, message
            assert message.role == "tool" or all(text.strip() for text in texts_in_blocks(message)), message
            assert all(call.id and isinstance(call.arguments, dict) for call in message.calls), message


@check
def the_active_request_is_there_word_for_word(o: Outcome) -> None:
    if not o.ok:
        return
    sent = {message.id: message for message in o.assembly.model_input.messages}
    for at in anchor_of(o.given):
        wanted = o.given[at]
        if not is_blank(wanted):
            found = sent[wanted.id]
            assert found.role == "user"
            assert list(found.content) == solid_parts(wanted)


@check
def the_newest_step_is_there(o: Outcome) -> None:
    wanted = expected_ids(list(o.given))
    if o.ok and wanted:
        heads = [m.id for m in o.given if m.role != "tool" and m.id in set(wanted) and not is_checkpoint(m)]
        assert not heads or heads[-1] in {message.id for message in o.assembly.model_input.messages}


@check
def protected_sections_are_byte_for_byte(o: Outcome) -> None:
    if o.ok:
        for section in o.scenario.sections:
            if section.protected:
                assert well_formed(section.content) in o.assembly.model_input.system
        if o.given.system_text:
            assert o.assembly.model_input.system.startswith(o.given.system_text)


@check
def the_total_is_within_the_limit_and_is_the_price_of_the_input(o: Outcome) -> None:
    if o.ok:
        total = price_of_input(o.assembly.model_input, o.count)
        tokens = o.report["tokens"]
        assert total == tokens["total"] == sum(tokens["by_source"].values())
        assert total <= tokens["limit"] <= o.scenario.budget["model_max_tokens"]
        assert tokens["limit"] <= o.assembler.budget.limit_tokens


@check
def the_first_bill_is_the_price_of_the_given_history(o: Outcome) -> None:
    wanted = expected_ids(list(o.given))
    own = {message.id: message for message in o.given}
    answered = not any(name.startswith("?") for name in wanted)
    if o.report["tokens"] and answered and goes_out_as_it_stands([own[name] for name in wanted]):
        assert o.report["tokens"]["before"]["history"] == price_of_all([own[name] for name in wanted], o.count)


@check
def everything_that_goes_out_is_json_and_utf8(o: Outcome) -> None:
    documents = [o.report, o.assembly.memory.as_json()]
    if o.ok:
        documents.append(o.assembly.model_input.as_json())
    else:
        documents.append(o.assembly.error.as_json())
    for document in documents:
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


@check
def provider_bodies_can_be_made(o: Outcome) -> None:
    if o.ok:
        for name in ("openai", "anthropic"):
            json.dumps(o.assembly.model_input.to(name), ensure_ascii=False, allow_nan=False).encode()


@check
def what_fits_goes_out_as_it_stands(o: Outcome) -> None:
    """No pressure, no guard, no window: the history is untouched and every message is the given one."""
    if o.ok and o.report["compaction"]["reason"] == "none":
        assert o.assembly.history == o.given
        assert o.report["calls"]["summary"] == 0
        assert o.report["compaction"]["pruned"] == []
        own = {message.id: message for message in o.given}
        for message in o.assembly.model_input.messages:
            if message.id in own and not message.calls and message.role == "user":
                assert list(message.content) == solid_parts(own[message.id])
