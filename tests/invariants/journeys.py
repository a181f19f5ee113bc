"""Random journeys: any chunks appended, any assembly in between, the returned history carried on, sometimes not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from turngraph import History, MemoryOutputStore

from .histories import MAKERS, single, tidy_exchange
from .scenarios import Outcome, run, scenario


def journey(seeds: Sequence[int], seed: int) -> Iterator[Outcome]:
    """The assemblies of one journey. The limit is that of a session half as long."""
    settings = Random(seed)
    store = MemoryOutputStore() if settings.random() < 0.8 else None
    whole = [message for number in seeds for message in _chunk(number)]
    plan = scenario(whole[: len(whole) // 2 + 1], settings.getrandbits(32), plain=settings.random() < 0.5)
    history = History()
    for number in seeds:
        random = Random(number ^ seed)
        history = history.append(*_chunk(number))
        if random.random() < 0.3:
            continue
        turn = replace(plan, messages=list(history), recovery=plan.recovery if random.random() < 0.2 else None)
        outcome = run(turn, history, store)
        yield outcome
        if random.random() < 0.85:
            history = outcome.assembly.history


def _chunk(number: int) -> list:
    random = Random(number)
    return random.choice((*MAKERS, tidy_exchange, tidy_exchange, single))(random)
