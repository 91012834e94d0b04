"""The machine that a figure was measured on: processor, cores, versions, and how much of it other processes used.

Nothing here names the machine or its owner.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from deciban import _core

__all__ = [
    "Usage",
    "describe_machine",
    "describe_others",
    "describe_run",
    "missing_peer",
    "others_since",
    "read_usage",
]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "deciban")
_MODULES = {
    "pyAgrum": "pyagrum",
    "causal-learn": "causallearn",
    "mixed-naive-bayes": "mixed_naive_bayes",
    "interpret-core": "interpret",
}


class Usage(NamedTuple):
    """Processor seconds since the start: of the whole machine, the busy part of them, and this run's own part."""

    whole: float
    busy: float
    own: float


def describe_machine() -> str:
    """One line: cores, processor, versions."""
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)]
    processor = f"{_processor()} (instruction set {_core.instruction_set()})"
    return f"{_usable_cores()} cores of {processor}, {platform.system()}; {', '.join(versions)}"


def describe_others(others: float | None) -> str:
    """A sentence about what other processes took, to be put after another one."""
    return "" if others is None else f" Other processes took {100 * others:.0f} % of the machine meanwhile."


def describe_run(start: Usage | None, *peers: str) -> dict[str, str]:
    """What a section's introduction says of its run: the machine, the peers' versions, and other processes."""
    versions = "".join(f", {name} {version(name)}" for name in peers if not missing_peer(name))
    return {"machine": describe_machine() + versions, "others": describe_others(others_since(start))}


def missing_peer(name: str) -> list[str]:
    """A note where a peer is not installed, else nothing."""
    module = _MODULES.get(name, name)
    return [] if find_spec(module) else [f"{name} is not installed, and not compared."]


def read_usage() -> Usage | None:
    """The usage so far; None where the system has no /proc/stat."""
    try:
        first = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return None
    # user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user already
    ticks = [int(part) for part in first.split()[1:9]]
    whole, idle = sum(ticks), ticks[3] + ticks[4]
    second = os.sysconf("SC_CLK_TCK")
    return Usage(whole / second, (whole - idle) / second, sum(os.times()[:4]))


def others_since(start: Usage | None) -> float | None:
    """The share of the machine that other processes took since `start`, with what a host takes from its guest."""
    now = read_usage()
    if start is None or now is None or now.whole == start.whole:
        return None
    taken = (now.busy - start.busy) - (now.own - start.own)
    return max(taken, 0.0) / (now.whole - start.whole)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
