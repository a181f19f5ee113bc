"""The command on transcripts: one document, checked by the same checker."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .checker import exchange_problems, order_problems, request_problems
from .harness import as_json, read
from .test_shared_transcripts import FOLDER as SHARED

CORPUS = Path(__file__).parent / "corpus"
FILES = [CORPUS / "claude_code.jsonl", CORPUS / "openai_chat.jsonl"]
FILES += [SHARED / "claude_code/cc_zh_en_08_2.jsonl", SHARED / "codex/codex_104k.jsonl"]


@pytest.mark.parametrize("window", [2200, 16_000])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_assemble_prints_one_checked_result(path, window, tmp_path):
    if not path.is_file():
        pytest.skip("the transcripts are not beside the project")
    options = ["--window", str(window), "--reserve", "1000", "--json", "--outputs", str(tmp_path / "outputs")]
    done = subprocess.run(
        [sys.executable, "-m", "turngraph", "assemble", str(path), *options], capture_output=True, check=False
    )
    answer = json.loads(done.stdout)

    if not answer["ok"]:
        assert (done.returncode, answer["error"]["code"]) == (1, "fixed_part_over_limit")
        return
    _, history = read(path)
    sent = answer["model_input"]["messages"]
    assert done.returncode == 0
    assert exchange_problems(sent) == []
    assert order_problems(as_json(history), sent) == []
    assert request_problems(as_json(history), sent) == []
    assert answer["report"]["tokens"]["total"] <= window - 1000
