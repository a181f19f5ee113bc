"""The SQL store on both databases: the contract of all stores, pages without the body, damage, two processes."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from turngraph.state.errors import (
    InternalError,
    OutputRefExpired,
    OutputRefMalformed,
    OutputRefUnknown,
    UsageError,
)
from turngraph.state.outputs import (
    MemoryOutputStore,
    SqlOutputStore,
    chunks,
    is_ref,
    read_page,
    ref_of,
)

UNKNOWN = "tool-output-" + "0" * 32
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=200)


@pytest.fixture
def store(url):
    opened = SqlOutputStore(url)
    yield opened
    opened.close()


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 16)


def change(url, statement, **values):
    """What a disk or another program may do to the rows."""
    engine = create_engine(url)
    with engine.begin() as connection:
        found = connection.execute(text(statement), values).rowcount
    engine.dispose()
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(ANY_TEXT)
def test_a_text_comes_back_as_it_was_with_lone_surrogates_replaced(store, text):
    ref = store.put(text)

    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert is_ref(ref)
    assert store.contains(ref)
    assert store.get(ref) == joined
    assert store.put(joined) == ref == ref_of(joined)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("text", ["", "\n", "a\r\nb\rc\u2028d\x00e", "甲\N{PILE OF POO}" * 20, "x" * 16, "\n" * 33])
def test_no_byte_of_a_text_is_translated_in_whatever_chunks(store, text):
    assert store.get(store.put(text)) == text


@pytest.mark.usefixtures("small_chunks")
def test_a_body_may_come_in_pieces(store):
    ref = store.put_pieces(["甲" * 9, "", "\ud800", "x" * 40], tool="bash")

    whole = "甲" * 9 + "\ufffd" + "x" * 40
    assert ref == ref_of(whole) == store.put(whole)
    assert (store.get(ref), store.tool_of(ref)) == (whole, "bash")


def test_the_same_text_has_the_same_reference_whatever_the_tool_and_the_first_name_wins(store):
    ref = store.put("body")
    assert store.tool_of(ref) is None

    assert store.put("body", tool="ba\0sh\ud800") == ref
    assert store.put("body", tool="grep") == ref
    assert store.put("body") == ref
    assert store.tool_of(ref) == "ba\ufffdsh\ufffd"


def test_unknown_expired_and_malformed_are_three_errors(store):
    ref = store.put("body", tool="bash")
    store.expire(ref)
    store.expire(ref)

    for call in (store.get, store.open, store.expire, store.tool_of):
        with pytest.raises(OutputRefMalformed):
            call("tool-output-1")
    for call in (store.get, store.open, store.expire):
        with pytest.raises(OutputRefUnknown):
            call(UNKNOWN)
    for call in (store.get, store.open):
        with pytest.raises(OutputRefExpired) as gone:
            call(ref)
        assert gone.value.details == {"ref": ref}
    assert [store.contains(each) for each in (ref, UNKNOWN, "tool-output-1", "' OR 1=1 --")] == [False] * 4
    assert store.tool_of(ref) is None


def test_an_expired_body_can_be_stored_again(store):
    ref = store.put("body", tool="bash")
    store.expire(ref)

    assert store.put("body", tool="grep") == ref
    assert (store.get(ref), store.tool_of(ref)) == ("body", "grep")


def test_a_text_planted_under_the_reference_of_another_is_damage_and_is_replaced(store, url):
    short = ref_of("body")
    planted = store.put("other")
    change(
        url,
        "INSERT INTO turngraph_outputs SELECT :new, digest, size, tool, stored_at, expired, chunk_index "
        "FROM turngraph_outputs WHERE ref = :old",
        new=short,
        old=planted,
    )
    change(
        url,
        "INSERT INTO turngraph_output_chunks SELECT :new, number, data FROM turngraph_output_chunks WHERE ref = :old",
        new=short,
        old=planted,
    )

    with pytest.raises(OutputRefExpired, match="damaged"):
        store.get(short)
    assert store.put("body") == short
    assert store.get(short) == "body"


RANGES = st.one_of(
    st.tuples(st.just("lines"), st.integers(1, 60), st.integers(0, 60)),
    st.tuples(st.just("chars"), st.integers(0, 300), st.integers(0, 300)),
)
LINED = st.lists(st.sampled_from(["", "a", "äö", "甲" * 9, "\N{PILE OF POO}" * 5, "x" * 40]), max_size=40).map(
    "\n".join
)


@pytest.mark.usefixtures("small_chunks")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(LINED, RANGES, st.sampled_from([7, 64, 40_960]))
@example("", ("lines", 1, 0), 7)
@example("\n\n", ("lines", 3, 5), 7)
def test_a_page_from_chunks_is_the_page_from_the_whole_text(store, text, bounds, limit):
    memory = MemoryOutputStore()
    ref = memory.put(text)
    assert store.put(text) == ref
    mode, first, more = bounds

    options = {mode: (first, first + more), "limit_bytes": limit}
    assert read_page(store, ref, **options) == read_page(memory, ref, **options)
    options = {mode: (first, None), "limit_bytes": limit}
    assert read_page(store, ref, **options) == read_page(memory, ref, **options)


def test_a_page_reads_the_index_and_the_chunks_it_lies_in_and_no_others(store, url, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 1000)
    ref = store.put("".join(f"line {number:04}\n" for number in range(10_000)))  # 100 lines to a chunk
    everything = change(url, "DELETE FROM turngraph_output_chunks WHERE ref = :ref AND number NOT IN (49, 50)", ref=ref)

    assert everything == 98
    page = read_page(store, ref, lines=(4951, 5050), limit_bytes=1000)
    assert (page.text[:10], page.range, page.total) == ("line 4950\n", (4951, 5050), 10_000)
    assert read_page(store, ref, chars=(49_500, 49_509)).text == "line 4950"
    with pytest.raises(OutputRefExpired, match="chunk 51 is missing"):
        read_page(store, ref, lines=(5101, 5101))


def answer_of(read):
    """The text, or what the error says that happened to it."""
    try:
        return read()
    except OutputRefExpired as error:
        return "damaged" if error.details["damaged"] and "call the tool again" in error.message else error.message


DAMAGE = {
    "a changed chunk": "UPDATE turngraph_output_chunks SET data = :other",
    "a lost chunk": "DELETE FROM turngraph_output_chunks WHERE number = 1",
    "an index that is cut off": "UPDATE turngraph_outputs SET chunk_index = :other",
    "a lost index": "UPDATE turngraph_outputs SET chunk_index = NULL",
    "a changed digest": "UPDATE turngraph_outputs SET digest = 'abc'",
}


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_body_is_an_error_and_never_a_wrong_text(store, url, damage):
    body = "0123456789abcdef" * 3
    ref, whole = store.put(body, tool="bash"), store.put("untouched")
    statement = f"{DAMAGE[damage]} {'AND' if 'WHERE' in DAMAGE[damage] else 'WHERE'} ref = :ref"
    values = {"other": b"0123456789abcdeX"} if ":other" in statement else {}
    change(url, statement, ref=ref, **values)

    answers = [answer_of(lambda: store.get(ref)), answer_of(lambda: read_page(store, ref).text)]

    assert "damaged" in answers
    assert set(answers) <= {"damaged", body}
    assert store.get(whole) == "untouched"


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("damage", DAMAGE)
def test_storing_a_text_again_repairs_what_is_damaged(store, url, damage):
    body = "0123456789abcdef" * 3
    ref = store.put(body, tool="bash")
    statement = f"{DAMAGE[damage]} {'AND' if 'WHERE' in DAMAGE[damage] else 'WHERE'} ref = :ref"
    change(url, statement, ref=ref, **({"other": b"0123456789abcdeX"} if ":other" in statement else {}))

    assert store.put(body) == ref

    assert store.get(ref) == body
    assert read_page(store, ref, chars=(10, 40)).text == body[10:40]
    assert store.tool_of(ref) == "bash"


def test_a_whole_digest_that_another_text_holds_is_refused(store, monkeypatch):
    monkeypatch.setattr("turngraph.state.outputs.sql_rows.keep", lambda *_, **__: False)

    with pytest.raises(InternalError, match="whole digest"):
        store.put("body")


WRITER = """
import sys
from turngraph.state.outputs import SqlOutputStore
store = SqlOutputStore(sys.argv[1])
for number in range(30):
    ref = store.put(f"shared {number}\\n" * 2000, tool=sys.argv[2])
    assert store.get(ref).startswith(f"shared {number}")
    store.put(f"{sys.argv[2]} {number}")
    if number % 10 == 3:
        store.expire(store.put("comes and goes"))
