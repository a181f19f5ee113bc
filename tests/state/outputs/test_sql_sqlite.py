"""What concerns the file of a SQLite store only."""

import os
import stat

import pytest

from turngraph.state.outputs import SqlOutputStore, handle_read_tool_output


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def opened(path):
    return SqlOutputStore(f"sqlite:///{path}")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_file_and_its_log_are_private_and_so_are_the_folders_that_the_store_makes(tmp_path, umask):
    before = os.umask(umask)
    try:
        store = opened(tmp_path / "data" / "outputs.db")
        store.put("body")
        files = sorted((tmp_path / "data").iterdir())
        modes = {mode(path) for path in files}
    finally:
        os.umask(before)
    store.close()

    assert [path.name for path in files] == ["outputs.db", "outputs.db-shm", "outputs.db-wal"]
    assert modes == {0o600}
    assert mode(tmp_path / "data") == 0o700


def test_nothing_is_made_before_the_first_use_and_no_permission_of_what_exists_changes(tmp_path):
    path = tmp_path / "shared" / "outputs.db"
    opened(path)
    assert not path.parent.exists()

    path.parent.mkdir()
    path.parent.chmod(0o755)
    path.touch()
    path.chmod(0o640)
    store = opened(path)
    store.put("body")
    store.close()
    assert (mode(path.parent), mode(path)) == (0o755, 0o640)


def test_what_expires_gives_its_room_back_to_the_disk(tmp_path):
    path = tmp_path / "outputs.db"
    store = opened(path)
    ref = store.put("x" * 1_000_000)
    store.close()
    full = path.stat().st_size
    store.expire(ref)
    store.close()

    assert full > 1_000_000
    assert path.stat().st_size < 100_000


@pytest.mark.parametrize("content", [b"this is no database at all, but it is long enough to look at" * 20, None])
def test_a_file_that_is_no_database_is_an_os_error_and_a_sentence_for_the_model(tmp_path, content):
    path = tmp_path / "outputs.db"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    store = opened(path)
    ref = "tool-output-" + "0" * 32

    with pytest.raises(OSError, match="the store of tool outputs does not answer"):
        store.put("body")
    assert not store.contains(ref)
    assert "cannot be read" in handle_read_tool_output(store, {"ref": ref})


def test_a_child_that_was_forked_has_connections_of_its_own(tmp_path):
    store = opened(tmp_path / "outputs.db")
    ref = store.put("before")
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if store.get(ref) == "before" and store.put("from the child") else 1)
        except BaseException:  # noqa: BLE001 - a child must not run the tests that follow
            os._exit(2)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get(store.put("from the child")) == "from the child"
    assert len(store.inventory()) == 2
    store.close()


def test_no_password_is_shown(tmp_path):
    pytest.importorskip("psycopg")

    assert "secret" not in repr(SqlOutputStore("postgresql://me:secret@host/name"))
    assert repr(opened(tmp_path / "a.db")) == f"SqlOutputStore('sqlite:///{tmp_path}/a.db')"
