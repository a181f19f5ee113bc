"""Texts to fit the conservative counter on: transcripts, what a machine has lying about, and generated extremes.

Everything is sorted and drawn with fixed seeds, so the same machine gives the same texts. Each text carries the name of
where it comes from; the fit weighs by it and holds out by it.
"""

import base64
import gettext
import gzip
import html
import json
import re
import string
import subprocess
import sysconfig
import uuid
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

Named = tuple[str, str]
"""Where a text comes from, and the text."""


# --- transcripts -------------------------------------------------------------------------------------------------------


def transcripts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Give every transcript of a data folder with all string values of its JSON."""
    for path in sorted(folder.glob("*/*")):
        if path.parent.name != "LICENSES" and path.is_file():
            texts: list[str] = []
            for document in _documents(path):
                _strings(document, texts)
            yield str(path.relative_to(folder)), texts


def _documents(path: Path) -> Iterator[Any]:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            yield from (json.loads(archive.read(name)) for name in sorted(archive.namelist()) if name.endswith(".json"))
        return
    raw = path.read_text("utf-8", "replace")
    if path.suffix == ".md":
        yield raw
        return
    try:
        yield json.loads(raw)
    except ValueError:
        for line in raw.split("\n"):
            yield from _line(line)


def _line(line: str) -> Iterator[Any]:
    """Read the documents of a line, of which a malformed one may hold several; what is left over is text."""
    decoder, at = json.JSONDecoder(), 0
    while line[at:].strip():
        try:
            document, end = decoder.raw_decode(line[at:].lstrip())
        except ValueError:
            yield line[at:]
            return
        yield document
        at = len(line) - len(line[at:].lstrip()) + end


def _strings(value: Any, into: list[str]) -> None:
    if isinstance(value, str):
        into.append(value)
    elif isinstance(value, list):
        for item in value:
            _strings(item, into)
    elif isinstance(value, dict):
        for item in value.values():
            _strings(item, into)


# --- what the machine has ----------------------------------------------------------------------------------------------

_KINDS = {
    "py": 260, "js": 200, "json": 160, "md": 120, "h": 80, "c": 50, "html": 160, "txt": 100, "rst": 40,
    "pl": 40, "pm": 60, "pod": 60, "xml": 80, "php": 60, "sql": 60, "vim": 60, "cmake": 40, "tcl": 40,
    "toml": 40, "yaml": 80, "yml": 40, "css": 30, "sh": 60, "ts": 60, "map": 20, "pyi": 60, "mjs": 40,
    "csv": 30, "svg": 20, "conf": 40, "m4": 30, "service": 30, "pem": 20, "cfg": 20, "properties": 20,
    "rules": 20, "dtd": 20, "xsl": 20, "log": 10, "diff": 10, "patch": 10,
}  # fmt: skip
"""How many files of each kind to take at most; kinds that are common in transcripts more than others."""

_COMMANDS = (
    "ls -laR /usr/share/doc", "find /usr/lib/python3 /usr/share -type f", "dpkg -l", "cat /var/log/dpkg.log",
    "objdump -d /bin/ls", "readelf -a /bin/ls", "xxd /bin/ls", "od -c /bin/ls", "strings /bin/bash",
    "grep -rn import /usr/lib/python3", "sha256sum /usr/bin/*", "git help -a", "git log -p --stat -n 200",
    "cat /usr/share/common-licenses/GPL-3 /usr/share/common-licenses/Apache-2.0",
)  # fmt: skip


def machine(seed: int = 5) -> Iterator[Named]:
    """Give pieces of source code, documents, manual pages, translations and command output of this machine."""
    random = Random(seed)
    roots = [
        Path(sysconfig.get_path("stdlib")),
        Path(sysconfig.get_path("purelib")),
        Path("/usr/share"),
        Path("/usr/lib"),
    ]
    by_kind: dict[str, set[Path]] = defaultdict(set)
    for root in roots:
        for path in root.rglob("*.*") if root.is_dir() else ():
            by_kind[path.suffix[1:]].add(path)
    for kind, most in _KINDS.items():
        paths = sorted(by_kind[kind])
        random.shuffle(paths)
        taken = 0
        for path in paths:
            text = _read(path)
            pieces = list(_pieces(text, random, 2))
            if kind == "html":
                bare = html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", "", text))
                pieces += _pieces(re.sub(r"\n\s*\n+", "\n\n", bare), random, 2)
            yield from ((f"file:{kind}", piece) for piece in pieces)
            taken += bool(pieces)
            if taken == most:
                break
    yield from _manuals(random)
    yield from _translations(sorted(by_kind["mo"]), random)
    for command in _COMMANDS:
        ran = subprocess.run(command, shell=True, capture_output=True, check=False)
        yield from (
            (f"command:{command.split()[0]}", piece)
            for piece in _pieces(ran.stdout[:3_000_000].decode("utf-8", "replace"), random, 20)
        )


def _read(path: Path, most: int = 400_000) -> str:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            raw = file.read(most)
    except OSError:
        return ""
    return "" if b"\0" in raw[:2000] else raw.decode("utf-8", "ignore")


def _pieces(text: str, random: Random, most: int) -> Iterator[str]:
    for _ in range(most):
        length = random.choice([220, 300, 500, 900, 1500, 3000, 8000])
        start = random.randint(0, max(0, len(text) - length))
        piece = text[start : start + length]
        if len(piece) >= 200:
            yield piece


def _manuals(random: Random) -> Iterator[Named]:
    for folder in sorted(Path("/usr/share/man").glob("*")):
        pages = sorted(folder.rglob("*.gz"))
        random.shuffle(pages)
        for page in pages[:25]:
            yield from ((f"man:{folder.name}", piece) for piece in _pieces(_read(page), random, 2))


def _translations(catalogues: list[Path], random: Random) -> Iterator[Named]:
    by_language: dict[str, list[str]] = defaultdict(list)
    for path in catalogues:
        try:
            with path.open("rb") as file:
                catalogue: dict[Any, str] = vars(gettext.GNUTranslations(file))["_catalog"]
        except (OSError, LookupError, ValueError):
            continue
        by_language[path.parts[-3]] += [
            text for _, text in sorted((str(key), text) for key, text in catalogue.items()) if text
        ]
    for language, messages in sorted(by_language.items()):
        for _ in range(20 if len(messages) >= 40 else 0):
            parts = random.sample(messages, min(len(messages), random.choice([6, 12, 30, 80])))
            text = random.choice(["\n", " ", "\n\n", ". "]).join(parts)[:6000]
            if len(text) >= 200:
                yield f"language:{language}", text


# --- generated ---------------------------------------------------------------------------------------------------------

_RANGES = {
    "cjk": (0x4E00, 0x9FA5), "cjk-a": (0x3400, 0x4DBF), "cjk-b": (0x20000, 0x2A6D6),
    "cjk-signs": (0x3000, 0x303F), "cjk-compatible": (0xF900, 0xFAFF), "hiragana": (0x3041, 0x3096),
    "katakana": (0x30A1, 0x30FA), "bopomofo": (0x3105, 0x312F), "hangul": (0xAC00, 0xD7A3),
    "jamo": (0x1100, 0x11FF), "hangul-jamo": (0x3131, 0x318E), "fullwidth": (0xFF01, 0xFF5E),
    "cyrillic": (0x410, 0x44F), "cyrillic-all": (0x400, 0x4FF), "greek": (0x391, 0x3C9),
    "hebrew": (0x5D0, 0x5EA), "arabic": (0x621, 0x64A), "arabic-all": (0x600, 0x6FF), "thai": (0xE01, 0xE3A),
    "devanagari": (0x905, 0x939), "bengali": (0x985, 0x9B9), "tamil": (0xB85, 0xBB9),
    "georgian": (0x10D0, 0x10F0), "armenian": (0x531, 0x586), "ethiopic": (0x1200, 0x137C),
    "khmer": (0x1780, 0x17B3), "tibetan": (0xF40, 0xF6C), "cherokee": (0x13A0, 0x13F4), "latin-1": (0xC0, 0xFF),
    "latin-signs": (0xA0, 0xBF), "c1": (0x80, 0x9F), "latin-extended": (0x100, 0x17F),
    "vietnamese": (0x1EA0, 0x1EF9), "ipa": (0x250, 0x2AF), "emoji": (0x1F300, 0x1F5FF),
    "faces": (0x1F600, 0x1F64F), "emoji-2": (0x1F900, 0x1F9FF), "flags": (0x1F1E6, 0x1F1FF),
    "boxes": (0x2500, 0x257F), "blocks": (0x2580, 0x259F), "arrows": (0x2190, 0x21FF),
    "operators": (0x2200, 0x22FF), "braille": (0x2800, 0x28FF), "dingbats": (0x2700, 0x27BF),
    "signs": (0x2600, 0x26FF), "technical": (0x2300, 0x23FF), "punctuation": (0x2010, 0x205E),
    "currency": (0x20A0, 0x20BF), "enclosed": (0x2460, 0x24FF), "subscripts": (0x2070, 0x209C),
    "math-letters": (0x1D400, 0x1D7FF), "cuneiform": (0x12000, 0x123FF), "gothic": (0x10330, 0x1034A),
    "private": (0xE000, 0xF8FF), "yi": (0xA000, 0xA48C),
}  # fmt: skip
_HEX, _DIGITS, _LOWER, _UPPER = "0123456789abcdef", string.digits, string.ascii_lowercase, string.ascii_uppercase
_ALPHABETS = {
    "lower": _LOWER, "upper": _UPPER, "letters": string.ascii_letters, "alnum": string.ascii_letters + _DIGITS,
    "lower-digits": _LOWER + _DIGITS, "upper-digits": _UPPER + _DIGITS, "digits": _DIGITS, "bits": "01",
    "hex": _HEX, "HEX": _HEX.upper(), "base64": string.ascii_letters + _DIGITS + "+/",
    "base64url": string.ascii_letters + _DIGITS + "-_", "punctuation": string.punctuation,
    "printable": string.printable, "ascii": "".join(map(chr, range(128))), "dna": "ACGT",
    "protein": "ACDEFGHIKLMNPQRSTVWY", "brackets": "()[]{}<>", "operators": "+-*/=<>!&|^%~", "blanks": " \n\t",
    "quotes": "\"'`", "stops": ".,;:", "consonants": "bcdfghjklmnpqrstvwxz", "vowels": "aeiou",
    "rare": "jqxzkvw", "controls": "".join(map(chr, range(1, 32))),
}  # fmt: skip
_RUNS = [
    *"abzxAZ019 \n\t.-=_*#/\\\"'()<>~^|%@!?;:&$+`\0\x1b\x7f中的あア가😀жяعمéüßñกहαωא─█…—’“\u200b\ufeff\u00a0\u3000\u200d\ufe0f\ufffd",
    "\r\n", "()", "[]", "{}", "ab", "xy", "1\n", "12\n", "a\n", "\n ", "a ", "1 ", "1,", "0.", ".\n", "- ",
    "aB", "Ab", "a1", "1a", "A1", ".a", "a.", "_a", "a_", "-1", "\\n", '\\"', '{"', '"}', "],[", "ha", "lol",
    "qz", "XQ", "\n\n\n", " \n", "  \n", "\t\n", "//", "/*", "==", "!=", "->", "=>", "...", "!!", "$$", "<br>",
    "</a>", "null,", "true,", "0,", "0, ", "[],", "{},", '"",', '" "', "😀 ", "中 ", "中，", "あ。", "👍🏽",
    "👨\u200d👩\u200d👧", "1\ufe0f\u20e3", "🇩🇪", "aaaa ", "REDACTED", "REDACTED/", "[REDACTED]", "XXXX-",
]  # fmt: skip
_WORDS = [
    "id",
    "name",
    "value",
    "status",
    "created",
    "user",
    "count",
    "total",
    "price",
    "error",
    "path",
    "type",
    "data",
    "result",
    "index",
    "content",
    "message",
    "tool",
    "call",
    "input",
    "output",
    "file",
    "line",
    "size",
    "time",
    "the",
    "of",
    "to",
    "and",
    "is",
    "not",
    "for",
    "with",
    "this",
    "that",
    "from",
    "have",
    "been",
    "were",
    "which",
    "should",
    "could",
    "would",
    "about",
    "other",
]


def generated(seed: int = 1, rounds: int = 4) -> Iterator[Named]:
    """Give random texts of single scripts and alphabets, numbers, encodings, JSON, markup, logs, and runs of one thing."""
    random = Random(seed)
    for _ in range(rounds):
        for name, (first, last) in _RANGES.items():
            yield from _of_alphabet(f"script:{name}", [chr(code) for code in range(first, last + 1)], random)
        for name, alphabet in _ALPHABETS.items():
            yield from _of_alphabet(f"alphabet:{name}", alphabet, random)
        for name, make in (*_ENCODED.items(), *_SHAPES.items()):
            yield name, make(random)
        for name, number in _NUMBERS.items():
            yield from _numbers(f"numbers:{name}", number, random)
        for _ in range(4):
            yield from _json(random)
        for run in _RUNS:
            yield f"run:{run!r}", run * (random.choice([200, 333, 1000, 5000]) // len(run) + 1)
    yield from ((f"run:{chr(code)!r}", chr(code) * 400) for code in range(128) if chr(code) != "\r")


def cycles(classes: tuple[str, ...], seed: int = 2) -> Iterator[Named]:
    """Give texts that walk round a few byte classes and never leave them.

    Real text leaves some ways round the classes nearly free of charge; these texts put a price on each.
    """
    random = Random(seed)
    rounds = [(a, b) for a in classes for b in classes if a < b]
    rounds += [tuple(random.choice(classes) for _ in range(size)) for size in (3, 4, 5) for _ in range(120)]
    for way in rounds:
        yield f"cycle of {len(way)}", "".join(random.choice(name) for _ in range(400 // len(way)) for name in way)


def words(prose: Iterable[str], seed: int = 3) -> Iterator[Named]:
    """Give the words of `prose` in other dress: capitals, identifiers, paths, and with redaction marks between."""
    counts: dict[str, int] = defaultdict(int)
    for text in prose:
        for word in re.findall(r"[a-z]{2,14}", text):
            counts[word] += 1
    common = sorted(counts, key=lambda word: (-counts[word], word))[:9000]
    random = Random(seed)

    def pick() -> str:
        return common[min(int(random.expovariate(1 / 900)), len(common) - 1)]

    dresses: dict[str, Callable[[str], str]] = {
        "lower": str, "upper": str.upper, "title": str.title, "numbered": lambda word: word + str(random.randint(0, 99)),
        "mixed": lambda word: random.choice([word, word.upper(), word.title(), str(random.randint(0, 999))]),
    }  # fmt: skip
    between = [
        " ", "_", "-", "/", ".", ", ", "\n", "", "  ", "(", ")", '="', "':\"", "::", "->", ".\n", " = ", "\n    ", "|", "\\n", "\t", "+", "&", "@",
        "#", "$", "'", "<", ">", "{", "}", "[", "];", " | ", "`", ";", "~", "^", "*", "!", "?",
    ]  # fmt: skip
    marks = [
        "REDACTED",
        "PLACEHOLDER",
        "<redacted>",
        "XXXX",
        "null",
        "undefined",
        "TODO",
        "***",
        "[MASKED]",
        "<PATH>",
        "user@example.com",
    ]
    for _ in range(3):
        for name, dress in dresses.items():
            for joint in between:
                yield (
                    f"words:{name}",
                    joint.join(dress(pick()) for _ in range(random.choice([220, 300, 600, 1500]) // 6 + 12)),
                )
        for mark in marks:
            parts = (
                random.choice(
                    [mark, _some(string.ascii_letters + _DIGITS + "+", random.randint(2, 24), random), pick()]
                )
                for _ in range(40)
            )
            yield "words:redacted", random.choice(["/", " ", "", "\n", "_"]).join(parts)


def _some(alphabet: str | list[str], count: int, random: Random) -> str:
    return "".join(random.choice(alphabet) for _ in range(count))


def _length(random: Random) -> int:
    return random.choice([210, 300, 600, 1200, 3000])


def _of_alphabet(name: str, alphabet: str | list[str], random: Random) -> Iterator[Named]:
    yield name, _some(alphabet, _length(random), random)
    yield f"{name} words", " ".join(_some(alphabet, random.randint(2, 9), random) for _ in range(_length(random) // 4))
    yield (
        f"{name} lines",
        "\n".join(_some(alphabet, random.randint(1, 40), random) for _ in range(_length(random) // 16 + 8)),
    )
    yield (
        f"{name} few",
        _some(random.sample(list(alphabet), min(len(alphabet), random.randint(2, 6))), _length(random), random),
    )
    joint = random.choice(["_", ",", ", ", ";", ".", "/", "-", ":", "|"])
    yield (
        f"{name} joined",
        joint.join(_some(alphabet, random.randint(1, 12), random) for _ in range(_length(random) // 6 + 60)),
    )


def _lines(count: int, make: Callable[[], str], joint: str = "\n") -> str:
    return joint.join(make() for _ in range(count))


def _wrapped(random: Random, width: int, joint: str) -> str:
    text = base64.b64encode(random.randbytes(_length(random))).decode()
    return joint.join(text[at : at + width] for at in range(0, len(text), width))


_ENCODED: dict[str, Callable[[Random], str]] = {
    "hex pairs": lambda r: _lines(_length(r) // 3, lambda: _some(_HEX, 2, r), " "),
    "hex literals": lambda r: _lines(_length(r) // 6, lambda: "0x" + _some(_HEX, r.choice([2, 2, 8, 16]), r), ", "),
    "hashes": lambda r: _lines(_length(r) // 40 + 6, lambda: _some(_HEX, r.choice([32, 40, 64]), r)),
    "checksums": lambda r: _lines(_length(r) // 70 + 3, lambda: f"{_some(_HEX, 64, r)}  {_some(_LOWER, 6, r)}.py"),
    "hexdump": lambda r: _lines(
        _length(r) // 78 + 3,
        lambda: (
            f"{_some(_HEX, 8, r)}  {_lines(16, lambda: _some(_HEX, 2, r), ' ')}  |{_some(string.printable[:95], 16, r)}|"
        ),
    ),
    "xxd": lambda r: _lines(
        _length(r) // 60 + 4,
        lambda: (
            f"{_some(_HEX, 8, r)}: {_lines(8, lambda: _some(_HEX, 4, r), ' ')}  {_some(string.printable[:90] + '.' * 40, 16, r)}"
        ),
    ),
    "base64 of bytes": lambda r: base64.b64encode(r.randbytes(_length(r))).decode(),
    "base64 of text": lambda r: base64.b64encode(
        _lines(_length(r) // 5, lambda: r.choice(_WORDS), " ").encode()
    ).decode(),
    "base64 lines": lambda r: _wrapped(r, 76, "\n"),
    "base64 crlf": lambda r: _wrapped(r, 64, "\r\n"),
    "base64 escaped": lambda r: _wrapped(r, 76, "\\n"),
    "base64 zeros": lambda r: base64.b64encode(bytes(_length(r))).decode(),
    "base32": lambda r: base64.b32encode(r.randbytes(_length(r))).decode(),
    "base85": lambda r: base64.b85encode(r.randbytes(_length(r))).decode(),
    "ascii85": lambda r: base64.a85encode(r.randbytes(_length(r))).decode(),
    "token": lambda r: ".".join(
        base64.urlsafe_b64encode(r.randbytes(size)).decode().rstrip("=") for size in (30, _length(r), 32)
    ),
    "data url": lambda r: "data:image/png;base64," + base64.b64encode(r.randbytes(_length(r))).decode(),
    "uuids": lambda r: _lines(_length(r) // 36 + 6, lambda: _uuid(r), r.choice(["\n", ", ", " ", ""])),
    "UUIDS": lambda r: _lines(_length(r) // 36 + 6, lambda: _uuid(r)).upper(),
    "uuid json": lambda r: json.dumps([_uuid(r) for _ in range(_length(r) // 36 + 6)]),
    "uuid keys": lambda r: json.dumps({_uuid(r): at for at in range(_length(r) // 36 + 6)}),
    "call ids": lambda r: _lines(
        _length(r) // 30 + 8,
        lambda: r.choice(["call_", "toolu_01", "fc_", "msg_"]) + _some(string.ascii_letters + _DIGITS, 24, r),
    ),
    "ulids": lambda r: _lines(_length(r) // 26 + 8, lambda: _some("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26, r)),
    "percent": lambda r: _lines(_length(r) // 3, lambda: "%" + _some(_HEX.upper(), 2, r), ""),
    "\\u": lambda r: _lines(_length(r) // 6 + 30, lambda: "\\u" + _some(_HEX, 4, r), ""),
    "\\x": lambda r: _lines(_length(r) // 4 + 30, lambda: "\\x" + _some(_HEX, 2, r), ""),
    "entities": lambda r: _lines(_length(r) // 7 + 30, lambda: f"&#{r.randint(32, 70000)};", ""),
}


def _uuid(random: Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


_SHAPES: dict[str, Callable[[Random], str]] = {
    "dates": lambda r: _lines(
        30,
        lambda: (
            f"20{r.randint(10, 30)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}T{r.randint(0, 23):02}:{r.randint(0, 59):02}:{r.randint(0, 59):02}.{r.randint(0, 999):03}Z"
        ),
    ),
    "addresses": lambda r: _lines(
        40, lambda: ".".join(str(r.randint(0, 255)) for _ in range(4)) + f":{r.randint(1, 65535)}"
    ),
    "ipv6": lambda r: _lines(20, lambda: _lines(8, lambda: _some(_HEX, 4, r), ":")),
    "mac": lambda r: _lines(30, lambda: _lines(6, lambda: _some(_HEX, 2, r), ":")),
    "epochs": lambda r: _lines(60, lambda: str(1_700_000_000 + r.randint(0, 10**8)), " "),
    "phones": lambda r: _lines(
        30, lambda: f"+{r.randint(1, 99)} ({r.randint(0, 999):03}) {r.randint(0, 999):03}-{r.randint(0, 9999):04}"
    ),
    "versions": lambda r: _lines(
        40, lambda: f"{_some(_LOWER, 6, r)}@{r.randint(0, 30)}.{r.randint(0, 30)}.{r.randint(0, 30)}"
    ),
    "colours": lambda r: _lines(60, lambda: "#" + _some(_HEX, 6, r)),
    "svg path": lambda r: (
        "M" + _lines(60, lambda: f"{r.choice('LCQHVlcqhvz')}{r.uniform(-99, 99):.2f},{r.uniform(-99, 99):.2f}", " ")
    ),
    "ansi": lambda r: _lines(
        60, lambda: f"\x1b[{r.choice([0, 1, 31, 32, 33, 90])}m{r.choice(_WORDS)}\x1b[0m{r.choice([' ', chr(10)])}", ""
    ),
    "ansi 256": lambda r: _lines(60, lambda: f"\x1b[38;5;{r.randint(0, 255)}m{r.choice('#@*.█ ')}\x1b[0m", ""),
    "ansi 24": lambda r: _lines(
        40, lambda: f"\x1b[48;2;{r.randint(0, 255)};{r.randint(0, 255)};{r.randint(0, 255)}m \x1b[0m", ""
    ),
    "progress": lambda r: "\r".join(
        f"{at:3}%|{'█' * (at // 10)}{' ' * (10 - at // 10)}| {at}/100 [{r.randint(0, 59):02}:{r.randint(0, 59):02}, {r.random() * 99:.2f}it/s]"
        for at in range(0, 100, 5)
    ),
    "table": lambda r: _lines(12, lambda: "| " + " | ".join(r.choice(_WORDS).ljust(12) for _ in range(4)) + " |"),
    "box table": lambda r: _lines(
        8,
        lambda: (
            "│ "
            + " │ ".join(r.choice(_WORDS).ljust(8) for _ in range(4))
            + " │\n├"
            + "┼".join("─" * 10 for _ in range(4))
            + "┤"
        ),
    ),
    "tree": lambda r: _lines(
        30,
        lambda: (
            "│   " * r.randint(0, 4)
            + r.choice(["├── ", "└── "])
            + r.choice(_WORDS)
            + r.choice([".py", ".ts", "", ".json"])
        ),
    ),
    "ascii tree": lambda r: _lines(30, lambda: "|   " * r.randint(0, 4) + "|-- " + r.choice(_WORDS)),
    "paths": lambda r: _lines(
        20,
        lambda: (
            "/"
            + "/".join(
                r.choice([*_WORDS, "src", "lib", "node_modules", "@types", "dist", "__pycache__"])
                for _ in range(r.randint(2, 9))
            )
            + r.choice([".py", ".ts", ".json:12:5"])
        ),
    ),
    "windows paths": lambda r: _lines(20, lambda: "C:\\" + "\\".join(r.choice(_WORDS) for _ in range(r.randint(2, 7)))),
    "urls": lambda r: _lines(
        12,
        lambda: (
            "https://"
            + r.choice(_WORDS)
            + ".example.com/"
            + "/".join(r.choice(_WORDS) for _ in range(r.randint(0, 5)))
            + "?"
            + "&".join(
                r.choice(_WORDS) + "=" + _some(_ALPHABETS["base64"], r.randint(1, 12), r)
                for _ in range(r.randint(0, 4))
            )
        ),
    ),
    "escaped lines": lambda r: _lines(80, lambda: r.choice(_WORDS), "\\n"),
    "minified": lambda r: _lines(
        120,
        lambda: (
            r.choice(
                [
                    "function ",
                    "var ",
                    "return ",
                    "if(",
                    "for(",
                    "!",
                    "&&",
                    "||",
                    "=>",
                    "{",
                    "}",
                    "(",
                    ")",
                    ";",
                    ",",
                    ".",
                    "[",
                    "]",
                    "===",
                    "?",
                    ":",
                    "+",
                    "new ",
                    "this.",
                ]
            )
            + r.choice(
                [
                    _some(string.ascii_letters, 1, r),
                    _some(string.ascii_letters, 2, r),
                    r.choice(_WORDS),
                    str(r.randint(0, 99)),
                ]
            )
        ),
        "",
    ),
    "latex": lambda r: _lines(
        60,
        lambda: r.choice(
            [
                "\\frac{a}{b}",
                "\\sum_{i=1}^{n}",
                "x^{2}",
                "\\alpha",
                "\\mathbb{R}",
                "\\begin{aligned}",
                "\\\\",
                "&=",
                "$",
                "\\left(",
                "\\right)",
                "\\cdot",
                "_{ij}",
                "\\partial",
            ]
        ),
        " ",
    ),
}

_NUMBERS: dict[str, Callable[[Random], Any]] = {
    "integers": lambda r: r.randint(0, 10**6),
    "digits": lambda r: r.randint(0, 9),
    "bytes": lambda r: r.randint(0, 255),
    "large": lambda r: r.randint(0, 10**15),
    "floats": lambda r: r.random(),
    "cents": lambda r: round(r.uniform(0, 100), 2),
    "negative": lambda r: -r.randint(0, 999),
    "powers": lambda r: r.uniform(0, 1e9) ** r.choice([1, 3, -2]),
}


def _numbers(name: str, number: Callable[[Random], Any], random: Random) -> Iterator[Named]:
    values = [number(random) for _ in range(_length(random) // 5 + 60)]
    as_text = list(map(str, values))
    yield f"{name} compact", json.dumps(values, separators=(",", ":"))
    yield f"{name} spaced", json.dumps(values)
    yield f"{name} indented", json.dumps(values, indent=2)
    yield f"{name} tabs", "\t".join(as_text)
    yield f"{name} blanks", " ".join(as_text)
    yield f"{name} lines", "\n".join(as_text)
    yield f"{name} csv", "\n".join(",".join(as_text[at : at + 6]) for at in range(0, len(values), 6))
    yield (
        f"{name} objects",
        json.dumps([{"x": x, "y": y} for x, y in zip(values[::2], values[1::2], strict=False)], separators=(",", ":")),
    )


def _json(random: Random) -> Iterator[Named]:
    document = [_object(random, 3) for _ in range(_length(random) // 100 + 3)]
    yield "json compact", json.dumps(document, separators=(",", ":"))
    yield "json spaced", json.dumps(document)
    for indent in (2, 4, "\t"):
        yield f"json indented {indent!r}", json.dumps(document, indent=indent)
    yield "json lines", "\n".join(map(json.dumps, document))
    yield "json in json", json.dumps(json.dumps(document))
    yield "json in json in json", json.dumps({"arguments": json.dumps({"a": json.dumps(document, indent=1)})})


def _object(random: Random, depth: int) -> dict[str, Any]:
    return {
        random.choice(_WORDS) + random.choice(["", "_id", "Count", "s"]): _value(random, depth)
        for _ in range(random.randint(1, 8))
    }


def _value(random: Random, depth: int) -> Any:
    kind = random.random()
    if kind < 0.25:
        return random.randint(0, 10 ** random.randint(1, 12))
    if kind < 0.4:
        return round(random.uniform(-1000, 1000), random.randint(1, 12))
    if kind < 0.5:
        return random.choice([True, False, None])
    if kind < 0.7 or depth == 0:
        return " ".join(random.choice(_WORDS) for _ in range(random.randint(1, 8)))
    if kind < 0.8:
        return _some(random.choice([_HEX, _ALPHABETS["base64"], _LOWER]), random.randint(4, 40), random)
    return (
        _object(random, depth - 1) if kind < 0.9 else [_value(random, depth - 1) for _ in range(random.randint(0, 6))]
    )
