"""Searches that go on: rows are added to what a result counted, or taken out again, and the search is made anew.

A score of categories is a function of the counts of families, and these are sums over the different rows:

    N(family) = Σ over different rows r of  n(r)·[r has these states],        n = n₁ + n₂ or n₁ − n₂

A Gaussian score is a function of the means and cross-products of all columns, which add up as well. So a result keeps
these tallies, and not the rows: of categories each different row once with its count, of numbers one matrix. Later rows
cost what they are themselves; the search then counts the different rows, or none, however many rows there were. It
starts where a fresh search does, so it finds what a fresh search of all rows finds.

Tests of independence, missing values that are summed out or skipped, bins, and rows in which nodes were set need the
rows themselves: there a search of all rows is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.nets.data.centred import CentredProducts
from deciban.nets.data.grouping import distinct_rows
from deciban.nets.data.samples import CodedSample, NetSample, NumberSample, RowOptions, read_variables
from deciban.nets.graphs.graph import Graph, Node
from deciban.nets.learning.linear_gaussian import CrossMoments
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC, GaussianScores
from deciban.nets.scores.protocol import ADVICE, LocalScores, Score
from deciban.read import Variable
from deciban.types import Floats

__all__ = ["ColumnMoments", "DistinctRows", "RowTally", "Stream", "StreamMissing", "changes_of", "stream_of"]

_ROUNDING = 1e-9
"""Counts below this share of a row are rounding of its weights."""

StreamMissing = Literal["error", "drop"]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Each different row of a sample of categories once, with how many rows it stands for."""

    sample: CodedSample

    @classmethod
    def of(cls, sample: CodedSample) -> DistinctRows:
        """The tally of some rows."""
        weight = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        return cls._summed(sample, weight)

    @classmethod
    def _summed(cls, sample: CodedSample, weight: Floats) -> DistinctRows:
        first, which = distinct_rows(np.ascontiguousarray(sample.codes.T))
        counts: Floats = np.bincount(which, weight, len(first)).astype(np.float64)
        size = np.bincount(which, np.abs(weight), len(first))
        if (counts < -_ROUNDING * size).any():
            code = sample.codes[:, first[int(counts.argmin())]].tolist()
            row = {n: sample.states[n].labels[c] for n, c in zip(sample.names, code, strict=True)}
            raise NegativeCountError(f"the row {row} was not counted as often as it is to be forgotten.")
        kept = counts > _ROUNDING * size
        return cls(_trimmed(replace(sample, codes=sample.codes[:, first[kept]], sample_weight=counts[kept])))

    def __add__(self, other: DistinctRows) -> DistinctRows:
        return self._joined(other, 1.0)

    def __sub__(self, other: DistinctRows) -> DistinctRows:
        return self._joined(other, -1.0)

    def _joined(self, other: DistinctRows, sign: float) -> DistinctRows:
        mine, its, states = self.sample, other.sample, {}
        codes = np.empty((len(mine.names), len(mine) + len(its)), dtype=np.int32)
        for row, name in enumerate(mine.names):
            parts = mine.states[name], its.states[name]
            states[name] = Variable.of(parts[0].name, [label for part in parts for label in part.labels.tolist()])
            code_of = {label: code for code, label in enumerate(states[name].labels.tolist())}
            for part, sample, at in ((parts[0], mine, slice(len(mine))), (parts[1], its, slice(len(mine), None))):
                codes[row, at] = np.array([code_of[label] for label in part.labels.tolist()])[sample.codes[row]]
        weight = np.concatenate([_weights(mine), sign * _weights(its)])
        return self._summed(replace(mine, states=states, codes=codes), weight)

    @property
    def rows(self) -> float:
        """The number of rows, or their weight."""
        return float(self.sample.total)

    def scores(self, criterion: Score) -> LocalScores:
        """The local scores of these rows."""
        return criterion.on(self.sample)


def _weights(sample: CodedSample) -> Floats:
    return np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight


