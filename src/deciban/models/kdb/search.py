"""Which parents each column of a k-dependence model gets, and how its numbers are cut.

Columns are ordered by their mutual information with the class; each gets as parents the k columns before it with which
it has the most conditional mutual information given the class (Sahami, 1996). A model of several members repeats this
with an order that is disturbed at random, with a random half of the columns before it as candidates, and with numbers
cut at random quantiles. What the members have in common remains in their mean; the edges of bins and the accidents of
one order do not.

Orders, dependences and quantiles are those of at most 20,000 rows, evenly spread over the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from deciban import _core
from deciban.estimate import ColumnDistribution, Cut
from deciban.estimate.columns.values import numbers_of
from deciban.models.kdb.chains import Chain, Chains, View
from deciban.models.tables.schema import Schema
from deciban.read import Column, Table
from deciban.tallies import Sample
from deciban.ties import exceeds, settled
from deciban.types import AnyArray, Codes, Floats

__all__ = ["ChainSearch"]

_ROWS, _MOST_REPEATED = 20_000, 1 << 24
_FEWEST_BINS, _MOST_BINS = 3, 32
_BINS_OF_ORDER = 6
_DISTURBED, _CANDIDATES = 0.5, 0.5
_FEWEST_CELLS, _MOST_CELLS, _CELLS_A_ROW = 1 << 10, 1 << 17, 4


class _Rows(NamedTuple):
    """Some of the rows, which decide."""

    data: Table
    y: Codes
    weights: Floats | None
    classes: int


@dataclass(frozen=True)
class _Numbers:
    """A column to be cut: its finite numbers in order."""

    ordered: Floats
    missing: Any

    @classmethod
    def of(cls, column: Column, kind: ColumnDistribution) -> _Numbers | None:
        """None where there are no two different numbers."""
        numbers = numbers_of(column)
        ordered = np.sort(numbers[np.isfinite(numbers)])
        return cls(ordered, kind.missing) if len(ordered) and ordered[0] < ordered[-1] else None

    def cut(self, quantiles: Floats) -> Cut:
        """Bins that end at these quantiles, halfway between two numbers."""
        at = np.clip((quantiles * len(self.ordered)).astype(np.int64), 1, len(self.ordered) - 1)
        below, above = self.ordered[at - 1], self.ordered[at]
        ends = np.unique(below + (above - below) / 2)
        return Cut(at=ends[ends < self.ordered[-1]].tolist(), missing=self.missing)


class ChainSearch:
    """The search for the chains of a table.

    Parameters
    ----------
    data, sample : the rows
    schema : the distribution of each column
    is_cut : for each column, whether it is to be cut here; the others have the states of their distribution
    """

    def __init__(self, data: Table, sample: Sample, schema: Schema, is_cut: Sequence[bool]) -> None:
        at, weights = _spread(sample, len(data))
        self._rows = _Rows(data.take(at), sample.codes[at], weights, len(sample.classes))
        self._used = [i for i, plan in enumerate(schema) if not plan.distribution.is_ignored]
        self._kinds = [plan.distribution for plan in schema]
        found = {i: _Numbers.of(self._rows.data.columns[i], self._kinds[i]) for i in self._used if is_cut[i]}
        self._numbers = {i: numbers for i, numbers in found.items() if numbers is not None}
        for i in set(found) - set(self._numbers):  # one number: a column of one bin
            self._kinds[i] = Cut(missing=self._kinds[i].missing)
        self._most_bins = int(np.clip(round(len(at) ** (1 / 3)), _FEWEST_BINS + 1, _MOST_BINS))
        room = min(_MOST_CELLS, max(_FEWEST_CELLS, _CELLS_A_ROW * int(sample.counts.sum())))
        self._room = room // self._rows.classes
        self._information = self._measure()

    def find(self, k: int, members: int, rng: Any) -> Chains:
        """The chains of some members, each column with at most k parents."""
        views = _Views()
        for i, kind in enumerate(self._kinds):
            if i not in self._numbers:
                views.add(i, kind)
        found: dict[tuple[int, ...], int] = {}
        for _ in range(members):
            kinds = self._kinds_of_member(rng)
            index = {i: views.add(i, kinds[i]) for i in self._used}
            sizes = {i: len(kinds[i].variable(self._rows.data.columns[i])) for i in self._used}
            for i, parents in self._parents(k, rng if members > 1 else None):
                kept = _that_fit(parents, sizes, self._room // max(sizes[i], 1))
                key = (*(index[p] for p in kept), index[i])
                found[key] = found.get(key, 0) + 1
        chains = [Chain(key[-1], key[:-1], count / members) for key, count in found.items()]
        return views.by_column(chains)

    def _kinds_of_member(self, rng: Any) -> list[ColumnDistribution]:
        kinds = list(self._kinds)
        for i, numbers in self._numbers.items():
            bins = int(rng.integers(_FEWEST_BINS, self._most_bins + 1))
            kinds[i] = numbers.cut((np.arange(1, bins) + rng.uniform(-0.5, 0.5, bins - 1)) / bins)
        return kinds

    def _measure(self) -> Floats:
        """Columns × columns: the dependence given the class, and on the diagonal the information on the class."""
        equal = np.arange(1, _BINS_OF_ORDER) / _BINS_OF_ORDER
        kinds = [self._numbers[i].cut(equal) if i in self._numbers else self._kinds[i] for i in self._used]
        views = Chains(tuple(View(i, kind) for i, kind in zip(self._used, kinds, strict=True)), ())
        data, y, weights, classes = self._rows
        variables = views.variables(data)
        sizes = np.array([len(variable) for variable in variables], dtype=np.int64)
        if not len(sizes):
            return np.zeros((0, 0))
        return _core.pair_information(views.codes(data, variables, "KDB"), sizes, y, classes, weights)

    def _parents(self, k: int, rng: Any) -> list[tuple[int, list[int]]]:
        """The parents of each column, strongest first."""
        information = self._information
        own = settled(np.diag(information))
        keys = own if rng is None else own * rng.uniform(_DISTURBED, 1.0, len(own))
        order = np.argsort(-settled(keys), kind="stable")
        out = []
        for place, j in enumerate(order.tolist()):
            before = order[:place]
            if rng is not None:
                before = before[rng.random(place) < _CANDIDATES]
            best = before[np.argsort(-settled(information[j, before]), kind="stable")[:k]]
            out.append((self._used[j], [self._used[p] for p in best.tolist() if exceeds(information[j, p], 0.0)]))
        return out


class _Views:
    """Views without repetitions."""

    def __init__(self) -> None:
        self._views: list[View] = []
        self._index: dict[tuple[int, str], int] = {}

    def add(self, column: int, kind: ColumnDistribution) -> int:
        """The index of a view; equal ones have the same."""
        key = (column, kind.coding)
        if key not in self._index:
            self._index[key] = len(self._views)
            self._views.append(View(column, kind))
        return self._index[key]

    def by_column(self, chains: Sequence[Chain]) -> Chains:
        """The views in the order of the columns, and chains of these."""
        order = sorted(range(len(self._views)), key=lambda i: self._views[i].column)
        new = {old: i for i, old in enumerate(order)}
        moved = [replace(c, view=new[c.view], parents=tuple(new[p] for p in c.parents)) for c in chains]
        return Chains(tuple(self._views[i] for i in order), tuple(moved))


def _spread(sample: Sample, rows: int) -> tuple[AnyArray, Floats | None]:
    """Some rows, evenly spread, and their weights; whole-number weights repeat rows."""
    if sample.weights is None:
        return np.arange(rows)[:: max(1, -(-rows // _ROWS))], None
    if (sample.weights % 1.0).any() or sample.weights.sum() > _MOST_REPEATED:
        held = np.flatnonzero(sample.weights)
        held = held[:: max(1, -(-len(held) // _ROWS))]
        return held, sample.weights[held]
    held = np.repeat(np.arange(rows), sample.weights.astype(np.int64))
    return held[:: max(1, -(-len(held) // _ROWS))], None


def _that_fit(parents: Sequence[int], sizes: dict[int, int], room: int) -> list[int]:
    """The parents whose states fit into the table of a column."""
    kept, cells = [], 1
    for parent in parents:
        if cells * sizes[parent] <= room:
            kept.append(parent)
            cells *= sizes[parent]
    return kept
