import os
import socket
import stat
import subprocess
import sys

import pytest

from turngraph.state.errors import OutputRefExpired, OutputRefMalformed, OutputRefUnknown
from turngraph.state.outputs import FileOutputStore, data_dir, default_output_dir, ref_of

REF = "tool-output-" + "a" * 32


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_files_are_private_and_so_are_the_folders_that_the_store_makes(tmp_path):
    root = tmp_path / "data" / "tool-outputs"
    store = FileOutputStore(root)
    ref = store.put("body", tool="bash")
    store.expire(store.put("gone"))

    assert mode(root) == mode(root.parent) == 0o700
    assert {mode(path) for path in root.iterdir()} == {0o600}
    assert sorted(path.name for path in root.iterdir()) == sorted(
        [f"{ref}.txt", f"{ref}.tool", f"{ref_of('gone')}.expired"]
    )


def test_nothing_is_made_before_the_first_put_and_no_permission_of_an_existing_folder_changes(tmp_path):
    missing = FileOutputStore(tmp_path / "missing")
    assert not missing.contains(REF)
    with pytest.raises(OutputRefUnknown):
        missing.get(REF)
    assert not missing.path.exists()

    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    FileOutputStore(shared).put("body")
    assert mode(shared) == 0o755


def test_a_body_is_one_readable_file_of_its_bytes(tmp_path):
    ref = FileOutputStore(tmp_path).put("甲\r\n", tool="bash")

    assert tmp_path.joinpath(f"{ref}.txt").read_bytes() == "甲\r\n".encode()
    assert tmp_path.joinpath(f"{ref}.tool").read_bytes() == b"bash"


def test_another_process_and_another_store_see_the_same_bodies(tmp_path):
    ref = FileOutputStore(tmp_path).put("body", tool="bash")

    other = FileOutputStore(str(tmp_path))

    assert (other.get(ref), other.tool_of(ref)) == ("body", "bash")


@pytest.mark.parametrize(
    "ref", ["../secret", "/etc/passwd", "tool-output-" + "a" * 32 + "/../../secret", "..", "", REF + "\0"]
)
def test_no_reference_leads_out_of_the_folder(tmp_path, ref):
    tmp_path.joinpath("secret.txt").write_text("secret")
    store = FileOutputStore(tmp_path / "outputs")
    store.put("body")

    for call in (store.get, store.tool_of, store.expire):
        with pytest.raises(OutputRefMalformed):
            call(ref)
    assert not store.contains(ref)


def test_a_link_in_place_of_a_body_or_a_mark_is_never_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    root = tmp_path / "outputs"
    root.mkdir()
    for suffix in ("txt", "tool", "expired"):
        root.joinpath(f"{REF}.{suffix}").symlink_to(secret)
    store = FileOutputStore(root)

    assert not store.contains(REF)
    assert store.tool_of(REF) is None
    for call in (store.get, store.expire):
        with pytest.raises(OutputRefUnknown):
            call(REF)


def test_a_put_over_a_link_replaces_the_link_and_not_what_it_leads_to(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    root = tmp_path / "outputs"
    root.mkdir()
    ref = ref_of("body")
    root.joinpath(f"{ref}.txt").symlink_to(secret)
    root.joinpath(f"{ref}.tool").symlink_to(secret)
    store = FileOutputStore(root)

    assert store.put("body", tool="bash") == ref

    assert (store.get(ref), store.tool_of(ref)) == ("body", "bash")
    assert secret.read_text() == "secret"


def test_a_folder_that_is_itself_a_link_is_resolved_once(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    tmp_path.joinpath("link").symlink_to(real)
    store = FileOutputStore(tmp_path / "link")

    ref = store.put("body")

    assert store.path == real.resolve()
    assert real.joinpath(f"{ref}.txt").exists()


def test_a_pipe_a_socket_or_a_folder_in_place_of_a_body_is_no_body_and_does_not_block(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refs = ["tool-output-" + digit * 32 for digit in "123"]
    os.mkfifo(f"{refs[0]}.txt")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{refs[1]}.txt")
    tmp_path.joinpath(f"{refs[2]}.txt").mkdir()
    store = FileOutputStore(tmp_path)

    for ref in refs:
        assert not store.contains(ref)
        with pytest.raises(OutputRefUnknown):
            store.get(ref)


def test_an_empty_file_in_place_of_a_body_counts_as_expired_and_is_written_anew(tmp_path):
    store = FileOutputStore(tmp_path)
    ref = store.put("body")
    tmp_path.joinpath(f"{ref}.txt").write_bytes(b"")

    assert not store.contains(ref)
    with pytest.raises(OutputRefExpired):
        store.get(ref)
    assert store.put("body") == ref
    assert store.get(ref) == "body"
    assert store.contains(store.put(""))


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    store = FileOutputStore(tmp_path)
    monkeypatch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    with pytest.raises(OSError, match="No space left"):
        store.put("body")

    assert list(tmp_path.iterdir()) == []


def test_a_folder_removed_in_between_is_made_again(tmp_path):
    store = FileOutputStore(tmp_path / "outputs")
    ref = store.put("one")
    tmp_path.joinpath("outputs", f"{ref}.txt").unlink()
    tmp_path.joinpath("outputs").rmdir()

    assert store.get(store.put("two")) == "two"


def test_a_file_in_place_of_the_folder_is_an_os_error(tmp_path):
    tmp_path.joinpath("outputs").write_text("")
    store = FileOutputStore(tmp_path / "outputs")

    assert not store.contains(REF)
    for call in (store.put, store.get):
        with pytest.raises(OSError):
            call(REF)


WRITER = """
import sys
from turngraph.state.outputs import FileOutputStore
store = FileOutputStore(sys.argv[1])
for round in range(5):
    for number in range(20):
        ref = store.put(f"text {number} " * 2000, tool="bash")
        assert store.get(ref) == f"text {number} " * 2000
"""


def test_concurrent_processes_see_whole_bodies_only(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, env=env) for _ in range(3)]

    assert [writer.communicate()[1] for writer in writers] == [b"", b"", b""]

    names = sorted(path.name for path in tmp_path.iterdir())
    refs = [ref_of(f"text {number} " * 2000) for number in range(20)]
    assert names == sorted(f"{ref}.{suffix}" for ref in refs for suffix in ("txt", "tool"))


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"TURNGRAPH_DATA_DIR": "/data"}, "/data"),
        ({"TURNGRAPH_DATA_DIR": " ", "XDG_DATA_HOME": "/xdg"}, "/xdg/turngraph"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/home/a"}, "/home/a/.local/share/turngraph"),
        ({"HOME": "/home/a"}, "/home/a/.local/share/turngraph"),
    ],
)
def test_outputs_live_in_the_data_folder(env, folder):
    assert str(data_dir(env)) == folder
    assert str(default_output_dir(env)) == f"{folder}/tool-outputs"


def test_without_a_mapping_the_data_folder_is_that_of_the_process(monkeypatch):
    monkeypatch.setenv("TURNGRAPH_DATA_DIR", "/data")

    assert str(default_output_dir()) == "/data/tool-outputs"