store.close()
"""


def test_two_processes_that_write_the_same_bodies_lose_none(store, url):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, name], stderr=subprocess.PIPE, text=True)
        for name in ("first", "second")
    ]
    said = [writer.communicate(timeout=120)[1] for writer in writers]

    assert said == ["", ""]
    assert {writer.returncode for writer in writers} == {0}
    shared = [f"shared {number}\n" * 2000 for number in range(30)]
    assert [store.get(ref_of(body)) for body in shared] == shared
    own = [f"{name} {number}" for name in ("first", "second") for number in range(30)]
    assert [store.get(ref_of(body)) for body in own] == own
    assert {store.tool_of(ref_of(body)) for body in shared} <= {"first", "second"}
    assert len(store.inventory()) == 90


def test_the_inventory_lists_what_is_held_oldest_first_with_the_time_of_the_last_put(url):
    now = iter([10.0, 20.0, 30.0, 40.0])
    store = SqlOutputStore(url, clock=lambda: next(now))
    first, second, third = store.put("a"), store.put("甲"), store.put("gone")
    store.expire(third)
    store.put("a")
    listed = store.inventory()
    store.close()

    assert [(held.ref, held.size, held.stored_at) for held in listed] == [(second, 3, 20.0), (first, 1, 40.0)]


def test_a_body_that_was_stored_again_is_not_expired_for_its_age(url):
    now = iter([10.0, 20.0])
    store = SqlOutputStore(url, clock=lambda: next(now))
    ref = store.put("a")
    store.put("a")

    assert not store.expire_older(ref, 10.0)
    assert store.get(ref) == "a"
    assert store.expire_older(ref, 20.0)
    assert not store.expire_older(ref, 20.0)
    store.close()
    with pytest.raises(OutputRefExpired):
        store.get(ref)
    store.close()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("outputs.db", "a store is a URL"),
        ("", "a store is a URL"),
        ("sqlite://", "in memory use `MemoryOutputStore`"),
        ("sqlite:///:memory:", "in memory use `MemoryOutputStore`"),
        ("sqlite:///file:x?mode=memory", "in memory use `MemoryOutputStore`"),
        ("mysql://host/name", "sqlite or postgresql"),
        ("postgresql+nodriver://host/name", "a store is a URL|not installed"),
    ],
)
def test_an_address_that_is_no_store_is_a_usage_error(address, said):
    with pytest.raises(UsageError, match=said):
        SqlOutputStore(address)


def test_a_missing_driver_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(UsageError, match=r"pip install 'turngraph\[postgres\]'"):
        SqlOutputStore("postgresql://host/name")
