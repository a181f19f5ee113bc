"""Durable state: what a run must not forget when its history is folded. Read `docs/durable-state.md`."""

from .goal import Goal, read_goal
from .hydration import hydrate
from .plan import UPDATE_PLAN, Plan, PlanItem, PlanSnapshot, read_plan, superseded_answer
from .progress import PlanObserver, PlanProgress, plan_progress
from .records import Record, RecordChannel
from .rules import CHANNELS, DEFAULT_RULES, RECORD_CHANNELS, Channel, ChannelTools, DurableRules, RecordChannelName
from .skills import NO_SKILLS, READ_SKILL, Skill, SkillCatalogue, SkillReference
from .state import EMPTY_STATE, DurableState, OpenStep

__all__ = [
    "CHANNELS",
    "DEFAULT_RULES",
    "EMPTY_STATE",
    "NO_SKILLS",
    "READ_SKILL",
    "RECORD_CHANNELS",
    "UPDATE_PLAN",
    "Channel",
    "ChannelTools",
    "DurableRules",
    "DurableState",
    "Goal",
    "OpenStep",
    "Plan",
    "PlanItem",
    "PlanObserver",
    "PlanProgress",
    "PlanSnapshot",
    "Record",
    "RecordChannel",
    "RecordChannelName",
    "Skill",
    "SkillCatalogue",
    "SkillReference",
    "hydrate",
    "plan_progress",
    "read_goal",
    "read_plan",
    "superseded_answer",
]
