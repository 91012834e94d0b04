"""Numbers that several worker processes count: each has a file of its own in one folder, mapped into memory.

A worker writes to its own file only, so there is nothing to lock. A sum reads all files. The file of a worker that has
ended stays, and what it has counted stays in the sums.
"""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import MutableSequence
from pathlib import Path

__all__ = ["Counters"]

_ITEM = 8
_SUFFIX = ".counters"


class Counters:
    """A row of floats that this process adds to, and the sums over all processes.

    Parameters
    ----------
    width : how many numbers
    folder : the folder that all workers share; None where there is one process only
    """

    def __init__(self, width: int, folder: Path | None = None) -> None:
        self._folder, self._width = folder, width
        self.own: MutableSequence[float] | memoryview[float] = [0.0] * width
        if folder is not None:
            with (folder / f"{os.getpid()}{_SUFFIX}").open("w+b") as file:
                os.ftruncate(file.fileno(), width * _ITEM)
                self.own = memoryview(mmap.mmap(file.fileno(), width * _ITEM)).cast("d")

    def sums(self) -> list[float]:
        """The sums over all processes."""
        if self._folder is None:
            return list(self.own)
        held = [array("d", path.read_bytes()) for path in self._folder.glob(f"*{_SUFFIX}")]
        return [sum(numbers) for numbers in zip(*(row for row in held if len(row) == self._width), strict=True)]
