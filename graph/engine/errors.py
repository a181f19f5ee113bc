"""The two errors of the engine itself, children of the one error tree in `state.errors`."""

from collections.abc import Sequence

from ...state.errors import TurngraphError

__all__ = ["GraphError", "NodeError"]


class GraphError(TurngraphError):
    """A graph is wired wrongly; `problems` lists all that `compile()` found.

    Code `internal`: the program has to be changed.
    """

    code = "internal"

    def __init__(self, *, graph: str, problems: Sequence[str]) -> None:
        self.graph = graph
        self.problems = tuple(problems)
        count = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        lines = "".join(f"\n  - {problem}" for problem in self.problems)
        super().__init__(
            f"graph {graph!r} has {count}:{lines}", details={"graph": graph, "problems": list(self.problems)}
        )


class NodeError(TurngraphError):
    """A node raised, or returned what its signature does not promise; the cause is chained. Code `internal`.

    The state is as it was before the node, so a run that can be stepped can also be stepped again.
    """

    code = "internal"

    def __init__(self, message: str, *, node: str, frame: int, digest: str) -> None:
        self.node = node
        self.frame = frame
        self.digest = digest
        super().__init__(
            f"node {node!r} {message} (frame {frame}, state {digest})",
            details={"node": node, "frame": frame, "digest": digest},
        )
