"""What goes out: documents and texts on stdout, notices on stderr, nothing that a terminal would obey."""

import contextlib
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

import orjson

from ...state.errors import TurngraphError
from ...state.wellformed import well_formed, well_formed_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = [
    "as_error",
    "bytes_of",
    "close_quietly",
    "complain",
    "console_on",
    "forgive_unencodable",
    "notice",
    "print_page",
    "shown",
    "write_bytes",
    "write_document",
    "write_text",
]

_OBEYED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that move a cursor, colour, reorder or hide text: controls, bidirectional marks, invisible ones."""


def shown(text: str, *, one_line: bool = False) -> str:
    r"""Give a foreign text as a terminal may have it: what would be obeyed is spelled out, `\x1b` for an escape."""
    text = _OBEYED.sub(_spelled, text)
    return " ".join(text.split()) if one_line else text.replace("\t", "    ")


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def bytes_of(value: Any, *, pretty: bool = False) -> bytes:
    """Write a JSON value as UTF-8 with a newline behind it."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if pretty else 0)
    try:
        return orjson.dumps(value, option=option)
    except (TypeError, orjson.JSONEncodeError):  # lone surrogates, integers over 64 bits, a depth over 254
        text = json.dumps(well_formed_json(value), ensure_ascii=False, indent=2 if pretty else None)
        return well_formed(f"{text}\n").encode()


def write_document(value: Any, *, pretty: bool = False) -> None:
    """Print one JSON document."""
    write_bytes(bytes_of(value, pretty=pretty))


def write_text(text: str) -> None:
    """Print a text as it is, a newline behind it if it has none."""
    write_bytes(well_formed(text if text.endswith("\n") else f"{text}\n").encode())


def write_bytes(data: bytes) -> None:
    """Print bytes, whatever encoding the terminal speaks: data is UTF-8."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(data.decode())
    else:
        rest = memoryview(data)
        while rest:  # without a buffer (PYTHONUNBUFFERED) a write may take a part only
            rest = rest[binary.write(rest) or 0 :]
    sys.stdout.flush()


def notice(text: str) -> None:
    """Say something on stderr."""
    print(shown(text), file=sys.stderr)  # noqa: T201 - this is where the command line prints


def complain(error: TurngraphError) -> None:
    """Say on stderr why a command failed."""
    notice(f"turngraph: {error.code}: {error.message}")


def as_error(error: TurngraphError) -> dict[str, Any]:
    """Give the `error` object of a document."""
    return error.as_json()


def forgive_unencodable() -> None:
    """Let a stream that cannot spell a character print another instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue]


def close_quietly() -> None:
    """Drop what is still to be printed: nobody reads it any more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console_on(stream: TextIO) -> "Console":
    """Give a console for readable text: colours on a terminal only, and never with `NO_COLOR`."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty()
    return Console(
        file=stream,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def print_page(page: "RenderableType", console: "Console | None" = None) -> None:
    """Print readable text on stdout, without the blanks that Rich fills lines with."""
    console = console or console_on(sys.stdout)
    with console.capture() as captured:
        console.print(page)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().split("\n")[:-1]))
    console.file.flush()
