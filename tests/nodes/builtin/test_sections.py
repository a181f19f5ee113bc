"""Sections of the prompt: the protected three, capabilities, the catalogue, the rule, sections in one line."""

import pytest

from turngraph import Assembler, ContributorRegistry, History, Message, ToolSpec
from turngraph.nodes.builtin import (
    BuiltIn,
    DurableRule,
    Governance,
    Identity,
    McpCapabilities,
    RunContract,
    SectionContributor,
    SkillCatalogueSection,
    ToolCapabilities,
    builtin_contributors,
)
from turngraph.state.durable import ChannelTools, DurableRules, DurableState, Goal, SkillCatalogue, read_goal

from .asking import EMPTY, ask, contents, did

CATALOGUE = SkillCatalogue.from_json(
    [{"id": "review", "description": "Read\n  papers.", "revision": 2}, {"id": "plain"}]
)
TOOLS = [ToolSpec(name="read"), ToolSpec(name="zeta", deferred=True), ToolSpec(name="alpha", deferred=True)]


@pytest.mark.parametrize(
    ("contributor", "slot", "text"),
    [
        (Identity("You are X.\n"), "identity", "You are X.\n"),
        (Governance(" Ask first."), "governance", " Ask first."),
        (RunContract(Goal(raw="tidy")), "run_contract", "## Run contract\ntidy"),
    ],
)
def test_identity_governance_and_contract_are_protected_byte_for_byte(contributor, slot, text):
    (section,) = ask(contributor).sections

    assert (section.slot, section.protected, section.content) == (slot, True, text)
    assert contributor.required


def test_a_contract_of_parts_is_written_as_lines():
    contract = read_goal({"objective": "review", "constraints": ["cite", "no web"], "output_requirements": ["report"]})

    assert contents(ask(RunContract(contract))) == [
        "## Run contract\nObjective: review\nConstraints:\n- cite\n- no web\nOutput requirements:\n- report"
    ]


def test_the_catalogue_names_skills_and_no_body_and_may_be_shortened():
    (section,) = ask(SkillCatalogueSection(CATALOGUE)).sections

    assert section.content.endswith("\n- review: Read papers.\n- plain")
    assert "read_skill" in section.content
    assert (section.slot, section.protected) == ("capabilities", False)


def test_deferred_tools_are_named_by_id_and_others_are_not():
    (text,) = contents(ask(McpCapabilities(TOOLS)))

    assert text.endswith("\n- alpha\n- zeta")
    assert "tool_search" in text


def test_hints_for_tools_are_one_line_each():
    assert contents(ask(ToolCapabilities({"read": "Whole files\nonly.", "ls": " "}))) == [
        "## Using the tools\n- `read`: Whole files only."
    ]


@pytest.mark.parametrize(
    "contributor",
    [
        Identity(" "),
        RunContract(Goal()),
        ToolCapabilities({}),
        McpCapabilities(TOOLS[:1]),
        SkillCatalogueSection(SkillCatalogue()),
        DurableRule(),
        *builtin_contributors(),
    ],
    ids=lambda item: item.id,
)
def test_what_nobody_asked_for_contributes_nothing(contributor):  # dur-14
    given = ask(contributor, state=EMPTY)

    assert (given.sections, given.messages, given.attachments, given.diagnostics) == ((), (), (), ())


def test_the_rule_is_there_while_a_channel_shows_something_and_always_the_same():
    rule = DurableRule()
    one, two = ask(rule, History(did("task"))), ask(rule, History(did("read_skill", skillId="s")))

    assert one == two
    assert "data for your orientation" in one.sections[0].content
    assert not one.sections[0].protected
    assert ask(rule, state=DurableState().with_goal(Goal(objective="x"))).sections == ()
    assert ask(rule, History(did("run_contract", objective="x"))).sections


def test_only_what_is_asked_for_is_made():
    made = builtin_contributors(
        identity="You are X.",
        governance="Ask.",
        run_contract=Goal(raw="tidy"),
        tool_notes={"read": "whole files"},
        tools=TOOLS,
        catalogue=CATALOGUE,
        rules=DurableRules(tools=ChannelTools(skills=("open_skill",))),
    )
    durable = [item.id for item in builtin_contributors()]

    assert [item.id for item in made] == [
        "agent.identity",
        "agent.governance",
        "run.contract",
        "tools.capabilities",
        "mcp.capabilities",
        "skills.catalog",
        *durable,
    ]
    assert "`open_skill`" in ask(made[5]).sections[0].content
    assert sorted(durable) == sorted(
        f"durable.{name}"
        for name in ("rule", "plan", "skills", "delegations", "artifacts", "reviews", "memory", "goal")
    )
    assert all(isinstance(item, BuiltIn) for item in made)
    assert len(ContributorRegistry(made)) == len(made)


def test_the_built_in_sections_stand_in_their_slots():
    made = builtin_contributors(identity="I", governance="G", run_contract=Goal(raw="C"), catalogue=CATALOGUE)
    sections = [item for item in made if not item.id.startswith("durable.")]

    done = Assembler(contributors=sections).assemble([Message.user("hi")])

    assert done.model_input.system.startswith("I\nG\n## Run contract\nC\n## Skills\n")


def test_a_section_in_one_line_is_a_text_or_a_function_of_the_request():
    fixed = SectionContributor("house.rules", "footer", "Be kind.")
    made = SectionContributor("turn.note", "footer", lambda request: f"Turn {request.turn}.", order=5)

    done = Assembler(contributors=[made, fixed]).assemble([Message.user("hi")])

    assert done.model_input.system == "Be kind.\nTurn 1."


@pytest.mark.parametrize("nothing", ["", " \n", lambda request: None, lambda request: " "])
def test_a_section_without_text_is_left_out(nothing):
    assert ask(SectionContributor("a", "footer", nothing)).sections == ()


def test_a_section_may_speak_in_some_scopes_and_read_channels():
    reader = SectionContributor(
        "a", "footer", lambda request: f"{len(request.state['skills'])}", scopes=["reviewer"], state_reads=["skills"]
    )

    (section,) = ask(reader, History(did("read_skill", skillId="s"))).sections

    assert (section.content, section.scopes, reader.scopes) == ("1", ("reviewer",), ("reviewer",))


@pytest.mark.parametrize(
    "contributor", [Identity("x"), SectionContributor("a", "footer", "x")], ids=["built in", "section"]
)
def test_the_repr_names_the_contributor(contributor):
    assert repr(contributor) == f"<{type(contributor).__name__} {contributor.id}>"
