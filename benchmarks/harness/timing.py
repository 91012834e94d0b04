"""Medians of alternating runs.

The contestants alternate, and their order is reversed every round, so that a machine that slows down or warms up does
so for both. Garbage is collected before the runs, not during them.
"""

from __future__ import annotations

import gc
import statistics
import timeit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

__all__ = ["OURS", "PEER", "Clock", "Task", "alternate", "clock", "measure", "no_collection", "repeated"]

Task = Callable[[], object]
"""A piece of work without arguments."""

Clock = Callable[[], list[float]]
"""Does its work and gives the seconds that each call took."""

OURS, PEER = "deciban", "peer"
_ROUNDS, _ROUNDS_WHEN_FAST, _FAST_SECONDS = 11, 15, 1.0


def clock(task: Task, parts: int = 1) -> Clock:
    """The seconds that a task takes for each of its parts."""
    return lambda: [timeit.timeit(task, number=1) / parts]


def repeated(task: Task, times: int) -> Task:
    """The same task several times, for work that is too short to be timed once."""

    def run() -> None:
        for _ in range(times):
            task()

    return run


def measure(ours: Clock, rounds: int | None = None) -> float:
    """The median seconds of a clock that runs alone."""
    return alternate({OURS: ours}, rounds)[OURS]


def alternate(clocks: Mapping[str, Clock], rounds: int | None = None) -> dict[str, float]:
    """Run each clock once to warm up, then alternate; the median seconds of each.

    Fifteen rounds when the warm-up of all took under a second, eleven when it took longer, unless `rounds` is given.
    """
    with no_collection():
        warm_up = sum(sum(run()) for run in clocks.values())
        rounds = rounds or (_ROUNDS_WHEN_FAST if warm_up < _FAST_SECONDS else _ROUNDS)
        seconds: dict[str, list[float]] = {name: [] for name in clocks}
        order = list(clocks)
        for _ in range(rounds):
            for name in order:
                seconds[name] += clocks[name]()
            order.reverse()
    return {name: statistics.median(taken) for name, taken in seconds.items()}


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect garbage now, and not inside the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
