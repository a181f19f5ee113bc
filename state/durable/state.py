"""Durable state itself: immutable, run-scoped, what a fold of the history must not take away."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..messages import Message, ToolResult
from .goal import Goal
from .plan import Plan
from .records import RecordChannel
from .rules import CHANNELS, DEFAULT_RULES, DurableRules
from .skills import NO_SKILLS, SkillCatalogue, SkillReference

__all__ = ["EMPTY_STATE", "VERSION", "DurableState", "OpenStep"]

VERSION = 1
_NO_RECORDS = RecordChannel()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStep:
    """An assistant message of which some calls have no real result yet."""

    message_id: str
    sequence: int
    """The number of its first call."""
    waiting: tuple[int, ...]
    """Which of its calls, from 0 in declared order."""

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {"message_id": self.message_id, "sequence": self.sequence, "waiting": list(self.waiting)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DurableState:
    """The channels, and how far the conversation has been read.

    A changed state shares every channel that did not change with the one it came from. Calls are numbered as the
    model makes them, so neither the order in which results come nor a fold changes what a channel keeps.
    """

    goal: Goal | None = None
    plan: Plan | None = None
    skills: tuple[SkillReference, ...] = ()
    """The newest reading of each skill, oldest first."""
    delegations: RecordChannel = _NO_RECORDS
    artifacts: RecordChannel = _NO_RECORDS
    reviews: RecordChannel = _NO_RECORDS
    memory: RecordChannel = _NO_RECORDS
    sequence: int = 0
    """How many calls have been numbered."""
    seen: tuple[str, ...] = ()
    """Ids of the newest messages whose calls have been numbered: where reading a history goes on."""
    open: tuple[OpenStep, ...] = ()
    """Steps that still wait for results, oldest first."""

    def declare(self, message: Message) -> "DurableState":
        """Number the calls of an assistant message as it enters the history. Doing it again changes nothing.

        Raises:
            UsageError: The message has no id yet: append it to the history first.
        """
        from .ledger import Ledger

        ledger = Ledger(self, DEFAULT_RULES, NO_SKILLS)
        ledger.declare(message)
        return ledger.state()

    def with_result(
        self,
        message: Message,
        index: int,
        result: ToolResult,
        *,
        rules: DurableRules = DEFAULT_RULES,
        catalogue: SkillCatalogue = NO_SKILLS,
        at: str | None = None,
    ) -> "DurableState":
        """Take in the result of one call. Only a successful one of a tool that writes a channel changes a channel.

        Args:
            message: The assistant message, declared before.
            index: Which of its calls, from 0.
            result: The answer; an interim one changes nothing.
            rules: Which tool writes which channel, and the bounds.
            catalogue: Where the revision of a skill is looked up.
            at: The time, if it is known.

        Raises:
            UsageError: The message was not declared, or has no such call.
        """
        from .ledger import Ledger

        ledger = Ledger(self, rules, catalogue)
        ledger.result(message, index, result, at)
        return ledger.state()

    def knows(self, message_id: str) -> bool:
        """Tell whether the calls of a message have their numbers and may still be answered."""
        return message_id in self.seen or any(step.message_id == message_id for step in self.open)

    def with_goal(self, goal: Goal | None) -> "DurableState":
        """Give the state with the host's run contract as its goal; `None` leaves the goal as it is."""
        return self if goal is None or goal == self.goal else replace(self, goal=goal)

    @property
    def channels(self) -> Mapping[str, Any]:
        """The channels by name."""
        return {name: getattr(self, name) for name in CHANNELS}

    def as_json(self) -> dict[str, Any]:
        """Give the JSON form, versioned; `from_json` gives an equal state back."""
        return {
            "version": VERSION,
            "sequence": self.sequence,
            "seen": list(self.seen),
            "open": [step.as_json() for step in self.open],
            "channels": {
                "goal": self.goal.as_json() if self.goal is not None else None,
                "plan": self.plan.as_json() if self.plan is not None else None,
                "skills": [skill.as_json() for skill in self.skills],
                "delegations": self.delegations.as_json(),
                "artifacts": self.artifacts.as_json(),
                "reviews": self.reviews.as_json(),
                "memory": self.memory.as_json(),
            },
        }

    @classmethod
    def from_json(cls, value: Any, path: str = "durable") -> "DurableState":
        """Read the JSON form.

        Raises:
            BadRequest: It is none, or of another version; `details["problems"]` lists everything that is wrong, each
                with its path below `path`.
        """
        from .document import read_state

        return read_state(value, path)

    def __repr__(self) -> str:
        counts = {name: len(getattr(self, name).records) for name in CHANNELS[3:]}
        held = [f"{name} {count}" for name, count in counts.items() if count]
        held += [f"skills {len(self.skills)}"] if self.skills else []
        held += [f"plan of {len(self.plan.items)}"] if self.plan else []
        held += ["goal"] if self.goal is not None else []
        return f"<DurableState after {self.sequence} calls: {', '.join(held) or 'empty'}>"


EMPTY_STATE = DurableState()
