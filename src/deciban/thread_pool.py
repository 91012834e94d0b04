"""How many threads the kernels may use. Results never depend on it."""

from __future__ import annotations

from deciban import _core
from deciban.errors import ParameterError

__all__ = ["set_threads", "threads"]


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
