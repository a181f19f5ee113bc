"""The entry point of the command `turngraph`."""

from .graph.command import main

__all__ = ["main"]
