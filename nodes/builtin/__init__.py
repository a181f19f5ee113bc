"""The contributors that turngraph brings, one file each."""

from collections.abc import Mapping, Sequence

from ...state.durable import DEFAULT_RULES, NO_SKILLS, DurableRules, Goal, SkillCatalogue
from ...state.sections import ToolSpec
from .artifacts import Artifacts
from .base import BuiltIn, FixedSection
from .delegations import Delegations
from .entry_points import entry_point_contributors
from .goal import GoalProjection
from .governance import Governance
from .identity import Identity
from .mcp_capabilities import McpCapabilities
from .memory import Memory
from .plan import PlanProjection
from .projection import Projection
from .reads import StateReads, reads_problem
from .reviews import Reviews
from .rule import DurableRule
from .run_contract import RunContract
from .section import SectionContributor
from .skill_catalogue import SkillCatalogueSection
from .skills import SkillsProjection
from .tool_capabilities import ToolCapabilities

__all__ = [
    "Artifacts",
    "BuiltIn",
    "Delegations",
    "DurableRule",
    "FixedSection",
    "GoalProjection",
    "Governance",
    "Identity",
    "McpCapabilities",
    "Memory",
    "PlanProjection",
    "Projection",
    "Reviews",
    "RunContract",
    "SectionContributor",
    "SkillCatalogueSection",
    "SkillsProjection",
    "StateReads",
    "ToolCapabilities",
    "builtin_contributors",
    "entry_point_contributors",
    "reads_problem",
]


def builtin_contributors(
    *,
    identity: str = "",
    governance: str = "",
    run_contract: Goal | None = None,
    tool_notes: Mapping[str, str] | None = None,
    tools: Sequence[ToolSpec] = (),
    catalogue: SkillCatalogue = NO_SKILLS,
    rules: DurableRules = DEFAULT_RULES,
) -> tuple[BuiltIn, ...]:
    """Make the built-in contributors of a run.

    What is not asked for is not there: with no argument and empty durable state nothing is contributed.

    Args:
        identity: Who the agent is.
        governance: The rules it works under.
        run_contract: What is agreed to be reached.
        tool_notes: Hints for the use of tools, by name.
        tools: The tools; the deferred ones are listed.
        catalogue: The skills on offer.
        rules: The rules of durable state, whose tool names are shown.
    """
    names = rules.tools
    sections: list[BuiltIn] = [Identity(identity)] if identity.strip() else []
    sections += [Governance(governance)] if governance.strip() else []
    sections += [RunContract(run_contract)] if run_contract is not None else []
    sections += [ToolCapabilities(tool_notes)] if tool_notes else []
    sections += [McpCapabilities(tools)] if any(tool.deferred for tool in tools) else []
    if len(catalogue):
        sections.append(SkillCatalogueSection(catalogue, read_tool=names.skills[0] if names.skills else "read_skill"))
    projections = (PlanProjection(names), SkillsProjection(), Delegations(), Artifacts(), Reviews(), Memory())
    return (*sections, DurableRule(), *projections, GoalProjection())
