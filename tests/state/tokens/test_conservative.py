"""The estimator: what holds for every text, and how it compares with the exact counts on texts of our own."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.tokens import ConservativeCounter, TokenCounter

from .samples import PROSE, SOURCES, generated

count = ConservativeCounter().count
anything = st.text(st.characters(exclude_categories=()), max_size=400)
pieces = st.sampled_from(["word ", "日本", "🙂", "\n\n", "0x1f", '{"a": 1}', "ß", "\ud83d", "Кот", "=="])
texts = anything | st.lists(pieces, max_size=60).map("".join)
Real = Callable[[str], int]


def test_it_is_a_token_counter():
    assert isinstance(ConservativeCounter(), TokenCounter)
    assert ConservativeCounter().name == "conservative"


def test_the_empty_text_costs_nothing():
    assert count("") == 0


@given(texts)
def test_every_text_that_is_not_empty_costs_at_least_one_and_at_most_two_per_byte(text: str):
    assert bool(text) <= count(text) <= 2 * len(text.encode("utf-8", "surrogatepass")) + 2


@given(texts, texts)
def test_two_texts_cost_together_what_they_cost_apart_within_five(first: str, second: str):
    assert abs(count(first + second) - count(first) - count(second)) <= 5


@given(texts, texts)
def test_appending_never_lowers_the_count_by_more_than_two(text: str, more: str):
    assert count(text + more) >= count(text) - 2


@given(st.text("漢字的一中文龘鿕ㄅかなカナ한국어뷁가", min_size=1))
def test_each_chinese_japanese_or_korean_character_costs_at_least_one(text: str):
    assert count(text) >= len(text)


@given(st.text(st.characters(min_codepoint=0x10000), min_size=1))
def test_each_astral_character_costs_at_least_two(text: str):
    assert count(text) >= 2 * len(text)


@given(
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", min_size=1, max_size=20), st.randoms()
)
def test_base64_costs_at_least_two_thirds_of_its_characters(start: str, random):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = start + "".join(random.choices(alphabet, k=2000))

    assert count(text) >= len(text) * 2 / 3


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ud83d\ude00", "\udc80" * 1000])
def test_a_lone_surrogate_is_counted(text: str):
    assert count(text) >= len(text) // 2


@pytest.mark.parametrize("unit", ["a", "the cat ", "1\n", "漢字", "é", "🙂", " ", "</p>", "\t"])
def test_a_text_repeated_a_thousand_times_costs_a_thousand_times_as_much(unit: str):
    assert count(unit * 1_000_000) == pytest.approx(1000 * count(unit * 1000), rel=0.02, abs=1000)


def test_lines_of_one_digit_cost_at_least_one_for_each_character():
    assert count("1\n" * 30_000) >= 60_000


@pytest.mark.parametrize("name", PROSE)
def test_english_prose_is_over_by_less_than_35_percent(name: str, real: Real):
    assert 1 <= count(PROSE[name]) / real(PROSE[name]) < 1.35


@pytest.mark.parametrize("name", SOURCES)
def test_a_text_of_our_own_corpus_is_not_under_and_not_far_over(name: str, real: Real):
    highest = 2.7 if name == "russian" else 2.0

    assert 1 <= count(SOURCES[name]) / real(SOURCES[name]) < highest


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("name", generated(0))
def test_random_text_of_a_kind_is_never_under_by_more_than_5_percent(name: str, seed: int, real: Real):
    text = generated(seed)[name]

    assert count(text) >= 0.95 * real(text)


@pytest.mark.parametrize(
    "sign", [*map(chr, range(32, 127)), "\n", "\t", "\0", "\x1b", "中", "あ", "가", "ж", "ع", "é", "😀", "─", "█"]
)
def test_a_run_of_one_character_is_hardly_under(sign: str, real: Real):
    assert count(sign * 500) >= 0.93 * real(sign * 500)
