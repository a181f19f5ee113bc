"""Invariants of calls, bounds and reports."""

from .check_registry import check, goes_out_as_it_stands
from .oracle import (
    anchor_of,
    expected_ids,
    is_blank,
    is_checkpoint,
    pairing,
    price_of,
    price_of_all,
    price_of_input,
    split,
)
from .scenarios import Outcome


@check
def nobody_is_called_when_the_fixed_part_is_over_the_limit(o: Outcome) -> None:
    if not o.ok and o.assembly.error.code == "fixed_part_over_limit":
        if o.report["calls"]["provider"] == 0 and not o.report["compaction"]["recollected"]:
            assert o.report["calls"]["summary"] == 0
            assert o.summary_requests == []
            assert o.model_requests == []
        details = o.assembly.error.details
        assert details["total"] > details["limit"]
        assert details["total"] == sum(details["by_source"].values())


@check
def what_must_stay_is_billed_as_it_would_be_sent(o: Outcome) -> None:
    """Without a store nothing is shortened, so the fixed part can be priced by hand."""
    if not o.ok and o.assembly.error.code == "fixed_part_over_limit" and o.store is None:
        wanted = set(expected_ids(list(o.given)))
        found = split(list(o.given))
        sent = [message for message in o.given if message.id in wanted]
        own_pass = not o.options["recovery"] and not o.model_requests
        if own_pass and goes_out_as_it_stands(sent) and all(found.closed(step) for step in found.steps):
            heads = [at for at, m in enumerate(o.given) if m.role != "tool" and m.id in wanted and not is_checkpoint(m)]
            stays = set(anchor_of(o.given)).union(found.of(heads[-1]).positions if heads else ())
            price = price_of_all([o.given[at] for at in stays if o.given[at].id in wanted], o.count)
            assert o.assembly.error.details["by_source"]["history"] == price


@check
def a_window_fails_only_over_a_checkpoint_that_stood_before(o: Outcome) -> None:
    """What must stay was weighed before; a checkpoint of our own is never what makes it too large.

    A limit that a provider named in between may be below what must stay.
    """
    if not o.ok and o.assembly.error.code == "window_over_limit" and len(o.model_requests) == 0:
        assert o.given.checkpoint() is not None


@check
def calls_are_bounded_and_reported_as_they_were(o: Outcome) -> None:
    calls, retries = o.report["calls"], o.assembler.budget.compaction_summary_retries
    assert calls["summary"] <= 3 + retries
    assert calls["provider"] <= 2
    assert calls["attempts"] <= 6
    assert len(o.model_requests) == calls["attempts"]
    if o.scenario.summarizer not in ("extractive", "none"):
        assert len(o.summary_requests) == calls["summary"]
    assert len(o.report["path"]) <= 51 + 2 * retries
    nodes = [step["node"] for step in o.report["path"]]
    assert nodes.count("prune") <= 2
    assert nodes.count("prune") <= 1 or "recover" in nodes


@check
def a_resend_is_the_same_input_and_a_recovery_a_smaller_one(o: Outcome) -> None:
    prices = [price_of_input(request, o.count) for request in o.model_requests]
    different = [
        request for at, request in enumerate(o.model_requests) if at == 0 or request is not o.model_requests[at - 1]
    ]
    assert len(different) <= 2
    assert len(different) < 2 or prices[-1] < prices[0]


@check
def a_checkpoint_is_cheaper_than_its_source(o: Outcome) -> None:
    if o.ok:
        summary = o.report["compaction"]["summary"]
        if summary["covered"]:
            at = o.assembly.history.checkpoint()
            assert price_of(o.assembly.history[at], o.count) == summary["checkpoint_tokens"]
            assert summary["checkpoint_tokens"] < summary["source_tokens"]
            if summary["outcome"] == "accepted":
                assert summary["checkpoint_tokens"] <= o.report["tokens"]["limit"] // 4 or o.model_requests


