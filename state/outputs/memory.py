"""An output store in memory, for one process or one request."""

from collections.abc import Mapping
from types import MappingProxyType

from ..wellformed import well_formed
from .refs import candidate_refs, check_ref, encoded
from .slices import INDEXED_SIZE, IndexedText, SlicedText, WholeText
from .store import crowded, expired, unknown

__all__ = ["MemoryOutputStore"]


class MemoryOutputStore:
    """Keeps bodies in a dict. Threads may share it: each method changes it in single atomic steps.

    Args:
        items: Bodies to begin with by reference, as a request brings them; any reference of the right form.

    Raises:
        OutputRefMalformed: A key of `items` has another form.
    """

    def __init__(self, items: Mapping[str, str] | None = None) -> None:
        self._texts = {check_ref(ref): well_formed(text) for ref, text in (items or {}).items()}
        self._tools: dict[str, str] = {}
        self._indexed: dict[str, IndexedText] = {}
        self._expired: set[str] = set()

    @property
    def items(self) -> Mapping[str, str]:
        """A live, read-only view of all bodies by reference, oldest first."""
        return MappingProxyType(self._texts)

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Keep a body; cost: one encode and one SHA-256 of it, no copy."""
        text, data = encoded(text)
        ref = ""
        for ref in candidate_refs(data):
            if self._texts.setdefault(ref, text) == text:
                break
        else:
            raise crowded(ref)
        if tool:
            self._tools.setdefault(ref, well_formed(tool))
        if len(text) >= INDEXED_SIZE and ref not in self._indexed:
            self._indexed[ref] = IndexedText(text)
        return ref

    def get(self, ref: str) -> str:
        """Give the body, the very object that was put."""
        text = self._texts.get(check_ref(ref))
        if text is None:
            raise expired(ref) if ref in self._expired else unknown(ref)
        return text

    def open(self, ref: str) -> SlicedText:
        """Open the body; a large one has an index of its lines."""
        text = self.get(ref)
        if len(text) < INDEXED_SIZE:
            return WholeText(well_formed(text))
        return self._indexed.get(ref) or self._indexed.setdefault(ref, IndexedText(text))

    def contains(self, ref: str) -> bool:
        """Tell whether a body is held."""
        return ref in self._texts

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is."""
        return self._tools.get(check_ref(ref))

    def expire(self, ref: str) -> None:
        """Drop a body and remember that it was held; once more changes nothing.

        Raises:
            OutputRefMalformed: `ref` has not the form of a reference.
            OutputRefUnknown: The store never held it.
        """
        if check_ref(ref) not in self._texts and ref not in self._expired:
            raise unknown(ref)
        self._expired.add(ref)
        self._texts.pop(ref, None)
        self._indexed.pop(ref, None)
        self._tools.pop(ref, None)

    def __repr__(self) -> str:
        return f"MemoryOutputStore({len(self._texts)} bodies)"
