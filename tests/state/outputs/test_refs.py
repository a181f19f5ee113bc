import hashlib

import pytest

from turngraph.state.errors import OutputRefMalformed
from turngraph.state.outputs import check_ref, find_refs, is_ref, ref_of

GOOD = ["tool-output-0123456789abcdef", "tool-output-" + "f" * 64, "tool-output-" + "0" * 17]
BAD = [
    "",
    "tool-output-",
    "tool-output-0123456789abcde",
    "tool-output-" + "f" * 65,
    "tool-output-0123456789ABCDEF",
    "Tool-output-0123456789abcdef",
    " tool-output-0123456789abcdef",
    "tool-output-0123456789abcdef\n",
    "tool-output-0123456789abcdef/..",
    "../tool-output-0123456789abcdef",
    "/etc/passwd",
    "tool-output-0123456789abcdef\0",
    "tool-output-\N{ARABIC-INDIC DIGIT ONE}123456789abcdef",
]


@pytest.mark.parametrize("ref", GOOD)
def test_sixteen_to_sixty_four_lower_case_hex_digits_are_a_reference(ref):
    assert is_ref(ref)
    assert check_ref(ref) == ref


@pytest.mark.parametrize("ref", BAD)
def test_anything_else_is_malformed(ref):
    assert not is_ref(ref)
    with pytest.raises(OutputRefMalformed) as caught:
        check_ref(ref)
    assert caught.value.code == "output_ref_malformed"
    assert caught.value.exit_code == 1


def test_the_reference_of_a_text_is_half_of_its_sha_256():
    assert ref_of("甲\n") == "tool-output-" + hashlib.sha256("甲\n".encode()).hexdigest()[:32]
    assert ref_of("") == "tool-output-e3b0c44298fc1c149afbf4c8996fb924"


def test_references_are_found_in_prose_once_each_and_in_order():
    first, second = "tool-output-" + "a" * 32, "tool-output-" + "b" * 16
    none = f"x{first}, {first}0g, {first}-1, tool-output-abc"
    text = f"{none} see {second}, ref={first}; `{second}` ({first})."

    assert find_refs(text) == [second, first]
    assert find_refs(none) == []
