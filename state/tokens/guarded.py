"""A counter that somebody plugged in, made safe for a turn."""

from .conservative import ConservativeCounter
from .protocol import TokenCounter

__all__ = ["GuardedCounter"]

_ERROR_CHARS = 300


class GuardedCounter:
    """Ask a plugged counter, and estimate where it fails: one bad text must not take a turn down.

    Whatever the counter raises is caught, a `BaseException` such as a Rust panic included; only `KeyboardInterrupt`,
    `SystemExit`, `GeneratorExit` and `asyncio.CancelledError` pass, since they are not about the text. An answer that
    is no non-negative `int` counts as a failure too. What the host does with failures is up to it: `fallbacks` and
    `last_error` say what happened (diagnostic `TOKENIZER_FALLBACK`).

    A counter that never returns cannot be stopped from here, and what a native tokenizer writes to file descriptor 2
    while it panics is not held back; `TiktokenCounter` avoids both by cutting long texts.
    """

    __slots__ = ("_counter", "_estimator", "fallbacks", "last_error", "name")

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._estimator = ConservativeCounter()
        self.name: str = counter.name
        """The name of the plugged counter."""
        self.fallbacks: int = 0
        """Texts that were estimated because the plugged counter failed on them."""
        self.last_error: str | None = None
        """What the newest failure was, e.g. `"ValueError: bad text"`; None while there was none."""

    def __repr__(self) -> str:
        return f"GuardedCounter({self.name!r}, fallbacks={self.fallbacks})"

    def count(self, text: str) -> int:
        """Count with the plugged counter, else with the conservative one."""
        try:
            answer: object = self._counter.count(text)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:
            from asyncio import CancelledError

            if isinstance(error, CancelledError):
                raise
            return self._estimate(text, error)
        if type(answer) is int and answer >= 0:
            return answer
        return self._estimate(text, TypeError(f"count() must give a number of tokens, not {_kind(answer)}"))

    def _estimate(self, text: str, error: BaseException) -> int:
        from traceback import format_exception_only

        self.fallbacks += 1
        self.last_error = "".join(format_exception_only(error)).strip()[:_ERROR_CHARS]
        return self._estimator.count(text)


def _kind(answer: object) -> str:
    return str(answer) if type(answer) is int else f"a {type(answer).__name__}"
