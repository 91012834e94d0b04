"""One target in a process of its own, with 1 GiB of memory beyond what Python and the libraries take.

The limit is ``RLIMIT_DATA``: writable memory that belongs to the process alone. ``RLIMIT_AS`` would also count address
space that is only reserved, of which the allocator takes 64 MiB for every thread. It is set when the target has been
imported, so that the 1 GiB is what the cases have. deciban's own limit (``DECIBAN_MEMORY_LIMIT``) is half of that.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.fuzz import FOLDER

MEMORY = 1 << 30
ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0
"""Seconds that the last case may go on when time is up."""


@dataclass(frozen=True)
class Outcome:
    """What a target has found."""

    cases: int
    seconds: float
    memory: int
    failure: str | None = None

    def __str__(self) -> str:
        tried = f"{self.cases:9,} cases in {self.seconds:5.1f} s, peak {self.memory / 2**20:5,.0f} MiB"
        return tried if self.failure is None else f"{tried}\nFAILED: {self.failure}"


def run_limited(module: str, seconds: float, seed: int) -> Outcome:
    """Run a target in a process of its own; a failure names the folder that holds the case."""
    folder = Path(tempfile.mkdtemp(prefix="deciban-fuzz-"))
    own = {FOLDER: str(folder), "DECIBAN_MEMORY_LIMIT": str(MEMORY // 2), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", "-m", "tests.fuzz.runner", module, str(seconds), str(seed)]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False,
            timeout=seconds + _PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(0, time.monotonic() - begin, 0, f"a case never ends: see {folder}")
    found = json.loads((folder / "found.json").read_text()) if (folder / "found.json").exists() else {}
    outcome = Outcome(found.get("cases", 0), time.monotonic() - begin, found.get("memory", 0))
    if done.returncode == 0:
        _remove(folder)
        return outcome
    (folder / "failure.txt").write_text(done.stderr)
    last = done.stderr.strip().splitlines()[-1:] or [f"the process ended with {done.returncode}"]
    return Outcome(outcome.cases, outcome.seconds, outcome.memory, f"{last[0][:500]}\nsee {folder}")


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _run_here(module: str, seconds: float, seed: int) -> None:
    target = import_module(module)
    most = _data_size() + MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cases = target.run(seconds, seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    (Path(os.environ[FOLDER]) / "found.json").write_text(json.dumps({"cases": cases, "memory": peak * 1024}))


def _data_size() -> int:
    """The bytes that ``RLIMIT_DATA`` counts; 0 where the system does not say, so that the limit is stricter."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData"))


if __name__ == "__main__":
    _run_here(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
