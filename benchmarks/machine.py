"""What a figure was measured on: processor, cores, versions, and how much of the machine others used meanwhile.

Nothing here names the machine or its owner.
"""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

__all__ = ["Usage", "describe_machine", "others_since", "read_usage"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "deciban")


class Usage(NamedTuple):
    """Processor seconds since the start: of the whole machine, the busy part of them, and this run's own part."""

    whole: float
    busy: float
    own: float


def describe_machine() -> str:
    """One line: cores, processor, versions."""
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)]
    return f"{_usable_cores()} cores of {_processor()}, {platform.system()}; {', '.join(versions)}"


def read_usage() -> Usage | None:
    """The usage so far; None where the system does not tell."""
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
    """The part of the machine that others took since `start`; what a host takes from its guest is in it."""
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
