"""From rows to a tally: each function counts its kind of column in one pass over the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.limits import check_memory
from deciban.read import Column, Matrix, Table, Target, Variable, read_target, read_weights
from deciban.tallies import kernels
from deciban.tallies.counts import Counts
from deciban.tallies.kernels import raise_fault
from deciban.tallies.moments import Moments, Terms
from deciban.tallies.tally import Part, Tally
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "Sample",
    "count_column",
    "count_columns",
    "count_gaps",
    "count_matrix",
    "gather_moments",
    "sum_columns",
    "tally_table",
]


_FEWER = (
    "Leave the column out, or group its rare states; see whether the target is a number rather than a label with many "
    "classes."
)


@dataclass(frozen=True, eq=False)
class Sample:
    """The class of each row, as a code, its weight, and the number or weight of the rows of each class.

    The columns stay apart: they are counted one after the other, each in the form that its distribution asks for.
    """

    classes: Variable
    codes: Codes
    counts: AnyArray
    weights: Floats | None = None

    @classmethod
    def of(cls, target: Target, weights: Floats | None = None) -> Sample:
        """Make the sample of a target column and its rows' weights; labels without a row are not classes."""
        counts = kernels.count_occurrences(target.codes, len(target.classes))
        classes, codes, is_class = target.classes, target.codes, counts > 0
        if not is_class.all():
            classes, counts = classes.restricted(is_class), counts[is_class]
            # int32, as kernels take them.
            codes = (np.cumsum(is_class, dtype=np.int32) - np.int32(1))[codes]
        if weights is not None:
            counts = np.bincount(codes, weights, len(classes))
        return cls(classes, codes, counts, weights)

    def weighty(self) -> AnyArray | None:
        """Which rows have a positive weight, or None when all have: rows of weight 0 are ignored."""
        if self.weights is None or self.weights.all():
            return None
        return self.weights > 0

    def take(self, rows: AnyArray) -> Sample:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        codes = self.codes[rows]
        return Sample(self.classes, codes, np.bincount(codes, weights, len(self.classes)), weights)

    def tally(self, *parts: Part) -> Tally:
        return Tally(self.classes, self.counts, parts)


def count_matrix(matrix: Matrix, sample: Sample, owner: str, *, missing_allowed: bool) -> tuple[Counts, ...] | None:
    """Count whole numbers that are their own codes; None when the columns need to be read as labels.

    They do when a value is not a whole number, or is so large that a table up to it would be mostly empty.
    """
    x, classes = matrix.for_kernel(), len(sample.classes)
    tables, fault = kernels.count_codes(x, sample.codes, classes, sample.weights, missing_allowed=missing_allowed)
    if fault is None:
        variables = [Variable.of_codes(n, t.shape[1]) for n, t in zip(matrix.names, tables, strict=True)]
        return tuple(Counts(v, t) for v, t in zip(variables, tables, strict=True))
    if fault[0] not in ("fractional", "wide"):
        raise_fault(fault, owner, matrix.given_names)
    return None


def count_columns(
    table: Table, sample: Sample, owner: str, *, missing_allowed: bool, coded: bool
) -> tuple[Counts, ...]:
    """Count columns of labels; where `coded`, whole numbers are their own codes."""
    counted, states = [], 0
    for column in table.columns:
        if column.has_missing and not missing_allowed:
            raise_fault(("missing", column.first_missing(), 0), owner, (column.name,))
        if coded and column.is_numeric and len(column) and np.nanmin(column.numbers) < 0:
            raise_fault(("negative", int(np.nanargmin(column.numbers)), 0), owner, (column.name,))
        counted.append(count_column(column, sample, coded=coded))
        # After each column, as each may fit and all together not.
        states += len(counted[-1].variable)
        check_memory("the counts of all columns, classes × states,", len(sample.classes), states, advice=_FEWER)
    return tuple(counted)


def count_column(column: Column, sample: Sample, *, coded: bool = False) -> Counts:
    """Count the states of one column in each class, without missing values."""
    rows = sample.weighty()
    if rows is not None:
        column, sample = column.take(rows), sample.take(rows)
    if column.is_numeric:
        variable = column.variable(coded=coded)
        return Counts(variable, _count_codes(column.name, column.codes(variable), sample, len(variable)))
    # By the column's own indices, and its few states are sorted afterwards: no row is looked up.
    counts = _count_codes(column.name, column.indices, sample, len(column.states))
    used = counts.any(axis=0)
    variable = Variable.of(column.name, column.states[used])
    table = np.zeros((len(counts), len(variable)), dtype=counts.dtype)
    # Equal states become one.
    np.add.at(table.T, variable.encode(column.states[used]), counts[:, used].T)
    return Counts(variable, table)


def _count_codes(name: str, indices: Codes, sample: Sample, states: int) -> AnyArray:
    """Class × code: how often each occurs, without missing values."""
    classes = len(sample.classes)
    check_memory(f"the counts of column {name!r}, classes × states,", classes, states, advice=_FEWER)
    tables, fault = kernels.count_codes(
        [indices], sample.codes, classes, sample.weights, missing_allowed=True, minus_is_missing=True
    )
    if fault is None:
        table = np.zeros((classes, states), dtype=tables[0].dtype)
        table[:, : tables[0].shape[1]] = tables[0]
        return table
    known = indices >= 0  # NumPy counts where the table is too wide for the kernel
    cells = sample.codes[known].astype(np.int64) * states + indices[known]
    weights = None if sample.weights is None else sample.weights[known]
    return np.bincount(cells, weights, classes * states).reshape(classes, states)


def count_gaps(is_missing: AnyArray, sample: Sample) -> AnyArray:
    """Class × (known, missing)."""
    classes = len(sample.classes)
    cells = sample.codes.astype(np.int64) * 2 + is_missing
    return np.bincount(cells, sample.weights, classes * 2).reshape(classes, 2)


def gather_moments(matrix: Matrix, sample: Sample, owner: str, *, missing_allowed: bool) -> Moments:
    """Weight and sums of every column in every class."""
    weight, sums, fault = kernels.class_moments(
        matrix.for_kernel(), sample.codes, len(sample.classes), sample.weights, missing_allowed=missing_allowed
    )
    if fault is not None:
        raise_fault(fault, owner, matrix.given_names)
    return Moments(weight, sums, matrix.given_names)


def sum_columns(matrix: Matrix, sample: Sample, owner: str, weighing: kernels.Weighing) -> Terms:
    """Sums of every column in every class: whole numbers, exact up to 2^53, where the values and weights are."""
    sums, missing, fault = kernels.sum_terms(
        matrix.for_kernel(), sample.codes, len(sample.classes), sample.weights, weighing
    )
    if fault is not None:
        raise_fault(fault, owner, matrix.given_names)
    known = sample.counts[:, None]
    if missing is not None:
        known = known - missing
    return Terms(sums, known, matrix.given_names)


def tally_table(table: Table, labels: Column, sample_weight: Any = None) -> Tally:
    """Count a table: moments of its float columns, counts of all others, within each class of the column `labels`."""
    sample = Sample.of(read_target(labels, len(labels), labels.name), read_weights(sample_weight, len(labels)))
    parts: list[Counts | Moments] = []
    for column in table.columns:
        if column.is_float and not column.is_whole:  # whole numbers with missing values are read as floats
            matrix = Matrix(column.numbers[:, None], (column.name,))
            parts.append(gather_moments(matrix, sample, "tally", missing_allowed=True))
        else:
            parts.append(count_column(column, sample))
    return sample.tally(*parts)
