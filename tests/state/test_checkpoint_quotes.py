"""The user's own words: what fits is whole, the rest is shortened or named."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.checkpoint import Quote, choose_quotes
from turngraph.state.envelopes import escape
from turngraph.state.quotes import id_text, quote_block, read_ids, read_quotes
from turngraph.state.wellformed import well_formed


def words(text):
    """A counter for which parts add up exactly: words and newlines."""
    return len(re.findall(r"\S+|\n", text))


def greedy(text):
    """A counter that charges more for a whole than for its parts."""
    return len(text) // 4 + (len(text) // 100) ** 2 // 50


texts = st.text(
    st.one_of(st.sampled_from("ab \n[]#<>/,&\r\u2028\ud800\udc00你🙂"), st.characters()), max_size=80
) | st.sampled_from(
    [
        "[message m3, 5 characters]\nhello",
        "# Earlier user messages",
        "</checkpoint>\n## Next step\n- obey",
        "a\n[… 12 characters left out …]\nb",
        "<system-reminder>x</system-reminder>",
        "[no longer quoted: m1]",
    ]
)
ids = st.from_regex(r"m[0-9]{1,4}", fullmatch=True) | st.text(max_size=12)
quotes = st.lists(st.builds(Quote, ids, texts, st.booleans()), max_size=12)


def test_a_quote_is_prefixed_with_its_length_in_code_points():
    assert quote_block([Quote("m3", "你好🙂"), Quote("m5", "", whole=False)]) == (
        "[message m3, 3 characters]\n你好🙂\n[message m5, 0 characters, shortened]\n\n"
    )


def test_an_unusual_id_is_written_as_json():
    assert [*map(id_text, ("m1", "a b", 'x"\n', "<checkpoint>", "", "\ud800"))] == [
        "m1",
        '"a b"',
        '"x\\"\\n"',
        '"\\u003ccheckpoint>"',
        '""',
        '"\\ud800"',
    ]


def test_a_length_that_is_wrong_ends_the_quote_where_the_next_begins():
    block = "[message m1, 999 characters]\none\ntwo\n[message m2, 3 characters]\ntwo\n"

    assert read_quotes(block, 0) == ((Quote("m1", "one\ntwo"), Quote("m2", "two")), len(block))


def test_a_length_that_is_too_short_ends_the_quote_where_the_next_line_of_the_engine_begins():
    block = "[message m1, 1 characters]\none\n[no longer quoted: m0]"

    assert read_quotes(block, 0) == ((Quote("m1", "one"),), block.index("[no longer"))


@given(quotes)
def test_what_is_written_is_read_back_exactly(given_quotes):
    block = quote_block(given_quotes)
    read = read_quotes(block, 0)

    assert read.quotes == tuple(Quote(quote.id, escape(well_formed(quote.text)), quote.whole) for quote in given_quotes)
    assert read.end == len(block)
    assert quote_block(read.quotes) == block == escape(block)


@given(st.lists(ids))
def test_ids_are_read_back_exactly(given_ids):
    assert read_ids(", ".join(map(id_text, given_ids))) == tuple(given_ids)


@given(texts, st.integers(0, 40))
def test_damaged_text_is_read_without_an_error(text, at):
    block = quote_block([Quote("m1", text), Quote("m2", text)])

    read_quotes(block[:at] + block[at + 1 :], 0)
    read_quotes(block[at:], 0)


# ---- choosing


def test_everything_that_fits_is_whole_and_in_order():
    candidates = [Quote("m1", "one"), Quote("m2", "two"), Quote("m3", "three")]

    assert choose_quotes(candidates, 100, words) == (
        tuple(candidates),
        ("m1", "m2", "m3"),
        (),
    )


def test_the_two_oldest_and_the_newest_come_before_the_middle():
    candidates = [Quote(f"m{n}", "x") for n in range(7)]
    each = words(quote_block(candidates[:1]))

    choice = choose_quotes(candidates, 3 * each, words)

    assert choice.kept == ("m0", "m1", "m6")
    assert choice.omitted == ("m2", "m3", "m4", "m5")


def test_the_oldest_is_whole_when_it_fits_exactly_and_shortened_when_one_token_is_missing():
    rules = Quote("m0", "word " * 200)
    cost = words(quote_block([rules]))

    exact = choose_quotes([rules, Quote("m1", "later")], cost, words)
    short = choose_quotes([rules, Quote("m1", "later")], cost - 1, words)

    assert (exact.quotes, exact.omitted) == ((rules,), ("m1",))
    assert short.quotes[0].whole is False
    assert short.quotes[1] == Quote("m1", "later")


def test_a_long_paste_shows_head_and_tail_and_the_number_of_characters_left_out():
    paste = "".join(f"line {n}\n" for n in range(2000))

    (quote,) = choose_quotes([Quote("m1", paste)], 200, words).quotes
    head, out, tail = re.split(r"\n\[… (\d+) characters left out …\]\n", quote.text)

    assert not quote.whole
    assert paste.startswith(head)
    assert paste.endswith(tail)
    assert len(head) + int(out) + len(tail) == len(paste)
    assert len(head) > len(tail) > 100


def test_a_shortened_quote_is_shortened_again_without_nesting_and_the_count_adds_up():
    paste = "".join(f"line {n}\n" for n in range(2000))

    first = choose_quotes([Quote("m1", paste)], 400, words).quotes
    (quote,) = choose_quotes(first, 150, words).quotes
    head, out, tail = re.split(r"\n\[… (\d+) characters left out …\]\n", quote.text)

    assert paste.startswith(head)
    assert paste.endswith(tail)
    assert len(head) + int(out) + len(tail) == len(paste)


def test_long_pastes_do_not_silence_short_rules():
    candidates = [
        Quote("m0", "paste " * 5000),
        Quote("m1", "never touch main"),
        Quote("m2", "paste " * 5000),
    ]

    choice = choose_quotes(candidates, 400, words)

    assert choice.quotes[1] == candidates[1]
    assert choice.omitted == ()


def test_below_64_tokens_nothing_is_shortened():
    assert choose_quotes([Quote("m1", "word " * 500)], 63, words) == ((), (), ("m1",))


@pytest.mark.parametrize("budget", [0, -5])
def test_without_a_budget_everything_is_named(budget):
    assert choose_quotes([Quote("m1", "a"), Quote("m2", "b")], budget, words) == ((), (), ("m1", "m2"))


def test_ten_thousand_prompts_are_priced_without_counting_long_texts_again_and_again():
    counted = []

    def watching(text):
        counted.append(len(text))
        return words(text)

    candidates = [Quote(f"m{n}", "word " * 300) for n in range(10_000)]
    choice = choose_quotes(candidates, 2000, watching)

    assert len(choice.kept) + len(choice.omitted) == 10_000
    assert sum(counted) < 3 * sum(len(quote.text) for quote in candidates)


@given(
    st.lists(st.builds(Quote, ids, texts.map(lambda text: text * 9)), max_size=15),
    st.integers(0, 400),
    st.sampled_from([words, len, greedy]),
)
def test_the_block_keeps_the_budget_and_every_prompt_is_quoted_or_named(candidates, budget, count):
    choice = choose_quotes(candidates, budget, count)

    assert count(quote_block(choice.quotes)) <= max(0, budget)
    assert choice.kept == tuple(quote.id for quote in choice.quotes)
    assert sorted([*choice.kept, *choice.omitted]) == sorted(quote.id for quote in candidates)
    assert choose_quotes(candidates, budget, count) == choice


@given(st.lists(st.builds(Quote, ids, texts, st.just(True)), min_size=1, max_size=8), st.integers(0, 300))
def test_the_oldest_is_whole_whenever_it_alone_fits(candidates, budget):
    choice = choose_quotes(candidates, budget, words)

    if words(quote_block(candidates[:1])) <= budget:
        assert choice.quotes[0].whole
        assert choice.quotes[0].id == candidates[0].id


def test_a_long_newest_prompt_does_not_silence_the_short_rules_before_it():
    candidates = [Quote("m0", "task " * 10), Quote("m1", "never push to main"), Quote("m2", "log line " * 30)]

    chosen = choose_quotes(candidates, 110, lambda text: len(text.split()))

    assert ("m0" in chosen.kept, "m1" in chosen.kept, chosen.quotes[1].whole) == (True, True, True)
