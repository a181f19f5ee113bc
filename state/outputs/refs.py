"""References to stored tool outputs: their grammar, and how a text gets one."""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from ..errors import OutputRefMalformed
from ..wellformed import well_formed

__all__ = ["REF_GRAMMAR", "candidate_refs", "check_ref", "encoded", "find_refs", "is_ref", "ref_of"]

REF_GRAMMAR: Final = r"tool-output-[0-9a-f]{16,64}"
"""The grammar of a reference, as a regular expression; hosts may bring shorter ones than ours."""

_PREFIX: Final = "tool-output-"
_REF: Final = re.compile(REF_GRAMMAR)
_REF_IN_TEXT: Final = re.compile(rf"(?<![0-9A-Za-z_-]){REF_GRAMMAR}(?![0-9A-Za-z_-])")
_DIGITS: Final = (32, 40, 48, 56, 64)
"""128 bits are enough for texts that nobody crafted; longer ones are for a prefix that another text holds."""


def is_ref(ref: str) -> bool:
    """Tell whether a text has the form of a reference."""
    return _REF.fullmatch(ref) is not None


def check_ref(ref: str) -> str:
    """Give `ref` back if it has the form of a reference; stands before every access to a file.

    Raises:
        OutputRefMalformed: It has another form.
    """
    if not is_ref(ref):
        raise OutputRefMalformed(
            f"{ref[:200]!r} is no output reference: one is `tool-output-` and 16 to 64 lower-case hex digits",
            details={"ref": ref[:200]},
        )
    return ref


def find_refs(text: str) -> list[str]:
    """List the references in a text in order of appearance, each once. Linear."""
    return list(dict.fromkeys(_REF_IN_TEXT.findall(text))) if _PREFIX in text else []


def encoded(text: str) -> tuple[str, bytes]:
    """Give the well-formed text with its UTF-8 bytes; lone surrogates become U+FFFD."""
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = well_formed(text)
        return text, text.encode()


def candidate_refs(data: bytes | bytearray) -> Iterator[str]:
    """Give the references that a body may have, shortest first: prefixes of its SHA-256."""
    digest = hashlib.sha256(data).hexdigest()
    for digits in _DIGITS:
        yield _PREFIX + digest[:digits]


def ref_of(text: str) -> str:
    """Give the reference of a text in a store where no other text holds that prefix."""
    return next(candidate_refs(encoded(text)[1]))
