"""Slices of bodies in memory and in files: the same pages as from the whole text, and what happens to the index."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turngraph.state.errors import OutputRefExpired, OutputRefUnknown
from turngraph.state.outputs import FileOutputStore, MemoryOutputStore, chunks, files, memory, read_page, slices


class Plain:
    """A store that offers no slices."""

    def __init__(self, store):
        self.get, self.tool_of = store.get, store.tool_of


@pytest.fixture(params=["memory", "files"])
def store(request, tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 16)
    monkeypatch.setattr(slices, "_STEP", 16)
    for module in (memory, files):
        monkeypatch.setattr(module, "INDEXED_SIZE", 20)
    return MemoryOutputStore() if request.param == "memory" else FileOutputStore(tmp_path / "outputs")


RANGES = st.one_of(
    st.tuples(st.just("lines"), st.integers(1, 60), st.none() | st.integers(0, 60)),
    st.tuples(st.just("chars"), st.integers(0, 300), st.none() | st.integers(0, 300)),
)
PIECES = st.sampled_from(["", "a", "äö", "甲" * 9, "\N{PILE OF POO}" * 5, "x" * 40])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=40).map("\n".join), RANGES, st.sampled_from([7, 64, 40_960]))
def test_a_page_from_slices_is_the_page_from_the_whole_text(store, text, bounds, limit):
    ref = store.put(text)
    mode, first, more = bounds

    options = {mode: (first, None if more is None else first + more), "limit_bytes": limit}
    assert read_page(store, ref, **options) == read_page(Plain(store), ref, **options)


def test_an_opened_body_is_unknown_or_expired_as_any_other(store):
    ref = store.put("line\n" * 100)
    store.expire(ref)

    with pytest.raises(OutputRefExpired):
        store.open(ref)
    with pytest.raises(OutputRefUnknown):
        store.open("tool-output-" + "0" * 32)
    assert store.put("line\n" * 100) == ref
    assert store.open(ref).lines == 100


def test_bodies_that_a_memory_store_began_with_are_indexed_when_they_are_opened(store):
    text = "line\n" * 100
    ref = store.put(text)

    assert MemoryOutputStore({ref: text}).open(ref).line_start(51) == 250


@pytest.fixture
def folder(store):
    if isinstance(store, MemoryOutputStore):
        pytest.skip("only files have a folder")
    return store.path


def test_only_a_large_body_has_an_index_and_it_goes_with_the_body(store, folder):
    small, large = store.put("small"), store.put("line\n" * 100)

    assert [path.name for path in folder.glob("*.index")] == [f"{large}.index"]
    store.expire(large)
    assert sorted(path.name for path in folder.iterdir()) == sorted([f"{small}.txt", f"{large}.expired"])


@pytest.mark.parametrize("index", [None, b"", b"damaged" * 9])
def test_without_a_whole_index_the_whole_body_is_read(store, folder, index):
    ref = store.put("line\n" * 100)
    path = folder / f"{ref}.index"
    if index is None:
        path.unlink()
    else:
        path.write_bytes(index)

    assert read_page(store, ref, lines=(50, 51)).text == "line\nline\n"


def test_a_body_that_is_not_what_its_index_says_is_refused(store, folder):
    ref = store.put("line\n" * 100)
    path = folder / f"{ref}.txt"
    path.write_bytes(path.read_bytes().replace(b"line", b"lane"))

    with pytest.raises(OutputRefExpired, match="damaged in its file") as caught:
        read_page(store, ref, lines=(50, 51))
    assert caught.value.details["damaged"] == "chunk 15 does not match its digest"


def test_a_body_that_is_stored_again_is_young_again(store, folder):
    ref = store.put("small")
    os.utime(folder / f"{ref}.txt", (1.0, 1.0))

    store.put("small")
    assert (folder / f"{ref}.txt").stat().st_mtime > 1.0
