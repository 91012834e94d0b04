"""What the command line passes to a section."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from benchmarks.harness.paths import RESULTS

__all__ = ["Options"]

_QUICK = 1 / 20


@dataclass(frozen=True)
class Options:
    """How a section is run.

    Parameters
    ----------
    is_quick : measure a small part only, to try the section out
    parts : the parts of the section to run; all of them where empty
    console : where progress is printed
    is_fresh : compute again what the folder of results has
    results : the folder of results
    """

    is_quick: bool = False
    parts: tuple[str, ...] = ()
    console: Console = field(default_factory=Console)
    is_fresh: bool = False
    results: Path = RESULTS

    @property
    def scale(self) -> float:
        """The share of the rows that is used."""
        return _QUICK if self.is_quick else 1.0

    def has(self, part: str) -> bool:
        """Whether a part of the section is to be run."""
        return not self.parts or part in self.parts
