"""Summarisers: what writes a checkpoint for the engine, behind one protocol."""

from .extractive import ExtractiveSummarizer
from .from_json import summarizer_from_json
from .protocol import SourceTooLong, Summarizer, SummaryReply, SummaryRequest
from .scripted import Hangs, ScriptedFailure, ScriptedReply, ScriptedSummarizer, ScriptExhausted
from .transcript import render_transcript, summary_prompt

__all__ = [
    "ExtractiveSummarizer",
    "Hangs",
    "ScriptExhausted",
    "ScriptedFailure",
    "ScriptedReply",
    "ScriptedSummarizer",
    "SourceTooLong",
    "Summarizer",
    "SummaryReply",
    "SummaryRequest",
    "render_transcript",
    "summarizer_from_json",
    "summary_prompt",
]
