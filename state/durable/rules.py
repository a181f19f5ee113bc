"""How durable state is kept: which tool writes which channel, and the bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import BadRequest

__all__ = [
    "CHANNELS",
    "DEFAULT_RULES",
    "RECORD_CHANNELS",
    "Channel",
    "ChannelTools",
    "DurableRules",
    "RecordChannelName",
]

RecordChannelName = Literal["delegations", "artifacts", "reviews", "memory"]
Channel = Literal["goal", "plan", "skills", "delegations", "artifacts", "reviews", "memory"]
RECORD_CHANNELS: tuple[RecordChannelName, ...] = get_args(RecordChannelName)
"""The channels that hold records of results; the other three have a shape of their own."""
CHANNELS: tuple[Channel, ...] = get_args(Channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTools:
    """The tools whose successful results write each channel; the defaults are the contract's names.

    Raises:
        BadRequest: A blank name, or one tool in two places.
    """

    goal: tuple[str, ...] = ("run_contract",)
    plan: tuple[str, ...] = ("update_plan",)
    skills: tuple[str, ...] = ("read_skill",)
    delegations: tuple[str, ...] = ("task",)
    artifacts: tuple[str, ...] = ("artifact_download", "declare_artifact", "materialize_artifact", "paper_extract_pdf")
    reviews: tuple[str, ...] = ("review_checkpoint", "trace_provenance")
    memory: tuple[str, ...] = ("declare_claim", "declare_evidence", "query_graph")
    channel_of: Mapping[str, Channel] = field(init=False, repr=False, compare=False)
    """Tool name → the channel that it writes."""

    def __post_init__(self) -> None:
        """Turn the table around."""
        found: dict[str, Channel] = {}
        problems: list[tuple[str, str, str]] = []
        for channel in CHANNELS:
            names: tuple[str, ...] = getattr(self, channel)
            for name in names:
                if not name.strip():
                    problems.append((channel, name, "a tool needs a name"))
                elif name in found:
                    problems.append((channel, name, f"writes {found[name]} already"))
                found[name] = channel
        if problems:
            said = "; ".join(f"{channel}: {name!r} {problem}" for channel, name, problem in problems)
            listed = [
                {"path": f"tools.{channel}", "value": name, "problem": problem} for channel, name, problem in problems
            ]
            raise BadRequest(f"The tools of the durable channels are wrong: {said}", details={"problems": listed})
        object.__setattr__(self, "channel_of", found)


@dataclass(frozen=True, slots=True, kw_only=True)
class DurableRules:
    """What is written and how much of it is kept.

    Raises:
        BadRequest: A bound below 1, or `failures` names no record channel.
    """

    tools: ChannelTools = field(default_factory=ChannelTools)
    records: int = 5
    """The newest so many records of a channel stay; the reference system's number."""
    value_chars: int = 3000
    """Arguments or a result whose JSON has more code points are kept as a shortened text; the reference's number."""
    failures: tuple[RecordChannelName, ...] = ()
    """Channels that list failed results beside their records; nothing else is ever written by a failed result."""

    def __post_init__(self) -> None:
        """Check the bounds."""
        problems = [
            {"path": name, "value": value, "problem": "must be at least 1"}
            for name, value in (("records", self.records), ("value_chars", self.value_chars))
            if value < 1
        ]
        problems += [
            {"path": "failures", "value": name, "problem": f"must be one of {', '.join(RECORD_CHANNELS)}"}
            for name in self.failures
            if name not in RECORD_CHANNELS
        ]
        if problems:
            said = "; ".join(f"{item['path']} {item['problem']}, found {item['value']!r}" for item in problems)
            raise BadRequest(f"The rules of durable state are wrong: {said}", details={"problems": problems})


DEFAULT_RULES = DurableRules()
