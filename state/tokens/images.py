"""What an image costs, by its size and never by the length of its encoding."""

import binascii
import re
from base64 import b64decode

__all__ = ["FLOOR_TOKENS", "UNKNOWN_TOKENS", "image_tokens"]

PIXELS_PER_TOKEN = 750
"""Anthropic prices an image at width x height / 750 (docs.anthropic.com/en/docs/vision, "Evaluate image size")."""
UNKNOWN_TOKENS = 1600
"""Price of an image of unknown size, and the most that one costs.

Anthropic scales what would cost more than about 1,600 tokens down to it (same page); OpenAI's tiles end at
85 + 8 x 170 = 1,445 and its 32-pixel patches at 1,536 (platform.openai.com/docs/guides/images-vision).
"""
FLOOR_TOKENS = 85
"""The least that an image costs: OpenAI's price of one at low detail (same page)."""

_PREFIX_BYTES = 96 * 1024
"""How much of the data is looked at: a JPEG may hold one EXIF segment of 64 KiB and a profile before its size."""
_DATA_URL = re.compile(r"data:[^,]{0,200},")


def image_tokens(width: int | None = None, height: int | None = None, data: bytes | str | None = None) -> int:
    """Price an image in tokens: by `width` and `height` in pixels, else by the size in the header of `data`.

    `data` is the file itself or its base64 (a data URL is fine) of a PNG, JPEG, GIF or WebP; only its first 96 KiB are
    decoded. Where no size can be found the image costs `UNKNOWN_TOKENS`. Never raises.
    """
    if not (width and height and width > 0 and height > 0):
        size = _size(_prefix(data)) if data else None
        if size is None:
            return UNKNOWN_TOKENS
        width, height = size
    return min(max(-(-width * height // PIXELS_PER_TOKEN), FLOOR_TOKENS), UNKNOWN_TOKENS)


def _prefix(data: bytes | str) -> bytes:
    if isinstance(data, bytes):
        return data[:_PREFIX_BYTES]
    start = match.end() if (match := _DATA_URL.match(data)) else 0
    encoded = "".join(data[start : start + _PREFIX_BYTES * 4 // 3].split())
    try:
        return b64decode(encoded[: len(encoded) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _size(head: bytes) -> tuple[int, int] | None:
    """Read width and height from the header of an image file; None where there is none."""
    size = None
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        size = _big(head[16:20]), _big(head[20:24])
    elif head.startswith((b"GIF87a", b"GIF89a")):
        size = _little(head[6:8]), _little(head[8:10])
    elif head.startswith(b"\xff\xd8"):
        size = _jpeg_size(head)
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        size = _webp_size(head)
    return size if size and size[0] and size[1] else None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            return _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7])
        # 0xFF may be repeated as padding; every segment but the size itself is skipped by its own length.
        at += 1 if marker == 0xFF else 2 + _big(head[at + 2 : at + 4])
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8 ":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    if kind == b"VP8L":
        bits = _little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _little(head[24:27]) + 1, _little(head[27:30]) + 1
    return None


def _big(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _little(raw: bytes) -> int:
    return int.from_bytes(raw, "little")
