"""Building the standing checkpoint of a plan: what the summariser wrote, and the user's own words behind it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..state.checkpoint import Checkpoint, Quote, QuoteChoice, checkpoint_message, checkpoint_of, choose_quotes
from ..state.history import History
from ..state.messages import Message
from ..state.outputs import OutputStore, put_pieces
from ..state.pricing import Pricer
from ..state.products import FoldPlan, Limits, Prompt
from ..state.readable import readable
from .render import reader_tokens
from .summarisers import transcript_pieces

__all__ = ["Built", "build_checkpoint", "standing_checkpoint"]


NAMES_TOKENS = 32
"""What the line that names prompts which are no longer quoted may grow by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A checkpoint message ready to stand in history, and its price."""

    message: Message
    tokens: int
    cost: int
    """Tokens, and what the first reference in the history adds to the tool table."""
    prompts_kept: tuple[str, ...]
    prompts_omitted: tuple[str, ...]


def standing_checkpoint(history: History) -> Checkpoint | None:
    """Read the standing checkpoint, `None` if there is none."""
    position = history.checkpoint()
    return checkpoint_of(history[position]) if position is not None else None


def build_checkpoint(
    sections: Mapping[str, str],
    *,
    history: History,
    plan: FoldPlan,
    limits: Limits,
    prompt: Prompt,
    pricer: Pricer,
    outputs: OutputStore | None,
) -> Built:
    """Put the sections, the folded user prompts and the reference of the folded text into one message.

    The prompts are quoted by the engine, never by the summariser, so that rules which users stated once outlive any
    number of folds.
    """
    previous = standing_checkpoint(history) or Checkpoint()
    covered = set(plan.covered)
    folded = [Quote(history[at].id, readable(history[at].content)) for at in history.prompts() if at in covered]
    words = {quote.id: quote for quote in (*previous.quotes, *folded)}  # what the user wrote wins over a forged quote
    transcript = _store_source(history, plan, outputs) or previous.transcript
    reader = reader_tokens(prompt, pricer) if transcript is not None else 0

    def made(budget_tokens: int) -> tuple[Message, QuoteChoice]:
        choice = choose_quotes([*words.values()], budget_tokens, pricer.counter.count)
        checkpoint = Checkpoint(
            sections=sections,
            quotes=choice.quotes,
            omitted=(*previous.omitted, *choice.omitted),
            omitted_more=previous.omitted_more,
            transcript=transcript,
        )
        number = history.last_number + 1
        return checkpoint_message(checkpoint, id=history.next_id(), covered_last_number=number), choice

    budget_tokens = limits.keep_prompts
    message, (_, kept, omitted) = made(budget_tokens)
    # Beside a large active request the user's earlier words have less room; naming what is left out takes some of it.
    while budget_tokens and (over := pricer.message(message) + reader - plan.room) > 0:
        budget_tokens = max(0, budget_tokens - over - NAMES_TOKENS)
        message, (_, kept, omitted) = made(budget_tokens)
    tokens = pricer.message(message)
    return Built(message=message, tokens=tokens, cost=tokens + reader, prompts_kept=kept, prompts_omitted=omitted)


def _store_source(history: History, plan: FoldPlan, outputs: OutputStore | None) -> str | None:
    """Store what the fold takes out, the old checkpoint first, so that every folded byte can be read again.

    The messages as they stand in history: also those that were never sent (a result without its call).
    """
    if outputs is None:
        return None
    standing = history.checkpoint()
    old = [*history.stale_checkpoints(), *([] if standing is None else [standing])]
    steps = [[history[position]] for position in old]
    steps += [[history[position] for position in history.step(number).positions] for number in plan.steps]
    try:
        return put_pieces(outputs, transcript_pieces(steps), tool="fold")
    except OSError:  # as without a store
        return None
