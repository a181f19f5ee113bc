"""Admission: character budgets of sections, attachments and contributed messages."""

import pytest

from turngraph import Attachment, Contribution, Diagnostic, Message, Section

from .helpers import assembler, codes, history, texts

MARKER = "\n[shortened by the context budget]"


def section(name: str, content: str, **more) -> Section:
    return Section(id=name, slot="capabilities", content=content, **more)


def losses(assembly):
    return [(item.code, item.id, item.wanted, item.got) for item in assembly.report.diagnostics]


def test_protected_sections_over_the_prompt_budget_fail_and_name_the_variable():  # adm-2
    identity = section("identity", "authority", protected=True)

    failed = assembler(1000, prompt_budget_chars=3).attempt(history("q"), sections=[identity])

    assert failed.error.code == "protected_over_budget"
    assert failed.error.details == {"needed": 9, "limit": 3, "sections": {"identity": 9}}
    assert "TURNGRAPH_PROMPT_BUDGET_CHARS" in failed.error.message


@pytest.mark.parametrize(("room", "fits"), [pytest.param(11, True, id="adm-3"), pytest.param(10, False, id="adm-4")])
def test_the_newline_between_protected_sections_counts(room, fits):
    both = [section("s.a", "aaaaa", protected=True), section("s.b", "bbbbb", protected=True)]

    done = assembler(1000, prompt_budget_chars=room).attempt(history("q"), sections=both)

    assert (done.model_input.system if fits else done.error.details["needed"]) == ("aaaaa\nbbbbb" if fits else 11)


def test_the_limit_of_one_section_is_not_for_protected_ones():  # adm-5
    whole = section("s.a", "a" * 50, protected=True)

    done = assembler(1000, section_max_chars=10).assemble(history("q"), sections=[whole])

    assert (done.model_input.system, codes(done)) == ("a" * 50, [])


def test_the_first_fits_the_second_is_shortened_the_third_is_dropped():  # adm-6
    three = [section(f"s.{name}", name * 60) for name in "abc"]

    done = assembler(1000, prompt_budget_chars=100).assemble(history("q"), sections=three)

    assert done.model_input.system == "a" * 60 + "\n" + "b" * 5 + MARKER
    assert losses(done) == [
        ("CONTEXT_SECTION_TRUNCATED", "s.b", 60, 39),
        ("CONTEXT_SECTION_DROPPED", "s.c", 60, 0),
    ]


def test_a_shortened_section_has_exactly_its_limit_marker_included():  # adm-7
    done = assembler(1000, section_max_chars=100).assemble(history("q"), sections=[section("s.a", "a" * 200)])

    assert done.model_input.system == "a" * 66 + MARKER
    assert losses(done) == [("CONTEXT_SECTION_TRUNCATED", "s.a", 200, 100)]


def test_what_has_room_for_the_marker_only_is_dropped():
    done = assembler(1000, section_max_chars=len(MARKER)).assemble(history("q"), sections=[section("s.a", "a" * 200)])

    assert (done.model_input.system, codes(done)) == ("", ["CONTEXT_SECTION_DROPPED"])


def test_a_contributed_message_that_is_too_large_is_skipped_and_older_ones_still_come():  # adm-10
    three = [Message.user(text) for text in ("11111", "x" * 50, "33333")]

    done = assembler(1000, contributed_message_budget_chars=12).assemble(history("q"), messages=three)

    assert texts(done.model_input.messages) == ["q", "11111", "33333"]
    assert losses(done) == [("CONTEXT_MESSAGES_DROPPED", None, 60, 10)]


def test_a_message_of_parts_counts_like_any_other():  # adm-11: the reference counts it as nothing
    parts = Message.user([Message.user("x" * 5000).content[0]])

    done = assembler(1000, contributed_message_budget_chars=1).assemble(history("q"), messages=[parts])

    assert (texts(done.model_input.messages), codes(done)) == (["q"], ["CONTEXT_MESSAGES_DROPPED"])


def test_the_newest_messages_fill_the_count():
    many = [Message.user(f"n{number}") for number in range(5)]

    done = assembler(1000, max_contributed_messages=2).assemble(history("q"), messages=many)

    assert texts(done.model_input.messages) == ["q", "n3", "n4"]


def test_diagnostics_of_contributors_come_before_those_of_admission():  # adm-12
    noted = Diagnostic(code="PLAN_PROGRESS_OBSERVATION", severity="info", source="c", message="m")

    class Contributor:
        id = "c"

        def contribute(self, request):
            return Contribution(sections=(section("s.a", "a" * 200),), diagnostics=(noted,))

    done = assembler(1000, section_max_chars=100, contributors=[Contributor()]).assemble(history("q"))

    assert codes(done) == ["PLAN_PROGRESS_OBSERVATION", "CONTEXT_SECTION_TRUNCATED"]


def test_attachments_have_a_budget_of_their_own():
    two = [Attachment(id=f"a.{name}", source="s", content=name * 60) for name in "xy"]

    done = assembler(1000, data_budget_chars=100).assemble(history("q"), attachments=two)

    assert losses(done) == [("CONTEXT_ATTACHMENT_TRUNCATED", "a.y", 60, 40)]
    assert done.model_input.messages[2].text.split("\n")[1] == "y" * 6


def test_shortening_cuts_between_code_points():
    done = assembler(1000, section_max_chars=40).assemble(history("q"), sections=[section("s.a", "甲😀" * 50)])

    assert done.model_input.system == "甲😀" * 3 + MARKER


def test_a_section_without_text_leaves_no_blank_line():  # ren-3
    done = assembler(1000).assemble(history("q"), sections=[section("a.a", ""), section("b.b", "x")])

    assert done.model_input.system == "x"


def test_without_sections_the_prompt_is_empty():  # ren-4
    assert assembler(1000).assemble(history("q")).model_input.system == ""


def test_order_stays_inside_its_slot():  # asm-14: in the reference order 150 leaves its slot
    cap = Section(id="cap", slot="capabilities", order=150, content="cap")
    work = Section(id="work", slot="working_context", content="work")

    done = assembler(1000).assemble(history("q"), sections=[work, cap])

    assert done.model_input.system == "cap\nwork"


def test_sections_are_ordered_by_slot_then_order_then_code_points_of_the_id():  # col-1, col-15
    plan = Section(id="plan.current", slot="task_state", content="plan")
    rules = Section(id="governance.rules", slot="governance", order=5, content="rules")
    footers = [Section(id=name, slot="footer", content=name) for name in ("a", "a1", "a.b", "a_b", "a-b.c2")]

    done = assembler(1000).assemble(history("q"), sections=[plan, rules, *footers])

    assert done.model_input.system.split("\n") == ["rules", "plan", "a", "a-b.c2", "a.b", "a1", "a_b"]


def test_the_systems_own_text_comes_first_and_costs_no_prompt_budget():
    asked = history(Message.system("own rules"), "q")

    done = assembler(1000, prompt_budget_chars=3).assemble(asked, sections=[section("s.a", "aaa")])

    assert done.model_input.system == "own rules\naaa"
    assert texts(done.model_input.messages) == ["q"]
