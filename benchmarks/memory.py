"""Peak memory of reading and assembling a session file, in a process of its own, above that of the interpreter.

`python benchmarks/memory.py` prints a table. The interpreter's own peak is that of a process that did the same to a
file of a few lines, so that everything is imported. Stored outputs go into a folder.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from conversations import FORMATS, Writing, write_file

__all__ = ["FEW", "MB", "Case", "Found", "measure"]

MB = 1 << 20
TIMES_FILE, BYTES_A_MESSAGE, TIMES_LINE = 3, 2048, 8
"""The bound: three times the file, 2 KB a message, eight times the longest line."""
WINDOW = 200_000


class Case(NamedTuple):
    """One file to measure."""

    format: str
    size_mb: int
    writing: Writing = "ascii"
    chars: int = 2000
    """Of each result."""
    longest_mb: int = 0
    """One line of so many MB."""
    indent: int | None = None
    command: bool = False
    """By `turngraph assemble --json` instead of Python."""

    def __str__(self) -> str:
        words = [self.format, f"{self.size_mb} MB {self.writing}", f"results of {self.chars} characters"]
        words += [f"one line of {self.longest_mb} MB"] if self.longest_mb else []
        words += ["indented"] if self.indent else []
        words += ["`turngraph assemble --json`"] if self.command else []
        return ", ".join(words)


CASES = [
    *(Case(name, size) for name in FORMATS for size in (1, 5, 20)),
    *(Case(name, 5, "chinese") for name in FORMATS),
    *(Case(name, 5, chars=150) for name in FORMATS),
    *(Case(name, 5, chars=20_000) for name in FORMATS),
    *(Case(name, 5, longest_mb=2) for name in FORMATS),
    *(Case(name, 20, command=True) for name in FORMATS),
    Case("openai-chat", 20, indent=1),
    Case("openai-chat", 20, indent=1, command=True),
    *(Case(name, 5, "emoji") for name in FORMATS),
]
FEW = [
    Case("claude-code", 5, command=True),
    Case("codex", 5, "chinese"),
    Case("openai-chat", 5, indent=1),
    Case("claude-code", 5, longest_mb=2),
]
"""Enough for a check."""


class Found(NamedTuple):
    """What one file took, in bytes."""

    case: Case
    file: int
    messages: int
    """Their number."""
    longest: int
    """The longest line."""
    used: int

    @property
    def bound(self) -> int:
        """What may be used."""
        return TIMES_FILE * self.file + BYTES_A_MESSAGE * self.messages + TIMES_LINE * self.longest


def measure(cases: list[Case]) -> Iterator[Found]:
    """Write each file, read and assemble it in a fresh process."""
    with tempfile.TemporaryDirectory(prefix="turngraph-bench-") as folder:
        path = Path(folder, "session")
        floor: dict[tuple[str, bool], int] = {}
        for case in cases:
            if (case.format, case.command) not in floor:
                write_file(path, case.format, size=5000)
                floor[case.format, case.command] = _in_process(path, case)
            messages = write_file(
                path,
                case.format,
                size=case.size_mb * MB,
                writing=case.writing,
                chars=case.chars,
                longest=case.longest_mb * MB,
                indent=case.indent,
            )
            used = _in_process(path, case) - floor[case.format, case.command]
            with path.open("rb") as file:
                longest = max(map(len, file))
            yield Found(case, path.stat().st_size, messages, longest, used)


def _in_process(path: Path, case: Case) -> int:
    order = [sys.executable, __file__, "--one", str(path), *(["--command"] if case.command else [])]
    return int(subprocess.run(order, check=True, stdout=subprocess.PIPE, text=True).stdout)


def by_python(path: str, store: str) -> None:
    """Read and assemble a file."""
    from turngraph import Assembler, Budget, FileOutputStore, History
    from turngraph.state.formats import read_path

    reading = read_path(path)
    history = History(reading.messages, format=reading.format, system=reading.system)
    del reading
    assembler = Assembler(budget=Budget(model_max_tokens=WINDOW), outputs=FileOutputStore(store))
    assert assembler.assemble(history).ok


def by_command(path: str, store: str) -> None:
    """Do what the command line does."""
    from turngraph.graph.command import run

    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        code = run(["assemble", path, "--window", str(WINDOW), "--outputs", store, "--json"])
    assert code == 0


def peak() -> int:
    """Give the peak of this process in bytes; Linux lets `getrusage` inherit what its parent had at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", metavar="FILE", help="read and assemble FILE and print its peak")
    parser.add_argument("--command", action="store_true", help="by the command line")
    given = parser.parse_args()
    if given.one:
        with tempfile.TemporaryDirectory(prefix="turngraph-bench-") as store:
            (by_command if given.command else by_python)(given.one, store)
        print(peak())
        return 0
    print("| file | MB | messages | longest line, KB | peak, MB | bound, MB | of the bound |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for found in measure(CASES):
        print(
            f"| {found.case} | {found.file / MB:.1f} | {found.messages:,} | {found.longest / 1024:,.0f} "
            f"| {found.used / MB:.1f} | {found.bound / MB:.1f} | {found.used / found.bound:.0%} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
