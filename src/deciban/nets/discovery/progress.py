"""Showing how far a search is."""

from __future__ import annotations

import sys
from collections.abc import Callable

from deciban.nets.discovery.skeleton import Step

__all__ = ["Progress", "shower"]

Progress = bool | Callable[[Step], None]


def shower(progress: Progress) -> Callable[[Step], None] | None:
    """The function to call after each size of sets, if any."""
    if callable(progress):
        return progress
    return _print if progress else None


def _print(step: Step) -> None:
    print(f"given {step.size}: {step.tests:,} tests, {step.edges:,} edges left", file=sys.stderr)
