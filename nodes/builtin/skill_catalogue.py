"""Which skills can be read."""

from ...state.durable import SkillCatalogue
from .base import FixedSection

__all__ = ["SkillCatalogueSection"]


class SkillCatalogueSection(FixedSection):
    """Contributes the catalogue of skills, never a body, in slot capabilities. Unprotected: a long one is shortened."""

    def __init__(self, catalogue: SkillCatalogue, *, read_tool: str = "read_skill") -> None:
        lines = [
            "## Skills",
            (
                "A skill is a set of instructions for one kind of task. This list only names them: when one fits the "
                f"task, read it with `{read_tool}` (`skillId`) before you begin, then do as it says."
            ),
            *(f"- {skill.id}: {' '.join(skill.description.split())}".removesuffix(": ") for skill in catalogue),
        ]
        content = "\n".join(lines) if len(catalogue) else ""
        super().__init__(id="skills.catalog", slot="capabilities", content=content, order=50)
