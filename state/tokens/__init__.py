"""Token counters: the built-in estimator, exact ones found without a network, and a guard for plugged ones."""

from ..errors import BadRequest
from .conservative import ConservativeCounter
from .exact import ENCODINGS, TiktokenCounter
from .guarded import GuardedCounter
from .images import image_tokens
from .protocol import TokenCounter

__all__ = [
    "ConservativeCounter",
    "GuardedCounter",
    "TiktokenCounter",
    "TokenCounter",
    "counter_named",
    "image_tokens",
]


def counter_named(name: str) -> TokenCounter:
    """Give the counter that reports and requests call `name`.

    Raises:
        TokenizerUnavailable: `tiktoken:<encoding>` whose encoding is unknown or not on this machine.
        BadRequest: any other name; `details["problems"]` names the known ones.
    """
    if name == ConservativeCounter.name:
        return ConservativeCounter()
    kind, colon, encoding = name.partition(":")
    if kind == "tiktoken" and colon:
        return TiktokenCounter(encoding)
    known = ", ".join([ConservativeCounter.name, *(f"tiktoken:{encoding}" for encoding in ENCODINGS)])
    problem = f"no such counter; known are {known}"
    raise BadRequest(
        f"counter {name!r}: {problem}", details={"problems": [{"path": "counter", "value": name, "problem": problem}]}
    )
