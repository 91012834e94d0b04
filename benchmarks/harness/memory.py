"""Peak memory: by how much a task raises the resident size of a fresh process, its result included.

A process draws its sample, does a small piece of the same work so that imports, thread stacks and the libraries' own
tables are there already, gives free heap back to the system, resets the peak (Linux: 5 written to
/proc/self/clear_refs), and then works once:

    rise = VmHWM after − VmRSS before
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness.paths import ROOT
from benchmarks.harness.timing import Task

__all__ = ["Peak", "highest_peak", "limit_memory", "measure_rise", "peak_of_process", "run_fresh"]

_PROCESSES = 3


class Peak(NamedTuple):
    """Bytes above the input at the highest, and the input's own; a lower bound where the peak could not be reset."""

    above: int
    input: int
    is_exact: bool

    @property
    def share(self) -> float:
        """The rise as a share of the input."""
        return self.above / self.input


def run_fresh(module: str, *arguments: object) -> Any:
    """What ``python -m module arguments`` prints as JSON."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    return json.loads(run.stdout)


def highest_peak(module: str, *arguments: object) -> Peak:
    """The highest of three fresh processes, each of which prints a Peak: one alone can be 7 % below it."""
    return max(Peak(*run_fresh(module, *arguments)) for _ in range(_PROCESSES))


def measure_rise(task: Task) -> tuple[int, bool]:
    """The rise of the peak resident size over a task, and whether the peak could be reset before it."""
    gc.collect()
    _trim_heap()
    is_exact = _reset_peak()
    before = _status("VmRSS") if is_exact else _highest_ever()
    result = task()
    after = _status("VmHWM") if is_exact else _highest_ever()
    del result
    return max(after - before, 0), is_exact


def limit_memory(gigabytes: int) -> None:
    """Let this process have no more address space than this; what needs more fails."""
    resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))


def peak_of_process() -> int:
    """The highest resident size of this program; `ru_maxrss` would include the program that started it."""
    try:
        return _status("VmHWM")
    except OSError:
        return _highest_ever()


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _trim_heap() -> None:
    """Return freed heap to the system: it could be used again without raising the resident size."""
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
