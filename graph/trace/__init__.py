"""Traces: one private file per model turn, written beside the run and never in its way; read, shown, explained.

Names are loaded when they are first used: a run needs the writer alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .examples import write_examples
    from .names import check_context_id
    from .reading import check_document, read_trace
    from .redaction import SECRET_RULES, Redactor, SecretRule, redact_secrets, redactor
    from .settings import TraceSettings, default_trace_dir, trace_settings
    from .summary import summary_of
    from .writer import TraceFacts, TraceWriter

_HOMES = {
    ".examples": ("write_examples",),
    ".names": ("check_context_id",),
    ".reading": ("check_document", "read_trace"),
    ".redaction": ("SECRET_RULES", "Redactor", "SecretRule", "redact_secrets", "redactor"),
    ".settings": ("TraceSettings", "default_trace_dir", "trace_settings"),
    ".summary": ("summary_of",),
    ".writer": ("TraceFacts", "TraceWriter"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "SECRET_RULES",
    "Redactor",
    "SecretRule",
    "TraceFacts",
    "TraceSettings",
    "TraceWriter",
    "check_context_id",
    "check_document",
    "default_trace_dir",
    "read_trace",
    "redact_secrets",
    "redactor",
    "summary_of",
    "trace_settings",
    "write_examples",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value
