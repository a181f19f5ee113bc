"""Counters by name, as requests and the command line ask for them."""

import subprocess
import sys

import pytest

from turngraph.state.errors import BadRequest, TokenizerUnavailable
from turngraph.state.tokens import ConservativeCounter, TiktokenCounter, counter_named


def test_conservative_is_the_estimator():
    assert isinstance(counter_named("conservative"), ConservativeCounter)


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_an_encoding_is_asked_for_by_tiktoken_and_its_name(
    encoding: str, o200k: TiktokenCounter, cl100k: TiktokenCounter
):
    counter = counter_named(f"tiktoken:{encoding}")

    assert (counter.name, counter.count("hello world")) == (f"tiktoken:{encoding}", 2)


@pytest.mark.parametrize("name", ["", "tiktoken", "exact", "Conservative", "conservative "])
def test_an_unknown_counter_is_a_bad_request_that_names_the_known_ones(name: str):
    with pytest.raises(BadRequest, match="conservative, tiktoken:o200k_base, tiktoken:cl100k_base") as caught:
        counter_named(name)

    [problem] = caught.value.details["problems"]
    assert (problem["path"], problem["value"]) == ("counter", name)


@pytest.mark.parametrize("name", ["tiktoken:", "tiktoken:gpt2", "tiktoken:o200k_base "])
def test_an_unknown_encoding_is_an_unavailable_tokenizer(name: str):
    with pytest.raises(TokenizerUnavailable):
        counter_named(name)


def test_counting_conservatively_imports_neither_tiktoken_nor_asyncio():
    code = "import sys; from turngraph.state.tokens import counter_named; counter_named('conservative').count('é'); print({'tiktoken', 'asyncio'} & set(sys.modules))"

    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "set()"
    )
