"""Images cost by their size, given or read from a header, never by the length of their encoding."""

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turngraph.state.tokens import image_tokens


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\0\0\0"


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\xf7\0\0"


def jpeg(width: int, height: int, *, before: bytes = b"\xff\xe0\x00\x04ab", marker: int = 0xC0) -> bytes:
    return b"\xff\xd8" + before + bytes([0xFF, marker]) + struct.pack(">HBHH", 17, 8, height, width) + b"\x03"


def webp(width: int, height: int) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + size


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF\0\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)


def webp_lossless(width: int, height: int) -> bytes:
    return b"RIFF\0\0\0\0WEBPVP8L\x0a\0\0\0\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (750, 100, 100),
        (751, 100, 101),
        (1000, 1000, 1334),
        (1, 1, 85),
        (250, 255, 85),
        (1096, 1095, 1600),
        (8000, 8000, 1600),
    ],
)
def test_an_image_costs_its_pixels_by_750_rounded_up_from_85_to_1600(width: int, height: int, tokens: int):
    assert image_tokens(width, height, None) == tokens


@pytest.mark.parametrize("size", [(None, None), (0, 100), (100, None), (-5, 5)])
def test_an_image_of_unknown_size_costs_1600(size: tuple[int | None, int | None]):
    assert image_tokens(*size, None) == 1600


@pytest.mark.parametrize("make", [png, gif, jpeg, webp, webp_lossy, webp_lossless])
def test_the_size_is_read_from_the_header(make):
    assert image_tokens(None, None, make(600, 500)) == 400
    assert image_tokens(None, None, base64.b64encode(make(600, 500) + bytes(1000)).decode()) == 400


@pytest.mark.parametrize(
    "before",
    [
        b"\xff\xe1" + struct.pack(">H", 65_535) + bytes(65_533),
        b"\xff\xff\xe0\x00\x04ab",
        b"\xff\xc4\x00\x05abc\xff\xfe\x00\x03!",
    ],
)
def test_the_size_of_a_jpeg_is_found_behind_other_segments(before: bytes):
    assert image_tokens(None, None, jpeg(600, 500, before=before, marker=0xC2)) == 400


def test_a_data_url_and_broken_lines_are_read():
    encoded = base64.encodebytes(png(600, 500)).decode()

    assert image_tokens(None, None, "data:image/png;base64," + encoded) == 400


def test_given_dimensions_go_before_the_header():
    assert image_tokens(750, 200, png(600, 500)) == 200


def test_the_length_of_the_encoding_does_not_matter():
    long = base64.b64encode(png(600, 500) + bytes(3_000_000)).decode()

    assert image_tokens(None, None, long) == 400


@pytest.mark.parametrize(
    "data",
    [
        b"",
        "",
        "not base64 !",
        "é",
        png(0, 7),
        png(600, 500)[:18],
        jpeg(6, 5)[:6],
        b"RIFF\0\0\0\0WEBPVP9 ",
        b"\xff\xd8\xff\xe0\0\0" * 9,
    ],
)
def test_data_without_a_size_costs_1600(data: bytes | str):
    assert image_tokens(None, None, data) == 1600


@given(
    st.binary(max_size=60) | st.text(max_size=60),
    st.sampled_from([b"", b"\xff\xd8\xff", b"RIFF0000WEBPVP8L", b"\x89PNG\r\n\x1a\n0000IHDR", b"GIF89a"]),
)
def test_any_data_has_a_price_within_the_bounds(data: bytes | str, start: bytes):
    assert 85 <= image_tokens(None, None, start + data if isinstance(data, bytes) else data) <= 1600
