"""Random trees: how they are grown from rows, where rows end in them, and what the counts there say.

Random numbers follow from a hash of the rows' values, so that neither the order of rows and columns nor names change
the trees. Columns, labels and classes have an order that follows from the counts: colors that are refined by those of
the rows that hold them, twice, as in the test of graphs for isomorphism by Weisfeiler and Leman (1968).

Each tree is grown from a part of the rows, by their hash. The others are honest: the tree was not chosen by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from deciban import _core
from deciban.errors import ColumnMismatchError
from deciban.estimate import ColumnDistribution
from deciban.models.schema import ColumnPlan, Schema
from deciban.read import Table, Variable
from deciban.storable import ByFields, check_numbers, require, storable
from deciban.tallies import EndCounts, Sample
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["GrowRules", "Rows", "StateColumns", "Trees", "distinct_rows", "grow", "unseen_of"]

_MISSING, _OTHER, _ENDED = 0xFFFF, 0xFFFE, 0xFFFD
"""Codes that are no state, as in core/forest: a missing value; a label that is not known, and one without evidence."""

_Arrays = tuple[Codes, AnyArray, AnyArray, Codes, AnyArray, Ints, AnyArray, Ints, Ints, int, float]

_SMALL = 1e-9  # relative changes below are their own logarithm
_SHARE = 0.75  # of the rows, which a tree is grown from
_UNIT, _MOST_UNITS = 16, 1 << 20  # the mean of weights that are not whole numbers, and the largest, as whole numbers


@dataclass(frozen=True, eq=False)
class Rows(ByFields):
    """Counted rows: their states and keys, how much each weighs in the counts, and for how many it stands."""

    states: AnyArray
    keys: AnyArray
    y: Codes
    own: Floats
    importance: Floats

    def take(self, kept: AnyArray) -> Rows:
        states = np.ascontiguousarray(self.states[:, kept])
        return Rows(states, self.keys[kept], self.y[kept], self.own[kept], self.importance[kept])

    def spread(self, most: int) -> Rows:
        """At most so many, by their keys."""
        if len(self.y) <= most:
            return self
        return self.take(np.sort(np.lexsort((self.y, _mixed(self.keys + np.uint64(1))))[:most]))


def distinct_rows(states: AnyArray, keys: AnyArray, sample: Sample) -> Rows:
    """Equal rows of one class as one row, in the order of their keys."""
    order = np.lexsort((sample.codes, keys))
    keys, y = keys[order], sample.codes[order]
    is_first = np.ones(len(y), dtype=bool)
    is_first[1:] = (keys[1:] != keys[:-1]) | (y[1:] != y[:-1])
    first = np.flatnonzero(is_first)
    weights = np.ones(len(y)) if sample.weights is None else sample.weights[order]
    importance = np.add.reduceat(weights, first)
    # A whole-number weight stands for so many rows, of which one is left out.
    is_counts = sample.weights is None or not (sample.weights % 1.0).any()
    own = np.ones(len(first)) if is_counts else importance / np.diff(np.append(first, len(y)))
    return Rows(np.ascontiguousarray(states[:, order[first]]), keys[first], y[first], own, importance)


@storable
@dataclass(frozen=True, eq=False)
class StateColumns(ByFields):
    """How values become the states that trees split.

    Attributes
    ----------
    kinds : the distribution of each column
    variables : the bins or labels of each column
    order : the rank of each column
    label_ranks : the rank of each label, one column of labels after the other
    """

    kinds: tuple[ColumnDistribution, ...]
    variables: tuple[Variable, ...]
    order: Ints
    label_ranks: AnyArray

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def label_states(self) -> Ints:
        """The number of labels of each column; 0 for numbers."""
        return np.array([0 if v.is_coded else len(v) for v in self.variables], dtype=np.int64)

    def schema(self, names: Sequence[str]) -> Schema:
        plans = zip(names, self.kinds, strict=True)
        return Schema(tuple(ColumnPlan(name, kind, "as in the structure") for name, kind in plans))

    def code(self, data: Table, owner: str) -> tuple[tuple[Variable, ...], list[Codes]]:
        """The states of the columns in these rows, and their codes; −1 where a value is missing."""
        pairs = list(zip(self.kinds, data.columns, strict=True))
        variables = tuple(kind.variable(column) for kind, column in pairs)
        codes = [kind.codes(column, v, owner) for (kind, column), v in zip(pairs, variables, strict=True)]
        return variables, codes

    def states(self, data: Table, owner: str) -> AnyArray:
        """Columns × rows, as the kernels take them."""
        return self.states_of(*self.code(data, owner))

    def states_of(self, variables: Sequence[Variable], codes: Sequence[Codes]) -> AnyArray:
        out = np.empty((len(codes), len(codes[0])), dtype=np.uint16)
        start = 0
        for to, kind, known, variable, of in zip(out, self.kinds, self.variables, variables, codes, strict=True):
            if known.is_coded:
                lookup = np.arange(len(known) + 1)
            else:
                ranks = self.label_ranks[start : start + len(known)]
                start += len(known)
                unknown = _ENDED if unseen_of(kind) == "ignore" else _OTHER
                lookup = np.append(np.append(ranks, unknown)[known.encode(variable.labels)], 0)
            lookup[-1] = _MISSING  # −1 is the last
            to[:] = lookup.astype(np.uint16)[of]
        return out

    def keys(self, states: AnyArray) -> AnyArray:
        """A hash of each row's values."""
        out = np.zeros(states.shape[1], dtype=np.uint64)
        for rank, column in zip(self.order.tolist(), states, strict=True):
            out += _mixed(column.astype(np.uint64) + np.uint64((rank + 1) << 17))
        return out


