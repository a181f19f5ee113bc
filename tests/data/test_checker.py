"""The checker itself: it finds each fault that it is there to find."""

from copy import deepcopy

import pytest

from .checker import problems

REF = "tool-output-" + "ab" * 16
PREVIEW = f"head\n[tool output shortened: ref={REF}, 400 bytes; read_tool_output returns the rest]\ntail"


def message(id_: str, role: str, *content: dict, kind: str = "unknown", **more: object) -> dict:
    return {"id": id_, "role": role, "content": list(content), "origin": {"kind": kind}, **more}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def call(name: str) -> dict:
    return {"type": "tool_call", "id": name, "name": "read", "arguments": {"path": "x" * 40}}


def result(name: str, words: str) -> dict:
    return {"type": "tool_result", "call_id": name, "content": [text(words)], "is_error": False}


SOURCE = [
    message("m0", "system", text("be brief")),
    message("m1", "user", text("the task"), kind="prompt"),
    message("m2", "assistant", call("a"), call("b")),
    message("m3", "tool", result("a", "A" * 400)),
    message("m4", "tool", result("b", "B")),
    message("m5", "assistant", text("done")),
    message("m6", "user", text("the next task"), kind="prompt"),
]


def found(change, *, history=None, store=None) -> list[str]:
    sent = deepcopy(SOURCE[1:])
    change(sent)
    return problems(SOURCE, sent, SOURCE if history is None else history, store or {})


def test_the_source_itself_has_no_problem():
    assert found(lambda sent: None) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda sent: sent.pop(2), "asks ['a', 'b'] and gets"),
        (lambda sent: sent.insert(4, sent[3]), "goes out twice"),
        (lambda sent: sent.insert(2, sent.pop(3)), "asks ['a', 'b'] and gets ['b', 'a']"),
        (lambda sent: sent.insert(3, sent.pop(4)), "asks ['a', 'b'] and gets ['a', None]"),
        (lambda sent: sent.pop(1), "which nobody asked here"),
        (lambda sent: sent.pop(-1), "the active request m6 is not sent"),
        (lambda sent: sent[-1]["content"][0].update(text="the next tas"), "the active request m6 was changed"),
        (lambda sent: sent.append(message("x", "assistant", text("invented"))), "x is a stranger"),
        (lambda sent: sent.insert(0, sent.pop(-2)), "out of order"),
        (lambda sent: sent[4].update(content=[text(" ")]), "has an empty block"),
        (lambda sent: sent[4].update(content=[]), "m5 is empty"),
        (
            lambda sent: sent[2]["content"][0].update(
                content=[text("no result available for this call; do not assume that it succeeded")]
            ),
            "has a result that is not sent",
        ),
    ],
)
def test_a_planted_fault_in_the_input_is_found(change, fault):
    assert any(fault in problem for problem in found(change))


@pytest.mark.parametrize(("store", "lost"), [({REF: "A" * 400}, 0), ({REF: "A" * 399}, 1), ({}, 1)])
def test_a_shortened_body_must_be_whole_under_its_reference(store, lost):
    history = deepcopy(SOURCE)
    history[3]["content"][0]["content"] = [text(PREVIEW)]

    assert len(found(lambda sent: None, history=history, store=store)) == lost


def test_what_a_fold_took_out_must_stand_behind_the_reference_of_its_checkpoint():
    folded = message(
        "m7",
        "user",
        text(f"[turngraph summary checkpoint]\n[folded messages: ref={REF}; read_tool_output returns them]"),
        kind="checkpoint",
        name="summary",
    )
    history = [SOURCE[0], folded, *SOURCE[5:]]
    whole = "the task\n" + "A" * 400 + "\nB\n" + "x" * 40

    assert found(lambda sent: None, history=history, store={REF: whole}) == []
    assert len(found(lambda sent: None, history=history, store={REF: whole.replace("A", "", 1)})) == 1
