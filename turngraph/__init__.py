"""turngraph: context assembly for LLM agents as an explicit, typed state-machine graph.

Names are loaded when they are first used, so that `import turngraph` stays fast.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if not Path(__file__).with_name("graph").is_dir():  # sdist, or a checkout without symlinks
    __path__.append(str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from .graph.assembler import Assembler, ContextAssembler
    from .graph.outcome import Assembly
    from .graph.report import Report
    from .nodes.contributors import ContributionRequest, Contributor, ContributorFactory, ContributorRegistry
    from .nodes.model import Model, Reply
    from .nodes.summarisers import ExtractiveSummarizer, Summarizer, SummaryReply, SummaryRequest
    from .state.budget import Budget
    from .state.diagnostics import Diagnostic
    from .state.errors import (
        AssemblyError,
        BadRequest,
        BudgetInvalid,
        Cancelled,
        ContributedRole,
        ContributorFailed,
        DeadlineExceeded,
        FixedPartOverLimit,
        InternalError,
        OutputRefError,
        OutputRefExpired,
        OutputRefMalformed,
        OutputRefUnknown,
        OverflowAgain,
        OverflowNoProgress,
        ProtectedOverBudget,
        ProviderFailed,
        TokenizerUnavailable,
        TraceIdInvalid,
        TurngraphError,
        UnknownFormat,
        UnknownMode,
        UnknownSummarizer,
        UnreadableInput,
        UsageError,
        ValidationFailed,
        WindowOverLimit,
    )
    from .state.given import Recovery, Turn
    from .state.history import History
    from .state.messages import (
        File,
        Image,
        Message,
        Opaque,
        Origin,
        Reasoning,
        Text,
        ToolCall,
        ToolResult,
    )
    from .state.model_input import ModelInput
    from .state.outputs import FileOutputStore, MemoryOutputStore, OutputStore
    from .state.sections import Attachment, Contribution, Section, ToolSpec
    from .state.tokens import TokenCounter

__version__ = "0.1.0"

_HOMES = {
    "graph.assembler": ("Assembler", "ContextAssembler"),
    "graph.outcome": ("Assembly",),
    "graph.report": ("Report",),
    "nodes.contributors": ("ContributionRequest", "Contributor", "ContributorFactory", "ContributorRegistry"),
    "nodes.model": ("Model", "Reply"),
    "nodes.summarisers": ("ExtractiveSummarizer", "Summarizer", "SummaryReply", "SummaryRequest"),
    "state.budget": ("Budget",),
    "state.diagnostics": ("Diagnostic",),
    "state.errors": (
        "AssemblyError",
        "BadRequest",
        "BudgetInvalid",
        "Cancelled",
        "ContributedRole",
        "ContributorFailed",
        "DeadlineExceeded",
        "FixedPartOverLimit",
        "InternalError",
        "OutputRefError",
        "OutputRefExpired",
        "OutputRefMalformed",
        "OutputRefUnknown",
        "OverflowAgain",
        "OverflowNoProgress",
        "ProtectedOverBudget",
        "ProviderFailed",
        "TokenizerUnavailable",
        "TraceIdInvalid",
        "TurngraphError",
        "UnknownFormat",
        "UnknownMode",
        "UnknownSummarizer",
        "UnreadableInput",
        "UsageError",
        "ValidationFailed",
        "WindowOverLimit",
    ),
    "state.given": ("Recovery", "Turn"),
    "state.history": ("History",),
    "state.messages": (
        "File",
        "Image",
        "Message",
        "Opaque",
        "Origin",
        "Reasoning",
        "Text",
        "ToolCall",
        "ToolResult",
    ),
    "state.model_input": ("ModelInput",),
    "state.outputs": ("FileOutputStore", "MemoryOutputStore", "OutputStore"),
    "state.sections": ("Attachment", "Contribution", "Section", "ToolSpec"),
    "state.tokens": ("TokenCounter",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_LATER = {
    "DurableState": "durable state",
    "ReminderProvider": "reminder scheduling",
    "Session": "the session journal",
    "ToolResultBoundary": "durable state",
}

__all__ = [
    "Assembler",
    "Assembly",
    "AssemblyError",
    "Attachment",
    "BadRequest",
    "Budget",
    "BudgetInvalid",
    "Cancelled",
    "ContextAssembler",
    "ContributedRole",
    "Contribution",
    "ContributionRequest",
    "Contributor",
    "ContributorFactory",
    "ContributorFailed",
    "ContributorRegistry",
    "DeadlineExceeded",
    "Diagnostic",
    "ExtractiveSummarizer",
    "File",
    "FileOutputStore",
    "FixedPartOverLimit",
    "History",
    "Image",
    "InternalError",
    "MemoryOutputStore",
    "Message",
    "Model",
    "ModelInput",
    "Opaque",
    "Origin",
    "OutputRefError",
    "OutputRefExpired",
    "OutputRefMalformed",
    "OutputRefUnknown",
    "OutputStore",
    "OverflowAgain",
    "OverflowNoProgress",
    "ProtectedOverBudget",
    "ProviderFailed",
    "Reasoning",
    "Recovery",
    "Reply",
    "Report",
    "Section",
    "Summarizer",
    "SummaryReply",
    "SummaryRequest",
    "Text",
    "TokenCounter",
    "TokenizerUnavailable",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "TraceIdInvalid",
    "Turn",
    "TurngraphError",
    "UnknownFormat",
    "UnknownMode",
    "UnknownSummarizer",
    "UnreadableInput",
    "UsageError",
    "ValidationFailed",
    "WindowOverLimit",
    "__version__",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        later = f"; it comes with {_LATER[name]}, which is not in this version yet" if name in _LATER else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{later}")
    value: object = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
