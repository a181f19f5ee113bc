"""The price of a whole input by source, and of the part that nothing may shorten."""

from ..state.history import History
from ..state.pricing import Pricer
from ..state.products import Admitted, Bill, Prompt
from ..state.projection import history_price, irregular, step_price
from ..state.steps import Step
from .previews import Previewer

__all__ = ["FixedPart", "bill_of", "fixed_part"]


def bill_of(history: History, prompt: Prompt, admitted: Admitted, pricer: Pricer) -> Bill:
    """Price everything that goes out, with one counter. O(irregular steps + contributions)."""
    return Bill(
        system=prompt.system_tokens,
        tools=prompt.tools_tokens,
        messages=pricer.messages(admitted.messages),
        attachments=pricer.messages(admitted.attachments),
        history=history_price(history, pricer, irregular(history)),
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


def fixed_part(history: History, bill: Bill, pricer: Pricer, previewer: Previewer) -> FixedPart:
    """Price what stays when everything else is gone."""
    special = {item.step.number: item for item in irregular(history)}

    def price(step: Step) -> int:
        whole = step_price(history, step, special, pricer)
        return whole - sum(
            max(0, pricer.message(history[at]) - pricer.message(small))
            for at, small in previewer.preview_step(history, step, store=False).items()
        )

    anchor_steps = {history.step_at(position) for position in history.anchor()}
    anchor = sum(step_price(history, history.step(number), special, pricer) for number in sorted(anchor_steps))
    open_numbers = {step.number for step in history.open_steps()} - anchor_steps
    newest = history.step_count - 1
    newest_tokens = 0
    if newest >= 0 and newest not in anchor_steps:
        newest_tokens = price(history.step(newest))
        open_numbers.discard(newest)
    open_tokens = sum(price(history.step(number)) for number in sorted(open_numbers))
    fixed = Bill(
        system=bill.system,
        tools=bill.tools,
        messages=bill.messages,
        attachments=bill.attachments,
        history=anchor + newest_tokens + open_tokens,
    )
    return FixedPart(fixed, anchor, newest_tokens, open_tokens)