@check
def a_pass_ends_no_larger_than_it_began(o: Outcome) -> None:
    if o.ok:
        record = o.report["compaction"]
        sources = ("system", "tools", "history")
        now, before = o.report["tokens"]["by_source"], o.report["tokens"]["before"]
        if record["reason"] != "none":
            assert sum(now[name] for name in sources) <= sum(before[name] for name in sources)


@check
def rejected_or_failed_summaries_are_counted_and_fold_nothing(o: Outcome) -> None:
    summary = (o.report["compaction"] or {}).get("summary")
    if summary is None:
        return
    assert len(summary["rejections"]) <= summary["attempts"]
    if summary["outcome"] == "kept":
        assert summary["covered"] == []
    if summary["outcome"] == "fallback" and o.ok:
        assert o.assembler.budget.summary_fallback == "extractive"
        assert o.report["calls"]["summary"] > 0 or o.scenario.summarizer != "extractive"


@check
def summary_requests_hold_whole_closed_steps_and_no_injection(o: Outcome) -> None:
    open_ids: set[str] = set()
    found = split(list(o.given))
    for step in found.steps:
        if not found.closed(step):
            open_ids.update(o.given[at].id for at in step.positions)
    anchor = {o.given[at].id for at in anchor_of(o.given)}
    for request in o.summary_requests:
        messages = [message for step in request.steps for message in step]
        assert pairing(messages) == []
        for message in messages:
            assert message.origin.kind != "injection"
            assert not is_checkpoint(message)
            assert not is_blank(message)
            assert message.id not in open_ids
            assert message.id not in anchor
        assert messages or request.previous is not None or len(o.given)
        assert request.max_tokens > 0


@check
def a_summary_request_fits_the_run_or_the_summariser(o: Outcome) -> None:
    own = o.scenario.summary_window if isinstance(o.scenario.summarizer, list) else None
    bound = own or o.assembler.budget.limit_tokens
    for request in o.summary_requests:
        assert sum(price_of_all(step, o.count) for step in request.steps) <= bound


@check
def every_folded_prompt_is_quoted_or_named(o: Outcome) -> None:
    if not o.ok or not o.report["compaction"]["summary"]["covered"]:
        return
    summary = o.report["compaction"]["summary"]
    covered = set(summary["covered"])
    prompts = [
        m
        for m in o.given
        if m.id in covered and m.role == "user" and m.origin.kind in ("prompt", "steer") and not is_checkpoint(m)
    ]
    kept, omitted = set(summary["prompts_kept"]), set(summary["prompts_omitted"])
    assert not kept & omitted
    for message in prompts:
        assert (message.id in kept) != (message.id in omitted)


@check
def removed_by_the_window_stays_in_history(o: Outcome) -> None:
    if o.ok:
        window = o.report["window"]
        after = [m.id for m in o.assembly.history]
        assert set(window["removed"]) <= set(after)
        assert window["kept"] + len(window["removed"]) == len(after) - o.assembly.history.lead
        sent = {m.id for m in o.assembly.model_input.messages}
        assert not sent & set(window["removed"])


@check
def diagnostics_use_the_codes_of_the_contract(o: Outcome) -> None:
    for item in o.report["diagnostics"]:
        assert item["code"] in CODES
        assert item["severity"] in ("info", "warning", "error")
        assert item["message"]


CODES = {
    "CONTRIBUTOR_FAILED",
    "CONTEXT_SECTION_TRUNCATED",
    "CONTEXT_SECTION_DROPPED",
    "CONTEXT_ATTACHMENT_TRUNCATED",
    "CONTEXT_ATTACHMENT_DROPPED",
    "CONTEXT_MESSAGES_DROPPED",
    "CONTEXT_HISTORY_WINDOWED",
    "CALL_UNANSWERED",
    "PROJECTION_REPAIRED",
    "SUMMARY_REJECTED",
    "SUMMARY_SHAPE",
    "SUMMARY_UNKNOWN_REF",
    "PLAN_PROGRESS_OBSERVATION",
    "INPUT_LINE_SKIPPED",
    "REMINDER_FAILED",
    "TOKENIZER_FALLBACK",
}
