"""`turngraph explain-error`: what a provider's error means, and what to do about it."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from .documents import read_document
from .streams import print_page, shown, write_document

__all__ = ["explain_error"]

_REMEDIES: Final[Mapping[str, str]] = {
    "compact_once_retry_once": "make the input smaller once, then send it once more",
    "compact_only_if_host_opts_in": "a smaller input may pass, but the plan is what is exhausted: decide yourself",
    "shrink_to_named_limit_only_if_host_opts_in_else_fail": "a request of this size never passes the rate limit: "
    "shrink it to the named limit if you want that, else fail",
    "shrink_payload_or_fail": "the body is too large in bytes: shrink what is attached, or fail",
    "drop_old_images_then_retry_once": "leave out the oldest images, then send it once more",
    "lower_max_tokens_then_retry": "ask for fewer output tokens, then send it again",
    "ambiguous_use_local_estimate": "the text does not say: decide by your own token count",
    "accept_but_record_overflow": "take the answer, but note that the input was cut by the provider",
    "wait_and_retry": "wait, then send the same bytes again",
    "fail": "sending it again does not help: surface the error",
}


def explain_error(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="The error as JSON; - is stdin.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print {class, reason, trigger, parsed}.")] = False,
) -> None:
    """Classify a provider's error: {"status"?, "body"|"message", "provider"?, "operation"?, "estimate"?, "limit"?}."""
    from ...nodes.providers import classify, facts_from_json

    found = classify(facts_from_json(read_document(file))).as_json()
    if json:
        write_document(found)
        return
    _print(found)


def _print(found: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_row(Text("class", style="dim"), Text(str(found["class"]), style="bold"))
    if found["reason"]:
        table.add_row(Text("reason", style="dim"), Text(str(found["reason"])))
    remedy = _REMEDIES.get(str(found["trigger"]), "")
    table.add_row(
        Text("what to do", style="dim"), Text(f"{remedy} ({found['trigger']})" if remedy else str(found["trigger"]))
    )
    for name, value in found["parsed"].items():
        table.add_row(Text(name, style="dim"), Text(shown(f"{value:,}" if isinstance(value, int) else str(value))))
    print_page(table)
