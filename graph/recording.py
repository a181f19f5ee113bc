"""A store that notes what one run puts into the store behind it."""

from ..state.outputs import OutputStore

__all__ = ["RecordingStore"]


class RecordingStore:
    """Passes everything on and remembers what was put, so that a result can hand it back."""

    def __init__(self, store: OutputStore) -> None:
        self._store = store
        self.stored: dict[str, str] = {}
        """Reference → text."""

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Store a text and note it."""
        ref = self._store.put(text, tool=tool)
        self.stored[ref] = text
        return ref

    def get(self, ref: str) -> str:
        """Give a stored text."""
        return self._store.get(ref)

    def contains(self, ref: str) -> bool:
        """Tell whether the text of a reference can be given."""
        return self._store.contains(ref)

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is, if that is known."""
        return self._store.tool_of(ref)
