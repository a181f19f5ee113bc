"""Fit the prices of the conservative counter and print `state/tokens/weights.py`.

    python benchmarks/fit_conservative.py ../shared/data > weights.py     # the table; takes some minutes, one core
    python benchmarks/fit_conservative.py ../shared/data --hold-out 0     # fit on one half, report on the other

Needs the exact tokenizers (`pip install '.[offline]'`), no network, nothing else. The transcripts come from the folder, the
other texts from the machine and from fixed seeds (`fit_texts.py`): on the same machine the same table comes out; on another one
the translations and sources differ, and so do the prices a little. Progress and reports go to stderr.

The fit minimises the squared relative error, counting an estimate that is too low up to 3,000 times as much as one that is too
high (`TOO_LOW`). That is convex, so plain coordinate descent ends at the best prices; they are then rounded to 1/60 token, a
few at a time, while the others still move.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import fit_texts

sys.path.insert(0, str(Path(__file__).parent.parent))
from turngraph.state.tokens import TiktokenCounter
from turngraph.state.tokens.conservative import BYTE_CLASSES, blocks_of, pairs_of

UNITS_PER_TOKEN = 60
COMMON_DISCOUNT = 1.5
WEIGHT = {"transcript": 2.0, "machine": 1.0, "words": 0.3, "generated": 0.5, "cycles": 0.2}
TOO_LOW = {"transcript": 1000, "machine": 500, "words": 200, "generated": 3000, "cycles": 1000}
"""How much more an estimate that is too low counts than one that is too high."""
MARGIN = {"transcript": 0.02, "machine": 0.02, "words": 0.02, "generated": -0.02, "cycles": -0.5}
"""Where too low begins, beyond the exact count."""
RIDGE = 1e-4
"""Holds a price that the texts say little about near its start, half a token a pair."""
TOLERANCE = 2e-4
EMOJI = b"\xf0\x9f"
PAIRS, BLOCKS = 256, 256
EMOJI_AT = PAIRS + BLOCKS
"""Columns: 256 pairs, 256 blocks of code points, the emoji discount. The discount of common characters is given."""
MERGED = {
    0x34: range(0x34, 0x4E),
    0x4E: range(0x4E, 0xA0),
    0xA0: range(0xA0, 0xAC),
    0xAC: range(0xAC, 0xD8),
    0xD8: range(0xD8, 0xDC),
    0xE0: range(0xE0, 0xFF),
}
"""Blocks that share one price."""
BLOCK_COLUMN = list(range(BLOCKS))
for first, blocks in MERGED.items():
    for block in blocks:
        BLOCK_COLUMN[block] = first
AT_LEAST_ONE = {0x30, 0x31, 0x32, 0x33, 0x34, 0x4E, 0xA0, 0xAC, 0xFF}
"""Blocks of Chinese, Japanese and Korean characters: a common one must still cost a token."""


@dataclass(slots=True, kw_only=True)
class Sample:
    """One text, its exact count and its features."""

    kind: str
    """`transcript`, `machine`, `words`, `generated` or `cycles`."""
    source: str
    size: int
    real: int
    prose: bool
    ascii: bool
    columns: dict[int, int] = field(default_factory=dict)
    given: float = 0.0
    """Tokens that are priced already: the discount of common characters."""

    def estimate(self, prices: list[float]) -> float:
        return self.given + sum(prices[column] * count for column, count in self.columns.items())


class Sampler:
    def __init__(self) -> None:
        self.counters = TiktokenCounter("o200k_base"), TiktokenCounter("cl100k_base")
        single = [
            chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000 and self.real(chr(code)) == 1
        ]
        self.common = "".join(single)
        self._uncommon = re.compile(f"[^{self.common}]+")

    def real(self, text: str) -> int:
        return max(counter.count(text) for counter in self.counters)

    def sample(self, kind: str, source: str, text: str) -> Sample:
        data = text.encode("utf-8", "replace")
        rest = data.translate(None, bytes(range(128)))
        columns: dict[int, int] = dict(Counter(pairs_of(data)))
        columns.pop(255, None)  # neighbours beyond ASCII are priced by their blocks alone
        blocks = Counter(block for block in blocks_of(rest.decode()) if not 0xDC <= block < 0xE0)
        for block, count in blocks.items():
            column = PAIRS + BLOCK_COLUMN[block]
            columns[column] = columns.get(column, 0) + count
        if EMOJI in rest:
            columns[EMOJI_AT] = -rest.count(EMOJI)
        given = -COMMON_DISCOUNT * len(self._uncommon.sub("", rest.decode()))
        return Sample(
            kind=kind,
            source=source,
            size=len(text),
            real=self.real(text),
            prose=kind in {"transcript", "machine"} and is_prose(text),
            ascii=not rest,
            columns=columns,
            given=given,
        )


def is_prose(text: str) -> bool:
    plain = sum(sign.isascii() and (sign.isalpha() or sign == " ") for sign in text) / len(text)
    return (
        plain > 0.94
        and len(re.findall(r"\b(?:the|of|to|and|in|is|for|that|with|be|or|this|you|not|it|as|are)\b", text))
        > len(text) / 40
    )


def weight(sample: Sample) -> float:
    return WEIGHT[sample.kind] if sample.ascii or sample.kind != "machine" else 0.5


class Fit:
    """Coordinate descent on the columns; `prices` are in tokens."""

    def __init__(self, samples: list[Sample]) -> None:
        total = sum(map(weight, samples))
        self.low = [0.0] * (EMOJI_AT + 1)
        self.high = [2.0] * PAIRS + [4.2] * BLOCKS + [1.2]
        for column in range(PAIRS, EMOJI_AT):
            self.low[column] = 1.05 + COMMON_DISCOUNT if column - PAIRS in AT_LEAST_ONE else COMMON_DISCOUNT / 3
        self.low[PAIRS + 0xD8], self.low[EMOJI_AT] = 4.0, 0.6
        self.prices = [0.5] * PAIRS + [3.0] * BLOCKS + [0.9]
        self.prices = [max(price, low) for price, low in zip(self.prices, self.low, strict=True)]
        self.prior = list(self.prices)
        self.too_low = [weight(s) / total * TOO_LOW[s.kind] for s in samples]
        self.too_high = [weight(s) / total * (6 if s.prose else 1) for s in samples]
        self.rows: list[list[int]] = [[] for _ in self.prices]
        self.parts: list[list[float]] = [[] for _ in self.prices]
        for row, sample in enumerate(samples):
            for column, count in sample.columns.items():
                self.rows[column].append(row)
                self.parts[column].append(count / sample.real)
        self.error = [s.estimate(self.prices) / s.real - 1 - MARGIN[s.kind] for s in samples]

    def loss(self) -> float:
        return sum(
            (low if error < 0 else high) * error * error
            for error, low, high in zip(self.error, self.too_low, self.too_high, strict=True)
        )

    def pull(self, column: int, shift: float) -> tuple[float, float]:
        """Give slope and curvature of the loss along one price, at `shift` from where it stands."""
        slope, bend = RIDGE * (self.prices[column] + shift - self.prior[column]), RIDGE
        error, too_low, too_high = self.error, self.too_low, self.too_high
        for row, part in zip(self.rows[column], self.parts[column], strict=True):
            size = error[row] + part * shift
            weighted = part * (too_low[row] if size < 0 else too_high[row])
            slope += weighted * size
            bend += weighted * part
        return slope, bend

    def step(self, column: int, *, on_grid: bool = False) -> float:
        """Move one price to its best; give the size of the move."""
        old = self.prices[column]
        slope, bend = self.pull(column, 0.0)
        move = min(max(-slope / bend, self.low[column] - old), self.high[column] - old)
        if abs(move) > TOLERANCE:
            beyond, _ = self.pull(column, move)
            if slope * beyond < 0:  # too far: the loss bends more on the low side
                move *= slope / (slope - beyond)
        new = old + move
        if on_grid:
            new = round(new * UNITS_PER_TOKEN) / UNITS_PER_TOKEN
        if new != old:
            self.prices[column] = new
            for row, part in zip(self.rows[column], self.parts[column], strict=True):
                self.error[row] += part * (new - old)
        return abs(new - old)

    def descend(self, columns: list[int], passes: int) -> None:
        awake = columns
        for number in range(passes):
            moved = [column for column in awake if self.step(column) > TOLERANCE]
            if not moved and awake is columns:
                break
            awake = columns if number % 8 == 7 or not moved else moved

    def run(self, passes: int) -> None:
        free = sorted(
            (column for column, rows in enumerate(self.rows) if rows), key=lambda column: -len(self.rows[column])
        )
        for _ in range(0, passes, 40):
            self.descend(free, 40)
            note(f"loss {self.loss():.5f}")
        # A few prices are rounded at a time, and those that are still free make up for it.
        while free:
            rounded, free = free[:12], free[12:]
            for column in rounded:
                self.step(column, on_grid=True)
            self.descend(free, 4)
        note(f"rounded: loss {self.loss():.5f}")


def collect(folder: Path, sampler: Sampler) -> list[Sample]:
    samples: list[Sample] = []
    seen: set[str] = set()
    prose: list[str] = []

    def add(kind: str, texts: Iterable[tuple[str, str]]) -> None:
        for source, text in texts:
            if len(text) >= 200 and text not in seen:
                seen.add(text)
                samples.append(sampler.sample(kind, source, text))
                if kind == "machine" and source in {
                    "file:html",
                    "file:md",
                    "file:txt",
                    "file:py",
                    "man:man1",
                    "man:man7",
                }:
                    prose.append(text)
        note(f"{kind}: {sum(sample.kind == kind for sample in samples)} texts")

    add("transcript", ((name, text) for name, texts in fit_texts.transcripts(folder) for text in texts))
    add("machine", fit_texts.machine())
    add("words", fit_texts.words(prose))
    add("generated", fit_texts.generated())
    add("cycles", fit_texts.cycles(BYTE_CLASSES))
    return samples


def report(title: str, samples: list[Sample], prices: list[float]) -> None:
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.kind if sample.ascii else f"{sample.kind}, not ascii"].append(sample)
        if sample.prose:
            groups["english prose"].append(sample)
    note(f"\n{title}\n{'':28} texts  under %  worst   median  p90     sum")
    for name, members in sorted(groups.items()):
        ratios = sorted(sample.estimate(prices) / sample.real for sample in members)
        count = len(ratios)
        under = 100 * sum(ratio < 1 for ratio in ratios) / count
        total = sum(sample.estimate(prices) for sample in members) / sum(sample.real for sample in members)
        note(
            f"{name:28} {count:5}  {under:7.2f}  {ratios[0]:.3f}   {ratios[count // 2]:.3f}   {ratios[count * 9 // 10]:.3f}   {total:.3f}"
        )


def module(prices: list[float], common: str) -> str:
    """Write the table as a Python module."""
    units = [round(price * UNITS_PER_TOKEN) for price in prices]
    blocks = [units[PAIRS + BLOCK_COLUMN[block]] for block in range(BLOCKS)]
    blocks[0xDC:0xE0] = [0] * 4
    units[255] = 0
    return "\n".join(
        [
            '"""Prices of the conservative counter; written by `benchmarks/fit_conservative.py`, not by hand."""',
            "",
            '__all__ = ["BLOCK_UNITS", "COMMON", "COMMON_UNITS", "EMOJI_UNITS", "PAIR_UNITS", "UNITS_PER_TOKEN"]',
            "",
            f"UNITS_PER_TOKEN = {UNITS_PER_TOKEN}",
            '"""All prices are in this fraction of a token."""',
            "",
            "# fmt: off",
            "PAIR_UNITS = bytes([",
            *_rows(units[:PAIRS]),
            "])",
            '"""Price of a byte by the class before it (row) and its own (column)."""',
            "",
            "BLOCK_UNITS = bytes([",
            *_rows(blocks),
            "])",
            '"""Price of a character beyond ASCII by its block of 256 code points; of an astral one on its first surrogate."""',
            "# fmt: on",
            "",
            f"COMMON_UNITS = {round(COMMON_DISCOUNT * UNITS_PER_TOKEN)}",
            '"""Discount of each character in `COMMON`."""',
            f"EMOJI_UNITS = {units[EMOJI_AT]}",
            '"""Discount of each character from U+1F000 to U+1FFFF."""',
            "",
            "COMMON = (",
            *(f'    "{line}"' for line in _wrapped(common)),
            ")",
            '"""The characters beyond ASCII that are one token in both encodings, as the inside of a set of a regular expression."""',
            "",
        ]
    )


def _rows(units: list[int]) -> list[str]:
    return ["    " + ", ".join(f"{unit:3}" for unit in units[at : at + 16]) + "," for at in range(0, len(units), 16)]


def _wrapped(common: str) -> list[str]:
    """Write characters as ranges of escapes, a few on a line."""
    spans: list[list[int]] = []
    for code in map(ord, common):
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    written = [_escape(a) if a == b else f"{_escape(a)}-{_escape(b)}" for a, b in spans]
    return ["".join(written[at : at + 9]) for at in range(0, len(written), 9)]


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description="Fit the conservative counter.")
    options.add_argument("data", type=Path, help="a folder of transcripts, one folder per format")
    options.add_argument(
        "--hold-out", type=int, choices=[0, 1], help="report on every second transcript and kind of text instead"
    )
    options.add_argument("--passes", type=int, default=160)
    given = options.parse_args()
    sampler = Sampler()
    samples = collect(given.data, sampler)
    held: list[Sample] = []
    if given.hold_out is not None:
        sources = sorted(
            {(sample.kind, sample.source) for sample in samples if sample.kind in {"transcript", "machine"}}
        )
        out = set(sources[given.hold_out :: 2])
        held = [sample for sample in samples if (sample.kind, sample.source) in out]
        samples = [sample for sample in samples if (sample.kind, sample.source) not in out]
    fit = Fit(samples)
    fit.run(given.passes)
    report("fitted on", samples, fit.prices)
    if held:
        report("held out", held, fit.prices)
    else:
        print(module(fit.prices, sampler.common), end="")


if __name__ == "__main__":
    main()
