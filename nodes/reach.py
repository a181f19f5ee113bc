"""How code that is not ours is called: bounded in time, the same for sync and async callers.

A node awaits `Reach.call`. `SyncReach` never suspends: it runs the callable in a daemon worker and waits for it, so the
sync driver needs no event loop. A sync callable that hangs cannot be stopped in CPython; it is reported and its
worker abandoned, and it is not called again in this session.
"""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from ..state.errors import DeadlineExceeded

__all__ = ["AsyncReach", "Overran", "Panicked", "Reach", "SyncReach"]


class Overran(Exception):
    """A plugged callable did not answer in time."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"no answer within {limit_s:g} s")
        self.limit_s = limit_s


class Panicked(Exception):
    """Plugged code raised what is no `Exception`, as native extensions do when they panic."""


class Reach(Protocol):
    """Calls plugged code."""

    def left(self) -> float | None:
        """Give the seconds left until the run's deadline, `None` without one."""
        ...

    async def call(self, function: Callable[..., Any], *args: Any, limit_s: float, inline: bool = False) -> Any:
        """Call `function(*args)` and wait at most `limit_s` seconds for its answer.

        Args:
            function: Sync or async.
            *args: Its arguments.
            limit_s: Seconds; the run's deadline shortens them.
            inline: Ours, known not to hang: no worker.

        Raises:
            Overran: No answer in time, or the callable overran before and is still running.
            DeadlineExceeded: The run's deadline has passed already.
            Exception: Whatever the callable raises; what is neither an `Exception` nor a request to stop is `Panicked`.
        """
        ...

    async def gather(self, functions: Sequence[Callable[..., Any]], *args: Any, limit_s: float) -> list[Any]:
        """Call all `functions` at the same time with the same arguments, each as `call` does.

        Their answers come in the order of `functions`; what one raised stands in the place of its answer.

        Raises:
            DeadlineExceeded: The run's deadline has passed already.
        """
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, at most until the deadline."""
        ...


class _Bounds:
    """The run's deadline on a clock that only goes forward, and what did not answer in time."""

    def __init__(self, clock: Callable[[], float], deadline_s: float | None) -> None:
        self._clock = clock
        self._end = None if deadline_s is None else clock() + deadline_s
        self._hung: list[Callable[..., Any]] = []
        """Compared by equality: each look at a method of one object gives another, equal one."""

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - self._clock())

    def bounded(self, limit_s: float) -> float:
        left = self.left()
        if left is None:
            return limit_s
        if left <= 0:
            raise DeadlineExceeded("The deadline of the run passed before the call", details={"left_s": 0})
        return min(limit_s, left)


class SyncReach(_Bounds):
    """For the sync driver: nothing suspends."""

    def __init__(
        self, clock: Callable[[], float], deadline_s: float | None = None, *, sleep: Callable[[float], None]
    ) -> None:
        super().__init__(clock, deadline_s)
        self._sleep = sleep

    async def call(self, function: Callable[..., Any], *args: Any, limit_s: float, inline: bool = False) -> Any:
        """Call; see `Reach`."""
        limit = self.bounded(limit_s)
        if inline:
            return _refuse_awaitable(function(*args))
        return self._answer(self._start(function, args), limit)

    async def gather(self, functions: Sequence[Callable[..., Any]], *args: Any, limit_s: float) -> list[Any]:
        """Call all; see `Reach`."""
        limit = self.bounded(limit_s)
        end = self._clock() + limit
        workers = [self._start(function, args) for function in functions]
        found: list[Any] = []
        for worker in workers:
            try:
                found.append(self._answer(worker, limit, max(0.0, end - self._clock())))
            except Exception as error:  # noqa: BLE001 - the caller sorts out whose failure it is
                found.append(error)
        return found

    def _start(self, function: Callable[..., Any], args: tuple[Any, ...]) -> "_Worker":
        return _Worker(function, args, idle=function in self._hung)

    def _answer(self, worker: "_Worker", limit: float, wait_s: float | None = None) -> Any:
        if not worker.done(limit if wait_s is None else wait_s):
            if worker.function not in self._hung:
                self._hung.append(worker.function)
            raise Overran(limit)
        return worker.answer()

    async def sleep(self, seconds: float) -> None:
        """Wait; see `Reach`."""
        left = self.left()
        self._sleep(seconds if left is None else min(seconds, left))


class _Worker:
    """One call in a daemon thread; an idle one never answers."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], *, idle: bool) -> None:
        self.function, self._args = function, args
        self._value: Any = None
        self._error: BaseException | None = None
        self._done = threading.Event()
        self._idle = idle
        if not idle:
            threading.Thread(target=self._work, name="turngraph-plugged", daemon=True).start()

    def _work(self) -> None:
        try:
            self._value = _refuse_awaitable(self.function(*self._args))
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread
            self._error = error
        self._done.set()

    def done(self, wait_s: float) -> bool:
        """Wait for the end of the call, at most `wait_s` seconds."""
        return not self._idle and self._done.wait(wait_s)

    def answer(self) -> Any:
        """Give the answer, or raise what the call raised."""
        if self._error is not None:
            raise _stated(self._error)
        return self._value


class AsyncReach(_Bounds):
    """For the async driver: awaits coroutines in the caller's loop, puts sync callables into a thread."""

    async def call(self, function: Callable[..., Any], *args: Any, limit_s: float, inline: bool = False) -> Any:
        """Call; see `Reach`."""
        limit = self.bounded(limit_s)
        if inline:
            value = function(*args)
            return await value if inspect.isawaitable(value) else value
        if function in self._hung:
            raise Overran(limit)
        try:
            return await asyncio.wait_for(self._run(function, args), limit)
        except TimeoutError as error:
            if not inspect.iscoroutinefunction(function):  # a thread cannot be stopped as a coroutine is
                self._hung.append(function)
            raise Overran(limit) from error
        except BaseException as error:
            stated = _stated(error)
            if stated is error:
                raise
            raise stated from error

    async def gather(self, functions: Sequence[Callable[..., Any]], *args: Any, limit_s: float) -> list[Any]:
        """Call all; see `Reach`."""
        self.bounded(limit_s)
        calls = [self.call(function, *args, limit_s=limit_s) for function in functions]
        return await asyncio.gather(*calls, return_exceptions=True)

    async def _run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*args)
        value = await _in_daemon(function, args)
        return await value if inspect.isawaitable(value) else value

    async def sleep(self, seconds: float) -> None:
        """Wait; see `Reach`."""
        left = self.left()
        await asyncio.sleep(seconds if left is None else min(seconds, left))


def _in_daemon(function: Callable[..., Any], args: tuple[Any, ...]) -> Awaitable[Any]:
    """Run in a daemon thread: a pool's thread that hangs would keep the interpreter from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        try:
            value, error = function(*args), None
        except BaseException as caught:  # noqa: BLE001 - carried over to the caller's task
            value, error = None, caught
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=work, name="turngraph-plugged", daemon=True).start()
    return future


def _stated(error: BaseException) -> BaseException:
    """Give what may be caught as an error; what asks the program to stop stays what it is."""
    if isinstance(error, Exception | KeyboardInterrupt | SystemExit | GeneratorExit | asyncio.CancelledError):
        return error
    stated = Panicked(f"{type(error).__name__}: {error}")
    stated.__cause__ = error
    return stated


def _refuse_awaitable(value: Any) -> Any:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("an async callable was plugged into a sync run; use the async twin (`aassemble`)")
    return value