def unseen_of(kind: ColumnDistribution) -> str | None:
    """What a label is that did not occur in fit; None of columns without labels."""
    return getattr(kind, "unseen", None)


def _check_trees(trees: Trees) -> None:
    """Arrays must fit one another; the kernels check that splits lead to nodes that exist."""
    columns = trees.columns
    require(isinstance(columns, StateColumns), "trees have no columns")
    require(len(columns.variables) == len(columns.kinds), "trees' columns differ in number")
    check_numbers(columns.order, (len(columns),), "the columns' ranks")
    check_numbers(columns.label_ranks, (int(columns.label_states.sum()),), "the labels' ranks")
    check_numbers(trees.splits, (None, 4), "splits", negative=True)
    check_numbers(trees.sides, (len(trees.splits),), "sides")
    check_numbers(trees.starts, (None,), "the trees' starts")
    check_numbers(trees.ranks, (None,), "ranks")
    check_numbers(trees.rank_starts, (len(columns),), "the ranks' starts", negative=True)
    kinds = [trees.splits, trees.sides, trees.starts, trees.ranks, trees.rank_starts, columns.order]
    require(
        [array.dtype for array in kinds] == [np.int32, np.uint8, np.int64, np.uint16, np.int64, np.int64],
        "trees' arrays have other types",
    )
    require(type(trees.seed) is int and 0 <= trees.seed < 1 << 64 and 0 < trees.share <= 1, "trees have no seed")
    check_numbers(trees.strengths, (None,), "strengths")
    require(len(trees.strengths) > 0 and bool((trees.strengths > 0).all()), "a strength is impossible")
    require(isinstance(trees.temperature, float) and 0 < trees.temperature < np.inf, "a temperature is impossible")


