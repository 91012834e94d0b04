"""Medians of alternating runs.

The contestants take turns, and the turns change order every round, so that a machine that slows down or warms up does
so for both. Garbage is collected before, not during.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from benchmarks.data import Sample
from benchmarks.workloads import CONTESTANTS, OURS, PEER, Contestant, Verb, Workload, new_model

__all__ = ["Clock", "Seconds", "alternate", "time_import", "time_verb"]

Clock = Callable[[], list[float]]
"""Does its work and gives the seconds that each call took."""

Seconds = Mapping[Contestant, float]

_IMPORTED: Mapping[Contestant, str] = {PEER: "sklearn.naive_bayes", OURS: "deciban"}
_ROUNDS, _ROUNDS_WHEN_FAST, _FAST_SECONDS = 11, 15, 1.0


def time_verb(work: Workload, verb: Verb, sample: Sample) -> Seconds:
    """Time one verb of a workload for each contestant."""
    return alternate({name: _clock(_task(work, verb, name, sample), work.calls) for name in CONTESTANTS})


def time_import(*, has_pandas: bool) -> Seconds:
    """Time the import of each library in fresh interpreters, the interpreter's own start left out.

    scikit-learn imports pandas, and with it pyarrow, where they are installed. Neither library requires pandas, so the
    import is timed without it too.
    """
    clocks = {name: _import_clock(module, has_pandas) for name, module in _IMPORTED.items()}
    return alternate(clocks, rounds=11)


def alternate(clocks: Mapping[Contestant, Clock], rounds: int | None = None) -> Seconds:
    """Warm each clock up once, then let them take turns; the median seconds of each.

    Fifteen rounds when the warm-up of all took under a second, eleven when it took longer, unless `rounds` are given.
    """
    with _no_collection():
        warm_up = sum(sum(clock()) for clock in clocks.values())
        rounds = rounds or (_ROUNDS_WHEN_FAST if warm_up < _FAST_SECONDS else _ROUNDS)
        seconds: dict[Contestant, list[float]] = {name: [] for name in clocks}
        order = list(clocks)
        for _ in range(rounds):
            for name in order:
                seconds[name] += clocks[name]()
            order.reverse()
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def _task(work: Workload, verb: Verb, contestant: Contestant, sample: Sample) -> Callable[[], object]:
    if verb == "fit":
        return lambda: new_model(work, contestant).fit(*sample)
    model = new_model(work, contestant).fit(*sample)
    X = sample.X[:1] if work.is_one_row else sample.X
    method = getattr(model, verb)
    return lambda: method(X)


def _clock(task: Callable[[], object], calls: int) -> Clock:
    def run() -> list[float]:
        taken = []
        for _ in range(calls):
            start = time.perf_counter()
            result = task()
            taken.append(time.perf_counter() - start)
            del result  # freeing what was returned is the caller's time, not the task's
        return taken

    return run


def _import_clock(module: str, has_pandas: bool) -> Clock:
    hide = "" if has_pandas else "import sys; sys.modules['pandas'] = None; "  # as if it were not installed
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    command = [sys.executable, "-c", hide + code]
    # An installed package has its bytecode beside it; one that is used in place writes it at the first import.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: [float(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)]


@contextmanager
def _no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
