"""Three traces to look at, the same bytes on every machine: no clock, no environment, no estimator in them."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from ...nodes.contributors import ContributionRequest
from ...nodes.summarisers import SummaryReply, SummaryRequest
from ...state.budget import Budget
from ...state.errors import UnreadableInput, UsageError
from ...state.given import Recovery, Turn
from ...state.messages import Message, ToolCall
from ...state.outputs import MemoryOutputStore
from ...state.sections import Attachment, Contribution, Section
from .document import Turn as TraceTurn
from .document import document_of, passages_of
from .encoding import Encoder
from .redaction import redact_secrets

if TYPE_CHECKING:
    from ..assembler import Assembler
    from ..outcome import Assembly

__all__ = ["EXAMPLE_VARIABLE", "example_dir", "write_examples"]

EXAMPLE_VARIABLE: Final = "SCIENCE_AGENT_CONTEXT_EXAMPLE_DIR"
"""Names the folder where no argument does; the name is that of the older system."""

_EXPORTED: Final = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
_CHECKPOINT: Final = """## Primary request and intent
Find the slowest checkout.
## Completed work and verified findings
Logs of the first checkouts read; each request of a checkout takes 7 ms longer than the one before.
## Evidence, artifacts, and references
log/01.txt and the following
## Decisions and constraints
Never restart anything.
## Failed or abandoned leads
(none)
## Pending requirements
Name the slowest checkout.
## Optional leads
(none)
## Next step
Read the remaining logs."""


class _Quarters:
    """Counts a token for every four characters: examples do not change when an estimator is improved."""

    name = "quarters"

    def count(self, text: str) -> int:
        return -(-len(text) // 4)


class _Notebook:
    """A contributor that works."""

    id = "notebook"

    def contribute(self, _: ContributionRequest) -> Contribution:
        return Contribution(
            sections=(
                Section(id="notebook.rules", slot="working_context", content="Note every finding with its file."),
            )
        )


class _Weather:
    """A contributor that fails, and may."""

    id = "weather"
    required = False

    def contribute(self, _: ContributionRequest) -> Contribution:
        raise ConnectionError("the station does not answer")


class _Scribe:
    """A summariser that always writes the same: the example is about what is done with it."""

    name = "scribe"
    window_tokens = None

    def summarize(self, request: SummaryRequest) -> SummaryReply:  # noqa: ARG002 - always the same
        return SummaryReply(text=_CHECKPOINT)


def write_examples(out: str | os.PathLike[str]) -> list[Path]:
    """Write three traces into a folder, which is made if it is not there, and give their paths.

    `contributions.json`: sections and data against their budgets, a contributor that fails, a redacted secret.
    `pressure.json`: previews, a fold and a window. `recovery.json`: the forced pass behind an overflow.

    Raises:
        UnreadableInput: The folder cannot be written.
    """
    folder = Path(out)
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in _examples():
            path = folder / f"{name}.json"
            path.write_bytes(data)
            written.append(path)
    except OSError as error:
        raise UnreadableInput(f"cannot write examples into {os.fspath(folder)!r}: {error.strerror}") from error
    return written


def example_dir(out: str | None = None) -> str:
    """Give the folder for the examples: the argument, else the environment.

    Raises:
        UsageError: Neither names one.
    """
    folder = out if out is not None else os.environ.get(EXAMPLE_VARIABLE, "")
    if not folder.strip():
        raise UsageError(f"say where the examples go: --out DIR, or {EXAMPLE_VARIABLE}")
    return folder


def _examples() -> Iterator[tuple[str, bytes]]:
    yield "contributions", _traced(_contributions(), "example-contributions", turn=1)
    yield "pressure", _traced(_pressure(), "example-pressure", turn=7)
    yield "recovery", _traced(_recovery(), "example-recovery", turn=3)


def _traced(assembly: "Assembly", context_id: str, *, turn: int) -> bytes:
    """Write the trace as a writer does, laid out to be read, with every duration 0."""
    about = TraceTurn(context_id=context_id, number=turn, exported_at=_EXPORTED)
    data = document_of(about, passages_of(assembly)[-1], Encoder(redact_secrets))
    document: dict[str, Any] = orjson.loads(b"".join(data))
    for contributor in document["collection"]["contributors"]:
        contributor["durationMs"] = 0
    for frame in document["graph"]:
        frame["durationUs"] = 0
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _assembler(context_id: str, *contributors: Any, **budget: int) -> "Assembler":
    from ..assembler import Assembler

    return Assembler(
        budget=Budget.resolve(argument=budget, env={}),
        contributors=contributors,
        summarizer=_Scribe(),
        outputs=MemoryOutputStore(),
        counter=_Quarters(),
        mode="dynamic",
        context_id=context_id,
        clock=float,
    )


def _exchange(number: int, tool: str, result: str) -> list[Message]:
    call = ToolCall(id=f"call-{number}", name=tool, arguments={"path": f"log/{number:02d}.txt"})
    return [Message.assistant(f"I look at file {number}.", calls=[call]), Message.tool(call.id, result)]


def _log(number: int, lines: int) -> str:
    return "".join([f"{line:03d} checkout-{number} took {100 + 7 * line} ms\n" for line in range(lines)])


def _contributions() -> "Assembly":
    """Sections and data that do not all fit, a contributor that fails, a secret in a result, a call without result."""
    history = [
        Message.system("You find out why orders fail."),
        Message.user("Why did order 17 fail? Change nothing."),
        *_exchange(1, "read_file", "endpoint = https://shop.example\napi_key = sk-example-0123456789abcdef0123\n"),
        Message.assistant("I look at the second file.", calls=[ToolCall(id="call-2", name="read_file", arguments={})]),
        Message.user("Did you find anything yet?"),
    ]
    sections = [
        Section(id="rules", slot="governance", content="Never write to the shop.", protected=True),
        Section(id="style", slot="footer", content="Answer in one paragraph. " * 20),
        Section(id="glossary", slot="working_context", content="An order is a list of items. " * 10),
        Section(id="review", slot="task_state", content="Say whether the plan holds.", scopes=("reviewer",)),
    ]
    attachments = [
        Attachment(id="shop", source="shop/status", content="shop: open, 3 orders waiting", trust="trusted_data"),
        Attachment(id="page", source="web/page", content="Orders fail when the stock is stale. " * 30),
    ]
    assembler = _assembler(
        "example-contributions",
        _Notebook(),
        _Weather(),
        prompt_budget_chars=460,
        section_max_chars=250,
        attachment_max_chars=400,
        max_contributed_messages=1,
    )
    return assembler.assemble(
        history,
        sections=sections,
        attachments=attachments,
        messages=[Message.user("Earlier note: the stock is synced hourly."), Message.user("Note: it is Thursday.")],
        turn=Turn(number=1, first_step_of_turn=True),
    )


def _pressure() -> "Assembly":
    """A long session in a small window: previews, a fold, and a window over what is left."""
    history = [Message.user("Find the slowest checkout. Never restart anything.")]
    for number in range(1, 10):
        history += _exchange(number, "read_log", _log(number, 60))
    history += [Message.assistant("Checkout 9 is slow at the end."), Message.user("Is checkout 3 slower?")]
    for number in range(10, 16):
        history += _exchange(number, "read_log", _log(number, 20))
    history.append(Message.user("Which one is the slowest now?"))
    assembler = _assembler(
        "example-pressure",
        model_max_tokens=3000,
        output_reserve_tokens=600,
        compaction_retain_percent=40,
        compaction_tool_preview_bytes=256,
        window_messages=8,
    )
    return assembler.assemble(history, turn=Turn(number=7))


def _recovery() -> "Assembly":
    """The provider refused what looked small enough and named its limit: the one forced pass."""
    history = [Message.user("Compare the logs.")]
    for number in range(1, 6):
        history += _exchange(number, "read_log", _log(number, 40))
    assembler = _assembler(
        "example-recovery", model_max_tokens=8000, output_reserve_tokens=1000, compaction_tool_preview_bytes=256
    )
    refused = assembler.assemble(history, turn=Turn(number=3))
    return assembler.assemble(
        refused.history,
        turn=Turn(number=3),
        recovery=Recovery(limit=2600, failed_tokens=refused.report.total_tokens),
    )
