"""turngraph: context assembly for LLM agents as an explicit, typed state-machine graph."""

from pathlib import Path

if not Path(__file__).with_name("graph").is_dir():  # sdist, or a checkout without symlinks
    __path__.append(str(Path(__file__).resolve().parents[1]))

__version__ = "0.1.0"
