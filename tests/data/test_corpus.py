"""The small corpus beside this file: a transcript per format, with Chinese, parallel and open calls, broken lines."""

from pathlib import Path

import pytest

from .harness import as_json, assembler, once, read, replay

FOLDER = Path(__file__).parent / "corpus"
FILES = {
    "openai_chat.jsonl": ("openai-chat", 17),
    "anthropic.jsonl": ("anthropic", 14),
    "claude_code.jsonl": ("claude-code", 13),
    "codex.jsonl": ("codex", 11),
}
WINDOWS = (1500, 1800, 2200, 3000, 16_000)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_corpus_is_what_it_should_be(name):
    reading, history = read(FOLDER / name)

    assert (reading.format, len(reading.messages)) == FILES[name]
    assert len(history.open_steps()) == 1
    assert any(len(message.calls) > 1 for message in history)
    assert any("\u4e00" <= character <= "\u9fff" for message in history for character in message.text)
    assert len(reading.diagnostics) == (name in ("claude_code.jsonl", "codex.jsonl"))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", FILES)
def test_the_input_fits_by_exact_tokenizers_and_nothing_is_lost(name, window):
    checked = once(FOLDER / name, window)

    assert (checked.code, checked.found) == ("ok", [])


@pytest.mark.parametrize("counter", ["tiktoken:o200k_base", "conservative"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", FILES)
def test_every_turn_of_a_replay_fits_or_says_why(name, window, counter):
    checked = replay(FOLDER / name, window, counter=counter, preview_bytes=200)

    assert [turn.found for turn in checked if turn.found] == []
    assert window < 2200 or {turn.code for turn in checked} == {"ok"}


@pytest.mark.parametrize("name", FILES)
def test_no_turn_of_the_corpus_leaves_the_limit_unused_without_need(name):
    """Where everything fits, everything is sent as it was read."""
    from turngraph import MemoryOutputStore

    _, history = read(FOLDER / name)
    done = assembler(200_000, MemoryOutputStore()).assemble(history)

    own = {message["id"]: message for message in as_json(history)}
    sent = [message for message in as_json(done.model_input.messages) if message["id"] in own]
    assert sent == [solid(own[message["id"]]) for message in sent]
    assert len(sent) == len(history) - history.lead


def solid(message):
    """A message without its empty blocks."""
    return message | {"content": [part for part in message["content"] if part.get("text") != ""]}