@storable(check=_check_trees)
@dataclass(frozen=True, eq=False)
class Trees(ByFields):
    """Trees, and how the counts of their nodes become probabilities.

    Attributes
    ----------
    columns : the states that are split
    splits : node × (column, lowest and highest rank on the left, the left child); the right child is behind the left
    sides : whether missing values (1) and unknown labels (2) go to the right
    starts : the first node of each tree, and the number of nodes
    ranks : the rank of each state of labels in each tree, where `rank_starts` of the columns say
    seed, share : which rows a tree is grown from
    strengths : of the smoothing, by depth
    temperature : what the evidence is divided by
    """

    columns: StateColumns
    splits: AnyArray
    sides: AnyArray
    starts: Ints
    ranks: AnyArray
    rank_starts: Ints
    seed: int
    share: float
    strengths: Floats
    temperature: float = 1.0

    @property
    def nodes(self) -> int:
        return len(self.splits)

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def arrays(self) -> _Arrays:
        """As the kernels take them."""
        column, low, high, left = (np.ascontiguousarray(part) for part in self.splits.T)
        return (
            column, low.astype(np.uint16), high.astype(np.uint16), left, self.sides, self.starts, self.ranks,
            self.rank_starts, self.columns.label_states, self.seed, self.share,
        )  # fmt: skip

    @property
    def depth(self) -> int:
        """The largest number of splits on the way down a tree."""
        level, depth = self.starts[:-1], 0
        while len(inner := level[self.splits[level, 0] >= 0]):
            left = self.splits[inner, 3]
            level, depth = np.concatenate([left, left + 1]), depth + 1
        return depth

    def has_same_splits(self, other: Trees) -> bool:
        """True where the counts of both can be added."""
        mine, theirs = (replace(trees, strengths=np.ones(1), temperature=1.0) for trees in (self, other))
        return mine == theirs

    def count_ends(self, states: AnyArray, sample: Sample) -> AnyArray:
        """How many rows of each class end at each node."""
        return _core.count_ends(self.arrays, states, sample.codes, len(sample.classes), sample.weights)

    def score(self, states: AnyArray, chances: Floats) -> Floats:
        """The evidence, (log P(c | ends) − log P(c | root)) / T: rows × classes."""
        mean = _core.add_ends(self.arrays, states, chances, False)[:, 0] / self.count
        return (np.log(mean) - np.log(chances[0])) / self.temperature

    def weigh(self, states: AnyArray, chances: Floats) -> Floats:
        """The evidence of each column: rows × columns × classes.

        Splits change probabilities, and their changes add up to P(c | ends) − P(c | root). The logarithm of the ratio
        is shared out in proportion, as by the logarithmic mean in index decomposition (Ang, 2004).
        """
        changes = _core.add_ends(self.arrays, states, chances, True) / self.count
        whole = self.score(states, chances)
        change = changes.sum(axis=1)
        is_small = np.abs(change) <= _SMALL * chances[0]
        ratio = np.where(is_small, 1.0 / (chances[0] * self.temperature), whole / np.where(is_small, 1.0, change))
        return changes * ratio[:, None]

    def passing(self, part: EndCounts) -> Floats:
        """How many rows of each class pass each node."""
        return _core.pass_counts(self.arrays, part.dense(np.float64), None)

    def chances(self, part: EndCounts) -> Floats:
        """P(class | node): node × class."""
        return _core.pass_counts(self.arrays, part.dense(np.float64), self.strengths)

    def find_strengths(self, rows: Rows, counts: Floats) -> Floats:
        """The strengths that maximize the likelihood of single trees, each row without its own counts."""
        own = rows.own, rows.importance
        return _core.depth_strengths(self.arrays, rows.states, rows.keys, rows.y, *own, counts, max(self.depth, 1))

    def score_left_out(self, rows: Rows, counts: Floats) -> Floats:
        """The evidence at temperature 1 without each row, from trees that were grown without it: rows × classes."""
        return _core.score_ends_left_out(self.arrays, rows.states, rows.keys, rows.y, rows.own, counts, self.strengths)


# Growing -----------------------------------------------------------------------------------------------------------


class GrowRules(NamedTuple):
    """How many trees, how many columns are tried at a node, and how small and deep nodes may be."""

    trees: int
    candidates: int
    min_leaf: int
    max_depth: int
    seed: int


def grow(
    kinds: tuple[ColumnDistribution, ...],
    variables: tuple[Variable, ...],
    data: Table,
    sample: Sample,
    rules: GrowRules,
) -> Trees:
    """Grow trees from rows, all of which have a weight."""
    unordered = StateColumns(kinds, variables, np.arange(len(kinds)), np.zeros(0, dtype=np.uint16))
    labels = unordered.label_states
    if (labels >= _ENDED).any():
        raise ColumnMismatchError(
            f"a column has more than {_ENDED - 1:,} labels. Leave it out: columns={{name: Ignore()}}."
        )
    as_they_are = replace(unordered, label_ranks=_ranges(labels))
    weights, unit = _whole_weights(sample.weights, len(data))
    colors = _Colors.of(as_they_are, as_they_are.states(data, "CountForest"), sample, weights)
    columns = replace(unordered, order=colors.column_ranks, label_ranks=colors.label_ranks)
    states, y = columns.states(data, "CountForest"), colors.class_ranks.astype(np.int32)[sample.codes]
    rows = distinct_rows(states, columns.keys(states), replace(sample, codes=y, weights=weights.astype(np.float64)))
    by_rank = np.argsort(columns.order)
    column, low, high, left, sides, starts, ranks = _core.grow_forest(
        np.ascontiguousarray(rows.states[by_rank]), labels[by_rank], rows.keys, rows.y, len(sample.classes),
        rows.importance.astype(np.uint32), rules.trees, rules.candidates, rules.min_leaf * unit, rules.max_depth,
        rules.seed, _SHARE,
    )  # fmt: skip
    splits = np.stack([np.where(column < 0, -1, by_rank[column]), low, high, left], axis=1).astype(np.int32)
    rank_starts = np.empty(len(kinds), dtype=np.int64)
    rank_starts[by_rank] = np.where(labels[by_rank] > 0, np.cumsum(labels[by_rank]) - labels[by_rank], -1)
    return Trees(columns, splits, sides, starts, ranks, rank_starts, rules.seed, _SHARE, np.ones(1))


