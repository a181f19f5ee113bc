"""The price of a whole input by source, and of the part that nothing may shorten."""

from collections.abc import Iterable

from ..state.history import History
from ..state.pricing import Pricer
from ..state.products import Admitted, Bill, Prompt
from .previews import Previewer

__all__ = ["FixedPart", "bill_of", "fixed_part", "smallest_window"]


def bill_of(history: History, prompt: Prompt, admitted: Admitted, pricer: Pricer) -> Bill:
    """Price everything that goes out, with one counter. O(new messages + contributions)."""
    return Bill(
        system=prompt.system_tokens,
        tools=prompt.tools_tokens,
        messages=pricer.messages(admitted.messages),
        attachments=pricer.messages(admitted.attachments),
        history=history.sent.price(pricer),
    )


class FixedPart:
    """What may never be shortened away: prompt, tools, contributions, anchor, open calls, the newest step."""

    def __init__(self, bill: Bill, anchor: int, newest_step: int, open_steps: int) -> None:
        self.bill = bill
        self.anchor = anchor
        """Tokens of the anchor."""
        self.newest_step = newest_step
        """Tokens of the newest step, its bodies as previews; 0 when it belongs to the anchor."""
        self.open_steps = open_steps

    @property
    def total(self) -> int:
        """Tokens of all of it."""
        return self.bill.total


def fixed_part(history: History, bill: Bill, pricer: Pricer, previewer: Previewer, reader: int) -> FixedPart:
    """Price what stays when everything else is gone; `reader` is what the first preview adds to the tools."""

    def whole(numbers: Iterable[int]) -> int:
        return sum(history.sent.step_price(pricer, number) for number in numbers)

    def freed(numbers: Iterable[int]) -> int:
        return sum(
            pricer.message(history[at]) - pricer.message(small.message)
            for number in numbers
            for at, small in previewer.preview_step(history, history.step(number)).items()
        )

    anchor_steps = {history.step_at(position) for position in history.anchor()}
    newest_steps = {history.newest_step} - anchor_steps - {-1}
    open_steps = {step.number for step in history.open_steps()} - anchor_steps - newest_steps
    newest_freed, open_freed = freed(newest_steps), freed(open_steps)
    if newest_freed + open_freed <= reader:  # previews would cost more than they free
        newest_freed = open_freed = reader = 0
    anchor = whole(anchor_steps)
    newest = whole(newest_steps) - newest_freed
    still_open = whole(open_steps) - open_freed
    fixed = Bill(
        system=bill.system,
        tools=bill.tools + reader,
        messages=bill.messages,
        attachments=bill.attachments,
        history=anchor + newest + still_open,
    )
    return FixedPart(fixed, anchor, newest, still_open)


def smallest_window(history: History, bill: Bill, pricer: Pricer) -> int:
    """Price what no window leaves out, as it stands, but the checkpoint: that is weighed against what is left."""
    kept = {history.step_at(position) for position in history.anchor()}
    kept.update(step.number for step in history.open_steps())
    kept.add(history.newest_step)
    prices = (history.sent.step_price(pricer, number) for number in kept if number >= 0)
    return bill.total - bill.history + sum(prices)
