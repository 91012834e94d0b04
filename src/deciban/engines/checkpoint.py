"""Checkpoints: what was counted so far, and how far the source was read, in one file that is replaced atomically.

A checkpoint is written after a piece of the source was counted, when the writing of the last one took less than a
twentieth of the time since then. The file names the source and what is counted of it, so a checkpoint of something else
is refused, and left as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deciban.errors import CheckpointError, FileError
from deciban.files import read_whole, write_whole
from deciban.storage.codec import Encoder, decode
from deciban.storage.envelope import pack, unpack

__all__ = ["Checkpoint"]

_KIND = "Checkpoint"
_SHARE = 20
"""Writing takes at most one twentieth of the time."""
_LONGEST = 80


@dataclass
class Checkpoint:
    """A file that keeps the state of counting a source.

    `source` and `counted` describe what the state belongs to.
    """

    path: Path
    source: Mapping[str, Any]
    counted: str
    _written: float = field(default_factory=time.perf_counter)
    _took: float = 0.0

    def load(self) -> Mapping[str, Any] | None:
        """The state of an interrupted call; None where there is none."""
        if not self.path.exists():
            return None
        try:
            header, arrays = unpack(read_whole(self.path), str(self.path))
            held = {name: decode(header[name], arrays) for name in ("source", "counted", "state")}
        except (FileError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(f"the checkpoint {self.path} cannot be read: {error!s}") from None
        self._check("source", dict(self.source), held["source"], "another source, or its files have changed")
        self._check("counted", self.counted, held["counted"], "another model or target")
        state: Mapping[str, Any] = held["state"]
        return state

    def _check(self, what: str, ours: Any, theirs: Any, reason: str) -> None:
        if ours != theirs:
            raise CheckpointError(
                f"the checkpoint {self.path} belongs to {reason} ({_difference(what, ours, theirs)}). Name another "
                "file, or remove it to begin again."
            )

    def save(self, state: Callable[[], Mapping[str, Any]], *, now: bool = False) -> None:
        """Write the state, unless the last one was written just before."""
        start = time.perf_counter()
        if not now and start - self._written < _SHARE * self._took:
            return
        encoder = Encoder()
        held = {"source": dict(self.source), "counted": self.counted, "state": state()}
        content = {name: encoder.encode(value, name, f"the {name}") for name, value in held.items()}
        write_whole(self.path, pack({"model": _KIND, "parameters": {}, **content}, encoder.arrays))
        self._written = time.perf_counter()
        self._took = self._written - start

    def remove(self) -> None:
        """Remove the file: everything was counted."""
        self.path.unlink(missing_ok=True)


def _difference(what: str, ours: Any, theirs: Any) -> str:
    """The first values that differ, with the name that they have."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        name = next(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))
        return _difference(name, ours.get(name), theirs.get(name))
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return next(_difference(what, a, b) for a, b in zip(ours, theirs, strict=True) if a != b)
    return f"{what}: {_short(ours)}, there {_short(theirs)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"…{text[-_LONGEST:]}"
