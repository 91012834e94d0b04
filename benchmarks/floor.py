"""The floor: how long this machine needs merely to read the input.

    floor = bytes of the input / read bandwidth

No kernel that looks at every value once can be faster, however it computes.
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
    """Bytes a second that all threads together read, in the best and in the median round."""

    best: float
    median: float
    threads: int

    def floor_ms(self, size: int) -> float:
        """The milliseconds in which `size` bytes are read at best."""
        return 1000.0 * size / self.best


def measure_bandwidth() -> Bandwidth:
    """Read an array with as many threads as deciban uses; the largest value is what costs numpy least to find."""
    threads = deciban.threads()
    parts = np.array_split(np.ones(_VALUES), threads)
    size = sum(part.nbytes for part in parts)
    rates = [size / _seconds_to_read(parts) for _ in range(_ROUNDS)]
    return Bandwidth(max(rates), statistics.median(rates), threads)


def _seconds_to_read(parts: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> float:
    readers = [threading.Thread(target=part.max) for part in parts]  # numpy lets go of the GIL in there
    start = time.perf_counter()
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return time.perf_counter() - start
