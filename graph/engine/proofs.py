"""The proofs that `compile()` demands, in one call."""

from .guards import prove_assignment, prove_guards
from .structure import Proof, prove_loops, prove_outcomes, prove_reachability
from .wiring import Wiring

__all__ = ["Proof", "prove"]


def prove(wiring: Wiring) -> list[Proof]:
    """Prove all that must hold before a graph may run: milliseconds for tens of nodes."""
    return [
        prove_outcomes(wiring),
        prove_reachability(wiring),
        prove_loops(wiring),
        prove_guards(wiring),
        prove_assignment(wiring),
    ]
