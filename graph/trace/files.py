"""Private files: 0600 in 0700 folders, whole or not at all, and nowhere but below the folder of traces."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Final

from ...state.errors import TraceIdInvalid

__all__ = ["make_private", "write_private"]

_FOLDER: Final = 0o700
_FILE: Final = 0o600
_BY_FD: Final = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
"""Where the system can work relative to an open folder, no link that is put in its place later is followed."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_GATHERS: Final = hasattr(os, "writev")
_PIECES: Final = 512
"""So many pieces go out in one call; systems take 1,024."""


def make_private(folder: Path) -> None:
    """Make a folder and what is missing above it, for its owner alone. Folders that are there stay as they are."""
    if folder.is_dir():
        return
    missing = [folder, *folder.parents]
    for place in reversed(missing[: next((k for k, it in enumerate(missing) if it.exists()), len(missing))]):
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=_FOLDER)


def write_private(root: Path, name: str, file: str, data: Sequence[bytes | memoryview]) -> Path:
    """Write `root/name/file` in one step: under another name first, then renamed over whatever was there.

    It survives the death of the process, but is not forced to the disk: a power cut may take the newest traces.

    Args:
        root: The folder of all traces; may be a link, that is its owner's choice.
        name: A folder in it, which may not be a link: it could lead anywhere.
        file: Name of the file.
        data: What it will hold, in pieces.

    Raises:
        TraceIdInvalid: `name` is a link or no folder.
        OSError: The system refused.
    """
    make_private(root)
    with _opened(root, name) as folder:
        temporary = f".{file}.{secrets.token_hex(8)}"
        try:
            _filled(folder.at(temporary), data, folder.fd)
            os.rename(folder.at(temporary), folder.at(file), src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(folder.at(temporary), dir_fd=folder.fd)
            raise
    return root / name / file


class _Folder:
    """An open folder, or its path where the system cannot open one."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path, self.fd = path, fd

    def at(self, name: str) -> str:
        return name if self.fd is not None else os.fspath(self.path / name)


@contextlib.contextmanager
def _opened(root: Path, name: str) -> Generator[_Folder]:
    path = root / name
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=_FOLDER)
    if not _BY_FD:
        if path.is_symlink() or not path.resolve().is_relative_to(root.resolve()) or not path.is_dir():
            raise _leads_out(path)
        yield _Folder(path, None)
        return
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _leads_out(path) from error
        raise
    try:
        if stat.S_IMODE(os.fstat(fd).st_mode) & ~_FOLDER:
            os.fchmod(fd, _FOLDER)
        yield _Folder(path, fd)
    finally:
        os.close(fd)


def _filled(place: str, data: Sequence[bytes | memoryview], folder: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)
    fd = os.open(place, flags, _FILE, dir_fd=folder)
    try:
        for first in range(0, len(data), _PIECES):
            _write_all(fd, data[first : first + _PIECES])
    finally:
        os.close(fd)


def _write_all(fd: int, pieces: Sequence[bytes | memoryview]) -> None:
    done = os.writev(fd, pieces) if _GATHERS else 0
    if done < sum(map(len, pieces)):
        rest = memoryview(b"".join(pieces))[done:]
        while rest:
            rest = rest[os.write(fd, rest) :]


def _leads_out(path: Path) -> TraceIdInvalid:
    return TraceIdInvalid(
        f"traces of this context cannot be kept: {os.fspath(path)!r} is a link or no folder",
        details={"path": os.fspath(path)},
    )
