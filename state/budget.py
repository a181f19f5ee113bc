"""The budget: every number that bounds one assembly, where each came from, and the lines derived."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PlainSerializer
from pydantic.json_schema import SkipJsonSchema

from .budget_layers import LEARNED, LayeredSettings, all_sources, gather, settle
from .budget_rules import unknown_field
from .budget_sources import SAFE_INTEGER, Given, Source
from .errors import BadRequest, UnreadableInput

__all__ = ["Budget", "InputSource", "Source", "SourceCaps", "read_budget_file"]

InputSource = Literal["system", "tools", "messages", "attachments", "history"]
"""The parts of a model input that are counted apart."""

Positive = Annotated[int, Field(ge=1, le=SAFE_INTEGER)]
Count = Annotated[int, Field(ge=0, le=SAFE_INTEGER)]
Percent = Annotated[int, Field(ge=1, le=100)]


class SourceCaps(Mapping[str, int]):
    """Token caps by source; immutable and hashable, so that a budget is too."""

    __slots__ = ("_caps",)

    def __init__(self, caps: Mapping[str, int]) -> None:
        self._caps = dict(sorted(caps.items()))

    def __getitem__(self, key: str) -> int:
        return self._caps[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._caps)

    def __len__(self) -> int:
        return len(self._caps)

    def __hash__(self) -> int:
        return hash(tuple(self._caps.items()))

    def __repr__(self) -> str:
        return repr(self._caps)


Caps = Annotated[
    Mapping[InputSource, Positive],
    AfterValidator(SourceCaps),
    PlainSerializer(dict, return_type=dict[str, int]),
]


class Budget(LayeredSettings):
    """Every bound of one assembly. Frozen, hashable; tokens, characters (code points), percents, counts.

    A value is taken from the strongest layer that gives it: argument or command line option, request or
    `--budget` file, `TURNGRAPH_<FIELD>`, `SCIENCE_AGENT_CONTEXT_<FIELD>`, facts of the bound model, default.
    The environment is read once, at construction; blank variables are unset. A value that a stronger layer
    replaces is not judged. `None` as an argument and `null` in a request unset fields that default to it.

    Raises:
        BadRequest: A name or a type is wrong; `details["problems"]` lists all of them.
        BudgetInvalid: Values are out of range or contradict each other; again all of them.
    """

    prompt_budget_chars: Positive = 300_000
    """All contributed system sections together, in characters."""
    section_max_chars: Positive = 100_000
    """One section that is not protected, in characters."""
    data_budget_chars: Positive = 500_000
    """All attachments together, in characters."""
    attachment_max_chars: Positive = 200_000
    """One attachment, in characters."""
    contributed_message_budget_chars: Positive = 100_000
    """All contributed messages together, in characters."""
    max_contributed_messages: Positive = 50
    """The number of contributed messages."""
    model_max_tokens: Positive = 131_072
    """The whole window of the model, output included; the default is the fact of the bound model, if any."""
    output_reserve_tokens: Positive = 16_384
    """Kept free for the reply; below the window. The default is the model's policy where that is below the
    window, else 16,384, or a quarter of the window where that is less."""
    compaction_pressure_percent: Percent = 80
    """Pressure handling starts here, in percent of the limit."""
    compaction_target_percent: Percent = 50
    """Freeing goes on until here; at most the pressure. The default is 50, or the pressure if less."""
    compaction_retain_percent: Percent = 16
    """Newest steps kept verbatim when summarising, in percent of the limit; below the pressure."""
    compaction_keep_prompts_percent: Percent = 8
    """Folded user prompts quoted verbatim behind the checkpoint's sections, in percent of the limit."""
    compaction_tool_preview_bytes: Positive = 2_048
    """Head and tail of a pruned body together, in UTF-8 bytes, without the line between them."""
    compaction_min_clear_tokens: Count = 0
    """The cached prefix is not disturbed for less; 0 is automatic, 5 percent of the limit."""
    compaction_summary_retries: int = Field(default=1, ge=0, le=10)
    """Further attempts after a rejected summary."""
    compaction_trigger_messages: Positive = 2_000
    """The message guard acts at this count, leading system text left out."""
    compaction_keep_messages: Positive = 1_000
    """Newest messages that the guard keeps; at most the trigger. The default is 1,000, or half of the trigger
    where that is less."""
    window_messages: Positive | None = None
    """Newest messages that are sent; unset sends all."""
    window_rounds: Positive | None = None
    """Newest rounds that are sent; wins over `window_messages`."""
    window_tokens: Positive | None = None
    """An input limit below that of the model."""
    per_source: Caps | None = None
    """Caps in tokens for single sources, since the character budgets do not know the window."""
    prune_arguments: bool = True
    """Also prune long string values in the arguments of old closed calls."""
    summary_fallback: Literal["extractive", "none"] = "extractive"
    """What replaces a summary that failed while the input is over the limit."""
    learned_limit_tokens: SkipJsonSchema[Positive | None] = None
    """A lower input limit that a provider's error named; only `with_limit` sets it."""

    @classmethod
    def resolve(
        cls,
        *,
        argument: Mapping[str, Any] | None = None,
        request: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        model: Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a budget from all layers; of `model`, the known facts of the budget are read and no others.

        Args:
            argument: Options of the command line or arguments of a call.
            request: The `budget` of a request, or what `read_budget_file` gave.
            env: The environment; None means that of the process.
            model: Facts of the bound model: `model_max_tokens`, `output_reserve_tokens`; None is unknown.

        Raises:
            BadRequest: A name or a type is wrong; `details["problems"]` lists all of them.
            BudgetInvalid: Values are out of range or contradict each other; again all of them.
        """
        budget = cls.__new__(cls)
        settle(budget, gather(cls, argument=argument, request=request, env=env, model=model))
        return budget

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """Who gave each field; no part of equality. Constructors write it, all but `model_construct`."""
        given: Mapping[str, Source] = dict.fromkeys(self.model_fields_set, "argument")
        return all_sources(type(self), given)

    @cached_property
    def limit_tokens(self) -> int:
        """The effective input limit: window less reserve, or a lower `window_tokens` or learned limit."""
        candidates = (
            self.model_max_tokens - self.output_reserve_tokens,
            self.window_tokens,
            self.learned_limit_tokens,
        )
        return min(tokens for tokens in candidates if tokens is not None)

    @cached_property
    def pressure_tokens(self) -> int:
        """The pressure line, floored."""
        return self.limit_tokens * self.compaction_pressure_percent // 100

    @cached_property
    def target_tokens(self) -> int:
        """Where freeing ends, floored."""
        return self.limit_tokens * self.compaction_target_percent // 100

    @cached_property
    def retain_tokens(self) -> int:
        """The cost of the retained suffix, floored."""
        return self.limit_tokens * self.compaction_retain_percent // 100

    @cached_property
    def keep_prompts_tokens(self) -> int:
        """The cost of quoted prompts, floored."""
        return self.limit_tokens * self.compaction_keep_prompts_percent // 100

    @cached_property
    def min_clear_tokens(self) -> int:
        """The least that is worth disturbing the cached prefix for; automatic is 5 percent of the limit."""
        return self.compaction_min_clear_tokens or self.limit_tokens * 5 // 100

    def with_limit(self, limit_tokens: int) -> Self:
        """Give this budget with the effective limit lowered, never raised; a limit below 1 counts as 1."""
        lowered = max(1, limit_tokens)
        return self if lowered >= self.limit_tokens else self._changed({}, learned=lowered)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002
        """Give a copy with fields changed, validated like new arguments; defaults follow the changed values.

        pydantic's own would skip the rules and keep the derived lines of the old values. `deep` changes
        nothing: a budget holds nothing mutable.
        """
        return self._changed(update or {}, learned=self.learned_limit_tokens)

    def _changed(self, update: Mapping[str, Any], *, learned: int | None) -> Self:
        kept = {
            name: Given(getattr(self, name), source) for name, source in self.sources.items() if source != "default"
        }
        copy = type(self).__new__(type(self))
        settle(copy, kept | {name: Given(value, "argument") for name, value in update.items()}, learned)
        return copy

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        for name, source in self.sources.items():
            if source != "default":
                yield name, getattr(self, name)
        yield "limit_tokens", self.limit_tokens


def read_budget_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a `--budget` file: TOML with the names of the fields at its top, to be given as `request`.

    Raises:
        UnreadableInput: The file cannot be read or is no TOML.
        BadRequest: It names something that is no field of a budget.
    """
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableInput(
            f"cannot read the budget file {os.fspath(path)!r}: {error}", details={"path": os.fspath(path)}
        ) from error
    unknown = [name for name in values if name not in Budget.model_fields or name == LEARNED]
    if unknown:
        problems = [unknown_field(name, Given(values[name], "request")).as_json() for name in unknown]
        raise BadRequest(
            f"{os.fspath(path)}: " + "; ".join(item["message"] for item in problems),
            details={"problems": problems},
        )
    return values
