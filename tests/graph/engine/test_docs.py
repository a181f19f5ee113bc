"""Every example of the page about the engine runs, and the page names what the engine exports."""

import re

import pytest

import turngraph.graph


@pytest.fixture(scope="module")
def page(docs):
    return docs.read_text(encoding="utf-8")


def test_the_examples_of_the_page_run_from_top_to_bottom(page, capsys):
    examples = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    names = {"__name__": "page"}

    for example in examples:
        exec(compile(example, "docs/engine.md", "exec"), names)

    assert len(examples) >= 9
    assert "worst_case True at most 8 node executions" in capsys.readouterr().out


NAMES = "StateGraph Outcome View Services Bounded END FAILED CompiledGraph Run Frame GraphError NodeError"


@pytest.mark.parametrize("name", NAMES.split())
def test_the_page_names_what_the_engine_exports(page, name):
    assert name in turngraph.graph.__all__
    assert re.search(rf"\b{name}\b", page)
