"""The output depends on the input alone: not on hash order, not on the process."""

import os
import subprocess
import sys
from pathlib import Path

import turngraph

from .digest import digest

ROOT = Path(__file__).resolve().parents[2]
CODE = "from tests.invariants.digest import digest; print(digest())"


def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path):
    here = Path(turngraph.__file__).resolve().parents[1]  # the tree or the installed wheel, whichever is tested

    def elsewhere(hash_seed: str) -> str:
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([str(here), str(ROOT)])}
        done = subprocess.run([sys.executable, "-c", CODE], env=env, cwd=tmp_path, capture_output=True, check=True)
        return done.stdout.decode().strip()

    assert elsewhere("0") == elsewhere("1") == digest()
