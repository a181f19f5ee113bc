"""Every Python block of the pages on durable state and contributors runs and prints what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^print\(.*\) +# (.+)$", re.MULTILINE)


def blocks():
    for page in ("docs/durable-state.md", "docs/contributors.md"):
        for number, code in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))):
            yield pytest.param(code, id=f"{page}-{number}")


@pytest.mark.parametrize("code", list(blocks()))
def test_the_example_runs_and_prints_what_it_says(code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})

    lines = printed.getvalue().splitlines()
    assert [said for said in PRINTED.findall(code) if said not in lines] == []
