"""Skills: the catalogue of what can be read, and the durable reference to what was read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadRequest
from ..sections import ToolSpec
from .values import is_fields, is_items

__all__ = ["MAX_SKILL_ID", "NO_SKILLS", "READ_SKILL", "Revision", "Skill", "SkillCatalogue", "SkillReference"]

Revision = str | int
MAX_SKILL_ID = 200
"""Code points; a longer id names nothing that a catalogue can hold."""

READ_SKILL = ToolSpec(
    name="read_skill",
    description="Read the instructions of a skill of the catalogue. Read them before you rely on the skill.",
    parameters={"type": "object", "properties": {"skillId": {"type": "string"}}, "required": ["skillId"]},
)
"""The tool as a model is told of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """An entry of the catalogue; its body enters a conversation only as a tool result."""

    id: str
    description: str = ""
    revision: Revision | None = None
    """Changes whenever the body does."""


@dataclass(frozen=True, slots=True)
class SkillCatalogue:
    """The skills on offer, in the order given.

    Raises:
        BadRequest: An id that is blank, too long or there twice.
    """

    skills: tuple[Skill, ...] = ()
    _by_id: Mapping[str, Skill] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the ids."""
        found: dict[str, Skill] = {}
        problems: list[dict[str, Any]] = []
        for at, skill in enumerate(self.skills):
            if not 1 <= len(skill.id.strip()) <= MAX_SKILL_ID:
                problem = f"must be a text of 1 to {MAX_SKILL_ID} characters"
                problems.append({"path": f"skills[{at}].id", "value": skill.id, "problem": problem})
            elif skill.id in found:
                problems.append({"path": f"skills[{at}].id", "value": skill.id, "problem": "is there twice"})
            found[skill.id] = skill
        if problems:
            said = "; ".join(f"{item['path']} {item['problem']}" for item in problems)
            raise BadRequest(f"The skills are wrong: {said}", details={"problems": problems})
        object.__setattr__(self, "_by_id", found)

    @classmethod
    def of(cls, skills: Iterable[Skill]) -> "SkillCatalogue":
        """Make a catalogue of skills in order."""
        return cls(tuple(skills))

    @classmethod
    def from_json(cls, value: Any, path: str = "skills") -> "SkillCatalogue":
        """Read a list of `{id, description?, revision?}`; null is an empty one.

        Raises:
            BadRequest: It is something else.
        """
        problems: list[dict[str, Any]] = []
        skills: list[Skill] = []
        if value is not None and not is_items(value):
            problems.append({"path": path, "value": value, "problem": "must be a list of skills"})
        for at, item in enumerate(value if is_items(value) else ()):
            found = list(_item_problems(item, f"{path}[{at}]"))
            problems += found
            if not found:
                skills.append(Skill(**item))
        if problems:
            said = "; ".join(f"{item['path']} {item['problem']}" for item in problems)
            raise BadRequest(f"The skills are wrong: {said}", details={"problems": problems})
        return cls(tuple(skills))

    def revision_of(self, skill_id: str) -> Revision | None:
        """Give the revision that the catalogue names now; `None` for a skill that it does not hold."""
        skill = self._by_id.get(skill_id)
        return skill.revision if skill is not None else None

    def __len__(self) -> int:
        return len(self.skills)

    def __iter__(self) -> Iterator[Skill]:
        return iter(self.skills)


def _item_problems(item: object, path: str) -> Iterator[dict[str, Any]]:
    if not is_fields(item):
        yield {"path": path, "value": item, "problem": "must be an object"}
        return
    if not isinstance(item.get("id"), str):
        yield {"path": f"{path}.id", "value": item.get("id"), "problem": "must be a text"}
    if not isinstance(item.get("description", ""), str):
        yield {"path": f"{path}.description", "value": item["description"], "problem": "must be a text"}
    revision: object = item.get("revision")
    if isinstance(revision, bool) or not isinstance(revision, str | int | None):
        yield {"path": f"{path}.revision", "value": revision, "problem": "must be a text or a whole number"}
    for key in item:
        if key not in ("id", "description", "revision"):
            yield {"path": f"{path}.{key}", "value": item[key], "problem": "is no field of a skill"}


NO_SKILLS = SkillCatalogue()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillReference:
    """That a skill was read: which one, in which revision, by which call. Never its body."""

    id: str
    revision: Revision | None
    """What the catalogue named when it was read; `None` if the catalogue did not hold it."""
    message_id: str
    """The assistant message that made the call."""
    call_id: str
    sequence: int
    """Which call of the conversation it is."""
    tool_name: str
    """The tool that read it."""

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {
            "id": self.id,
            "revision": self.revision,
            "message_id": self.message_id,
            "call_id": self.call_id,
            "sequence": self.sequence,
            "tool_name": self.tool_name,
        }
