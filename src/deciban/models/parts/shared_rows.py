"""Whether a sample contains rows that a model has learned, judged by how many of its values are new.

Among rows that were not learned, the expected share with a value that the model has not counted is, by the estimate of
Good and Turing,

    n_1 / n,    n_1 the number of values that were counted once, n the number of rows.

A sample with far fewer new values contains rows that were learned (Good, 1953).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy

from deciban.errors import DecibanWarning
from deciban.notices import warn_user
from deciban.tallies import Crossed, Tally
from deciban.types import AnyArray

__all__ = ["warn_of_shared_rows"]

_IMPROBABLE = 1e-6


def warn_of_shared_rows(learned: Tally, sample: Tally) -> None:
    """Warn where the column with the most values that occur once has improbably few new values in the sample."""
    found = [
        (name, _expected_new(counted, given), float(given[counted == 0].sum()))
        for name, counted, given in _columns(learned, sample)
    ]
    name, expected, new = max(found, key=lambda column: column[1], default=("", 0.0, 0.0))
    if expected > 0 and scipy.special.pdtr(new, expected) < _IMPROBABLE:
        warn_user(
            f"some of these rows seem to have been learned: column {name!r} has {new:g} values that the model has not "
            f"seen, where about {expected:.0f} are expected in new rows. Calibrate on all learned rows or on new rows "
            "only; learned=False stops this warning.",
            DecibanWarning,
        )


def _expected_new(counted: AnyArray, given: AnyArray) -> float:
    """The expected number of given rows with a new value (Good and Turing); 0 where weights are not whole numbers."""
    whole = float(counted.sum())
    is_counts = whole > 0 and not (counted % 1).any() and not (given % 1).any()
    return float(given.sum()) * float((counted == 1).sum()) / whole if is_counts else 0.0


def _columns(learned: Tally, sample: Tally) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """For each column of counted values: how often each value was learned, and how often it is in the sample."""
    for part, other in zip(_single(learned), _single(sample), strict=True):
        if hasattr(part, "table") and hasattr(part, "_aligned"):
            a, b = part._aligned(other)
            yield part.names[0], np.asarray(a.table.sum(axis=0)), np.asarray(b.table.sum(axis=0))


def _single(tally: Tally) -> list[Any]:
    """The parts of a tally, one for each column."""
    parts = [getattr(part, "part", part) for part in tally.parts]
    return [one for part in parts for one in (part.counts if isinstance(part, Crossed) else (part,))]
