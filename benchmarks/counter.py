"""How much faster the conservative counter is than tiktoken's o200k_base, and how far over it is, as one table.

    python benchmarks/counter.py                  # texts made here
    python benchmarks/counter.py ../shared/data   # and all texts of 200 and more characters of the transcripts there

Both counters run in turn on the same text in one process, best of five rounds each; what counts is the ratio.
"""

import argparse
import base64
import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from random import Random
from time import perf_counter

import fit_texts

sys.path.insert(0, str(Path(__file__).parent.parent))
from turngraph.state.tokens import ConservativeCounter, TiktokenCounter, TokenCounter

_PROSE = (
    "We looked at the failing deployment on Tuesday morning and found that the cache had never been warmed after the restart. "
    "The first requests went straight to the database, which was busy with the nightly export, and the health check gave up.\n"
)
_CHINESE = (
    "我们需要在这个函数里加上错误处理，否则用户输入无效数据的时候程序会崩溃。请先检查配置文件，然后重新启动服务器。"
)
_RUSSIAN = "Сначала проверьте файл настроек, затем перезапустите сервер. Если ошибка повторится, приложите к заявке журнал работы. "


def texts() -> Iterator[tuple[str, list[str]]]:
    random = Random(1)
    code = Path(json.__file__).with_name("decoder.py").read_text("utf-8")
    rows = json.dumps([{"id": random.getrandbits(60), "ok": True, "path": f"/srv/{at}/log"} for at in range(2000)])
    encoded = base64.b64encode(random.randbytes(60_000)).decode()
    mixed = (_PROSE * 3 + "— “quoted” → ✅\n") * 100
    for size in (200, 1000, 10_000):
        for name, source in (
            ("English prose", _PROSE * 100), ("prose with a few signs", mixed), ("Python", code * 2), ("JSON", rows), ("base64", encoded),
            ("Chinese", _CHINESE * 300), ("Russian", _RUSSIAN * 200),
        ):  # fmt: skip
            yield f"{name}, {size:,} characters", [source[:size]]
    yield "English prose, 10,000,000 characters", [_PROSE * (10_000_000 // len(_PROSE))]


def best(counter: TokenCounter, batch: list[str]) -> tuple[float, int]:
    """Give seconds for the whole batch, and the tokens."""
    characters = sum(map(len, batch))
    repeats = max(1, 300_000 // characters)
    fastest, tokens = float("inf"), 0
    for _ in range(5 if characters < 5_000_000 else 2):
        start = perf_counter()
        for _ in range(repeats):
            tokens = sum(map(counter.count, batch))
        fastest = min(fastest, (perf_counter() - start) / repeats)
    return fastest, tokens


def main() -> None:
    options = argparse.ArgumentParser(description="Compare the conservative counter with tiktoken.")
    options.add_argument("data", type=Path, nargs="?", help="a folder of transcripts, one folder per format")
    folder = options.parse_args().data
    exact, estimate = TiktokenCounter("o200k_base"), ConservativeCounter()
    batches = list(texts())
    if folder:
        batches.append(
            (
                "transcripts, all texts of 200 and more",
                [text for _, found in fit_texts.transcripts(folder) for text in found if len(text) >= 200],
            )
        )
    print(f"{platform.machine()}, Python {platform.python_version()}, tiktoken {version('tiktoken')}\n")
    print(
        "| texts | tiktoken o200k, ns a character | conservative | times as fast | estimate / o200k |\n|---|---|---|---|---|"
    )
    for name, batch in batches:
        (slow, real), (fast, guess) = best(exact, batch), best(estimate, batch)
        characters = sum(map(len, batch))
        print(
            f"| {name} | {slow / characters * 1e9:.1f} | {fast / characters * 1e9:.1f} | {slow / fast:.1f} | {guess / real:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
