"""How many threads the kernels may use, and Python functions that run in as many. Results never depend on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from deciban import _core
from deciban.errors import ParameterError

__all__ = ["in_threads", "set_threads", "threads"]

T = TypeVar("T")
Result = TypeVar("Result")


def threads() -> int:
    """Return the number of threads, the caller's own included: all cores, or DECIBAN_THREADS, unless set.

    Returns
    -------
    count : int

    Examples
    --------
    >>> threads() >= 1
    True
    """
    return _core.thread_count()


def set_threads(count: int | None) -> None:
    """Use `count` threads from now on.

    Parameters
    ----------
    count : int or None
        At least 1; None goes back to the default.

    Examples
    --------
    >>> set_threads(1)
    >>> threads()
    1
    >>> set_threads(None)
    """
    if count is not None and count < 1:
        raise ParameterError(f"the number of threads is at least 1, not {count}.")
    _core.set_thread_count(count or 0)


def in_threads(function: Callable[[T], Result], items: Iterable[T]) -> Iterator[Result]:
    """The results of a function in the order of the items, computed in as many threads as the kernels may use.

    The time that the function spends in kernels is shared, since these release the lock of the interpreter. Items are
    taken as threads become free, so there may be very many. Ctrl-C is raised at once: the items that are being worked
    on then end in the background, and no others begin.

    >>> list(in_threads(abs, [-3, 2, -1]))
    [3, 2, 1]
    """
    workers = threads()
    if workers == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            # One more than workers, so that none is idle.
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
