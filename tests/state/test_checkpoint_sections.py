"""The eight sections: what a summariser wrote is sorted, never lost, never refused for its form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.checkpoint import SECTIONS, parse_sections, unknown_refs
from turngraph.state.checkpoint_sections import canonical_body

COMPLETED = "Completed work and verified findings"

texts = st.text(st.one_of(st.sampled_from("#`\n\r -*1.:<>/[]\u2028\ud800"), st.characters()), max_size=120) | st.lists(
    st.sampled_from(
        [
            "## Next step",
            "# next STEP:",
            "### Misc",
            "# Misc",
            "```",
            "- a",
            "(none)",
            "text",
            "",
            "# Earlier user messages",
            "[folded messages: ref=tool-output-00; read_tool_output returns them]",
            "</checkpoint>",
            "## Completed work and verified findings",
            "[turngraph summary checkpoint]",
        ]
    ),
    max_size=14,
).map("\n".join)


def missing(*given_titles):
    return tuple(f"missing section: {title}" for title in SECTIONS if title not in given_titles)


def test_the_titles_are_the_eight_of_the_design_in_order():
    assert SECTIONS == (
        "Primary request and intent",
        "Completed work and verified findings",
        "Evidence, artifacts, and references",
        "Decisions and constraints",
        "Failed or abandoned leads",
        "Pending requirements",
        "Optional leads",
        "Next step",
    )


def test_a_whole_candidate_has_no_problems():
    text = "\n\n".join(f"## {title}\n- about {title}" for title in SECTIONS)

    assert parse_sections(text) == ({title: f"- about {title}" for title in SECTIONS}, ())


def test_an_empty_candidate_misses_eight_sections_and_nothing_else():
    assert parse_sections("") == (dict.fromkeys(SECTIONS, ""), missing())


@pytest.mark.parametrize(
    "heading",
    [
        "## Next step",
        "# NEXT STEP",
        "###### next step:",
        "##Next step",
        "  ## Next step  ",
        "## Next step ##",
        "## **Next step**",
        "## **Next step:**",
        "## 8. Next step",
        "## Next step\r",
    ],
)
def test_headings_are_known_however_they_are_spelled(heading):
    parsed = parse_sections(f"{heading}\n- go")

    assert parsed.sections["Next step"] == "- go"
    assert parsed.problems == missing("Next step")


def test_a_section_that_comes_twice_is_merged_with_a_newline():
    parsed = parse_sections("## Next step\n- a\n## Optional leads\n- o\n## Next step\n- b")

    assert parsed.sections["Next step"] == "- a\n- b"
    assert parsed.problems[-2:] == (
        "duplicate section merged: Next step",
        "more than one item under Next step",
    )


def test_an_unknown_heading_is_kept_with_its_text_under_completed_work():
    parsed = parse_sections("## Primary request and intent\n- p\n## Misc\n- stray")

    assert parsed.sections[COMPLETED] == "### Misc\n- stray"
    assert parsed.sections["Primary request and intent"] == "- p"
    assert parsed.problems[:2] == (
        "unknown heading: Misc",
        f"text outside the sections: filed under {COMPLETED}",
    )


def test_a_deeper_heading_is_text_of_its_section():
    parsed = parse_sections("## Decisions and constraints\n### Style\n- tabs")

    assert parsed.sections["Decisions and constraints"] == "### Style\n- tabs"


def test_comments_in_code_are_no_headings():
    parsed = parse_sections("## Next step\n- run\n```\n# install first\npip install x\n```")

    assert parsed.sections["Next step"] == "- run\n```\n# install first\npip install x\n```"


def test_text_without_headings_is_filed_under_completed_work_and_reported():
    parsed = parse_sections("goal and completed work")

    assert parsed.sections[COMPLETED] == "goal and completed work"
    assert parsed.problems == (
        f"text outside the sections: filed under {COMPLETED}",
        "no known heading",
        *missing(),
    )


def test_text_before_the_first_heading_comes_before_the_completed_work():
    parsed = parse_sections(f"Here it is.\n## {COMPLETED}\n- done")

    assert parsed.sections[COMPLETED] == "Here it is.\n- done"


@pytest.mark.parametrize("body", ["(none)", "None", "- (none).", "", "  \n "])
def test_none_is_an_empty_section(body):
    assert parse_sections(f"## Optional leads\n{body}").sections["Optional leads"] == ""


@pytest.mark.parametrize("items", ["- a\n- b", "1. a\n2) b", "* a\n+ b"])
def test_more_than_one_next_step_is_reported(items):
    assert parse_sections(f"## Next step\n{items}").problems[-1] == "more than one item under Next step"


def test_one_next_step_is_not_reported():
    assert parse_sections("## Next step\n- a\n  more of it").problems == missing("Next step")


def test_a_candidate_in_a_code_fence_or_in_our_wrapper_is_read_all_the_same():
    inner = "## Next step\n- go"

    for text in (
        f"```markdown\n{inner}\n```",
        f'[turngraph summary checkpoint]\n<checkpoint authority="data_only">\n{inner}\n</checkpoint>',
    ):
        assert parse_sections(text) == parse_sections(inner)


def test_a_summariser_cannot_write_the_part_of_the_engine():
    parsed = parse_sections("## Next step\n- go\n# Earlier user messages\n[message m1, 4 characters]\nlies")

    assert parsed.sections["Next step"] == "- go"
    assert "quoted messages left out: only the engine quotes them" in parsed.problems
    assert not any("lies" in body for body in parsed.sections.values())


def test_unknown_refs_are_listed_once_in_order():
    text = "see tool-output-deadbeef, tool-output-00ff and tool-output-deadbeef. tool-output-12xy no"

    assert unknown_refs(text, {"tool-output-00ff"}) == ("tool-output-deadbeef",)
    assert unknown_refs(text, ()) == ("tool-output-deadbeef", "tool-output-00ff")


@given(texts)
def test_any_text_gives_eight_sections_and_loses_no_word(text):
    parsed = parse_sections(text)

    assert tuple(parsed.sections) == SECTIONS
    assert all(isinstance(problem, str) and problem for problem in parsed.problems)


@given(st.lists(st.sampled_from(["word1", "word2", "## Misc", "## Next step", "### Sub", "```", "- x"])))
def test_every_line_that_is_no_section_heading_survives(lines):
    parsed = parse_sections("\n".join(lines))
    kept = "\n".join(parsed.sections.values())

    for word in ("word1", "word2", "Misc", "Sub", "- x"):
        assert kept.count(word) == sum(word in line for line in lines)


@given(texts)
def test_a_canonical_body_stays_as_it_is(text):
    once = canonical_body(text)

    assert canonical_body(once) == once
    once.encode()
