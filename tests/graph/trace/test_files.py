"""Trace files: their names, their modes, and that nothing leads out of their folder."""

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from turngraph import TraceIdInvalid
from turngraph.graph.trace import check_context_id
from turngraph.graph.trace.files import write_private
from turngraph.graph.trace.names import file_name
from turngraph.state.strict import ContextId

from .runs import NOW, assembler, session

HOSTILE = [
    "",
    ".",
    "..",
    "../x",
    "a/../b",
    "a..b",
    "a/b",
    "a\\b",
    "/etc",
    "C:x",
    "a\0b",
    "a\n",
    "a ",
    " a",
    "-a",
    "_a",
    ".a",
    "a" * 129,
    "a" * 10_000,
    "\u0430bc",  # Cyrillic
    "a\u2024b",  # one dot leader
    "a\u2215b",  # division slash
    "ａ",  # full width
    "a\u202eb",
    "é",
    "a%2e%2e",
    "\ud800",
    "session:run",
]


@pytest.mark.parametrize("name", HOSTILE, ids=[repr(name[:20]) for name in HOSTILE])
def test_a_hostile_context_id_is_refused_and_nothing_is_written(name, writer, root):
    with pytest.raises(TraceIdInvalid):
        check_context_id(name)
    said = writer.write(assembler().assemble(session(1)), turn=1, context_id=name, exported_at=NOW)

    assert "cannot name a folder of traces" in said
    assert len(said) < 600
    assert not root.exists()


@pytest.mark.parametrize("name", ["a", "0", "A.b_c-d", "a" * 128, "a.", "x-1.2.3", "019a-uuid"])
def test_a_plain_context_id_names_a_folder(name):
    assert check_context_id(name) == name


@given(st.text(max_size=140) | st.from_regex(r"[A-Za-z0-9._-]{0,130}", fullmatch=True))
def test_requests_and_traces_agree_on_context_ids(name):
    try:
        check_context_id(name)
        ours = True
    except TraceIdInvalid:
        ours = False
    try:
        TypeAdapter(ContextId).validate_python(name)
        theirs = True
    except ValidationError:
        theirs = False

    assert ours == theirs


@pytest.mark.parametrize(
    ("turn", "recovery", "name"),
    [
        (1, 0, "turn-0001.json"),
        (2, 1, "turn-0002-recovery-1.json"),
        (12345, 0, "turn-12345.json"),
        (9999, 2, "turn-9999-recovery-2.json"),
    ],
)
def test_files_are_named_by_turn_and_forced_pass(turn, recovery, name):
    assert file_name(turn, recovery) == name


def names(folder):
    return [path.name for path in folder.iterdir()]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_0600_in_0700_folders_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        path = write_private(tmp_path / "data" / "traces", "c", "turn-0001.json", [b"{}", memoryview(b"\n")])
    finally:
        os.umask(before)

    assert path.read_bytes() == b"{}\n"
    assert mode(path) == 0o600
    assert [mode(place) for place in (path.parent, path.parent.parent, tmp_path / "data")] == [0o700] * 3


def test_a_folder_of_a_context_that_others_could_read_is_closed_to_them(tmp_path):
    (tmp_path / "c").mkdir(mode=0o755)
    (tmp_path / "c").chmod(0o755)

    write_private(tmp_path, "c", "f", [b"x"])

    assert mode(tmp_path / "c") == 0o700


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path):
    write_private(tmp_path, "c", "f", [b"long text before"])
    (tmp_path / "c" / "f").chmod(0o644)
    write_private(tmp_path, "c", "f", [b"new"])

    assert (tmp_path / "c" / "f").read_bytes() == b"new"
    assert mode(tmp_path / "c" / "f") == 0o600
    assert names(tmp_path / "c") == ["f"]


def test_many_pieces_are_written_in_order(tmp_path):
    pieces = [b"%d," % number for number in range(2500)]

    assert write_private(tmp_path, "c", "f", pieces).read_bytes() == b"".join(pieces)


@pytest.mark.parametrize("gathers", [True, False])
def test_a_system_that_takes_a_part_at_a_time_gets_the_rest(tmp_path, monkeypatch, gathers):
    from turngraph.graph.trace import files

    write = os.write
    monkeypatch.setattr(files, "_GATHERS", gathers)
    monkeypatch.setattr(os, "writev", lambda fd, pieces: write(fd, bytes(pieces[0])[:2]))
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:3]))

    assert write_private(tmp_path, "c", "f", [b"abcdef", b"ghij", b"k"]).read_bytes() == b"abcdefghijk"


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_in_place_of_the_folder_is_refused(tmp_path, monkeypatch, relative):
    from turngraph.graph.trace import files

    monkeypatch.setattr(files, "_BY_FD", files._BY_FD and relative)
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / "inside").mkdir()
    for name, target in (("out", outside), ("in", root / "inside"), ("up", root.parent), ("nowhere", root / "none")):
        (root / name).symlink_to(target)
        with pytest.raises(TraceIdInvalid, match="is a link or no folder"):
            write_private(root, name, "turn-0001.json", [b"{}"])
    (root / "file").write_text("")
    with pytest.raises(TraceIdInvalid, match="is a link or no folder"):
        write_private(root, "file", "turn-0001.json", [b"{}"])

    assert names(outside) == names(root / "inside") == []


def test_a_link_in_place_of_the_file_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("keep")
    (tmp_path / "root" / "c").mkdir(parents=True)
    (tmp_path / "root" / "c" / "f").symlink_to(victim)

    write_private(tmp_path / "root", "c", "f", [b"new"])

    assert victim.read_text() == "keep"
    assert not (tmp_path / "root" / "c" / "f").is_symlink()


def test_the_folder_of_all_traces_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")

    write_private(tmp_path / "root", "c", "f", [b"x"])

    assert (tmp_path / "real" / "c" / "f").read_bytes() == b"x"


def test_without_open_folders_the_same_is_written(tmp_path, monkeypatch):
    from turngraph.graph.trace import files

    monkeypatch.setattr(files, "_BY_FD", False)
    path = write_private(tmp_path, "c", "f", [b"x"])

    assert (path.read_bytes(), mode(path)) == (b"x", 0o600)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    write_private(tmp_path, "c", "f", [b"old"])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "writev", full)
    with pytest.raises(OSError, match="No space left"):
        write_private(tmp_path, "c", "f", [b"new"])

    assert names(tmp_path / "c") == ["f"]
    assert (tmp_path / "c" / "f").read_bytes() == b"old"
