import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.outputs.search import find_literal

DOTTED_I, KELVIN, LONG_S, SHARP_S = "\u0130", "\u212a", "\u017f", "\u00df"


def slow_model(text, query, *, case_sensitive):
    """Every start, every end: the definition of a caseless match, leftmost first."""

    def fold(piece):
        return piece if case_sensitive else "".join(point.casefold() for point in piece)

    wanted, found, start = fold(query), [], 0
    while start < len(text):
        ends = [end for end in range(start + 1, len(text) + 1) if fold(text[start:end]) == wanted]
        if ends:
            found.append((start, ends[0]))
        start = ends[0] if ends else start + 1
    return found


ALPHABET = st.sampled_from([*"abksiSKIß ", DOTTED_I, KELVIN, LONG_S, "\u0307", "ﬃ", "f", "甲", "\u1e9e"])


@given(st.text(ALPHABET, max_size=40), st.text(ALPHABET, min_size=1, max_size=4), st.booleans())
def test_search_agrees_with_the_definition(text, query, case_sensitive):
    found = find_literal(text, query, case_sensitive=case_sensitive, at_most=3)

    right = slow_model(text, query, case_sensitive=case_sensitive)
    assert found.total == len(right)
    assert [tuple(span) for span in found.spans] == right[:3]


@given(st.text(max_size=60), st.integers(0, 50), st.integers(1, 10))
def test_every_piece_of_a_text_is_found_in_it_whatever_its_case(text, start, length):
    query = text[start : start + length] or "x"
    text = text or "x"

    assert find_literal(text, query.upper(), case_sensitive=False, at_most=1).total == len(
        slow_model(text, query.upper(), case_sensitive=False)
    )


@pytest.mark.parametrize(
    ("text", "query", "spans"),
    [
        (f"{DOTTED_I}{DOTTED_I} needle", "NEEDLE", [(3, 9)]),
        (f"{DOTTED_I}stanbul", "i\u0307STANBUL", [(0, 8)]),
        (f"{DOTTED_I}stanbul", "istanbul", []),
        (f"Stra{SHARP_S}e, STRASSE", "strasse", [(0, 6), (8, 15)]),
        ("STRASSE", f"stra{SHARP_S}e", [(0, 7)]),
        (f"{SHARP_S}", "s", []),
        (f"{SHARP_S}{SHARP_S}", "SSS", []),
        (f"s{SHARP_S}s", "ss", [(1, 2)]),
        (f"{SHARP_S}{SHARP_S}s", "sss", [(1, 3)]),
        (f"{LONG_S}it", "SIT", [(0, 3)]),
        (f"300 {KELVIN}", "300 k", [(0, 5)]),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", [(0, 7)]),
        ("ﬃ", "FFI", [(0, 1)]),
        ("ﬃ", "ff", []),
        ("aaaa", "AA", [(0, 2), (2, 4)]),
        ("e\u0301", "\u00e9", []),
        ("甲甲乙", "甲乙", [(1, 3)]),
    ],
)
def test_full_case_folding_with_offsets_in_the_text(text, query, spans):
    found = find_literal(text, query, case_sensitive=False, at_most=9)

    assert [tuple(span) for span in found.spans] == spans


def test_case_sensitive_search_compares_code_points():
    found = find_literal(f"{SHARP_S}SS ss", "ss", case_sensitive=True, at_most=9)

    assert [tuple(span) for span in found.spans] == [(4, 6)]


def test_more_matches_than_asked_for_are_counted():
    assert find_literal("k.k.k.k.k.k.k.", "K", case_sensitive=False, at_most=5).total == 7
    assert find_literal("k.k.k.k.ß.k.k.k.", "K", case_sensitive=False, at_most=5).total == 7


@pytest.mark.parametrize(("needle", "count"), [(31, 0), (32, 62), (33, 0)])
def test_many_hits_inside_foldings_end_in_one_pass_with_the_same_result(needle, count):
    text = SHARP_S * 1000

    found = find_literal(text, "s" * needle, case_sensitive=False, at_most=2)

    assert found.total == count
    assert [tuple(span) for span in found.spans] == [(0, 16), (16, 32)][:count]


def test_the_one_pass_finds_what_comes_after_the_hits_inside_foldings():
    text = SHARP_S * 500 + "x" + "s" * 7 + SHARP_S + "x" + "sssss"

    found = find_literal(text, "sssss", case_sensitive=False, at_most=9)

    assert [tuple(span) for span in found.spans] == [(501, 506), (510, 515)]


def test_the_one_pass_gets_over_hits_that_begin_and_break_off():
    text = f"{SHARP_S}x" * 400 + "y" + f"sx{SHARP_S}x{SHARP_S}y" + f"sx{SHARP_S}xssx{SHARP_S}x"

    found = find_literal(text, "sxssxssxssx", case_sensitive=False, at_most=9)

    assert [tuple(span) for span in found.spans] == [(807, 816)]
    assert found.total == 1
