"""Columns with much information on the class and little on one another: the correlation-based filter (Hall, 1999).

    merit of k columns S = Σ_{i∈S} r_ic / √(k + 2·Σ_{i<j∈S} r_ij),

which is Hall's k·r̄_cf / √(k + k(k−1)·r̄_ff), where r is symmetrical uncertainty, with the class and between two columns.
A copy of a column adds nothing to the merit, and a column that is independent of the class lowers it. Subsets are
searched forward, best first: the best subset that was not yet extended is extended by each further column, until five
times in a row no better subset was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Binned, Laplace
from deciban.models.schema import Defaults, plan_columns
from deciban.read import MISSING, Column, Table, read_table, read_target, read_weights
from deciban.tallies import Counts, Sample
from deciban.ties import exceeds, first_largest
from deciban.types import AnyArray, Codes, Floats

__all__ = ["correlation_filter"]


# Hall (1999) stops there, too.
_STALE = 5
_DENSE = 1 << 16


def correlation_filter(
    data: Any, target: Any, *, sample_weight: Any = None, na_values: Sequence[Any] = ()
) -> tuple[str, ...]:
    """Choose columns with much information on the class and little on one another (Hall, 1999).

    Labels, and whole numbers of which at most 16 are distinct, are used as they are; other numbers are cut into bins by
    the MDL rule (`Binned(how="mdl")`). A row counts for a pair of columns where both have a value.

    Parameters
    ----------
    data : array or frame
        Any table that a model takes.
    target : str or array
        The name of the column that is the class, or labels, one for each row.
    sample_weight : array, optional
        The weights of the rows, none negative; 1 each when None.
    na_values : sequence
        Values that stand for missing ones, like "?".

    Returns
    -------
    names : tuple of str
        The names of the columns, in the order in which they were chosen.

    See Also
    --------
    NaiveBayes.select : Make a model of some columns.

    Examples
    --------
    >>> table = {
    ...     "sky": ["sun", "sun", "rain", "rain"],
    ...     "copy": [1, 1, 0, 0],
    ...     "moon": ["new", "full", "new", "full"],
    ... }
    >>> correlation_filter(table, ["play", "play", "stay", "stay"])
    ('sky',)
    """
    rows, labels = _split(read_table(data), target)
    markers = (na_values,) if isinstance(na_values, str) else tuple(na_values)
    rows = Table(tuple(column.without(markers) for column in rows.columns), rows.is_named)
    sample = Sample.of(read_target(labels, len(rows)), read_weights(sample_weight, len(rows)))
    used = sample.weighty()
    if used is not None:
        rows, sample = rows.take(used), sample.take(used)
    correlations = _Correlations([*_codes(rows, sample), sample.codes], sample.weights)
    return tuple(rows.names[i] for i in _search(correlations))


class _Correlations:
    """Symmetrical uncertainties of columns of codes, the last of which is the class; computed when first used."""

    def __init__(self, codes: list[Codes], weights: Floats | None) -> None:
        self._codes, self._weights = codes, weights
        self._found: dict[int, Floats] = {}
        self.with_class = self._of(len(codes) - 1)

    def of(self, column: int) -> Floats:
        """Those of one column with every other."""
        if column not in self._found:
            self._found[column] = self._of(column)
        return self._found[column]

    def _of(self, column: int) -> Floats:
        one = self._codes[column]
        return np.array([_uncertainty(one, other, self._weights) for other in self._codes[:-1]])


def _search(correlations: _Correlations) -> tuple[int, ...]:
    chosen: tuple[int, ...] = ()
    best, stale = 0.0, 0
    ahead: dict[tuple[int, ...], float] = {chosen: 0.0}
    visited: set[frozenset[int]] = set()
    while ahead and stale < _STALE:
        waiting = sorted(ahead)
        subset = waiting[first_largest([ahead[columns] for columns in waiting])]
        del ahead[subset]
        stale += 1
        for value, wider in _extended(subset, correlations, visited):
            ahead[wider] = value
            if exceeds(value, best):
                best, chosen, stale = value, wider, 0
    return chosen


def _extended(
    subset: tuple[int, ...], correlations: _Correlations, visited: set[frozenset[int]]
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The subsets with one more column that were not yet visited, with their merits."""
    with_class, members = correlations.with_class, list(subset)
    between = np.array([correlations.of(i) for i in members]).reshape(len(members), len(with_class))
    inner = between[:, members].sum() - np.trace(between[:, members])
    merits = (with_class[members].sum() + with_class) / np.sqrt(len(members) + 1 + inner + 2.0 * between.sum(axis=0))
    for i, value in enumerate(merits.tolist()):
        wider = frozenset((*subset, i))
        if i not in subset and wider not in visited:
            # As a set: the same columns in another order are the same subset.
            visited.add(wider)
            yield value, (*subset, i)


def _uncertainty(a: Codes, b: Codes, weights: Floats | None) -> float:
    """2·(H(A) + H(B) − H(A, B)) / (H(A) + H(B)), over the rows that have both values."""
    known = (a != MISSING) & (b != MISSING)
    if not known.all():
        a, b, weights = a[known], b[known], None if weights is None else weights[known]
    if len(a) == 0:
        return 0.0
    width = int(b.max()) + 1
    pairs = a.astype(np.int64) * width + b
    # A table of all pairs would be mostly empty: pairs that occur are numbered first.
    if (int(a.max()) + 1) * width > max(_DENSE, 4 * len(a)):
        pairs = np.unique(pairs, return_inverse=True)[1]
    apart = _entropy(a, weights) + _entropy(b, weights)
    shared = apart - _entropy(pairs, weights)
    # Rounding may lead a little beyond 0 and 1; columns of one value each share nothing.
    return float(min(1.0, max(0.0, 2.0 * shared / apart))) if exceeds(apart, 0.0) else 0.0


def _entropy(codes: AnyArray, weights: Floats | None) -> float:
    counts = np.bincount(codes, weights)
    shares = counts[counts > 0] / counts.sum()
    return -float(shares @ np.log(shares))


def _split(table: Table, target: Any) -> tuple[Table, Any]:
    if not isinstance(target, str):
        return table, target
    rows, labels = table.without(target)
    if not rows.columns:
        raise ParameterError(f"{target!r} is the only column: there is nothing to choose from.")
    return rows, labels


def _codes(table: Table, sample: Sample) -> list[Codes]:
    plans = plan_columns(table, "auto", Defaults(Laplace(), "skip", "smooth"))
    return [
        _binned(column, sample)
        if column.is_numeric and plan.distribution.part_type is not Counts
        else column.codes(column.variable())
        for plan, column in zip(plans, table.columns, strict=True)
    ]


def _binned(column: Column, sample: Sample) -> Codes:
    kind = Binned(how="mdl")
    cuts = kind.cuts(kind.count(column, sample, "correlation_filter"))
    numbers = np.asarray(column.numbers, dtype=np.float64)
    return np.where(np.isnan(numbers), MISSING, np.searchsorted(cuts, numbers)).astype(np.int32)
