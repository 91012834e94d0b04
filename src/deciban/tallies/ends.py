"""Counts of where rows end in trees, within each class.

n_kj = #(class = j, the row ends at node k)

As a part of a tally, the counts of all columns and those of all nodes are one value: they add, subtract and scale. A
row ends at one node of each tree. It passes the ancestors of this node, whose counts are sums.

>>> from deciban.read import Variable
>>> from deciban.tallies.counts import Counts
>>> sky = Counts(Variable.of("sky", "rs"), np.array([[2, 1], [0, 1]]))
>>> alone = Crossed(
...     (sky,), np.zeros((0, 1), dtype=np.int32), np.zeros((0, 2), dtype=np.int64)
... )
>>> day = EndCounts.of(
...     alone, np.array([[0, 0], [2, 0], [1, 1]])
... )  # three nodes, two classes
>>> (day + day - day).dense().tolist()
[[0, 0], [2, 0], [1, 1]]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError
from deciban.read import Variable
from deciban.storable import check_numbers, require, storable
from deciban.tallies.crossed import Crossed
from deciban.tallies.tally import Part, ShownRow, subtract
from deciban.types import AnyArray, Ints

__all__ = ["EndCounts"]


def _check_ends(part: EndCounts) -> None:
    """Cells must ascend and exist."""
    require(isinstance(part.alone, Crossed), "a part holds something that is not counts")
    require(type(part.nodes) is int and part.nodes >= 0, "a part has no number of nodes")
    cells = part.cells
    require(isinstance(cells, np.ndarray) and cells.dtype == np.int64 and cells.ndim == 1, "cells are not indices")
    require(bool((np.diff(cells) > 0).all()), "cells do not ascend")
    is_inside = not len(cells) or (cells[0] >= 0 and cells[-1] < part.nodes * part.classes)
    require(bool(is_inside), "a cell does not exist")
    check_numbers(part.counts, (len(cells),), "counts of nodes")


@storable(check=_check_ends)
@dataclass(frozen=True, eq=False)
class EndCounts(Part):
    """The counts of each column, and those of the nodes where rows end.

    Most nodes have rows of few classes, so that only the cells with a count are kept.

    Attributes
    ----------
    alone
        The counts of each column by itself, without sets of columns.
    nodes
        The number of nodes of all trees.
    cells
        Node · number of classes + class, ascending.
    counts
        The count of each cell.
    """

    alone: Crossed
    nodes: int
    cells: Ints
    counts: AnyArray

    @classmethod
    def of(cls, alone: Crossed, dense: AnyArray) -> EndCounts:
        """From node × class."""
        cells = np.flatnonzero(dense)
        return cls(alone, len(dense), cells, dense.ravel()[cells])

    def dense(self, dtype: type[np.number[Any]] | None = None) -> AnyArray:
        """Node × class, in the type of the counts or in another one."""
        out = np.zeros(self.nodes * self.classes, dtype=dtype or self.counts.dtype)
        out[self.cells] = self.counts
        return out.reshape(self.nodes, self.classes)

    @property
    def names(self) -> tuple[str, ...]:
        return self.alone.names

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.alone.variables

    @property
    def classes(self) -> int:
        return self.alone.classes

    @property
    def is_empty(self) -> bool:
        return not self.counts.any()

    @property
    def components(self) -> tuple[Part, ...]:
        return self.alone.components

    def of_columns(self, kept: Sequence[int]) -> Crossed:
        """The counts of some columns: nodes are those of trees over all of them."""
        return self.alone.of_columns(kept)

    def shown(self, most: int) -> Iterator[ShownRow]:
        yield from self.alone.shown(most)

    def __add__(self, other: EndCounts) -> EndCounts:
        cells, ours, theirs = self._aligned(other)
        return EndCounts(self.alone + other.alone, self.nodes, cells, ours + theirs)

    def __sub__(self, other: EndCounts) -> EndCounts:
        alone = self.alone - other.alone
        cells, ours, theirs = self._aligned(other)
        left = subtract(ours, theirs, lambda _: "a node of a tree")
        return EndCounts(alone, self.nodes, cells[left > 0], left[left > 0])

    def scaled(self, factor: float) -> EndCounts:
        return replace(self, alone=self.alone.scaled(factor), counts=self.counts * float(factor))

    def reclassed(self, indices: Ints, classes: int) -> EndCounts:
        node, of_class = np.divmod(self.cells, self.classes)
        cells = node * classes + np.asarray(indices, dtype=np.int64)[of_class]
        order = np.argsort(cells)
        return EndCounts(self.alone.reclassed(indices, classes), self.nodes, cells[order], self.counts[order])

    def of_classes(self, kept: AnyArray) -> EndCounts:
        node, of_class = np.divmod(self.cells, self.classes)
        alone, new = self.alone.of_classes(kept), np.cumsum(kept) - 1
        stays = np.asarray(kept)[of_class]
        cells = node[stays] * alone.classes + new[of_class[stays]]
        return EndCounts(alone, self.nodes, cells, self.counts[stays])

    def read_as(self, known: EndCounts) -> EndCounts:
        """The same counts, of labels in the type of those that other counts have."""
        alone = self.alone.read_as(known.alone)
        return self if alone is self.alone else replace(self, alone=alone)

    def _aligned(self, other: EndCounts) -> tuple[Ints, AnyArray, AnyArray]:
        """The cells of both, and the counts of each in them."""
        if self.nodes != other.nodes:
            raise ColumnMismatchError("the tallies count the nodes of different trees.")
        cells = np.union1d(self.cells, other.cells)
        both = []
        for part in (self, other):
            counts = np.zeros(len(cells), dtype=part.counts.dtype)
            counts[np.searchsorted(cells, part.cells)] = part.counts
            both.append(counts)
        return cells, both[0], both[1]
