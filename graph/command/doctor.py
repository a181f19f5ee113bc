"""`turngraph doctor`: what is installed, which tokenizer is exact, where data lies, what is set up wrongly."""

import os
import platform
from typing import Annotated, Any

import typer

from ...state.errors import UsageError
from .streams import print_page, write_document

__all__ = ["doctor"]


def doctor(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Say what is installed, which tokenizers are exact, which formats are read, where data lies, what looks wrong."""
    found = _examined()
    if json:
        write_document(found, pretty=True)
    else:
        from .findings import page

        print_page(page(found))


def _examined() -> dict[str, Any]:
    from ... import __version__
    from ...state.formats import known_formats
    from .installed import extras, packages
    from .settings import problems_of_environment, variables

    return {
        "turngraph": __version__,
        "python": platform.python_version(),
        "packages": packages(),
        "extras": extras(),
        "tokenizers": _tokenizers(),
        "formats": known_formats(),
        "data": _data(),
        "environment": variables(os.environ),
        "problems": problems_of_environment(os.environ),
    }


def _tokenizers() -> list[dict[str, Any]]:
    from ...state.tokens import ConservativeCounter
    from ...state.tokens.exact import ENCODINGS, vocabulary_path

    found: list[dict[str, Any]] = [{"name": ConservativeCounter.name, "exact": False, "available": True, "path": None}]
    for encoding in ENCODINGS:
        path = vocabulary_path(encoding)
        found.append(
            {
                "name": f"tiktoken:{encoding}",
                "exact": True,
                "available": path is not None,
                "path": os.fspath(path) if path is not None else None,
            }
        )
    return found


def _data() -> dict[str, Any]:
    from ...state.outputs import data_dir, default_output_dir
    from ..door import store_in

    outputs = os.fspath(default_output_dir())
    try:
        store_in(outputs)
        writable = True
    except UsageError:
        writable = False
    return {"dir": os.fspath(data_dir()), "outputs": outputs, "writable": writable}