def _whole_weights(weights: Floats | None, rows: int) -> tuple[AnyArray, int]:
    """Weights as whole numbers, whose sums are the same in any order; and what one row weighs."""
    if weights is None:
        return np.ones(rows, dtype=np.uint64), 1
    if not (weights % 1.0).any() and weights.sum() < 1 << 31:
        return weights.astype(np.uint64), 1
    return np.clip(np.rint(weights * (_UNIT / weights.mean())), 1, _MOST_UNITS).astype(np.uint64), _UNIT


class _Colors(NamedTuple):
    """The order of columns, labels and classes, by what rows hold and not by names."""

    column_ranks: Ints
    label_ranks: AnyArray
    class_ranks: Ints

    @classmethod
    def of(cls, columns: StateColumns, states: AnyArray, sample: Sample, weights: AnyArray) -> _Colors:
        sizes = [len(variable) for variable in columns.variables]
        codes = [np.where(of == _MISSING, n, of) for of, n in zip(states, sizes, strict=True)]
        counts = [_sums(n + 1, of, weights) for of, n in zip(codes, sizes, strict=True)]
        is_labels = (columns.label_states > 0).tolist()
        # The bins of numbers have an order of their own; labels begin with how often they occur.
        colors = [
            _mixed(count if of_labels else np.arange(n + 1, dtype=np.uint64))
            for n, count, of_labels in zip(sizes, counts, is_labels, strict=True)
        ]
        of_class = _mixed(_sums(len(sample.classes), sample.codes, weights))
        for _ in range(_ROUNDS):
            of_columns = _column_colors(colors, counts)
            rows = of_class[sample.codes]
            for color, code, of_column in zip(colors, codes, of_columns, strict=True):
                rows = rows + _mixed(color ^ of_column)[code]
            rows = _mixed(rows) * weights
            colors = [_mixed(c + _sums(len(c), code, rows)) for c, code in zip(colors, codes, strict=True)]
            of_class = _mixed(of_class + _sums(len(of_class), sample.codes, rows))
        labels = [
            _ranks(color[:-1], _first(len(color), code)[:-1])
            for color, code, of_labels in zip(colors, codes, is_labels, strict=True)
            if of_labels
        ]
        return cls(
            _ranks(_column_colors(colors, counts)),
            np.concatenate([np.zeros(0, dtype=np.int64), *labels]).astype(np.uint16),
            _ranks(of_class, _first(len(of_class), sample.codes)),
        )


_ROUNDS = 2


def _column_colors(colors: list[AnyArray], counts: list[AnyArray]) -> AnyArray:
    return _mixed(np.array([(color * count).sum(dtype=np.uint64) for color, count in zip(colors, counts, strict=True)]))


def _ranks(colors: AnyArray, first: Ints | None = None) -> Ints:
    """The rank of each color; of those that no count tells apart, that of the first row comes first."""
    order = np.argsort(colors, kind="stable") if first is None else np.lexsort((first, colors))
    out = np.empty(len(colors), dtype=np.int64)
    out[order] = np.arange(len(colors))
    return out


def _first(size: int, codes: AnyArray) -> Ints:
    """The first row of each code."""
    out = np.full(size, len(codes))
    out[codes[::-1]] = np.arange(len(codes))[::-1]
    return out


def _ranges(sizes: Ints) -> AnyArray:
    """0, 1, … for each size, one after the other."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, sizes.tolist())]).astype(np.uint16)


def _sums(size: int, at: AnyArray, values: AnyArray) -> AnyArray:
    """The sum of the values at each index; 64-bit sums wrap around, so that any order gives the same."""
    out = np.zeros(size, dtype=np.uint64)
    np.add.at(out, at, values)
    return out


def _mixed(x: AnyArray) -> AnyArray:
    """The bits of each number mixed: the finalizer of SplitMix64, as in core/forest."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
