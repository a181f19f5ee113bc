"""Progress is told on stderr, for large inputs alone."""

import json

import pytest


@pytest.fixture
def large(tmp_path):
    """A chat of 6 MB, a message a line."""
    path = tmp_path / "large.jsonl"
    lines = [json.dumps({"role": "user", "content": f"{number}: " + "word " * 1200}) for number in range(1000)]
    path.write_text("\n".join(lines))
    return path


def test_a_small_input_is_read_in_silence(cli, chat, example):
    assert cli("assemble", chat, "--json").err == ""
    assert cli("assemble", example, "--json").err == ""


def test_a_large_input_tells_how_far_it_is(cli, large):
    ran = cli("assemble", large, "--json")

    assert ran.document["ok"]
    assert "reading " in ran.err
    assert "assembling 1,000 messages" in ran.err
    assert 2 <= ran.err.count("\n") <= 10


def test_a_large_stream_tells_how_far_it_is(cli, large):
    ran = cli("assemble", "-", "--json", stdin=large.read_bytes())

    assert ran.document["ok"]
    assert "reading -" in ran.err


def test_a_large_request_is_announced(cli, large):
    messages = [json.loads(line) for line in large.read_text().splitlines()]
    request = {"version": 1, "history": {"format": "openai-chat", "messages": messages}}

    ran = cli("assemble", "--request", "-", "--json", stdin=request)

    assert ran.document["ok"]
    assert "MB of JSON" in ran.err
