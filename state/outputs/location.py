"""Where a machine keeps the data of turngraph."""

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["data_dir", "default_output_dir"]


def data_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the data folder: `TURNGRAPH_DATA_DIR`, else `turngraph` in `XDG_DATA_HOME` or `~/.local/share`.

    Blank variables count as unset, as does a relative `XDG_DATA_HOME` (XDG Base Directory Specification).
    Nothing is made. `env` None is the environment of the process.
    """
    environ = os.environ if env is None else env
    own = environ.get("TURNGRAPH_DATA_DIR", "").strip()
    if own:
        return Path(own).expanduser()
    shared = Path(environ.get("XDG_DATA_HOME", "").strip())
    if not shared.is_absolute():
        home = environ.get("HOME", "").strip()
        shared = (Path(home) if home else Path.home()) / ".local" / "share"
    return shared / "turngraph"


def default_output_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the folder in which the command line keeps tool outputs."""
    return data_dir(env) / "tool-outputs"
