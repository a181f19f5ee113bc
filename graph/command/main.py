"""The application: its commands, and what every one of them does with a failure."""

import sys
from collections.abc import Sequence
from typing import Annotated, Final, NoReturn

import typer

from ...state.errors import TurngraphError, UsageError
from .assemble import assemble
from .doctor import doctor
from .explain_error import explain_error
from .graph import graph
from .output import output
from .schema import schema
from .streams import as_error, close_quietly, complain, forgive_unencodable, write_document, write_text
from .trace import trace

__all__ = ["app", "main", "run"]

_USAGE_EXIT: Final = 2
_INTERRUPTED_EXIT: Final = 130

app = typer.Typer(
    name="turngraph",
    help="Turn an agent's conversation into a model input that fits, and say what happened to it.",
    epilog="Exit codes: 0 fine, 1 the assembly failed for a stated reason, 2 wrong usage or unreadable input.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(assemble)
app.command()(graph)
app.command()(schema)
app.add_typer(output)
app.add_typer(trace)
app.command()(doctor)
app.command("explain-error")(explain_error)


def _version(asked: bool) -> None:  # noqa: FBT001 - Typer calls it so
    if asked:
        from ... import __version__

        write_text(f"turngraph {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    *,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        raise UsageError("no command given; see turngraph --help")


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:] if args is None else args))


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code. What fails is said once: as a document with `--json`, else in words."""
    forgive_unencodable()
    given = list(args)
    options = given[: given.index("--")] if "--" in given else given
    try:
        code = typer.main.get_command(app).main(given, prog_name="turngraph", standalone_mode=False)
    except BrokenPipeError:
        close_quietly()
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED_EXIT
    except Exception as error:  # noqa: BLE001 - sorted into stated failures and defects
        failure = _failure(error)
        if "--json" in options:
            write_document({"ok": False, "error": as_error(failure)})
        else:
            complain(failure)
        return failure.exit_code
    return code if isinstance(code, int) else 0


def _failure(error: Exception) -> TurngraphError:
    if isinstance(error, TurngraphError):
        return error
    # Typer carries a copy of Click from 0.26 on and uses the real one before: the root of Click's usage errors
    # has no one name to import, but always this method.
    told = getattr(error, "format_message", None)
    if told is not None:
        return UsageError(f"{str(told()).rstrip('.')}; see turngraph --help")
    from ..answer import internal

    return internal(error)
