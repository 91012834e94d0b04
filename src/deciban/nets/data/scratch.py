"""Arrays in temporary files: written once from the front to the back, then mapped into memory.

The files have no names, so nothing is left behind when a program ends, however it ends: the system frees the room once
no array uses it. Mapped pages are read when they are needed, and the system takes them back when memory is short.
They are in the folder that ``tempfile`` uses, which the environment variable ``TMPDIR`` sets.
"""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from deciban.errors import FileAccessError
from deciban.types import AnyArray

__all__ = ["BLOCK", "ScratchArray"]

BLOCK = 1 << 20
"""How many numbers are read at a time."""

_BUFFER = 1 << 18


class ScratchArray:
    """A one-dimensional array that grows in a file.

    >>> numbers = ScratchArray(np.uint8)
    >>> numbers.extend(np.array([1, 2]))
    >>> numbers.extend(np.array([3]))
    >>> len(numbers), numbers.mapped().tolist()
    (3, [1, 2, 3])
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._length = 0
        try:
            self._file = tempfile.TemporaryFile(prefix="deciban-", buffering=_BUFFER)  # noqa: SIM115
        except OSError as error:
            raise _no_room(error) from None
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._length

    def extend(self, values: AnyArray) -> None:
        """Append numbers."""
        held = np.ascontiguousarray(values, dtype=self.dtype)
        try:
            self._file.write(held.data)
        except OSError as error:
            raise _no_room(error) from None
        self._length += len(held)

    def mapped(self) -> AnyArray:
        """All numbers so far; the array cannot be written to."""
        if not self._length:
            return np.empty(0, dtype=self.dtype)
        try:
            self._file.flush()
            held = mmap.mmap(self._file.fileno(), self._length * self.dtype.itemsize, access=mmap.ACCESS_READ)
        except OSError as error:
            raise _no_room(error) from None
        return np.frombuffer(held, dtype=self.dtype)

    def blocks(self) -> Iterator[AnyArray]:
        """All numbers so far, some at a time."""
        held = self.mapped()
        for begin in range(0, len(held), BLOCK):
            yield held[begin : begin + BLOCK]


def _no_room(error: OSError) -> FileAccessError:
    try:
        folder = repr(tempfile.gettempdir())
    except OSError:
        folder = "for temporary files"
    return FileAccessError(
        f"cannot write to the folder {folder}: {error.strerror or error}. Make room there, or set the environment "
        "variable TMPDIR to another folder."
    )
