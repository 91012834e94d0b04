"""The floor: the time in which this machine only reads the input.

    floor = bytes of the input / read bandwidth

No kernel that reads every value once can be faster.
"""

from __future__ import annotations

import statistics
import threading
import time
from typing import NamedTuple

import numpy as np

import deciban

__all__ = ["Bandwidth", "measure_bandwidth"]

_VALUES = 64_000_000  # 512 MB: far beyond any cache
_ROUNDS = 20


class Bandwidth(NamedTuple):
    """Bytes per second that all threads together read, in the best and in the median round."""

    best: float
    median: float
    threads: int

    def floor_ms(self, size: int) -> float:
        """The least milliseconds in which `size` bytes are read."""
        return 1000.0 * size / self.best


def measure_bandwidth() -> Bandwidth:
    """Read an array with as many threads as deciban uses; the maximum is the cheapest reduction of numpy."""
    threads = deciban.threads()
    parts = np.array_split(np.ones(_VALUES), threads)
    size = sum(part.nbytes for part in parts)
    rates = [size / _seconds_to_read(parts) for _ in range(_ROUNDS)]
    return Bandwidth(max(rates), statistics.median(rates), threads)


def _seconds_to_read(parts: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> float:
    readers = [threading.Thread(target=part.max) for part in parts]  # numpy releases the GIL in there
    start = time.perf_counter()
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return time.perf_counter() - start
