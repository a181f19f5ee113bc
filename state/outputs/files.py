"""An output store of files, shared by the command line and requests.

One folder, flat: `<ref>.txt` is a body in UTF-8, byte for byte; `<ref>.tool` the name of its tool, if known;
`<ref>.expired` says that a body was here; `<ref>.index` leads to the lines of a large one. Files are 0600, folders
that the store makes are 0700.
"""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Final

from ..errors import OutputRefExpired
from ..wellformed import well_formed
from .chunks import ChunkedText, ChunkIndex, Damaged, cut
from .refs import candidate_refs, check_ref, encoded, is_ref
from .slices import INDEXED_SIZE, SlicedText, WholeText
from .store import crowded, expired, unknown

__all__ = ["FileOutputStore"]

_NOFOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
_READ: Final[int] = os.O_RDONLY | _NOFOLLOW | _BINARY | getattr(os, "O_NONBLOCK", 0)
"""A link in place of a body is not followed, a pipe in its place does not block."""
_CREATE: Final[int] = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
_NO_FILE: Final = frozenset((errno.ELOOP, errno.EMLINK, errno.ENXIO))
"""What systems say to opening a link that is not followed, or a socket."""

_OF_NOTHING: Final = frozenset(candidate_refs(b""))


class FileOutputStore:
    """Keeps bodies as files; processes and threads may share a folder.

    A body appears under its name whole or not at all: it is written beside and renamed. It is not synced to
    the disk: one sync costs more than a whole turn, and what a power cut takes is only a body that can be
    asked for again. An empty file in place of a body, which is what such a cut leaves, counts as expired.

    Nothing but regular files directly in the folder is ever read: links are not followed.

    Args:
        path: The folder; made at the first `put`, links in its own path are resolved now. A folder that is
            there already keeps its permissions.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().resolve()
        self._base = os.fspath(self.path) + os.sep

    def put(self, text: str, *, tool: str | None = None) -> str:
        """Keep a body. Raises `OSError` if the folder cannot be written."""
        return self._put(encoded(text)[1], tool)

    def put_pieces(self, pieces: Iterable[str], *, tool: str | None = None) -> str:
        """Keep a body that comes in pieces; it is held once, as UTF-8."""
        data = bytearray()
        for piece in pieces:
            data += encoded(piece)[1]
        return self._put(data, tool)

    def _put(self, data: bytes | bytearray, tool: str | None) -> str:
        ref = ""
        for ref in candidate_refs(data):
            held = self._body(ref)
            if held is None:
                self._note_tool(ref, tool)  # before the body: who can see the body can see its tool
                if len(data) >= INDEXED_SIZE:
                    self._write(f"{ref}.index", ChunkIndex.of(cut(data)).pack())
                self._write(f"{ref}.txt", data)
                return ref
            if held == data:
                self._note_tool(ref, tool)
                with suppress(OSError):  # young again for `prune_outputs`; the body is there all the same
                    os.utime(f"{self._base}{ref}.txt")
                return ref
        raise crowded(ref)

    def get(self, ref: str) -> str:
        """Read the body; bytes that are no UTF-8 become U+FFFD."""
        data = self._body(check_ref(ref))
        if data is None:
            gone = self._read(f"{ref}.expired") is not None or self._read(f"{ref}.txt") is not None
            raise expired(ref) if gone else unknown(ref)
        return data.decode("utf-8", "replace")

    def open(self, ref: str) -> SlicedText:
        """Open the body: of a large one only what a slice holds is read, and checked against its index.

        Raises:
            OutputRefExpired: Also for a body that is not what its index says; `details["damaged"]` says how.
        """
        packed = self._read(f"{check_ref(ref)}.index")
        try:
            index = None if packed is None else ChunkIndex.unpack(packed)
        except Damaged:
            index = None
        if index is None or not self.contains(ref):
            return WholeText(self.get(ref))
        return ChunkedText(index, partial(self._chunk, ref, index))

    def _chunk(self, ref: str, index: ChunkIndex, number: int) -> bytes:
        data = self._read(f"{ref}.txt", index.first_byte(number), index.extents[number].size)
        try:
            return index.checked(number, data)
        except Damaged as error:
            self.get(ref)  # expired since it was opened: another error
            details = {"ref": ref, "damaged": str(error)}
            raise OutputRefExpired(
                f"the tool output {ref!r} is damaged in its file ({error})", details=details
            ) from error

    def contains(self, ref: str) -> bool:
        """Tell whether a body is held, without reading it."""
        if not is_ref(ref):
            return False
        try:
            found = Path(f"{self._base}{ref}.txt").stat(follow_symlinks=False)
        except OSError:
            return False
        return stat.S_ISREG(found.st_mode) and (found.st_size > 0 or ref in _OF_NOTHING)

    def tool_of(self, ref: str) -> str | None:
        """Name the tool whose output a body is."""
        data = self._read(f"{check_ref(ref)}.tool")
        return data.decode("utf-8", "replace") if data else None

    def expire(self, ref: str) -> None:
        """Remove a body and leave the mark that it was held; once more changes nothing.

        Raises:
            OutputRefMalformed: `ref` has not the form of a reference.
            OutputRefUnknown: The store never held it.
        """
        if self._read(f"{check_ref(ref)}.txt") is None:
            if self._read(f"{ref}.expired") is None:
                raise unknown(ref)
            return
        self._write(f"{ref}.expired", b"")
        for name in (f"{ref}.txt", f"{ref}.tool", f"{ref}.index"):
            Path(self._base + name).unlink(missing_ok=True)

    def _body(self, ref: str) -> bytes | None:
        data = self._read(f"{ref}.txt")
        return data if data or ref in _OF_NOTHING else None

    def _note_tool(self, ref: str, tool: str | None) -> None:
        if tool and self._read(f"{ref}.tool") is None:
            self._write(f"{ref}.tool", well_formed(tool).encode())

    def _read(self, name: str, start: int = 0, size: int = -1) -> bytes | None:
        """Give the bytes of a regular file of the folder, or some of them; None if there is none of that name."""
        try:
            descriptor = os.open(self._base + name, _READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in _NO_FILE:
                return None
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return None
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            file.seek(start)
            return file.read(size)

    def _write(self, name: str, data: bytes | bytearray) -> None:
        """Write a file under a name that nobody else uses, then give it its own in one step."""
        target = self._base + name
        fresh = f"{self._base}.{token_hex(8)}.tmp"
        try:
            descriptor = os.open(fresh, _CREATE, 0o600)
        except FileNotFoundError:
            self._make_folder()
            descriptor = os.open(fresh, _CREATE, 0o600)
        try:
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
            finally:
                os.close(descriptor)
            Path(fresh).replace(target)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise

    def _make_folder(self) -> None:
        missing = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)

    def __repr__(self) -> str:
        return f"FileOutputStore({os.fspath(self.path)!r})"
