"""The channels: what a result writes, what stays, in whatever order results come."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph import BadRequest, Message, ToolCall, ToolResult, UsageError
from turngraph.state.durable import ChannelTools, DurableRules, DurableState, SkillCatalogue, hydrate

from .conversations import ANSWERS, CALLS, CATALOGUE, IDS, hydrated

PRODUCERS = ("task", "review_checkpoint", "declare_artifact", "query_graph", "read_skill")


def step(*calls, id="a"):
    """An assistant message that makes calls `(id, tool)` or `(id, tool, arguments)`."""
    made = [ToolCall(id=name, name=tool, arguments=dict(*more)) for name, tool, *more in calls]
    return Message.assistant("", calls=made, id=id)


def result(call_id, text, *, is_error=False):
    return Message.tool(call_id, text, is_error=is_error).result


def after(message, *texts, rules=None, state=None, failed=False):
    """The state after the calls of a message were answered with texts."""
    state = (state or DurableState()).declare(message)
    more = {} if rules is None else {"rules": rules}
    for index, text in enumerate(texts):
        answer = result(message.calls[index].id, text, is_error=failed)
        state = state.with_result(message, index, answer, catalogue=CATALOGUE, **more)
    return state


def test_a_record_holds_the_call_and_what_it_gave():  # dur-2
    message = step(("c1", "declare_artifact", {"path": "report.md"}), ("c2", "task", {"description": "screen papers"}))

    state = after(message, '{"artifact_id":"artifact-1","version":1}', '{"subagent_status":"completed"}')

    assert state.artifacts.as_json()["records"] == [
        {
            "args": {"path": "report.md"},
            "call_id": "c1",
            "message_id": "a",
            "result": {"artifact_id": "artifact-1", "version": 1},
            "sequence": 1,
            "status": "succeeded",
            "tool_name": "declare_artifact",
        }
    ]
    assert [record.args for record in state.delegations.records] == [{"description": "screen papers"}]


@pytest.mark.parametrize("tool", PRODUCERS)
def test_a_failed_result_updates_nothing(tool):  # dur-3
    state = after(step(("c", tool, {"skillId": "s1"})), "boom", failed=True)

    assert state.channels == DurableState().channels


def test_failures_are_listed_beside_the_records_where_the_rules_ask_for_them():  # dur-3
    rules = DurableRules(failures=("delegations", "reviews"))

    state = after(
        step(*((f"c{at}", tool) for at, tool in enumerate(PRODUCERS))), *["boom"] * 5, rules=rules, failed=True
    )

    failed = {name: [item.status for item in getattr(state, name).failures] for name in ("delegations", "reviews")}
    assert failed == {"delegations": ["failed"], "reviews": ["failed"]}
    assert not state.delegations.records
    assert not (state.artifacts)
    assert not (state.memory)
    assert not (state.skills)


@pytest.mark.parametrize(("text", "kept"), [('{"ok":false}', 0), ('{"error":{"code":"X"}}', 0), ('{"error":"x"}', 1)])
def test_a_result_that_says_that_it_failed_is_a_failure(text, kept):  # dur-10
    assert len(after(step(("t", "task")), text).delegations.records) == kept


def test_the_newest_five_of_a_channel_stay():  # dur-4
    calls = [(f"c{at}", "task") for at in range(1, 7)]

    state = after(step(*calls), *"123456")

    assert [(item.call_id, item.result) for item in state.delegations.records] == [(f"c{at}", at) for at in range(2, 7)]


def test_the_same_call_again_replaces_its_record():  # dur-6
    doubled = after(step(("c", "task"), ("c", "task")), "v1", "v2")
    message = step(("c", "task"))
    again = after(message, "v1").with_result(message, 0, result("c", "v2"))

    assert [(item.call_id, item.result) for item in doubled.delegations.records] == [("c", "v2")]
    assert [(item.call_id, item.result) for item in again.delegations.records] == [("c", "v2")]


def test_a_success_takes_the_place_of_the_failure_of_its_call():
    message, rules = step(("c", "task")), DurableRules(failures=("delegations",))

    failed = after(message, "boom", rules=rules, failed=True)
    mended = failed.with_result(message, 0, result("c", "fine"), rules=rules)
    failed_again = mended.with_result(message, 0, result("c", "boom", is_error=True), rules=rules)

    assert (len(failed.delegations.failures), len(mended.delegations.failures)) == (1, 0)
    assert failed_again == mended


def test_long_values_are_shortened_with_a_notice_on_whole_characters():
    long = "🧬" * 3001

    record = after(step(("c", "task", {"note": long})), long).delegations.records[0]

    assert record.result == "🧬" * 3000 + "\n[shortened: 3001 characters in all]"
    assert record.args["truncated_value"].startswith('{"note":"🧬')
    assert record.args["truncated_value"].endswith("\n[shortened: 3012 characters in all]")


@given(st.integers(1, 50), st.text(max_size=80))
def test_no_value_is_kept_longer_than_the_bound_and_its_notice(most, text):
    rules = DurableRules(value_chars=most)

    record = after(step(("c", "task", {"note": text})), json.dumps(text), rules=rules).delegations.records[0]

    kept = record.result if isinstance(record.result, str) else json.dumps(record.result)
    assert len(kept) <= most + len("\n[shortened: 999 characters in all]")
    assert record.result == text or "[shortened: " in record.result or len(text) > most


def test_arguments_that_are_no_json_do_not_break_the_record():
    record = after(step(("c", "task", {"when": object()})), "fine").delegations.records[0]

    assert "no JSON" in record.args["truncated_value"]


def test_what_did_not_change_is_shared():
    before = after(step(("c1", "task")), "1")

    behind = after(step(("c2", "query_graph"), id="b"), "2", state=before)

    assert behind.delegations is before.delegations
    assert before.memory != behind.memory


def test_a_state_cannot_be_changed():
    state = after(step(("c", "task", {"a": 1})), '{"b":2}')

    with pytest.raises(AttributeError):
        state.plan = None
    state.delegations.records[0].result["b"] = 3
    assert state.delegations.records[0].result == {"b": 2}


def test_tools_of_a_channel_are_a_setting():
    rules = DurableRules(tools=ChannelTools(delegations=("spawn",), plan=("todo",)))
    message = step(("c1", "task"), ("c2", "spawn"), ("c3", "todo", {"plan": [{"step": "x", "status": "pending"}]}))

    state = after(message, "1", "2", "3", rules=rules)

    assert [record.tool_name for record in state.delegations.records] == ["spawn"]
    assert [item.step for item in state.plan.items] == ["x"]


@pytest.mark.parametrize(
    ("make", "path"),
    [
        pytest.param(lambda: ChannelTools(memory=("task",)), "tools.memory", id="one tool in two channels"),
        pytest.param(lambda: ChannelTools(goal=(" ",)), "tools.goal", id="no name"),
        pytest.param(lambda: DurableRules(records=0), "records", id="no record"),
        pytest.param(lambda: DurableRules(value_chars=-1), "value_chars", id="no character"),
        pytest.param(lambda: DurableRules(failures=("plan",)), "failures", id="a plan has no failures"),
    ],
)
def test_wrong_rules_are_refused_with_their_path(make, path):
    with pytest.raises(BadRequest) as caught:
        make()

    assert [item["path"] for item in caught.value.details["problems"]] == [path]


def test_a_message_that_was_not_declared_has_no_numbers():
    with pytest.raises(UsageError, match="not declared"):
        DurableState().with_result(step(("c", "task")), 0, result("c", "1"))


def test_a_message_without_id_cannot_be_declared():
    with pytest.raises(UsageError, match="append it to the history"):
        DurableState().declare(step(("c", "task"), id=""))


def test_a_call_that_the_message_does_not_make_is_refused():
    message = step(("c", "task"))

    with pytest.raises(UsageError, match="1 calls"):
        DurableState().declare(message).with_result(message, 1, result("c", "1"))


def test_declaring_twice_numbers_once():
    message = step(("c1", "task"), ("c2", "bash"))

    once = DurableState().declare(message)

    assert once.declare(message) is once
    assert once.sequence == 2


picks = st.lists(
    st.tuples(st.sampled_from(CALLS), st.sampled_from(IDS), st.sampled_from(ANSWERS)), min_size=1, max_size=8
)


@given(st.lists(picks, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_in_which_results_come_makes_no_difference(steps, random):
    messages = [
        step(*((name, tool, arguments) for (tool, arguments), name, _ in chosen), id=f"a{at}")
        for at, chosen in enumerate(steps)
    ]
    jobs = [(at, index) for at, chosen in enumerate(steps) for index in range(len(chosen))]

    def finished(order):
        state = DurableState()
        for message in messages:
            state = state.declare(message)
        for at, index in order:
            text, failed = steps[at][index][2]
            answer = ToolResult(
                call_id=steps[at][index][1], content=Message.tool("", text).result.content, is_error=failed
            )
            state = state.with_result(messages[at], index, answer, catalogue=CATALOGUE)
        return state

    shuffled = jobs.copy()
    random.shuffle(shuffled)
    assert finished(shuffled) == finished(jobs)


def test_so_many_open_steps_are_waited_for_and_the_oldest_is_let_go():
    from turngraph.state.durable.ledger import MAX_OPEN

    messages = [step((f"c{at}", "task"), id=f"a{at}") for at in range(MAX_OPEN + 40)]

    state = hydrated(messages_as_history(messages))

    assert [item.message_id for item in state.open] == [f"a{at}" for at in range(40, MAX_OPEN + 40)]


def messages_as_history(messages):
    from turngraph import History

    return History(messages)


def test_an_open_step_that_a_fold_carried_over_is_not_numbered_again():
    waiting = step(("t", "task"), ("b", "bash"), id="open")
    closed = [
        message
        for at in range(50)
        for message in (step((f"x{at}", "bash"), id=f"a{at}"), Message.tool(f"x{at}", "1", id=f"r{at}"))
    ]
    whole = messages_as_history([waiting, Message.tool("t", '"first"', id="r"), *closed])
    state = hydrate(whole)
    folded = whole.rebuilt([Message.user("summary", id="s", name="summary"), whole[0], whole[1], Message.user("next")])

    late = hydrate(folded.append(Message.tool("b", "listing")), state)

    assert hydrate(folded, state) == state
    assert (late.sequence, late.open, late.delegations) == (state.sequence, (), state.delegations)


def test_a_catalogue_names_the_revision_at_the_time_of_reading():
    message = step(("c", "read_skill", {"skillId": "s1"}))
    state = after(message, "body")
    later = SkillCatalogue.from_json([{"id": "s1", "revision": 4}])

    grown = messages_as_history([message, Message.tool("c", "body")])

    assert [(item.id, item.revision) for item in state.skills] == [("s1", 3)]
    assert hydrate(grown, state, catalogue=later).skills == state.skills


def test_reading_a_skill_again_takes_the_new_revision():
    first = after(step(("c", "read_skill", {"skillId": "s1"})), "body")
    again = step(("c", "read_skill", {"skillId": "s1"}), id="b")

    state = first.declare(again).with_result(
        again, 0, result("c", "new body"), catalogue=SkillCatalogue.from_json([{"id": "s1", "revision": 4}])
    )

    assert [(item.revision, item.message_id) for item in state.skills] == [(4, "b")]


@pytest.mark.parametrize("arguments", [{}, {"skillId": 1}, {"skillId": " "}, {"skillId": "x" * 201}])
def test_a_reading_that_names_no_skill_is_no_reference(arguments):
    assert after(step(("c", "read_skill", arguments)), "body").skills == ()


def test_the_body_of_a_skill_is_nowhere_in_the_state():
    state = after(step(("c", "read_skill", {"skillId": "s1"})), "SECRET BODY")

    assert "SECRET BODY" not in json.dumps(state.as_json())


def test_the_repr_says_what_there_is():
    plan = {"plan": [{"step": "x", "status": "pending"}]}

    state = after(step(("c1", "task"), ("c2", "update_plan", plan)), "1", "2")

    assert repr(state) == "<DurableState after 2 calls: delegations 1, plan of 1>"
    assert repr(DurableState()) == "<DurableState after 0 calls: empty>"
