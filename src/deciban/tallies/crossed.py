"""Counts of sets of columns within each class: pairs for TAN and AODE, triples for A2DE, families for a net.

n_jv = #(class = j, X_s = v),  v a combination of values of the columns s

A row counts in a set when it has a value in each of the set's columns. As a part of a tally, the counts of all sets are
one value: they add, subtract and scale as those of single columns do.

>>> from deciban.read import Variable
>>> sky, wind = (
...     Counts(Variable.of(n, v), np.array([[1, 1]]))
...     for n, v in (("sky", "rs"), ("wind", "lh"))
... )
>>> day = Crossed((sky, wind), np.array([[0, 1]]), np.array([[1], [0], [0], [1]]))
>>> (day + day).table(0)[:, :, 0].tolist()  # sky × wind, in the only class
[[2, 0], [0, 2]]
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import prod
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.limits import check_memory
from deciban.read import Variable
from deciban.storable import check_numbers, require, storable
from deciban.tallies import kernels
from deciban.tallies.counting import Sample
from deciban.tallies.counts import Counts
from deciban.tallies.tally import Part, ShownRow, place_columns, subtract
from deciban.types import AnyArray, Codes, Ints

__all__ = ["Crossed", "cells_of", "count_crossed", "narrow_codes", "narrow_type", "sets_of_size"]


def _check_crossed(crossed: Crossed) -> None:
    """Sets must name existing columns, and cells must fit the states of these."""
    require(all(isinstance(counts, Counts) for counts in crossed.counts), "a part holds something that is not counts")
    check_numbers(crossed.sets, (None, None), "sets of columns", negative=True)
    sets = crossed.sets
    require((sets.dtype.kind == "i" and not sets.size) or bool(((sets >= -1) & (sets < len(crossed.counts))).all()),
             "a set has a column that does not exist")  # fmt: skip
    require(
        bool((np.diff((sets < 0).astype(np.int8), axis=1) >= 0).all()), "a set of columns has −1 before its last column"
    )
    sizes = [len(counts.variable) for counts in crossed.counts]
    cells = sum(prod(sizes[c] for c in row if c >= 0) for row in sets.tolist())
    check_numbers(crossed.cells, (cells, None), "counts of sets")
    require(all(c.table.shape == (crossed.classes, n) for c, n in zip(crossed.counts, sizes, strict=True)),
             "counts do not fit their classes")  # fmt: skip


@storable(check=_check_crossed)
@dataclass(frozen=True, eq=False)
class Crossed(Part):
    """The counts of each column, and those of sets of columns.

    Attributes
    ----------
    counts
        Class × state counts of each column by itself.
    sets
        Sets × columns: indices among the columns, −1 behind the last of a shorter set.
    cells
        Cell × class, one set after the other; within a set the last column changes fastest.
    """

    counts: tuple[Counts, ...]
    sets: AnyArray
    cells: AnyArray

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(counts.variable.name for counts in self.counts)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(counts.variable for counts in self.counts)

    @property
    def classes(self) -> int:
        return int(self.cells.shape[1])

    @property
    def is_empty(self) -> bool:
        return all(counts.is_empty for counts in self.counts)

    @property
    def components(self) -> tuple[Part, ...]:
        return self.counts

    def columns(self, i: int) -> tuple[int, ...]:
        """The columns of the i-th set."""
        return tuple(c for c in self.sets[i].tolist() if c >= 0)

    def table(self, i: int) -> AnyArray:
        """The counts of the i-th set: an axis for each of its columns, and the classes last."""
        start, end = self._ends()[i : i + 2].tolist()
        return self.cells[start:end].reshape(*(len(self.counts[c].variable) for c in self.columns(i)), self.classes)

    def tables(self) -> Iterator[tuple[tuple[int, ...], AnyArray]]:
        """Each set, and its counts."""
        ends, sizes = self._ends().tolist(), [len(variable) for variable in self.variables]
        for i in range(len(self.sets)):
            columns = self.columns(i)
            yield columns, self.cells[ends[i] : ends[i + 1]].reshape(*(sizes[c] for c in columns), self.classes)

    def of_sets(self, wanted: Iterable[tuple[int, ...]]) -> Crossed:
        """The counts of the columns, and of some of the sets only."""
        sets, kept = set(wanted), []
        # An array of no cells comes first: without any set, there would be nothing to concatenate.
        cells = [np.zeros((0, self.classes), dtype=self.cells.dtype)]
        for i, (columns, table) in enumerate(self.tables()):
            if columns in sets:
                kept.append(i)
                cells.append(table.reshape(-1, self.classes))
        return Crossed(self.counts, self.sets[kept], np.concatenate(cells))

    def of_columns(self, kept: Sequence[int]) -> Crossed:
        """The counts of some columns, and of the sets that consist of them."""
        renumbered = {c: i for i, c in enumerate(kept)}
        sets = (self.columns(i) for i in range(len(self.sets)))
        inside = self.of_sets(columns for columns in sets if set(columns) <= set(kept))
        indices = np.array([renumbered.get(c, -1) for c in inside.sets.ravel().tolist()], dtype=self.sets.dtype)
        return Crossed(tuple(self.counts[c] for c in kept), indices.reshape(inside.sets.shape), inside.cells)

    def shown(self, most: int) -> Iterator[ShownRow]:
        """Name, state and counts of the first states: what a printed tally shows."""
        yield from islice((row for counts in self.counts for row in counts.shown(most)), most + 1)

    def __add__(self, other: Crossed) -> Crossed:
        a, b = self._aligned(other)
        counts = tuple(Counts(p.variable, p.table + q.table) for p, q in zip(a.counts, b.counts, strict=True))
        return Crossed(counts, a.sets, a.cells + b.cells)

    def __sub__(self, other: Crossed) -> Crossed:
        a, b = self._aligned(other)
        counts = tuple(p.less(q) for p, q in zip(a.counts, b.counts, strict=True))
        cells = subtract(a.cells, b.cells, lambda _: "a combination of values", 1)
        return Crossed(counts, a.sets, cells)._trimmed()

    def scaled(self, factor: float) -> Crossed:
        return Crossed(tuple(c.scaled(factor) for c in self.counts), self.sets, self.cells * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> Crossed:
        counts = tuple(c.reclassed(indices, classes) for c in self.counts)
        return Crossed(counts, self.sets, place_columns(self.cells, indices, classes))

    def of_classes(self, kept: AnyArray) -> Crossed:
        return Crossed(tuple(c.of_classes(kept) for c in self.counts), self.sets, self.cells[:, kept])

    def _ends(self) -> Ints:
        """Where each set's cells begin, and where the last one's end."""
        # The last, at index −1: a factor of 1.
        sizes = np.array([*map(len, self.variables), 1], dtype=np.int64)
        return np.concatenate([[0], np.cumsum(sizes[self.sets].prod(axis=1))]).astype(np.int64)

    def _aligned(self, other: Crossed) -> tuple[Crossed, Crossed]:
        if self.names != other.names or not np.array_equal(self.sets, other.sets):
            raise ColumnMismatchError("the tallies count different sets of columns.")
        variables = tuple(a.union(b) for a, b in zip(self.variables, other.variables, strict=True))
        return self._restated(variables), other._restated(variables)

    def _restated(self, variables: tuple[Variable, ...]) -> Crossed:
        """The same counts over variables that have all states of these, and perhaps more."""
        if variables == self.variables:
            return self
        counts = tuple(c.restated(variable) for c, variable in zip(self.counts, variables, strict=True))
        return Crossed(counts, self.sets, self._cells_over(variables))

    def read_as(self, known: Crossed) -> Crossed:
        """The same counts, of labels in the type of those that other counts have."""
        counts = tuple(ours.read_as(theirs) for ours, theirs in zip(self.counts, known.counts, strict=True))
        if all(map(operator.is_, counts, self.counts)):
            return self
        return Crossed(counts, self.sets, self._cells_over([c.variable for c in counts]))

    def _cells_over(self, variables: Sequence[Variable]) -> AnyArray:
        """The cells over variables that have all states of these; states that became one are added."""
        indices = [new.encode(old.labels) for new, old in zip(variables, self.variables, strict=True)]
        parts = [np.zeros((0, self.classes), dtype=self.cells.dtype)]
        for columns, table in self.tables():
            wide = np.zeros((*(len(variables[c]) for c in columns), self.classes), dtype=table.dtype)
            np.add.at(wide, np.ix_(*(indices[c] for c in columns), np.arange(self.classes)), table)
            parts.append(wide.reshape(-1, self.classes))
        return np.concatenate(parts)

    def _trimmed(self) -> Crossed:
        """Remove the labels that no row has any more; a coded column keeps its states (bins)."""
        used = [np.asarray(c.table.any(axis=0) | c.variable.is_coded) for c in self.counts]
        if all(states.all() for states in used):
            return self
        counts = tuple(
            replace(c, variable=c.variable.restricted(states), table=c.table[:, states])
            for c, states in zip(self.counts, used, strict=True)
        )
        axes = [np.flatnonzero(states) for states in used]
        parts = [np.zeros((0, self.classes), dtype=self.cells.dtype)]
        for columns, table in self.tables():
            kept = table[np.ix_(*(axes[c] for c in columns), np.arange(self.classes))]
            parts.append(kept.reshape(-1, self.classes))
        return Crossed(counts, self.sets, np.concatenate(parts))


def count_crossed(variables: tuple[Variable, ...], codes: AnyArray, sample: Sample, sets: AnyArray) -> Crossed:
    """Count columns of codes, columns × rows (see `narrow_codes`), and sets of them, within each class."""
    check_room(cells_of(variables, sets), len(sample.classes), "the counts")
    alone = np.arange(len(variables), dtype=sets.dtype)[:, None]
    singles = _count(variables, codes, sample, alone)
    ends = np.cumsum([0, *(len(variable) for variable in variables)]).tolist()
    counts = tuple(Counts(variable, singles[ends[i] : ends[i + 1]].T.copy()) for i, variable in enumerate(variables))
    return Crossed(counts, sets, _count(variables, codes, sample, sets))


def _count(variables: tuple[Variable, ...], codes: AnyArray, sample: Sample, sets: AnyArray) -> AnyArray:
    sizes = np.array([len(variable) for variable in variables], dtype=np.int64)
    is_column = sets >= 0
    starts = np.concatenate([[0], np.cumsum(is_column.sum(axis=1))]).astype(np.int64)
    flat = sets[is_column].astype(np.int32)
    return kernels.count_sets(codes, sizes, sample.codes, len(sample.classes), sample.weights, (starts, flat))


def narrow_codes(columns: Iterable[Codes], sizes: list[int], rows: int) -> AnyArray:
    """Columns × rows in the narrowest type, with a missing value (−1) as the code behind the last state."""
    out = np.empty((len(sizes), rows), dtype=narrow_type(sizes))
    for row, codes, size in zip(out, columns, sizes, strict=True):
        row[:] = codes if codes.size == 0 or codes.min() >= 0 else np.where(codes < 0, size, codes)
    return out


def narrow_type(sizes: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The narrowest type for codes of columns with so many states, and for the code behind the last one."""
    # Codes are read again for each set of columns, and bytes are a quarter of what int32 would be.
    widest = max(sizes, default=0)
    return np.uint8 if widest < 1 << 8 else np.uint16 if widest < 1 << 16 else np.uint32


def sets_of_size(columns: int, size: int) -> AnyArray:
    """All sets of so many columns, in order."""
    return np.array(list(combinations(range(columns), size)), dtype=np.int32).reshape(-1, size)


def cells_of(variables: tuple[Variable, ...], sets: AnyArray) -> int:
    """How many cells the sets have, in one class."""
    # Python's integers, which do not overflow before the limit is checked.
    sizes = [*map(len, variables), 1]
    return sum(prod(sizes[c] for c in columns) for columns in sets.tolist())


def check_room(cells: int, classes: int, what: str) -> None:
    """Refuse tables that would not fit."""
    advice = "Leave columns of many labels out (columns={name: db.Ignore()}), or cut numbers into fewer bins."
    check_memory(f"{what}, cells × classes,", cells, classes, advice=advice)
