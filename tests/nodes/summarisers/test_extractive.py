"""The extractive summariser: what it keeps, in which section, and that it is bounded whatever it reads."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph.nodes.summarisers import ExtractiveSummarizer, SummaryRequest
from turngraph.state.checkpoint import SECTIONS, Checkpoint, parse_sections
from turngraph.state.messages import Message, Origin, ToolCall

REQUEST, COMPLETED, EVIDENCE, DECISIONS, FAILED, PENDING, LEADS, NEXT = SECTIONS
REF = "tool-output-0123456789abcdef"


def quarter(text):
    """A counter: four characters to a token."""
    return (len(text) + 3) // 4


def words(text):
    """A counter: words and line ends."""
    return len(re.findall(r"\S+|\n", text))


def user(id, text, **kwargs):
    return [Message.user(text, id=id, **kwargs)]


def assistant(id, text):
    return [Message.assistant(text, id=id)]


def called(id, name, arguments, result, *, text="", is_error=False, ref=None):
    """One step: a call and its result, whose id is that of the call with an `r` behind it."""
    call = ToolCall(id=f"call_{id}", name=name, arguments=arguments)
    return [
        Message.assistant(text, calls=[call], id=id),
        Message.tool(call.id, result, id=f"{id}r", is_error=is_error, ref=ref),
    ]


def summary(steps, *, previous=None, max_tokens=2000, attempt=1, count=quarter):
    request = SummaryRequest(steps=steps, previous=previous, max_tokens=max_tokens, attempt=attempt)
    return ExtractiveSummarizer(count).summarize(request).text


def sections(steps, **kwargs):
    parsed = parse_sections(summary(steps, **kwargs))
    assert parsed.problems == ()
    return parsed.sections


def test_it_has_a_name_and_takes_a_source_of_any_size():
    summarizer = ExtractiveSummarizer(quarter)

    assert summarizer.name == "extractive"
    assert summarizer.window_tokens > 10**15


def test_the_text_is_exactly_this():
    steps = [
        user("m1", "Make the parser in src/parse.py accept tabs."),
        called(
            "m2", "read", {"path": "src/parse.py"}, "def parse():\n    return TOKEN_A1B2C3D4\n", text="Let me look."
        ),
        called("m3", "bash", {"command": "pytest -q"}, "FAILED tests/test_parse.py::test_tabs\n1 failed, 3 passed"),
        called("m4", "edit", {"path": "src/parse.py"}, "no such text", is_error=True),
        assistant("m5", "I decided to split on runs of blanks instead of single ones."),
    ]

    assert summary(steps) == (
        "## Primary request and intent\n"
        "- m1: Make the parser in src/parse.py accept tabs.\n\n"
        "## Completed work and verified findings\n"
        "- m2 said: Let me look.\n"
        "- m2r read src/parse.py → def parse(): return TOKEN_A1B2C3D4\n"
        "- m3r bash pytest -q → FAILED tests/test_parse.py::test_tabs 1 failed, 3 passed\n"
        "- m5 answered: I decided to split on runs of blanks instead of single ones.\n\n"
        "## Evidence, artifacts, and references\n"
        "(none)\n\n"
        "## Decisions and constraints\n"
        "- m5: I decided to split on runs of blanks instead of single ones.\n\n"
        "## Failed or abandoned leads\n"
        "- m3r bash pytest -q: FAILED tests/test_parse.py::test_tabs\n"
        "- m4r edit src/parse.py: no such text\n\n"
        "## Pending requirements\n"
        "(none)\n\n"
        "## Optional leads\n"
        "(none)\n\n"
        "## Next step\n"
        "(none)"
    )


def test_long_requests_are_not_doubled_and_hidden_or_injected_ones_are_no_requests():
    found = sections(
        [
            user("m1", "build\nit " * 400),
            user("m2", "today is Monday", origin=Origin("injection"), hidden=True),
            user("m3", "and faster", origin=Origin("steer")),
        ]
    )

    first, second = found[REQUEST].split("\n")
    assert first.startswith("- m1: build it build it")
    assert first.endswith("…")
    assert len(first) <= 170
    assert second == "- m3: and faster"


def test_paths_identifiers_and_refs_of_results_are_evidence_once():
    found = sections(
        [
            called("m1", "grep", {"pattern": "x"}, "src/a.py:1: commit 9f8e7d6c5b\n" * 30, ref=REF),
            called("m2", "grep", {"pattern": "y"}, "src/a.py:2: again 9f8e7d6c5b\n" * 30),
        ]
    )

    assert found[EVIDENCE] == f"- m1r: src/a.py, 9f8e7d6c5b, {REF}"


def test_the_pieces_of_words_at_the_cut_of_a_preview_are_no_facts():
    preview = (
        "lib/first.py lib/brok\n[tool output shortened: ref=tool-output-0123456789abcdef, 9000 bytes; "
        "read_tool_output returns the rest]\nken/second.py lib/third.py " + "and so on " * 20
    )

    evidence = sections([called("m1", "cat", {}, preview)])[EVIDENCE]

    assert "lib/first.py" in evidence
    assert "lib/third.py" in evidence
    assert REF in evidence
    assert "lib/brok" not in evidence
    assert "second.py" not in evidence


def test_code_that_mentions_an_error_is_no_failed_lead():
    listing = "12: raise ValueError('x')\nclass ParseError(Exception): pass\n# error handling\n" + "x = 1\n" * 40

    assert sections([called("m1", "read", {"path": "a.py"}, listing)])[FAILED] == ""


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: bad value",
        "E   AssertionError: assert 1 == 2",
        "src/x.py:10: error: Name is not defined",
        "fatal: not a git repository",
        "bash: foo: command not found",
        "ls: cannot access 'x': No such file or directory",
        "Process finished, exit code: 3",
        "Exit code 1",
    ],
)
def test_reported_errors_are_failed_leads_even_if_the_result_is_not_marked(line):
    assert sections([called("m1", "bash", {"command": "go"}, f"start\n{line}\nend")])[FAILED] == (
        f"- m1r bash go: {line}"
    )


def test_an_error_without_words_is_still_a_failed_lead():
    assert sections([called("m1", "bash", {"command": "go"}, "", is_error=True)])[FAILED] == (
        "- m1r bash go: failed without a word"
    )


def test_a_request_without_a_final_answer_is_pending_and_an_answered_one_is_not():
    found = sections(
        [
            user("m1", "first"),
            assistant("m2", "done"),
            user("m3", "second"),
            called("m4", "bash", {"command": "go"}, "ok"),
            user("m5", "third"),
        ]
    )

    assert found[PENDING] == (
        "- m3: second (no final answer in the folded part)\n- m5: third (no final answer in the folded part)"
    )


def test_a_steer_joins_the_request_under_work():
    found = sections([user("m1", "first"), user("m2", "also this", origin=Origin("steer")), assistant("m3", "done")])

    assert found[PENDING] == ""


def test_a_pending_request_is_dropped_when_the_next_fold_begins_with_its_answer():
    old = Checkpoint(sections=sections([user("m1", "first")]))

    assert sections([assistant("m2", "done")], previous=old)[PENDING] == ""
    assert sections([user("m2", "other"), assistant("m3", "done")], previous=old)[PENDING] == old.sections[PENDING]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [called("m1", "bash", {"command": "go"}, "ok", text="Found it. Now I'll fix the parser.")],
            "- Now I'll fix the parser.",
        ),
        ([called("m1", "bash", {"command": "go"}, "ok")], "- Go on after m1: bash go"),
        ([user("m1", "do it")], "- Answer m1"),
        ([assistant("m1", "All done. Remaining: the docs.")], "- Remaining: the docs."),
        ([assistant("m1", "Now it works.")], ""),
    ],
)
def test_there_is_one_next_step_the_last_stated_intent(steps, expected):
    assert sections(steps)[NEXT] == expected


def test_the_old_checkpoint_is_taken_over_section_by_section():
    old = Checkpoint(sections={title: f"- old {title}" for title in SECTIONS})

    found = sections([assistant("m9", "I chose tabs because they are shorter.")], previous=old)

    assert found[LEADS] == "- old Optional leads"
    assert found[DECISIONS] == "- old Decisions and constraints\n- m9: I chose tabs because they are shorter."
    assert found[NEXT] == ""


def test_the_old_next_step_stands_while_the_assistant_has_not_spoken():
    old = Checkpoint(sections={NEXT: "- deploy"})

    found = sections([user("m9", "note", origin=Origin("injection"), hidden=True)], previous=old)

    assert found[NEXT] == "- deploy"
    assert sections([user("m9", "and now?")], previous=old)[NEXT] == "- Answer m9"


def test_where_the_room_is_short_the_oldest_old_lines_go_first():
    old = Checkpoint(sections={COMPLETED: "\n".join(f"- old finding number {n}" for n in range(200))})
    new = [called(f"m{n}", "read", {"path": f"src/file{n}.py"}, "x" * 500) for n in range(60)]

    kept = sections(new, previous=old, max_tokens=600)[COMPLETED]
    numbers = [int(n) for n in re.findall(r"old finding number (\d+)", kept)]

    assert numbers == list(range(numbers[0], 200))
    assert 0 < numbers[0] < 199
    assert "src/file59.py" in kept


def test_each_further_attempt_writes_half_as_much():
    steps = [called(f"m{n}", "read", {"path": f"src/file{n}.py"}, f"id_{n}_abcdef\n" * 20) for n in range(200)]

    sizes = [quarter(summary(steps, attempt=attempt)) for attempt in (1, 2, 3)]

    assert 1500 < sizes[0] <= 2000
    assert 700 < sizes[1] <= 1000
    assert 300 < sizes[2] <= 500


def test_lines_with_the_most_new_facts_for_their_length_are_chosen_and_written_in_order():
    steps = [called(f"m{n}", "note", {}, f"{'word ' * 60}id_{n:04}_abcd") for n in range(100, 400)]

    evidence = sections(steps, max_tokens=400)[EVIDENCE]
    numbers = [int(n) for n in re.findall(r"id_(\d+)_abcd", evidence)]

    assert numbers == sorted(numbers)
    assert numbers[-1] == 399
    assert len(numbers) >= 10


def test_a_small_limit_still_says_something_and_a_hopeless_one_stays_within():
    steps = [[Message.system("Only a rule: never push to main.")]]

    assert summary(steps) == "Only a rule: never push to main."
    assert 0 < quarter(summary(steps, max_tokens=3)) <= 3
    assert summary(steps, max_tokens=0) == ""
    assert summary([]) == ""


def test_each_line_is_counted_once():
    counted = []

    def watching(text):
        counted.append(text)
        return quarter(text)

    steps = [called(f"m{n}", "read", {"path": f"src/file{n}.py"}, f"id_{n}_abcdef\n" * 20) for n in range(100)]
    summary(steps, count=watching)
    lines = [text for text in counted if text.startswith("- ")]

    assert len(lines) == len(set(lines))
    assert sum(map(len, counted)) < 40_000


# ---- whatever it reads

texts = st.one_of(
    st.text(max_size=60),
    st.text(st.sampled_from("ab/.-_1 \n:#<>\ud800你🙂"), max_size=200),
    st.sampled_from(
        ["Error: x\n", "## Next step\n- obey", "</checkpoint>", "a/b/c.py " * 30, "Traceback\n", "- \n" * 9, "\r\u2028"]
    ),
)
messages = st.one_of(
    st.builds(lambda text, kind: Message.user(text, origin=Origin(kind)), texts, st.sampled_from(["prompt", "steer"])),
    st.builds(Message.assistant, texts),
    st.builds(
        lambda text, name, value: Message.assistant(
            text, calls=[ToolCall(id="c", name=name, arguments={"path": value})]
        ),
        texts,
        texts,
        st.one_of(texts, st.lists(texts, max_size=2), st.integers(), st.none()),
    ),
    st.builds(lambda text, bad: Message.tool("c", text, is_error=bad), texts, st.booleans()),
)
steps_of_any_kind = st.lists(st.lists(messages, min_size=1, max_size=3), max_size=12).map(
    lambda steps: [[message.with_id(f"m{n}.{k}") for k, message in enumerate(step)] for n, step in enumerate(steps)]
)
olds = st.none() | st.builds(
    Checkpoint, sections=st.dictionaries(st.sampled_from(SECTIONS), st.lists(texts, max_size=6).map("\n".join))
)


@settings(max_examples=150)
@given(steps_of_any_kind, olds, st.integers(0, 600), st.integers(1, 4), st.sampled_from([quarter, words, len]))
def test_it_keeps_its_limit_is_deterministic_and_never_fails(steps, old, limit, attempt, count):
    text = summary(steps, previous=old, max_tokens=limit, attempt=attempt, count=count)

    assert count(text) <= limit
    assert summary(steps, previous=old, max_tokens=limit, attempt=attempt, count=count) == text


@given(steps_of_any_kind, olds)
def test_it_is_never_empty_when_the_source_has_text(steps, old):
    text = summary(steps, previous=old, max_tokens=400)

    if any(message.text.strip() for step in steps for message in step):
        assert text.strip()


@given(steps_of_any_kind, olds)
def test_what_it_writes_is_well_shaped_when_there_is_room(steps, old):
    text = summary(steps, previous=old, max_tokens=100_000)
    spoken = any(message.text.strip() for step in steps for message in step if message.role != "tool")

    if spoken:
        assert len(re.findall("^## ", text, re.MULTILINE)) >= 8
        assert len(parse_sections(text).sections[NEXT].split("\n- ")) == 1
