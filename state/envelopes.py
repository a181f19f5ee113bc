"""The envelopes around data that is not authority, and the one escape function. One home for all of them.

Content cannot close or forge an envelope: `<` before any of our tag names becomes `&lt;`, whatever the case and
with an optional `/` and blanks between; everything else is verbatim. Escaping twice changes nothing more.
"""

import re

from .sections import Trust

__all__ = [
    "CHECKPOINT_MARKER",
    "CHECKPOINT_MARKERS",
    "attachment_envelope",
    "checkpoint_body",
    "checkpoint_envelope",
    "durable_envelope",
    "escape",
    "reminder_envelope",
    "reminder_text",
]

_TAGS = ("context_data", "runtime_context_data", "system-reminder", "checkpoint")
_FORGED = re.compile(rf"<(?=\s*+(?:/\s*+)?(?:{'|'.join(_TAGS)})(?![A-Za-z0-9_-]))", re.IGNORECASE)

CHECKPOINT_MARKER = "[turngraph summary checkpoint]"
CHECKPOINT_MARKERS = (
    CHECKPOINT_MARKER,
    "[ScienceDiscovery summary checkpoint]",
    "[ScienceAgent summary checkpoint]",
)
"""First lines by which a standing checkpoint is known; the older two come from the reference system."""

_CHECKPOINT_OPEN, _CHECKPOINT_CLOSE = '<checkpoint authority="data_only">', "</checkpoint>"
_REMINDER_OPEN, _REMINDER_CLOSE = "<system-reminder>", "</system-reminder>"


def escape(content: str) -> str:
    """Neutralise our own tags in content. Linear; the same text when there is nothing to do."""
    return _FORGED.sub("&lt;", content) if "<" in content else content


def attachment_envelope(source: str, trust: Trust, content: str) -> str:
    """Wrap an attachment; `source` has been checked against its grammar."""
    return f'<context_data source="{source}" trust="{trust}">\n{escape(content)}\n</context_data>'


def durable_envelope(channel: str, trust: Trust, content: str) -> str:
    """Wrap the projection of a durable channel; `channel` has been checked against the grammar of sources."""
    head = f'<runtime_context_data channel="{channel}" trust="{trust}" authority="data_only">'
    return f"{head}\n{escape(content)}\n</runtime_context_data>"


def reminder_envelope(text: str) -> str:
    """Wrap a reminder."""
    return f"{_REMINDER_OPEN}\n{escape(text)}\n{_REMINDER_CLOSE}"


def reminder_text(wrapped: str) -> str | None:
    """Give the text inside a reminder of exactly our form, else `None`."""
    head, tail = f"{_REMINDER_OPEN}\n", f"\n{_REMINDER_CLOSE}"
    if not (wrapped.startswith(head) and wrapped.endswith(tail) and len(wrapped) >= len(head) + len(tail)):
        return None
    inner = wrapped[len(head) : len(wrapped) - len(tail)]
    return inner if escape(inner) == inner else None


def checkpoint_envelope(body: str) -> str:
    """Wrap a checkpoint body: marker line, then the body as data without authority."""
    return f"{CHECKPOINT_MARKER}\n{_CHECKPOINT_OPEN}\n{escape(body)}\n{_CHECKPOINT_CLOSE}"


def checkpoint_body(text: str) -> str | None:
    """Give the body of a checkpoint text, the older spellings included, or `None` if it is none.

    An older spelling has its own wrapper lines; what stands behind its marker is the body.
    """
    marker, _, rest = text.partition("\n")
    if marker.strip() not in CHECKPOINT_MARKERS:
        return None
    head, tail = f"{_CHECKPOINT_OPEN}\n", f"\n{_CHECKPOINT_CLOSE}"
    if rest.startswith(head) and rest.endswith(tail):
        return rest[len(head) : len(rest) - len(tail)]
    return rest
