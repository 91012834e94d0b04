"""Cells of a joint table: the combinations of values that occurred, as the states of one wide variable.

A combination is a tuple of labels, so a joint table is a `Counts` like any other: it adds, subtracts and scales.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from deciban.estimate.columns.drawing import draw_codes
from deciban.limits import check_memory
from deciban.read import MISSING, Table, Variable, distinct
from deciban.read.variable import object_array
from deciban.tallies import Counts, Sample, raise_fault
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Cells", "count_cells"]


def count_cells(table: Table, sample: Sample, owner: str, *, missing_allowed: bool) -> Counts:
    """Count each class's rows in each cell; rows with a missing value belong to no cell."""
    rows = sample.weighty()
    if rows is not None:
        table, sample = table.take(rows), sample.take(rows)
    variables = tuple(column.variable() for column in table.columns)
    codes = table.codes(variables)
    complete = (codes != MISSING).all(axis=1)
    if not complete.all() and not missing_allowed:
        row, column = np.argwhere(codes == MISSING)[0].tolist()
        raise_fault(("missing", row, column), owner, table.names)
    cells, indices = np.unique(_keys(codes[complete], [len(v) for v in variables]), return_inverse=True)
    _, first = np.unique(indices, return_index=True)
    labels = _tuples(codes[complete][first], variables)
    at = indices + len(cells) * sample.codes[complete].astype(np.int64)
    weights = None if sample.weights is None else sample.weights[complete]
    check_memory("the joint table, classes × cells that occur,", len(sample.classes), len(cells), itemsize=16)
    counts = np.bincount(at, weights, len(cells) * len(sample.classes)).reshape(len(sample.classes), len(cells))
    variable = Variable(" × ".join(table.names), distinct(labels), len(labels))
    order = variable.encode(labels)
    ordered = np.empty_like(counts)
    ordered[:, order] = counts
    return Counts(variable, ordered)


@dataclass(frozen=True)
class Cells:
    """The cells of a tally, coded column by column, and each class's count in each."""

    variables: tuple[Variable, ...]
    codes: Codes
    counts: AnyArray

    @classmethod
    def of(cls, counts: Counts, columns: int) -> Cells:
        """Split the tuples into columns of codes."""
        values = [object_array(label[i] for label in counts.variable.labels.tolist()) for i in range(columns)]
        variables = tuple(Variable.of(f"x{i}", column) for i, column in enumerate(values))
        codes = np.empty((len(counts.variable), columns), dtype=np.int32)
        for i, (variable, column) in enumerate(zip(variables, values, strict=True)):
            codes[:, i] = variable.encode(column)
        return cls(variables, codes, counts.table)

    @property
    def size(self) -> int:
        """The number of combinations that the columns' states could make."""
        return prod(max(len(variable), 1) for variable in self.variables)

    @property
    def totals(self) -> AnyArray:
        return self.counts.sum(axis=1)

    def counts_of(self, table: Table) -> tuple[Floats, Floats]:
        """Each row's counts by class, and the number of cells summed: more than one where a value is missing."""
        codes = table.codes(self.variables)
        known = codes != MISSING
        check_memory("the scores of rows × classes", len(codes), len(self.counts), advice="Pass fewer rows at a time.")
        counts = np.zeros((len(codes), len(self.counts)))
        states = np.ones(len(codes))
        patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            rows = np.flatnonzero(pattern_of.ravel() == i)
            counts[rows] = self._marginal_counts(codes[np.ix_(rows, pattern)], pattern)
            states[rows] = prod(len(v) for v, is_known in zip(self.variables, pattern, strict=True) if not is_known)
        return counts, states

    def draw(self, y: Codes, added: float, rng: np.random.Generator) -> Codes:
        """Codes, columns × rows, given the classes of the rows; `added` is the sum of the pseudo-counts.

        A smoothed table is a mixture: of the counts, and of all combinations of states, each as likely.
        """
        if not len(self.codes):
            return np.full((len(self.variables), len(y)), MISSING, dtype=np.int32)
        totals = self.totals.astype(np.float64)
        whole = totals + added
        counted = np.divide(totals, whole, out=np.zeros(len(totals)), where=whole > 0)
        shares = self.counts / np.where(totals > 0, totals, 1.0)[:, None]
        out = self.codes[draw_codes(shares, y, rng)].T.copy()
        others = np.flatnonzero(rng.random(len(y)) >= counted[y])
        for i, variable in enumerate(self.variables):
            out[i, others] = rng.integers(max(len(variable), 1), size=len(others))
        return out

    def without_own(self, table: Table, weights: Floats) -> tuple[Floats, Floats]:
        """The weight that each row has in its cell, and the number of combinations that remain without the row."""
        codes = table.codes(self.variables)
        own = np.where((codes != MISSING).all(axis=1), weights, 0.0)
        sizes = np.ones(len(codes))
        for i, variable in enumerate(self.variables):
            whole = np.bincount(self.codes[:, i], self.counts.sum(axis=0), len(variable) + 1)
            alone = (own > 0) & (weight_left(whole[codes[:, i]], own) == 0)
            sizes *= np.maximum(len(variable) - alone, 1)
        return own, sizes

    def _marginal_counts(self, rows: Codes, known: AnyArray) -> AnyArray:
        """Counts by class of the cells that agree with each row in the known columns."""
        if not known.any():
            return np.broadcast_to(self.totals, (len(rows), len(self.totals)))
        sizes = [len(v) + 1 for v, is_known in zip(self.variables, known, strict=True) if is_known]
        keys = _keys(np.concatenate([self.codes[:, known], rows]), sizes)
        own, wanted = keys[: len(self.codes)], keys[len(self.codes) :]
        groups, indices = np.unique(own, return_inverse=True)
        sums = np.zeros((len(groups) + 1, len(self.counts)))
        np.add.at(sums, indices, self.counts.T)
        at = np.minimum(np.searchsorted(groups, wanted), max(len(groups) - 1, 0))
        found = groups[at] == wanted if len(groups) else np.zeros(len(wanted), dtype=bool)
        return sums[np.where(found, at, len(groups))]


def _keys(codes: Codes, sizes: list[int]) -> Ints:
    """One number for each row, equal where the rows are equal: mixed radix, renumbered before it can overflow."""
    keys = np.zeros(len(codes), dtype=np.int64)
    room = 1
    for i, size in enumerate(sizes):
        if room * (size + 1) >= 1 << 62:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            room = len(keys) + 1
        keys = keys * (size + 1) + codes[:, i]
        room *= size + 1
    return keys


def _tuples(codes: Codes, variables: tuple[Variable, ...]) -> AnyArray:
    columns = [variable.labels[codes[:, i]].tolist() for i, variable in enumerate(variables)]
    return object_array(zip(*columns, strict=True))
