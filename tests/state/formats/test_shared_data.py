"""The real transcripts beside the repository, where they are."""

import json
from collections import Counter
from pathlib import Path

import pytest

from turngraph.state.errors import UnknownFormat, UnreadableInput
from turngraph.state.formats import read, read_path, write_body, write_history

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared transcripts are not here")

# format, messages, calls, results, open calls
READABLE = {
    "anthropic_blocks/cline_agentic.compaction.json": ("anthropic", 3, 0, 0, 0),
    "anthropic_blocks/cline_basic.compaction.json": ("anthropic", 10, 0, 0, 0),
    "anthropic_blocks/cline_session.messages.json": ("anthropic", 32, 11, 11, 0),
    "claude_code/cc_compaction_parallel10.jsonl": ("claude-code", 147, 85, 85, 0),
    "claude_code/cc_dangling_tiny.jsonl": ("claude-code", 2, 1, 0, 1),
    "claude_code/cc_malformed_concatenated_lines.jsonl": ("claude-code", 89, 41, 41, 0),
    "claude_code/cc_minified_json_outputs.jsonl": ("claude-code", 63, 39, 39, 0),
    "claude_code/cc_single_image_message.jsonl": ("claude-code", 1, 0, 0, 0),
    "claude_code/cc_zh_en_08_2.jsonl": ("claude-code", 31, 10, 10, 0),
    "claude_code/cc_zh_en_3a_2.jsonl": ("claude-code", 90, 37, 37, 0),
    "claude_code/cc_zh_en_image_3a_3.jsonl": ("claude-code", 52, 24, 24, 0),
    "codex/codex_104k.jsonl": ("codex", 115, 66, 66, 0),
    "codex/codex_380k_compacted_aborted.jsonl": ("codex", 426, 267, 266, 1),
    "codex/codex_dangling2.jsonl": ("codex", 36, 23, 21, 2),
    "codex/codex_scrubbed_6compacted.jsonl": ("codex", 23, 6, 6, 0),
    "derived/anthropic_messages_112k.json": ("anthropic", 142, 85, 85, 0),
    "derived/codex_truncated_mid_line.jsonl": ("codex", 33, 21, 19, 2),
    "openai_chat/miniswe_github_issue.traj.json": ("openai-chat", 22, 0, 0, 0),
    "openai_chat/openhands_claude_sonnet4_fncall.json": ("openai-chat", 12, 5, 5, 0),
    "wire/anthropic_compaction.json": ("anthropic", 3, 0, 0, 0),
    "wire/anthropic_cross_provider_handoff.json": ("anthropic", 11, 3, 3, 0),
    "wire/anthropic_parallel4.json": ("anthropic", 6, 4, 4, 0),
    "wire/anthropic_tool_thinking.json": ("anthropic", 3, 1, 1, 0),
    "wire/chat_deepseek_reasoning_content.json": ("openai-chat", 10, 4, 4, 0),
    "wire/chat_image_in_tool_flow.json": ("openai-chat", 4, 1, 1, 0),
}
LATER = {
    "copilot": "copilot",
    "gemini": "gemini-cli",
    "kimi/kimi_context": "kimi-context",
    "kimi/kimi_wire": "kimi-wire",
    "openai_chat/tau": "tau-bench",
    "pi": "pi",
    "swe_agent": "swe-agent",
    "wire/gemini": "gemini",
    "wire/responses": "openai-responses",
    "inspect/inspect_browser": "inspect",
}
DAMAGED = {
    "claude_code/cc_malformed_concatenated_lines.jsonl": 2,
    "derived/codex_truncated_mid_line.jsonl": 1,
    "wire/anthropic_cross_provider_handoff.json": 1,
}
MESSAGES = [name for name, (format, *_) in READABLE.items() if format in {"openai-chat", "anthropic"}]


@pytest.mark.parametrize("name", READABLE)
def test_every_file_of_the_formats_is_read_whole(name):
    reading = read_path(DATA / name)
    calls = Counter(call.id for message in reading.messages for call in message.calls)
    results = Counter(message.result.call_id for message in reading.messages if message.result)

    assert (
        reading.format,
        len(reading.messages),
        calls.total(),
        results.total(),
        (calls - results).total(),
    ) == READABLE[name]
    assert results - calls == Counter()
    assert len(reading.diagnostics) == DAMAGED.get(name, 0)


def later():
    return [
        str(path.relative_to(DATA))
        for path in sorted(DATA.glob("*/*"))
        if path.parent.name not in {"LICENSES", "aider"} and str(path.relative_to(DATA)) not in READABLE
    ]


@pytest.mark.parametrize("name", later() if DATA.is_dir() else [])
def test_every_other_file_is_refused_by_the_name_of_its_format(name):
    with pytest.raises((UnknownFormat, UnreadableInput)) as caught:
        read_path(DATA / name)

    if isinstance(caught.value, UnknownFormat):
        assert caught.value.details["looks_like"] == next(
            format for start, format in LATER.items() if name.startswith(start)
        )


@pytest.mark.parametrize("name", MESSAGES)
def test_message_lists_come_back_as_they_were(name):
    document = json.loads((DATA / name).read_bytes())
    reading = read_path(DATA / name)
    given = document if isinstance(document, list) else document["messages"]

    assert write_history(reading.messages, reading.format)["messages"] == given
    assert reading.system == (None if isinstance(document, list) else document.get("system"))


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize("format", ["turngraph", "openai-chat", "anthropic"])
def test_every_transcript_travels_through_every_writable_format(name, format):
    messages = [one.with_id(f"m{place}") for place, one in enumerate(read_path(DATA / name).messages)]

    assert read(write_history(messages, format)["messages"], format).messages == messages


@pytest.mark.parametrize("name", READABLE)
def test_every_transcript_makes_a_body_for_either_provider(name):
    messages = read_path(DATA / name).messages

    for format in ("openai-chat", "anthropic"):
        assert write_body("", messages, [], format).value["messages"]
