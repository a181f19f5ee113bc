"""Answers kept by content: in memory and in files."""

import json
import os
import stat

import pytest

from turngraph.nodes.summarisers import (
    FileSummaryCache,
    MemorySummaryCache,
    ModelSummarizer,
    SummaryReply,
    SummaryRequest,
)
from turngraph.nodes.summarisers.cache import summary_key
from turngraph.state.messages import Message

KEY = summary_key("model", "prompt")


def request(text="tidy", **options):
    return SummaryRequest(steps=[[Message.user(text, id="m1")]], previous=None, **({"max_tokens": 100} | options))


@pytest.fixture(params=["memory", "files"])
def cache(request, tmp_path):
    return MemorySummaryCache() if request.param == "memory" else FileSummaryCache(tmp_path / "summaries")


@pytest.mark.parametrize("reply", [SummaryReply(text="甲\n\ud800"), SummaryReply(text="", finish_reason="length")])
def test_an_answer_comes_back_whole(cache, reply):
    assert cache.get(KEY) is None

    cache.put(KEY, reply)
    assert cache.get(KEY) == reply
    cache.put(KEY, SummaryReply(text="newer"))
    assert cache.get(KEY) == SummaryReply(text="newer")


def test_the_key_is_who_was_asked_and_all_that_was_asked():
    keys = [summary_key(*pair) for pair in [("a", "bc"), ("ab", "c"), ("a", "bd"), ("a", "\ud800")]]

    assert len(set(keys)) == 4
    assert keys[0] == summary_key("a", "bc")
    assert {len(key) for key in keys} == {64}


def test_only_the_same_request_is_answered_from_the_cache(cache):
    asked = []

    def ask(prompt):
        asked.append(prompt)
        return f"answer {len(asked)}"

    summarizer = ModelSummarizer(ask, cache=cache)
    other = ModelSummarizer(ask, cache=cache, name="cheaper")
    texts = [
        summarizer.summarize(each).text
        for each in [request(), request(), request("other"), request(max_tokens=50), request(told=("empty",))]
    ]

    assert texts == ["answer 1", "answer 1", "answer 2", "answer 3", "answer 4"]
    assert summarizer.summarize(request(deadline_s=3.0)).text == "answer 1"
    assert other.summarize(request()).text == "answer 5"


def test_failures_are_not_kept(cache):
    answers = [ValueError("once"), "text"]

    def ask(_):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    summarizer = ModelSummarizer(ask, cache=cache)
    with pytest.raises(ValueError, match="once"):
        summarizer.summarize(request())
    assert summarizer.summarize(request()).text == "text"


def test_a_cache_that_fails_costs_a_request_and_nothing_more():
    class Broken:
        def get(self, key):
            raise RuntimeError(key)

        def put(self, key, reply):
            raise OSError(key)

    assert ModelSummarizer(lambda _: "text", cache=Broken()).summarize(request()).text == "text"


def test_memory_forgets_what_was_used_longest_ago():
    cache = MemorySummaryCache(max_entries=2)
    for name in ("a", "b"):
        cache.put(name, SummaryReply(text=name))
    cache.get("a")
    cache.put("c", SummaryReply(text="c"))

    assert [cache.get(name) is None for name in ("a", "b", "c")] == [False, True, False]


def test_files_are_private(tmp_path):
    before = os.umask(0)
    try:
        FileSummaryCache(tmp_path / "summaries").put(KEY, SummaryReply(text="x"))
    finally:
        os.umask(before)

    (file,) = (tmp_path / "summaries").iterdir()
    assert file.name == f"{KEY}.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'"text"',
        json.dumps({"version": 2, "key": KEY, "text": "x", "finish_reason": None}).encode(),
        json.dumps({"version": 1, "key": "other", "text": "x", "finish_reason": None}).encode(),
        json.dumps({"version": 1, "key": KEY, "text": 5, "finish_reason": None}).encode(),
        json.dumps({"version": 1, "key": KEY, "text": "x", "finish_reason": 5}).encode(),
        b"[" * 100_000,
    ],
)
def test_a_file_that_is_no_answer_is_as_good_as_none_and_is_written_anew(tmp_path, content):
    cache = FileSummaryCache(tmp_path)
    (tmp_path / f"{KEY}.json").write_bytes(content)

    assert cache.get(KEY) is None
    cache.put(KEY, SummaryReply(text="x"))
    assert cache.get(KEY) == SummaryReply(text="x")
