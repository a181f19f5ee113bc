import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turngraph.state.errors import (
    InternalError,
    OutputRefExpired,
    OutputRefMalformed,
    OutputRefUnknown,
)
from turngraph.state.outputs import FileOutputStore, MemoryOutputStore, is_ref, ref_of
from turngraph.state.outputs.refs import candidate_refs

UNKNOWN = "tool-output-" + "0" * 32


@pytest.fixture(params=["memory", "files"])
def store(request, tmp_path):
    return MemoryOutputStore() if request.param == "memory" else FileOutputStore(tmp_path / "outputs")


ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=200)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT)
def test_a_text_comes_back_as_it_was_with_lone_surrogates_replaced(store, text):
    ref = store.put(text)

    assert is_ref(ref)
    assert store.contains(ref)
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert store.get(ref) == joined
    assert store.put(joined) == ref


@pytest.mark.parametrize("text", ["", "\n", "a\r\nb\rc\u2028d\x00e", "甲\N{PILE OF POO}"])
def test_no_byte_of_a_text_is_translated(store, text):
    assert store.get(store.put(text)) == text


def test_a_lone_surrogate_becomes_the_replacement_character(store):
    ref = store.put("a\ud800b")

    assert store.get(ref) == "a\ufffdb"
    assert ref == ref_of("a\ufffdb")


def test_the_same_text_has_the_same_reference_whatever_the_tool_and_the_first_name_wins(store):
    ref = store.put("body")
    assert store.tool_of(ref) is None

    assert store.put("body", tool="bash") == ref
    assert store.put("body", tool="grep") == ref
    assert store.put("body") == ref
    assert store.tool_of(ref) == "bash"


def test_unknown_expired_and_malformed_are_three_errors(store):
    ref = store.put("body", tool="bash")
    store.expire(ref)
    store.expire(ref)

    for call in (store.get, store.expire, store.tool_of):
        with pytest.raises(OutputRefMalformed):
            call("tool-output-1")
    with pytest.raises(OutputRefUnknown) as unknown:
        store.get(UNKNOWN)
    with pytest.raises(OutputRefUnknown):
        store.expire(UNKNOWN)
    with pytest.raises(OutputRefExpired) as expired:
        store.get(ref)
    assert (unknown.value.code, expired.value.code) == ("output_ref_unknown", "output_ref_expired")
    assert expired.value.details == {"ref": ref}
    assert [store.contains(r) for r in (ref, UNKNOWN, "tool-output-1", "../x")] == [False] * 4
    assert store.tool_of(ref) is None


def test_an_expired_text_that_is_put_again_is_back_and_can_expire_again(store):
    ref = store.put("body")
    store.expire(ref)

    assert store.put("body") == ref
    assert store.get(ref) == "body"
    store.expire(ref)
    with pytest.raises(OutputRefExpired):
        store.get(ref)


def test_threads_that_put_the_same_and_other_texts_do_not_disturb_each_other(store):
    texts = [f"text {number} " * 50 for number in range(8)]
    refs = []

    def work():
        refs.extend(store.put(text, tool="bash") for text in texts)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(refs) == sorted([ref_of(text) for text in texts] * 6)
    assert [store.get(ref_of(text)) for text in texts] == texts


def test_a_reference_whose_prefix_another_text_holds_gets_longer():
    planted = list(candidate_refs(b"body"))
    store = MemoryOutputStore({planted[0]: "other", planted[1]: "another"})

    ref = store.put("body")

    assert ref == planted[2]
    assert [len(ref) - len("tool-output-") for ref in planted] == [32, 40, 48, 56, 64]
    assert (store.get(ref), store.get(planted[0])) == ("body", "other")
    assert store.put("body") == ref


def test_files_that_hold_another_text_under_the_prefix_make_the_reference_longer(tmp_path):
    planted = list(candidate_refs(b"body"))
    tmp_path.joinpath(f"{planted[0]}.txt").write_text("other")
    store = FileOutputStore(tmp_path)

    assert store.put("body") == planted[1]
    assert store.get(planted[0]) == "other"


def test_a_text_whose_whole_digest_is_planted_is_refused_loudly(tmp_path):
    planted = dict.fromkeys(candidate_refs(b"body"), "other")
    for ref, text in planted.items():
        tmp_path.joinpath(f"{ref}.txt").write_text(text)

    for store in (MemoryOutputStore(planted), FileOutputStore(tmp_path)):
        with pytest.raises(InternalError):
            store.put("body")


def test_a_memory_store_begins_with_the_items_of_a_request():
    ref = "tool-output-0123456789abcdef"
    store = MemoryOutputStore({ref: "a\udc80"})

    assert dict(store.items) == {ref: "a\ufffd"}
    assert store.get(ref) == "a\ufffd"
    with pytest.raises(TypeError):
        store.items["x"] = "y"
    with pytest.raises(OutputRefMalformed):
        MemoryOutputStore({"tool-output-abc": "x"})


def test_the_reprs_say_where_the_bodies_are(tmp_path):
    assert repr(MemoryOutputStore({UNKNOWN: "x"})) == "MemoryOutputStore(1 bodies)"
    assert repr(FileOutputStore(tmp_path)) == f"FileOutputStore({str(tmp_path.resolve())!r})"
