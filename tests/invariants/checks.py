"""All invariants of one assembly by name."""

from . import check_calls, check_history, check_input
from .check_registry import CHECKS

__all__ = ["CHECKS", "check_calls", "check_history", "check_input"]
