"""What the nodes of the assembly graph may reach: counter, stores, contributors, summariser, model, waiting."""

from dataclasses import dataclass

from ..state.node import Services
from ..state.outputs import OutputStore
from ..state.pricing import Pricer
from .contributors import ContributorRegistry
from .model import Model
from .reach import Reach
from .summarisers import Summarizer

__all__ = ["AssemblyServices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblyServices(Services):
    """The services of one run."""

    pricer: Pricer
    """The one token counter."""
    reach: Reach
    """How plugged code is called: bounded in time, sync or async."""
    outputs: OutputStore | None = None
    """Where bodies of tool results lie; without one nothing is pruned."""
    contributors: ContributorRegistry | None = None
    summarizer: Summarizer | None = None
    """None: nothing is summarised by anybody; `summary_fallback` still applies."""
    model: Model | None = None
    """Bound: the run ends with the model's reply; unbound: with the input."""
