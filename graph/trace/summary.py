"""A trace in short: what each stage took and left, and everything that is not, or not wholly, in the input."""

from typing import Any

from .index import Json, TraceIndex

__all__ = ["summary_of"]


def summary_of(document: Json) -> dict[str, Any]:
    """Sum up a trace that `check_document` let pass; a pure function of it. Holds no text of the conversation.

    Returns:
        `{contextId, turn, exportedAt, mode, scope, selectedPath, recovery, error, tokens, stages [{node, outcome, to,
        before, after, durationUs}], contributors, sections, attachments, messages, pruned, folded, windowed,
        diagnostics}`; `before` and `after` are tokens of the whole input, null where nothing was measured yet.
    """
    trace = TraceIndex(document)
    statistics: Json = trace.rendered.get("statistics") or {}
    return {
        "contextId": document["contextId"],
        "turn": document["turn"],
        "exportedAt": document["exportedAt"],
        "mode": trace.config["mode"],
        "scope": trace.config["scope"],
        "selectedPath": document["selectedPath"],
        "recovery": document.get("recovery"),
        "error": {name: trace.error[name] for name in ("code", "message")} if trace.error is not None else None,
        "tokens": statistics.get("tokens"),
        "stages": _stages(document),
        "contributors": [
            {name: item.get(name) for name in ("contributorId", "status", "required", "durationMs", "error")}
            for item in trace.contributors.values()
        ],
        "sections": _sections(trace),
        "attachments": _attachments(trace),
        "messages": {"sent": len(trace.input), "history": len(trace.history)},
        "pruned": list(trace.pruned),
        "folded": _folded(trace),
        "windowed": [name for name in trace.history if name in trace.windowed],
        "diagnostics": list(trace.diagnostics),
    }


def _stages(document: Json) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    before: int | None = None
    for frame in document["graph"]:
        after: int | None = frame["tokens"]
        out.append({name: frame[name] for name in ("node", "outcome", "to", "durationUs")})
        out[-1] |= {"before": before, "after": after}
        before = after
    return out


def _sections(trace: TraceIndex) -> list[dict[str, Any]]:
    """List what stands in the system prompt in its order, then what does not."""
    shown: list[str] = list(trace.rendered.get("sectionIds", ()))
    names = [*shown, *[name for name in trace.sections if name not in shown]]
    return [
        {
            "id": name,
            "slot": trace.sections.get(name, {}).get("slot"),
            **_fate(trace, name, "SECTION", shown=name in shown),
        }
        for name in names
    ]


def _attachments(trace: TraceIndex) -> list[dict[str, Any]]:
    admitted = {message["id"] for message in (trace.admitted or {}).get("attachments", ())}
    return [
        {
            "id": name,
            "source": item.get("source"),
            **_fate(trace, name, "ATTACHMENT", shown=f"attachment:{name}" in admitted),
        }
        for name, item in trace.attachments.items()
    ]


def _fate(trace: TraceIndex, name: str, kind: str, *, shown: bool) -> dict[str, Any]:
    """Say how much of a contribution went in, in characters; null where nothing was lost."""
    for note in trace.noted(name, f"CONTEXT_{kind}_TRUNCATED", f"CONTEXT_{kind}_DROPPED"):
        return {"effect": "shortened" if shown else "missing", "wanted": note.get("wanted"), "got": note.get("got")}
    return {"effect": "whole" if shown else "missing", "wanted": None, "got": None}


def _folded(trace: TraceIndex) -> dict[str, Any] | None:
    summary = trace.summary
    if not summary or summary["outcome"] == "none":
        return None
    return {name: summary[name] for name in ("outcome", "checkpoint", "sourceTokens", "checkpointTokens", "covered")}
