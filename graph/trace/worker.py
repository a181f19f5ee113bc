"""One daemon thread that does the writing, so that neither a disk nor a hook that hangs can hold a turn up."""

import atexit
import contextlib
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final

__all__ = ["Worker"]

Job = tuple[Callable[[], str | None], "Future[str | None]"]
Jobs = SimpleQueue[Job | None]

MOST_WAITING: Final = 16
"""Jobs that may wait behind one that hangs. Each holds a history; more of them would only fill the memory."""
EXIT_S: Final = 2.0
"""So long the end of the process waits for what is still to be written."""
_RUNNING: Final[dict[threading.Thread, Jobs]] = {}


class Worker:
    """Does jobs in the order in which they come. Its thread begins with the first job and ends with the worker."""

    def __init__(self) -> None:
        self._jobs: Jobs = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._newest: Future[str | None] | None = None

    def submit(self, job: Callable[[], str | None]) -> "Future[str | None] | None":
        """Take a job and give what it will answer; `None`: too many wait already, it was not taken.

        A job that raises answers with what it raised.
        """
        answer: Future[str | None] = Future()
        with self._lock:
            if self._jobs.qsize() >= MOST_WAITING:
                return None
            if self._thread is None or not self._thread.is_alive():  # none yet, or left behind by a fork
                self._thread = threading.Thread(target=_work, args=(self._jobs,), name="turngraph-trace", daemon=True)
                _RUNNING[self._thread] = self._jobs
                weakref.finalize(self, self._jobs.put, None).atexit = False
                self._thread.start()
            self._jobs.put((job, answer))
            self._newest = answer
        return answer

    def drain(self, timeout_s: float) -> bool:
        """Wait until everything taken so far is done; tell whether it is."""
        newest = self._newest
        if newest is None:
            return True
        with contextlib.suppress(TimeoutError):
            newest.exception(timeout_s)
        return newest.done()


def _work(jobs: Jobs) -> None:
    while (taken := jobs.get()) is not None:
        job, answer = taken
        try:
            answer.set_result(job())
        except BaseException as error:  # noqa: BLE001 - whatever a hook raises is an answer; the thread goes on
            answer.set_exception(error)
        del taken, job, answer  # while it waits it holds no conversation
    _RUNNING.pop(threading.current_thread(), None)


@atexit.register
def _finish() -> None:
    """Let the process end only when everything is written, or when it waited long enough."""
    end = time.monotonic() + EXIT_S
    for thread, jobs in list(_RUNNING.items()):
        jobs.put(None)
        thread.join(max(0.0, end - time.monotonic()))