def _trimmed(sample: CodedSample) -> CodedSample:
    """Without the states that no row has: a fresh search would not know them."""
    codes, states = np.empty(sample.codes.shape, dtype=np.int32), {}
    for row, name in enumerate(sample.names):
        used, codes[row] = np.unique(sample.codes[row], return_inverse=True)
        variable = sample.states[name]
        states[name] = Variable.of_states(variable.name, variable.labels[used].tolist())
    return replace(sample, states=states, codes=codes)


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """The weight, the means and the cross-products of all columns of a sample of numbers."""

    names: tuple[Any, ...]
    moments: CrossMoments

    @classmethod
    def of(cls, sample: NumberSample) -> ColumnMoments:
        """The tally of some rows."""
        return cls(sample.names, CrossMoments.of(sample.values, sample.sample_weight))

    def __add__(self, other: ColumnMoments) -> ColumnMoments:
        return replace(self, moments=self.moments + other.moments)

    def __sub__(self, other: ColumnMoments) -> ColumnMoments:
        return replace(self, moments=self.moments - other.moments)

    @property
    def rows(self) -> float:
        """The number of rows, or their weight."""
        return float(self.moments.weight)

    def scores(self, criterion: Score) -> LocalScores:
        """The local scores of these rows."""
        weight, cross = self.moments.weight, self.moments.cross
        # About the largest value of a column: what is far below it is rounding, and the column constant.
        scale = np.maximum(np.abs(self.moments.mean), np.sqrt(np.diag(cross) / max(weight, 1.0)))
        scale[scale == 0] = 1.0
        products = CentredProducts(weight, scale, cross / np.outer(scale, scale))
        return GaussianScores(self.names, products, penalty=getattr(criterion, "penalty", 1.0))


RowTally = DistinctRows | ColumnMoments


@dataclass(frozen=True, eq=False)
class Stream:
    """How a result goes on: the search on local scores, the score, and what was counted, from the rows at first."""

    search: Callable[[LocalScores, Callable[[Any], object]], Any]
    criterion: Score
    tally: RowTally | None = None

    def changed(self, sample: NetSample | None, batch: NetSample, *, is_added: bool) -> tuple[Stream, Any]:
        """The stream with or without some rows, and the result of its search."""
        known = self.tally if self.tally is not None else _tally_of(sample)
        part = _tally_of(batch)
        tally: Any = known + part if is_added else known - part  # type: ignore[operator]  # both of one kind
        if tally.rows < 1:
            raise ParameterError("no row would be left to search: forget fewer.")
        stream = replace(self, tally=tally)
        return stream, self.search(tally.scores(self.criterion), lambda _: None)

    def read(self, names: tuple[Node, ...], data: Any, sample_weight: Any, missing: StreamMissing) -> NetSample:
        """Later rows, which have the columns of the earlier ones."""
        reads = self.criterion.reads
        options = RowOptions(sample_weight=sample_weight, missing=missing, choices=get_args(StreamMissing))
        batch: NetSample = read_variables(data, reads, ADVICE, **options)
        different = set(batch.names) ^ set(names)
        if different:
            shown = ", ".join(sorted(map(repr, different))[:5])
            raise ColumnMismatchError(f"the rows and the graph have different columns: {shown} in one only.")
        return batch

    @property
    def sample(self) -> CodedSample | None:
        """The different rows with their counts; None of numbers, of which no rows are kept."""
        return self.tally.sample if isinstance(self.tally, DistinctRows) else None


def stream_of(
    search: Callable[[LocalScores, Callable[[Any], object]], Any], criterion: Score, *, is_whole: bool
) -> Stream | None:
    """How a search can go on; None where its score is not one of sums, or needs the rows themselves."""
    can = is_whole and isinstance(criterion, BIC | BDeu | K2 | GaussianBIC)
    return Stream(search, criterion) if can else None


def _tally_of(sample: NetSample | None) -> RowTally:
    if isinstance(sample, CodedSample):
        return DistinctRows.of(sample)
    if isinstance(sample, NumberSample):
        return ColumnMoments.of(sample)
    raise ParameterError("this result has no rows to add to: search all rows again.")


def changes_of(before: Graph, after: Graph) -> tuple[str, ...]:
    """The edges that differ, in words.

    >>> from deciban.nets import DAG
    >>> changes_of(DAG([("a", "b"), ("b", "c")]), DAG([("b", "a"), ("a", "c")]))
    ('a → c is new', 'b → a was a → b', 'b → c is gone')
    """
    old = {frozenset((a, b)): f"{a} {kind} {b}" for a, kind, b in before.edges}
    new = {frozenset((a, b)): f"{a} {kind} {b}" for a, kind, b in after.edges}
    added = [f"{edge} is new" if pair not in old else f"{edge} was {old[pair]}" for pair, edge in new.items()]
    kept = [text for text, (pair, edge) in zip(added, new.items(), strict=True) if old.get(pair) != edge]
    return (*kept, *(f"{edge} is gone" for pair, edge in old.items() if pair not in new))
