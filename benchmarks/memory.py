"""Peak memory above the input: what fit or predict adds to the resident size, results included.

Each figure comes from a fresh interpreter (``python -m benchmarks.memory categorical fit deciban``). It draws the
sample, does a small fit so that imports, thread stacks and the libraries' own tables are there already, gives free heap
back to the system, resets the peak (Linux: 5 written to /proc/self/clear_refs), and then works once:

    peak = VmHWM after − VmRSS before
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

from benchmarks.data import Sample
from benchmarks.workloads import CONTESTANTS, Contestant, Model, Verb, Workload, new_model, workload

__all__ = ["Peak", "measure_peak", "measure_rise"]

_ROOT = Path(__file__).resolve().parents[1]
_WARM_UP_ROWS = 2_000


class Peak(NamedTuple):
    """Bytes above the input at the highest, and the input's own; a lower bound where the peak could not be reset."""

    above: int
    input: int
    is_exact: bool

    @property
    def part(self) -> float:
        return self.above / self.input


def measure_peak(work: Workload, verb: Verb, contestant: Contestant, scale: float = 1.0) -> Peak:
    """Measure in a fresh interpreter."""
    command = [sys.executable, "-m", "benchmarks.memory", work.name, verb, contestant, "--scale", str(scale)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    return Peak(*json.loads(run.stdout))


def main() -> None:
    """Measure in this interpreter and print a Peak as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=main.__doc__)
    parser.add_argument("work")
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("contestant", choices=list(CONTESTANTS))
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    work = workload(given.work)
    sample = work.draw(given.scale)
    task = _prepare(work, cast(Verb, given.verb), cast(Contestant, given.contestant), sample)
    above, is_exact = measure_rise(task)
    print(json.dumps(Peak(above, sample.input_bytes, is_exact)))


def _prepare(work: Workload, verb: Verb, contestant: Contestant, sample: Sample) -> Callable[[], object]:
    """Warm up on a few rows; for predict, fit on all of them."""
    few = sample.head(_WARM_UP_ROWS)
    model: Model = new_model(work, contestant).fit(*few)
    model.predict(few.X)
    if verb == "fit":
        del model
        return lambda: new_model(work, contestant).fit(*sample)
    model = new_model(work, contestant).fit(*sample)
    return lambda: model.predict(sample.X)


def measure_rise(task: Callable[[], object]) -> tuple[int, bool]:
    """The rise of the peak resident size over a task, and whether the peak could be reset before it."""
    gc.collect()
    _give_back()
    is_exact = _reset_peak()
    before = _status("VmRSS") if is_exact else _highest_ever()
    result = task()
    after = _status("VmHWM") if is_exact else _highest_ever()
    del result
    return max(after - before, 0), is_exact


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _give_back() -> None:
    """Return freed heap to the system: what lies there could be used again without raising the resident size."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


def _status(field: str) -> int:
    """Bytes of one line of /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def _highest_ever() -> int:
    """The peak resident size since the start; drawing the sample may have set it, so it bounds a rise from below."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
