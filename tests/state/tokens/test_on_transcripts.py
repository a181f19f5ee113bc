"""The measured bounds of the estimator on real transcripts, where the folder beside the repository is there."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from turngraph.state.tokens import ConservativeCounter

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
LONG = 200
Counts = dict[str, list[tuple[str, int, int]]]
"""Per transcript each of its texts, the exact count and the estimate."""

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no transcripts beside the repository")


@pytest.fixture(scope="module")
def counts(real: Callable[[str], int]) -> Counts:
    estimate = ConservativeCounter().count
    return {name: [(text, real(text), estimate(text)) for text in texts] for name, texts in transcripts()}


def transcripts() -> Iterator[tuple[str, list[str]]]:
    for path in sorted(DATA.glob("*/*")):
        if path.parent.name != "LICENSES":
            yield str(path.relative_to(DATA)), [text for document in documents(path) for text in strings(document)]


def documents(path: Path) -> Iterator[Any]:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            yield from (json.loads(archive.read(name)) for name in archive.namelist())
        return
    raw = path.read_text("utf-8", "replace")
    for part in [raw] if path.suffix in {".json", ".traj"} else raw.split("\n"):
        try:
            yield json.loads(part)
        except ValueError:
            yield part


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value if isinstance(value, list) else value.values():
            yield from strings(item)


def is_prose(text: str) -> bool:
    plain = sum(sign.isascii() and (sign.isalpha() or sign == " ") for sign in text) / len(text)
    return plain > 0.94 and len(re.findall(r"\b(?:the|of|to|and|in|is|for|that)\b", text)) > len(text) / 60


def test_there_are_transcripts(counts: Counts):
    assert sum(len(text) >= LONG for texts in counts.values() for text, _, _ in texts) > 1000


def test_no_transcript_as_a_whole_is_under(counts: Counts):
    under = [name for name, texts in counts.items() if sum(text[2] for text in texts) < sum(text[1] for text in texts)]

    assert under == []


def test_at_most_one_text_in_a_hundred_is_under_and_none_by_more_than_a_tenth(counts: Counts):
    ratios = [estimate / exact for texts in counts.values() for text, exact, estimate in texts if len(text) >= LONG]

    assert sum(ratio < 1 for ratio in ratios) <= 0.01 * len(ratios)
    assert min(ratios) >= 0.9


def test_all_transcripts_together_are_over_by_at_most_35_percent(counts: Counts):
    every = [text for texts in counts.values() for text in texts]

    assert sum(text[2] for text in every) <= 1.35 * sum(text[1] for text in every)


def test_english_prose_is_over_by_less_than_35_percent(counts: Counts):
    prose = [text for texts in counts.values() for text in texts if len(text[0]) >= LONG and is_prose(text[0])]

    assert len(prose) > 50
    assert sum(text[2] for text in prose) < 1.35 * sum(text[1] for text in prose)
