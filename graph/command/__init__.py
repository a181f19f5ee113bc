"""The command line: one module per command, one place that turns failures into exit codes."""

from .main import app, main, run

__all__ = ["app", "main", "run"]
