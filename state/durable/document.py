"""The JSON form of durable state, the `durable` of requests and results. Field docstrings are its descriptions."""

from typing import Annotated, Any

from pydantic import Field, ValidationError

from ..errors import BadRequest
from ..request_problems import DocumentProblem, problems_of, worded
from ..strict import Count, Items, Name, Positive, Strict, VersionOne
from .goal import Goal
from .plan import MAX_EXPLANATION, MAX_ITEMS, MAX_STEP, Plan, PlanItem, PlanStatus
from .records import Record, RecordChannel, RecordStatus, record_order
from .skills import MAX_SKILL_ID, SkillReference
from .state import DurableState, OpenStep
from .values import json_text

__all__ = ["DurableDocument", "read_state"]


class GoalShape(Strict):
    """The run contract."""

    objective: Name | None = None
    """What is to be reached."""
    constraints: Items[str] = ()
    """What must be kept to."""
    output_requirements: Items[str] = ()
    """What the outcome must be like."""
    raw: Name | None = None
    """The text that the contract was given as."""
    sequence: Positive | None = None
    """Which call set it; absent or null: the host did."""

    def given(self) -> Goal:
        """Give the goal."""
        return Goal(
            objective=self.objective,
            constraints=self.constraints,
            output_requirements=self.output_requirements,
            raw=self.raw,
            sequence=self.sequence,
        )


class PlanItemShape(Strict):
    """A step of the plan."""

    step: Annotated[str, Field(min_length=1, max_length=MAX_STEP)]
    """What is to be done."""
    status: PlanStatus
    """How far it is."""


class PlanShape(Strict):
    """The plan and the call that set it."""

    items: Annotated[Items[PlanItemShape], Field(max_length=MAX_ITEMS)]
    """The steps; none means that the plan was cleared."""
    explanation: Annotated[str, Field(max_length=MAX_EXPLANATION)] | None = None
    """Why."""
    message_id: str
    """The message that made the call."""
    call_id: str
    """The call."""
    sequence: Positive
    """Which call of the conversation it is."""
    updated_at: str | None = None
    """When it was set, if that is known."""

    def given(self) -> Plan:
        """Give the plan."""
        return Plan(
            items=tuple([PlanItem(step=item.step, status=item.status) for item in self.items]),
            explanation=self.explanation,
            message_id=self.message_id,
            call_id=self.call_id,
            sequence=self.sequence,
            updated_at=self.updated_at,
        )


class SkillShape(Strict):
    """A reference to a skill that was read."""

    id: Annotated[str, Field(min_length=1, max_length=MAX_SKILL_ID)]
    """The skill."""
    revision: str | int | None = None
    """Its revision when it was read."""
    message_id: str
    """The message that made the call."""
    call_id: str
    """The call."""
    sequence: Positive
    """Which call of the conversation it is."""
    tool_name: Name
    """The tool that read it."""

    def given(self) -> SkillReference:
        """Give the reference."""
        return SkillReference(
            id=self.id,
            revision=self.revision,
            message_id=self.message_id,
            call_id=self.call_id,
            sequence=self.sequence,
            tool_name=self.tool_name,
        )


class RecordShape(Strict):
    """A call and what it gave."""

    args: dict[str, Any]
    """Its arguments; `truncated_value` where they were too long."""
    call_id: str
    """The call."""
    message_id: str
    """The message that made it."""
    result: Any = None
    """What it gave."""
    sequence: Positive
    """Which call of the conversation it is."""
    status: RecordStatus
    """How it ended."""
    tool_name: Name
    """The tool."""

    def given(self) -> Record:
        """Give the record."""
        return Record(
            message_id=self.message_id,
            call_id=self.call_id,
            tool_name=self.tool_name,
            sequence=self.sequence,
            status=self.status,
            args_text=json_text(self.args),
            result_text=json_text(self.result),
        )


class RecordChannelShape(Strict):
    """The newest records of a channel."""

    records: Items[RecordShape] = ()
    """Of successful results, oldest first."""
    failures: Items[RecordShape] = ()
    """Of failed ones, where they are listed."""

    def given(self) -> RecordChannel:
        """Give the channel."""
        return RecordChannel(
            records=tuple(sorted([item.given() for item in self.records], key=record_order)),
            failures=tuple(sorted([item.given() for item in self.failures], key=record_order)),
        )


class ChannelsShape(Strict):
    """The channels."""

    goal: GoalShape | None = None
    """The run contract."""
    plan: PlanShape | None = None
    """The plan."""
    skills: Items[SkillShape] = ()
    """The skills that were read."""
    delegations: RecordChannelShape = RecordChannelShape()
    """Work handed to others."""
    artifacts: RecordChannelShape = RecordChannelShape()
    """What was made."""
    reviews: RecordChannelShape = RecordChannelShape()
    """What was reviewed."""
    memory: RecordChannelShape = RecordChannelShape()
    """What was found and noted."""


class OpenStepShape(Strict):
    """A message of which some calls wait for their results."""

    message_id: Name
    """The message."""
    sequence: Positive
    """The number of its first call."""
    waiting: Annotated[Items[Count], Field(min_length=1)]
    """Which of its calls, from 0."""


class DurableDocument(Strict):
    """Durable state, as a result gave it."""

    version: VersionOne
    """Of this object."""
    sequence: Count = 0
    """How many calls have been numbered."""
    seen: Items[Name] = ()
    """The messages read last."""
    open: Items[OpenStepShape] = ()
    """What waits for results."""
    channels: ChannelsShape = ChannelsShape()
    """The channels."""
    pressure: dict[str, Any] | None = None
    """What the pressure handling remembers; opaque, and no part of the state."""

    def state(self) -> DurableState:
        """Give the state. Numbers that a record has are never given again, whatever `sequence` says."""
        channels = self.channels
        skills = sorted([item.given() for item in channels.skills], key=lambda item: item.sequence)
        plan = channels.plan.given() if channels.plan is not None else None
        record_channels = [
            getattr(channels, name).given() for name in ("delegations", "artifacts", "reviews", "memory")
        ]
        opened = [
            OpenStep(message_id=item.message_id, sequence=item.sequence, waiting=item.waiting) for item in self.open
        ]
        given = [self.sequence, *(item.sequence for item in skills), *(plan.sequence for _ in [plan] if plan)]
        given += [item.sequence for channel in record_channels for item in channel.records + channel.failures]
        given += [item.sequence + max(item.waiting) for item in opened]
        delegations, artifacts, reviews, memory = record_channels
        return DurableState(
            goal=channels.goal.given() if channels.goal is not None else None,
            plan=plan,
            skills=tuple(skills),
            delegations=delegations,
            artifacts=artifacts,
            reviews=reviews,
            memory=memory,
            sequence=max(given),
            seen=self.seen,
            open=tuple(opened),
        )


def read_state(value: Any, path: str) -> DurableState:
    """Read the JSON form. Cost: linear.

    Raises:
        BadRequest: It is none; every problem is listed.
    """
    try:
        return DurableDocument.model_validate(value).state()
    except ValidationError as error:
        found = [_below(path, item) for item in problems_of(error, value)]
        raise BadRequest(
            f"{path} is not what an earlier result gave: {worded(found)}",
            details={"problems": [item.as_json() for item in found]},
        ) from error


def _below(path: str, item: DocumentProblem) -> DocumentProblem:
    return item._replace(path=path if item.path == "request" else f"{path}.{item.path}")
