"""What a store of tool outputs offers, and the three ways in which it can fail to give a body."""

from collections.abc import Iterable
from typing import Final, Protocol, runtime_checkable

from ..errors import InternalError, OutputRefExpired, OutputRefUnknown

__all__ = ["OutputStore", "PieceStore", "crowded", "expired", "put_pieces", "unknown"]


class OutputStore(Protocol):
    """Bodies of tool results by reference: the same text always has the same reference.

    Bodies are any text; lone surrogates are replaced by U+FFFD on the way in. Besides the stated errors a
    method may raise `OSError`: what keeps the bodies is not there.
    """

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Keep a body and give its reference; `tool` is remembered beside it, the first name given wins."""
        ...

    def get(self, ref: str) -> str:
        """Give the body.

        Raises:
            OutputRefMalformed: `ref` has not the form of a reference.
            OutputRefUnknown: The store never held it.
            OutputRefExpired: The store held it once.
        """
        ...

    def contains(self, ref: str) -> bool:
        """Tell whether `get` would give a body; never raises for a reference, whatever its form."""
        ...

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is, if that is known. Raises like `get` for a malformed `ref`."""
        ...


@runtime_checkable
class PieceStore(Protocol):
    """A store that also takes a body in pieces; a string that holds one emoji takes four bytes for each character."""

    def put_pieces(self, pieces: Iterable[str], *, tool: str | None = None) -> str:
        """Do what `put` does with the body that the pieces make together; none ends inside a surrogate pair."""
        ...


def put_pieces(store: OutputStore, pieces: Iterable[str], *, tool: str | None = None) -> str:
    """Keep a long body, in pieces where the store takes them."""
    if isinstance(store, PieceStore):
        return store.put_pieces(pieces, tool=tool)
    return store.put("".join(pieces), tool=tool)


_REMEDY: Final = "; call the tool again if the output is still needed"


def unknown(ref: str) -> OutputRefUnknown:
    """Make the error for a reference that was never held."""
    return OutputRefUnknown(f"no tool output is stored as {ref!r}", details={"ref": ref})


def expired(ref: str) -> OutputRefExpired:
    """Make the error for a body that is gone."""
    return OutputRefExpired(f"the tool output {ref!r} is no longer stored{_REMEDY}", details={"ref": ref})


def crowded(ref: str) -> InternalError:
    """Make the error for a text whose whole digest is held by another text: somebody planted it."""
    return InternalError(f"another text is stored under the whole digest {ref!r}", details={"ref": ref})
