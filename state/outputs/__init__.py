"""Stored tool outputs: where removed bytes go, and the ways back to them."""

from .files import FileOutputStore
from .location import data_dir, default_output_dir
from .memory import MemoryOutputStore
from .pages import PAGE_BYTES, Match, Page, PageMode, parse_range
from .preview import find_named_refs, find_previews, is_preview, preview, preview_line
from .reader import MAX_QUERY_CHARS, read_page
from .refs import REF_GRAMMAR, check_ref, find_refs, is_ref, ref_of
from .retention import Held, Pruned, RetainedStore, Retention, live_refs, prune_outputs
from .slices import SlicedStore, SlicedText
from .sql import SqlOutputStore
from .store import OutputStore, PieceStore, put_pieces
from .tool import READ_TOOL_OUTPUT, READ_TOOL_OUTPUT_SPEC, handle_read_tool_output

__all__ = [
    "FileOutputStore",
    "Held",
    "MAX_QUERY_CHARS",
    "Match",
    "MemoryOutputStore",
    "OutputStore",
    "PAGE_BYTES",
    "Page",
    "PageMode",
    "PieceStore",
    "Pruned",
    "READ_TOOL_OUTPUT",
    "READ_TOOL_OUTPUT_SPEC",
    "REF_GRAMMAR",
    "RetainedStore",
    "Retention",
    "SlicedStore",
    "SlicedText",
    "SqlOutputStore",
    "check_ref",
    "data_dir",
    "default_output_dir",
    "find_named_refs",
    "find_previews",
    "find_refs",
    "handle_read_tool_output",
    "is_preview",
    "is_ref",
    "live_refs",
    "parse_range",
    "preview",
    "preview_line",
    "prune_outputs",
    "put_pieces",
    "read_page",
    "ref_of",
]
