"""Long bodies in pieces: the same body and the same reference as in one string."""

from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.outputs import FileOutputStore, MemoryOutputStore, PieceStore, put_pieces, ref_of

TEXTS = st.lists(st.text(), max_size=5)


@given(TEXTS)
def test_pieces_are_one_body_in_files(tmp_path_factory, texts):
    store = FileOutputStore(tmp_path_factory.mktemp("outputs"))

    ref = put_pieces(store, iter(texts), tool="fold")

    assert store.get(ref) == "".join(texts)
    assert store.put("".join(texts)) == ref
    assert store.tool_of(ref) == "fold"


@given(TEXTS)
def test_a_store_that_knows_no_pieces_is_given_the_whole(texts):
    store = MemoryOutputStore()

    ref = put_pieces(store, iter(texts))

    assert (ref, store.get(ref)) == (ref_of("".join(texts)), "".join(texts))


def test_a_lone_surrogate_in_a_piece_becomes_a_replacement_character(tmp_path):
    store = FileOutputStore(tmp_path)

    assert store.get(store.put_pieces(["a\ud800", "b"])) == "a\ufffdb"


def test_files_take_pieces_and_memory_does_not(tmp_path):
    assert isinstance(FileOutputStore(tmp_path), PieceStore)
    assert not isinstance(MemoryOutputStore(), PieceStore)
