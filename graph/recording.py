"""A store that notes what one run puts into the store behind it."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ..state.errors import OutputRefError
from ..state.outputs import OutputStore, put_pieces

__all__ = ["RecordingStore"]


class _Bodies(Mapping[str, str]):
    """Reference → body. Bodies stay in the store: a fold puts all that it takes out, a second copy of it."""

    def __init__(self, store: OutputStore) -> None:
        self._store = store
        self.refs: dict[str, None] = {}

    def __getitem__(self, ref: str) -> str:
        if ref not in self.refs:
            raise KeyError(ref)
        return self._store.get(ref)

    def __iter__(self) -> Iterator[str]:
        return iter(self.refs)

    def __len__(self) -> int:
        return len(self.refs)


@contextmanager
def _failing(what: str) -> Generator[None, None, None]:
    """Turn whatever a plugged store raises into the errors that a store may raise."""
    try:
        yield
    except (OSError, OutputRefError):
        raise
    except Exception as error:
        raise OSError(f"the output store cannot {what}: {type(error).__name__}: {error}") from error


class RecordingStore:
    """Passes everything on and remembers what was put, so that a result can hand it back.

    A plugged store may fail in any way; the run sees `OSError` and shortens nothing that cannot be read again.
    """

    def __init__(self, store: OutputStore) -> None:
        self._store = store
        self._stored = _Bodies(store)

    @property
    def stored(self) -> Mapping[str, str]:
        """Reference → text in the order in which they were put; a text is read when it is asked for."""
        return self._stored

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Store a text and note its reference. Raises `OSError` where the store cannot take it."""
        with _failing("take a text"):
            ref = self._store.put(text, tool=tool)
        self._stored.refs[ref] = None
        return ref

    def put_pieces(self, pieces: Iterable[str], *, tool: str | None = None) -> str:
        """Store a text that comes in pieces, as `put` does."""
        with _failing("take a text"):
            ref = put_pieces(self._store, pieces, tool=tool)
        self._stored.refs[ref] = None
        return ref

    def get(self, ref: str) -> str:
        """Give a stored text. Raises `OutputRefError`, or `OSError` where the store fails."""
        with _failing("give a text"):
            return self._store.get(ref)

    def contains(self, ref: str) -> bool:
        """Tell whether the text of a reference can be given; not by a store that fails."""
        try:
            return self._store.contains(ref)
        except Exception:  # noqa: BLE001 - whatever a plugged store raises
            return False

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is, if that is known."""
        return self._store.tool_of(ref)
