"""Files that are damaged, foreign, or no conversation at all."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turngraph.state.errors import BadRequest, UnknownFormat, UnreadableInput
from turngraph.state.formats import read, read_path, read_stream

from .helpers import FIXTURES, outline, said

USER = b'{"role":"user","content":"a"}'
ANSWER = b'{"role":"assistant","content":"b"}'
TOOL = b'{"role":"tool","tool_call_id":"c","content":"r"}'


def lines(*raw, format="openai-chat"):
    """Read a file of these bytes."""
    return read_stream(io.BytesIO(b"".join(raw)), format, name="chat.jsonl")


def roles(reading):
    return [message.role for message in reading.messages]


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl", "codex_old.jsonl"])
def test_a_transcript_cut_at_any_byte_is_read_up_to_there_or_refused(name):
    data = (FIXTURES / name).read_bytes()
    whole = outline(read_stream(io.BytesIO(data)).messages)
    for end in range(len(data)):
        try:
            reading = read_stream(io.BytesIO(data[:end]))
        except (UnreadableInput, UnknownFormat):
            assert end < 600
            continue
        found = outline(reading.messages)
        whole_lines = data[:end].count(b"\n")
        torn = end != 0 and data[end - 1 : end] != b"\n" and end + 1 != len(data) and data[end : end + 1] != b"\n"

        assert all(any(full.startswith(one) for full in whole) for one in found)
        assert any(f"line {whole_lines + 1} " in one for one in said(reading.diagnostics)) == torn


@pytest.mark.parametrize("name", ["openai_chat.json", "anthropic.json", "turngraph.json"])
def test_a_document_cut_at_any_byte_is_refused_or_gives_its_whole_lines_and_says_so(name):
    data = (FIXTURES / name).read_bytes().rstrip()
    whole = read_stream(io.BytesIO(data)).messages
    for end in range(len(data)):
        try:
            reading = read_stream(io.BytesIO(data[:end]))
        except (UnreadableInput, UnknownFormat):
            continue
        assert reading.diagnostics
        assert len(reading.messages) < len(whole)
        assert all(message in whole for message in reading.messages)


def test_an_indented_document_that_is_cut_is_refused():
    data = json.dumps({"messages": [json.loads(USER), json.loads(ANSWER)]}, indent=1).encode()
    for end in range(len(data)):
        with pytest.raises(UnreadableInput):
            read_stream(io.BytesIO(data[:end]))


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_a_stated_error(data):
    try:
        lines(data, format="auto")
    except (UnreadableInput, UnknownFormat, BadRequest):
        return


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([USER, ANSWER, TOOL, b"{", b"}", b"\0", b"[", b"]", b"\n", b'"', b"x", b" "])))
def test_sound_lines_are_read_whatever_stands_between_them(noise):
    reading = lines(USER, b"\n", *noise, b"\n", TOOL, b"\n")

    assert roles(reading)[0] == "user"
    assert roles(reading)[-1] == "tool"


def test_documents_that_were_glued_together_are_all_read_and_reported_once():
    reading = lines(USER, ANSWER, b"\n", TOOL, b"\n")

    assert roles(reading) == ["user", "assistant", "tool"]
    assert said(reading.diagnostics) == ["line 1 (byte 0) is damaged: 2 JSON documents on one line; all of it was read"]
    assert reading.rest == []


def test_a_document_behind_a_torn_one_is_read():
    reading = lines(USER, b"\n", b'{"role":"assistant","content":"hal', TOOL, b"\n")

    assert roles(reading) == ["user", "tool"]
    assert len(reading.diagnostics) == 1
    assert reading.diagnostics[0].severity == "warning"
    assert reading.rest == [b'{"role":"assistant","content":"hal' + TOOL + b"\n"]


def test_an_inner_object_of_a_torn_line_is_never_taken_for_a_message():
    reading = lines(USER, b"\n", b'{"wrapped":[{"role":"user","content":"inner"}', b"\n")

    assert roles(reading) == ["user"]
    assert len(reading.diagnostics) == 1


def test_a_torn_last_line_is_reported_with_its_place():
    reading = lines(USER, b"\n", ANSWER[:24])

    assert roles(reading) == ["user"]
    assert said(reading.diagnostics) == [
        f"line 2 (byte {len(USER) + 1}) is damaged: broken JSON (unterminated string); the file ends in it; kept raw"
    ]
    assert reading.diagnostics[0].code == "INPUT_LINE_SKIPPED"
    assert reading.rest == [ANSWER[:24]]


def test_nul_runs_end_nothing():
    reading = lines(USER, b"\n\0\0\0\0\n", b"\0\0", ANSWER, b"\0\n", TOOL, b"\n")

    assert roles(reading) == ["user", "assistant", "tool"]
    assert said(reading.diagnostics) == [
        f"line 2 (byte {len(USER) + 1}) is damaged: 4 NUL bytes passed over; all of it was read",
        f"line 3 (byte {len(USER) + 6}) is damaged: 3 NUL bytes passed over; all of it was read",
    ]


def test_byte_order_mark_blank_lines_and_carriage_returns_are_no_damage():
    reading = lines(b"\xef\xbb\xbf", USER, b"\r\n\r\n   \n", ANSWER, b"\r\n")

    assert roles(reading) == ["user", "assistant"]
    assert reading.diagnostics == []


def test_lines_end_at_newlines_only():
    reading = lines('{"role":"user","content":"a\u2028b\u0085c"}\n'.encode(), ANSWER)

    assert outline(reading.messages) == ["user 'a\\u2028b\\x85c'", "assistant 'b'"]


def test_lone_surrogates_are_no_damage():
    reading = lines(b'{"role":"user","content":"a\\ud83d","\\udc00":1}\n')

    assert outline(reading.messages) == ["user 'a\ufffd'"]
    assert reading.diagnostics == []


def test_bytes_that_are_no_utf8_are_replaced_and_reported():
    reading = lines(b'{"role":"user","content":"a\xffb"}\n')

    assert outline(reading.messages) == ["user 'a\ufffdb'"]
    assert "no UTF-8" in said(reading.diagnostics)[0]


def test_numbers_that_are_none_are_read_as_null():
    reading = lines(b'{"role":"user","content":"a","n":[NaN,1e999]}\n')

    assert reading.messages[0].extras == {"openai-chat": {"keys": {"n": [None, None]}}}


def test_lines_nested_too_deeply_are_passed_over():
    reading = lines(USER, b"\n", b'{"a":' * 50_000, b"\n", b'{"a":' * 300, b"1", b"}" * 300, b"\n", ANSWER)

    assert roles(reading) == ["user", "assistant"]
    assert len(reading.diagnostics) == 2


def test_lines_that_are_no_messages_are_counted_and_kept():
    reading = lines(USER, b'\n{"meta":1}\n[1]\n5\n', ANSWER)

    assert roles(reading) == ["user", "assistant"]
    assert reading.rest == [b'{"meta":1}\n', b"[1]\n", b"5\n"]
    assert len(reading.diagnostics) == 2


def test_a_malformed_key_costs_its_line_only():
    reading = lines(USER, b'\n{"role":"user","content":"x","turngraph":{"id":5}}\n', ANSWER)

    assert roles(reading) == ["user", "assistant"]
    assert "message.turngraph.id" in said(reading.diagnostics)[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"# a transcript\n\nhello\n", "can be read as JSON"),
        (b"\0" * 100, "can be read as JSON"),
        (b"{", "can be read as JSON"),
        (b"PK\x03\x04rest", "zip"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
        (b"\x1f\x8b\x08\x00", "gzip"),
    ],
)
def test_a_file_in_which_nothing_is_readable_is_refused(data, reason):
    with pytest.raises(UnreadableInput, match=reason):
        lines(data, format="auto")


def test_a_file_of_endless_junk_is_refused_early():
    def junk():
        for number in range(10_000_000):
            assert number < 5_000
            yield b"junk\n"

    class Stream(io.BytesIO):
        def __iter__(self):
            return junk()

        def read(self, *_):
            return b"junk\n" * 4_000

    with pytest.raises(UnreadableInput):
        read_stream(Stream())


def test_missing_files_and_directories_are_refused(tmp_path):
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(UnreadableInput, match="cannot read") as caught:
            read_path(path)
        assert caught.value.details == {"path": str(path)}


def test_a_document_of_one_line_is_read_and_what_stands_behind_it_kept():
    document = json.dumps({"messages": [json.loads(USER)]}).encode()
    reading = lines(document, b"\n", ANSWER, b"\n", format="auto")

    assert roles(reading) == ["user"]
    assert reading.rest == [ANSWER + b"\n"]
    assert said(reading.diagnostics) == [
        f"line 2 (byte {len(document) + 1}) stands behind the first document; kept aside"
    ]


def test_a_line_that_cannot_be_read_does_not_hide_those_behind_it():
    reading = lines(b"{ torn\n", USER, b"\n", TOOL, b"\n", format="auto")

    assert roles(reading) == ["user", "tool"]
    assert len(reading.diagnostics) == 1


def test_progress_ends_at_the_size_of_the_file():
    told = []
    data = (USER + b"\n") * 100_000
    read_stream(io.BytesIO(data), progress=lambda done, total: told.append((done, total)), total=len(data))

    assert told[-1] == (len(data), len(data))
    assert len(told) > 2
    assert told == sorted(told)


@pytest.mark.parametrize("value", [[1], ["a"], {"messages": [5]}])
def test_a_message_that_is_no_object_is_refused_with_its_place(value):
    with pytest.raises(BadRequest, match=r"messages\[0\]"):
        read(value, "openai-chat")


def test_values_nested_without_end_are_refused():
    value: list = []
    value.append(value)
    with pytest.raises(BadRequest, match="nested deeper"):
        read([{"role": "user", "content": value}])
