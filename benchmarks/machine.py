"""Which machine measured, and with which versions."""

import importlib.metadata
import importlib.util
import os
import platform
from pathlib import Path

from turngraph import __version__

__all__ = ["machine"]

PACKAGES = ("pydantic", "networkx", "orjson", "tiktoken", "langgraph")


def machine() -> str:
    """Name the machine and the versions in one line."""
    versions = [
        f"{name} {importlib.metadata.version(name)}" for name in PACKAGES if importlib.util.find_spec(name) is not None
    ]
    versions.insert(0, f"turngraph {__version__}")
    system = f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores"
    return ", ".join([system, f"Python {platform.python_version()}", *versions])


def _processor() -> str:
    """Name the processor as Linux does, else as Python does."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "") or (
        platform.processor() or "unknown processor"
    )
