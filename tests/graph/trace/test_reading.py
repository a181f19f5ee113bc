"""What is no trace is told apart from a damaged one and from one of another version."""

import json
import os

import pytest

from turngraph import Section, UnknownFormat, UnreadableInput
from turngraph.graph.trace import check_document, read_trace

from .runs import NOW, assembler, session


@pytest.fixture
def document(traced):
    return traced(
        assembler(window=3000, compaction_tool_preview_bytes=200).assemble(
            session(12), sections=[Section(id="s", slot="footer", content="x")]
        )
    )


@pytest.fixture
def kept(tmp_path):
    def keep(value):
        path = tmp_path / "turn.json"
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return keep


def test_what_was_written_is_read(writer, root, document):
    assert read_trace(root / "c" / "turn-0001.json") == document


def test_fields_of_later_versions_pass(document):
    document["extra"] = 1
    document["graph"][0]["extra"] = 1

    assert check_document(document) is document


@pytest.mark.parametrize("name", ["none.json", "", "a\0b", "x" * 5000])
def test_a_missing_file_is_unreadable(tmp_path, name):
    with pytest.raises(UnreadableInput):
        read_trace(f"{tmp_path}/{name}")


def test_a_folder_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(UnreadableInput, match="is no file"):
            read_trace(path)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\x80\x81", b"[" * 100_000, b'{"schemaVersion":5,"contextId":"c"', b"nul", b'{"a":1}{}']
)
def test_what_is_no_json_is_unreadable(kept, data):
    with pytest.raises(UnreadableInput, match="is no JSON"):
        read_trace(kept(data))


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"messages": []}, {"schemaVersion": 5}, {"contextId": "c"}])
def test_json_that_is_no_trace_is_an_unknown_format(kept, value):
    with pytest.raises(UnknownFormat, match="is no trace"):
        read_trace(kept(value))


def test_a_newer_trace_says_so(kept, document):
    with pytest.raises(UnknownFormat, match="schema 6, this turngraph reads schema 5; a newer turngraph wrote it"):
        read_trace(kept(document | {"schemaVersion": 6}))


@pytest.mark.parametrize("version", [4, 0, "5", 5.5, True, None, []])
def test_another_version_is_named(kept, document, version):
    with pytest.raises(UnknownFormat):
        read_trace(kept(document | {"schemaVersion": version}))


def test_a_trace_of_the_older_system_is_told(kept):
    foreign = {"schemaVersion": 5, "contextId": "c", "turn": 2, "llmInput": {"systemPrompt": "p"}, "selectedPath": "x"}

    with pytest.raises(UnknownFormat, match="of another program"):
        read_trace(kept(foreign))


DAMAGES = [
    ("contextConfig", 7),
    ("contextConfig.budget", None),
    ("collection.contributors", {}),
    ("collection.collected.sections", [{"id": 1}]),
    ("admitted", []),
    ("renderedContext.history", [{}]),
    ("renderedContext.history", None),
    ("renderedContext.statistics.window", [1]),
    ("renderedContext.compaction.pruned", [{"message": "m1"}]),
    ("renderedContext.compaction.summary", None),
    ("renderedContext.diagnostics", ["x"]),
    ("llmInput.messages", [{"id": "m1"}]),
    ("llmInput", "x"),
    ("graph", [1]),
    ("graph", {"a": 1}),
    ("turn", "one"),
    ("error", "x"),
]


@pytest.mark.parametrize(("place", "value"), DAMAGES)
def test_a_damaged_trace_names_the_place(kept, document, place, value):
    *way, last = place.split(".")
    inner = document
    for name in way:
        inner = inner[name]
    inner[last] = value

    with pytest.raises(UnreadableInput, match=f"damaged trace: {place}") as caught:
        read_trace(kept(document))
    assert caught.value.details["problems"][0]["path"].startswith(place)


def test_every_cut_of_a_file_is_refused(writer, root, kept):
    writer.write(assembler().assemble(session(1)), turn=1, context_id="c", exported_at=NOW)
    data = (root / "c" / "turn-0001.json").read_bytes()
    for end in range(0, len(data) - 1, 97):
        with pytest.raises(UnreadableInput):
            read_trace(kept(data[:end]))
