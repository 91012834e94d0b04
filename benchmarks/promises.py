"""Rows of figures and what they promise: a ratio against a peer, or a bound; and how both are measured."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.parity import ParityError
from benchmarks.report import digits, yes_or_no
from benchmarks.timing import Clock, alternate
from benchmarks.workloads import OURS, PEER

__all__ = ["Limit", "Rate", "Ratio", "check", "clock", "measure", "race"]


class Ratio(NamedTuple):
    """A piece of work that a peer does too."""

    title: str
    peer: str
    peer_seconds: float
    our_seconds: float
    at_least: float

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        ratio = self.peer_seconds / self.our_seconds
        times = digits(1000 * self.peer_seconds), digits(1000 * self.our_seconds)
        return self.peer, *times, f"{digits(ratio)}×", f"{self.at_least:g}×", yes_or_no(ratio >= self.at_least)


class Limit(NamedTuple):
    """A figure that must stay below a bound; a lower bound of it can break the promise, but not keep it."""

    title: str
    found: float
    at_most: float
    unit: str
    is_exact: bool = True

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        holds = self.found <= self.at_most
        verdict = yes_or_no(holds) if self.is_exact or not holds else "not known"
        found = f"{'' if self.is_exact else '≥ '}{self.found:.4g} {self.unit}"
        return found, f"{self.at_most:g} {self.unit}", verdict


class Rate(NamedTuple):
    """A figure that must not fall below a bound."""

    title: str
    found: float
    at_least: float
    unit: str

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        bound = f"at least {self.at_least:g} {self.unit}"
        return f"{self.found:.4g} {self.unit}", bound, yes_or_no(self.found >= self.at_least)


def clock(task: Callable[[], object], parts: int = 1) -> Clock:
    """The seconds that a task takes for each of its parts."""
    return lambda: [timeit.timeit(task, number=1) / parts]


def measure(ours: Clock) -> float:
    """The median seconds of a clock that runs alone."""
    return alternate({OURS: ours})[OURS]


def race(title: str, peer: str, theirs: Clock, ours: Clock, at_least: float, rounds: int | None = None) -> Ratio:
    """Let two clocks take turns, `rounds` times where that is given."""
    seconds = alternate({PEER: theirs, OURS: ours}, rounds)
    return Ratio(title, peer, seconds[PEER], seconds[OURS], at_least)


def check(peer: str, ours: NDArray[np.float64], theirs: NDArray[np.float64], tolerance: float) -> None:
    """Raise a ParityError unless posteriors agree."""
    gap = float(np.abs(ours - theirs).max())
    if not gap <= tolerance:
        raise ParityError(f"posteriors differ from those of {peer} by {gap:.1e}, more than {tolerance:.0e}.")
