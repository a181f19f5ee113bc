"""Real transcripts, where the folder with them is beside the project: every file of the formats at four windows."""

import json
from pathlib import Path

import pytest

from .harness import once, read, replay

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
FORMATS = {"claude_code", "codex", "anthropic_msgs", "cline_msgs", "openai_req", "mini_swe", "openhands_log"}
WINDOWS = (4000, 16_000, 64_000, 200_000)
REPLAYED = (
    "claude_code/cc_zh_en_3a_2.jsonl",
    "codex/codex_104k.jsonl",
    "derived/anthropic_messages_112k.json",
)

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the transcripts are not beside the project")


def transcripts() -> list[str]:
    if not FOLDER.is_dir():
        return []
    listed = json.loads((FOLDER / "MANIFEST.json").read_text(encoding="utf-8"))
    return [item["file"] for item in listed if item["format"] in FORMATS]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", transcripts())
def test_the_input_fits_by_exact_tokenizers_or_the_failure_is_stated(name, window):
    checked = once(FOLDER / name, window)

    assert checked.found == []


@pytest.mark.parametrize("name", transcripts())
def test_without_a_store_the_input_fits_just_as_well(name):
    _, history = read(FOLDER / name)
    from turngraph import Assembler, Budget

    done = Assembler(budget=Budget(model_max_tokens=16_000, output_reserve_tokens=1000)).attempt(history)

    assert done.ok or done.error.code in ("fixed_part_over_limit", "window_over_limit")


@pytest.mark.parametrize("window", [16_000, 64_000])
@pytest.mark.parametrize("name", REPLAYED)
def test_every_turn_of_a_replay_fits_and_loses_nothing(name, window):
    checked = replay(FOLDER / name, window)

    assert [turn.found for turn in checked if turn.found] == []
    assert len(checked) > 20
