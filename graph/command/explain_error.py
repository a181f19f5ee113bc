"""`turngraph explain-error`: what a provider's error means, as JSON, and on stderr what to do about it."""

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from .documents import read_document
from .streams import notice, write_document

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
    json: Annotated[bool, typer.Option("--json", help="Print the document alone, no advice on stderr.")] = False,
) -> None:
    """Classify a provider's error: {"status"?, "body"|"message", "provider"?, "operation"?, "estimate"?, "limit"?}."""
    from ...nodes.providers import classify, facts_from_json

    found = classify(facts_from_json(read_document(file))).as_json()
    write_document(found)
    remedy = _REMEDIES.get(str(found["trigger"]))
    if remedy and not json:
        notice(f"{found['class']}: {remedy}")
