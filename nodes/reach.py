"""How code that is not ours is called: bounded in time, the same for sync and async callers.

A node awaits `Reach.call`. `SyncReach` never suspends: it runs the callable in a daemon worker and waits for it, so the
sync driver needs no event loop. A sync callable that hangs cannot be stopped in CPython; it is reported and its
worker abandoned, and it is not called again in this session.
"""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ..state.errors import DeadlineExceeded

__all__ = ["AsyncReach", "Overran", "Reach", "SyncReach"]


class Overran(Exception):
    """A plugged callable did not answer in time."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"no answer within {limit_s:g} s")
        self.limit_s = limit_s


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
            Exception: Whatever the callable raises.
        """
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, at most until the deadline."""
        ...


class _Deadline:
    """The run's deadline on a clock that only goes forward."""

    def __init__(self, clock: Callable[[], float], deadline_s: float | None) -> None:
        self._clock = clock
        self._end = None if deadline_s is None else clock() + deadline_s

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - self._clock())

    def bounded(self, limit_s: float) -> float:
        left = self.left()
        if left is None:
            return limit_s
        if left <= 0:
            raise DeadlineExceeded("The deadline of the run passed before the call", details={"left_s": 0})
        return min(limit_s, left)


class SyncReach(_Deadline):
    """For the sync driver: nothing suspends."""

    def __init__(
        self, clock: Callable[[], float], deadline_s: float | None = None, *, sleep: Callable[[float], None]
    ) -> None:
        super().__init__(clock, deadline_s)
        self._sleep = sleep
        self._hung: set[int] = set()

    async def call(self, function: Callable[..., Any], *args: Any, limit_s: float, inline: bool = False) -> Any:
        limit = self.bounded(limit_s)
        if inline:
            return _refuse_awaitable(function(*args))
        if id(function) in self._hung:
            raise Overran(limit)
        answer: list[Any] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                answer.append(_refuse_awaitable(function(*args)))
            except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread
                failure.append(error)

        worker = threading.Thread(target=work, name="turngraph-plugged", daemon=True)
        worker.start()
        worker.join(limit)
        if failure:
            raise failure[0]
        if not answer:
            self._hung.add(id(function))
            raise Overran(limit)
        return answer[0]

    async def sleep(self, seconds: float) -> None:
        left = self.left()
        self._sleep(seconds if left is None else min(seconds, left))


class AsyncReach(_Deadline):
    """For the async driver: awaits coroutines in the caller's loop, puts sync callables into a thread."""

    async def call(self, function: Callable[..., Any], *args: Any, limit_s: float, inline: bool = False) -> Any:
        limit = self.bounded(limit_s)
        if inline:
            value = function(*args)
            return await value if inspect.isawaitable(value) else value
        try:
            return await asyncio.wait_for(self._run(function, args), limit)
        except TimeoutError as error:
            raise Overran(limit) from error

    async def _run(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*args)
        value = await _in_daemon(function, args)
        return await value if inspect.isawaitable(value) else value

    async def sleep(self, seconds: float) -> None:
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


def _refuse_awaitable(value: Any) -> Any:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("an async callable was plugged into a sync run; use the async twin (`aassemble`)")
    return value
