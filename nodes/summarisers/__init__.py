"""Summarisers: what writes a checkpoint for the engine, behind one protocol."""

from .cache import FileSummaryCache, MemorySummaryCache, SummaryCache
from .extractive import ExtractiveSummarizer
from .from_json import summarizer_from_json
from .model import Ask, ModelSummarizer, asks
from .protocol import SourceTooLong, Summarizer, SummaryReply, SummaryRequest
from .scripted import Hangs, ScriptedFailure, ScriptedReply, ScriptedSummarizer, ScriptExhausted
from .transcript import render_transcript, summary_prompt, transcript_pieces

__all__ = [
    "Ask",
    "ExtractiveSummarizer",
    "FileSummaryCache",
    "Hangs",
    "MemorySummaryCache",
    "ModelSummarizer",
    "ScriptExhausted",
    "ScriptedFailure",
    "ScriptedReply",
    "ScriptedSummarizer",
    "SourceTooLong",
    "Summarizer",
    "SummaryCache",
    "SummaryReply",
    "SummaryRequest",
    "asks",
    "render_transcript",
    "summarizer_from_json",
    "summary_prompt",
    "transcript_pieces",
]
