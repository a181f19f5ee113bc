"""Scripted doubles for tests of what is built on turngraph: they answer from a list and record the requests."""

from .nodes.model import ModelError, ScriptedModel
from .nodes.summarisers import ScriptedSummarizer
from .state.outputs import MemoryOutputStore

__all__ = ["MemoryOutputStore", "ModelError", "ScriptedModel", "ScriptedSummarizer"]
