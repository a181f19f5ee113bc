"""The Python blocks of the page on tracing run; a comment behind a `print` is what it prints."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "tracing.md"


def test_the_examples_run_and_print_what_they_say():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for code in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "example", "exec"), {})
        wanted = re.findall(r"^print\(.*\) +# (.+)$", code, re.MULTILINE)
        assert wanted
        assert wanted == printed.getvalue().splitlines()
