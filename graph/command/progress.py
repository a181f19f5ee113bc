"""Progress on stderr, for inputs that take long enough to wonder."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from .streams import console_on, notice, shown

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["LARGE_BYTES", "Progress", "progress_of"]

LARGE_BYTES: Final = 5_000_000
"""Smaller inputs are done before a line about them is read."""
_LINES: Final = 5
"""Lines of a reading whose end is known; where it is not, one line for each `LARGE_BYTES`."""


class Progress(Protocol):
    """Tells how far a reading is."""

    def __call__(self, done: int, total: int) -> None:
        """Take the bytes read so far, and the size (0 where it is not known)."""
        ...

    def say(self, text: str) -> None:
        """Say what is being done now."""
        ...


class _Lines:
    """Plain lines, for a log."""

    def __init__(self, name: str) -> None:
        self._name, self._told = name, 0

    def __call__(self, done: int, total: int) -> None:
        if max(done, total) < LARGE_BYTES:
            return
        stride = max(total // _LINES, LARGE_BYTES)
        if done - self._told >= stride or (done == total and self._told < total):
            self._told = done
            share = f" of {total / 1e6:.1f} MB ({done * 100 // total} %)" if total > done else " MB"
            notice(f"reading {self._name}: {done / 1e6:.1f}{share}")

    def say(self, text: str) -> None:
        notice(text)


class _Terminal:
    """A bar that disappears when the work is done."""

    def __init__(self, name: str, bar: "Bar") -> None:
        self._name, self._bar = shown(name, one_line=True), bar
        self._task: TaskID | None = None

    def close(self) -> None:
        if self._task is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        if max(done, total) < LARGE_BYTES:
            return
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(f"reading {self._name}", total=total or None)
        self._bar.update(self._task, completed=done, total=total or None)

    def say(self, text: str) -> None:
        notice(text)


@contextmanager
def progress_of(name: str) -> Generator[Progress]:
    """Tell of the reading of `name`: a bar on a terminal, else lines."""
    if not sys.stderr.isatty():
        yield _Lines(name)
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    terminal = _Terminal(name, Bar(*columns, console=console_on(sys.stderr), transient=True))
    try:
        yield terminal
    finally:
        terminal.close()
