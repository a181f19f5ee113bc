"""The registry of the invariants of one assembly, and what several of them look at."""

from collections.abc import Callable

from turngraph import Message, Text

from .scenarios import Outcome

Check = Callable[[Outcome], None]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Name an invariant; the deep run takes all of them."""
    CHECKS[function.__name__] = function
    return function


def solid_parts(message: Message) -> list[object]:
    return [part for part in message.content if not (isinstance(part, Text) and not part.text.strip())]


def texts_in_blocks(message: Message) -> list[str]:
    return [part.text for part in message.content if isinstance(part, Text)]


def goes_out_as_it_stands(messages: list[Message]) -> bool:
    """No call id to rewrite, no arguments to repair, no empty block."""
    for message in messages:
        ids = [call.id for call in message.calls]
        if len(set(ids)) < len(ids) or "" in ids or any(call.extras for call in message.calls):
            return False
        if not all(text.strip() for text in texts_in_blocks(message)):
            return False
    return True
