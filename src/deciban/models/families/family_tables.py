"""Conditional probabilities that back off: P(v | parents, class) is shrunk to the level below it.

    P(v | u, j) = (n_juv + s·P(v | j)) / (n_ju + s)

with s virtual rows, which is a number, or chosen for each column and its parents ("auto"): the s that maximizes the
leave-one-out likelihood of the counted rows,

    Σ_j,u,v n_juv·log ((n_juv − 1 + s·P'(v | j)) / (n_ju − 1 + s)),

where P' is P without the row itself. It is a function of the counts alone, so it is the same however the counts were
added up. With two parents and "auto" there is a level between: P(v | u, w, j) is shrunk to P(v | u, j), where u is the
parent with the larger likelihood. (Hierarchical smoothing; Petitjean, Buntine, Webb and Zaidi, 2018, sample such
strengths for a hierarchical Dirichlet process, of which this is the m-estimate.)

For leave-one-out (`LeftOut`), a row is scored without its own counts. With w the weight of a row of class y that has
the values u and v,

    P'(v | u, j) = (n_juv − w·[j = y] + s·P'(v | j)) / (n_ju − w·[j = y] + s),

and P'(v | j) likewise; with two parents P'(v | u, j) may be in its place. The strengths s stay those of all rows. A
label that no other row has is unseen; bins stay.

Rows are drawn from a net over the class and the columns, or from a mixture of nets (`draw_mixture`). A family is a
node's parents and its table, with an axis for each parent and the node's own states last. The nodes are the columns, by
index, and the class, `CLASS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from deciban.estimate import Smoothing, backed_off_logs, column_logs, log_probabilities, probabilities_without_own
from deciban.estimate.distributions.categorical import pseudocounts_without_own
from deciban.estimate.drawing import draw_codes
from deciban.limits import check_memory
from deciban.nets.sampling import FlatNet, draw_forward
from deciban.read import Variable
from deciban.storable import ByFields
from deciban.tallies import Counts, Crossed, Sample, Tally, weight_left
from deciban.tallies.crossed import count_crossed, narrow_codes
from deciban.tallies.kernels import aligned, best_strength, padded, score_table
from deciban.ties import first_largest
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "CLASS",
    "BackOff",
    "FactorTables",
    "LeftOut",
    "Level",
    "NodeTables",
    "Strength",
    "Tables",
    "chosen_strength",
    "count_free",
    "draw_mixture",
    "pack_tables",
    "score_each_without",
    "sum_lookups",
]


Strength = float | Literal["auto"]


class Level(NamedTuple):
    """How the probabilities of a column given others are shrunk: by how many virtual rows, and to which level."""

    strength: float
    below: tuple[int, ...] = ()
    likelihood: float = 0.0


class Tables(ByFields, ABC):
    """Tables of log-probabilities that score coded rows: a frozen dataclass of counts and settings.

    The tables themselves are cached properties, so a model that only learns never computes them; a copy in another
    process computes them again, which is faster than to send them.
    """

    @abstractmethod
    def score(self, codes: AnyArray) -> Floats:
        """log P(row | class): rows × classes."""

    @abstractmethod
    def weigh(self, codes: AnyArray) -> Floats:
        """The evidence of each column: rows × columns (and remainders) × classes; it sums to `score`."""


class FactorTables(Tables):
    """Tables that score a row by factors, each of which can be computed without the row's own counts."""

    @abstractmethod
    def score_left_out(self, left: LeftOut, *, exact: bool = True) -> Floats:
        """log P(row | class) of counted rows, each without its own counts; what was chosen from all rows stays.

        Where it need not be `exact`, factors with missing values may be left out instead of summed out.
        """


@dataclass(frozen=True, eq=False)
class BackOff(ByFields):
    """The probabilities of each column given sets of others, by counts of the columns in order.

    `like` has the levels of other counts, which are then used: those of all rows, where `part` leaves one out.
    """

    part: Crossed
    smoothing: Smoothing
    strength: Strength
    like: BackOff | None = None

    @cached_property
    def alone(self) -> list[Floats]:
        """log P(v | class) of each column: states and one unseen × classes."""
        return [column_logs(counts, self.smoothing) for counts in self.part.counts]

    @cached_property
    def _tables(self) -> dict[tuple[int, ...], AnyArray]:
        return dict(self.part.tables())

    # Finding a strength takes longer than all else, and tables of two parents ask for those of one parent many times.
    @cached_property
    def _levels(self) -> dict[tuple[tuple[int, ...], int], Level]:
        return {}

    @cached_property
    def _without(self) -> dict[int, Floats]:
        return {}

    def logs(self, columns: tuple[int, ...], i: int) -> Floats:
        """log P(v | values of the columns, class): an axis for each of them, then v, unseen last, and the classes."""
        if not columns:
            return self.alone[i]
        level = self.level(columns, i)
        below = self.logs(level.below, i)
        if level.below:
            below = np.expand_dims(below, 1 - columns.index(level.below[0]))
        return backed_off_logs(self.table(columns, i), below, level.strength)

    def level(self, columns: tuple[int, ...], i: int) -> Level:
        """The strength of a column's probabilities given others, and the columns of the level below."""
        if self.strength != "auto":
            return Level(float(self.strength))
        if self.like is not None:
            return self.like.level(columns, i)
        level = self._levels.get((columns, i))
        if level is None:
            level = self._levels[columns, i] = self._chosen(columns, i)
        return level

    def table(self, columns: Sequence[int], i: int) -> AnyArray:
        """The counts: an axis for each of the columns, in order, then that of i, and the classes."""
        if len(columns) == 1:  # the most frequent case: `moveaxis` would take longer than the rest
            return self._tables[columns[0], i] if columns[0] < i else self._tables[i, columns[0]].swapaxes(0, 1)
        among = tuple(sorted((*columns, i)))
        return np.moveaxis(self._tables[among], among.index(i), -2)

    def _chosen(self, columns: tuple[int, ...], i: int) -> Level:
        table = self.table(columns, i)
        if len(columns) == 1:
            strength, likelihood = best_strength(table, self._column_without(i)[None])
            return Level(strength, (), likelihood)
        # The level between is that of the parent by which the column is predicted better; ties go to the first.
        nearest = columns[first_largest([self.level((c,), i).likelihood for c in columns], table.sum())]
        counts, strength = self.table((nearest,), i), self.level((nearest,), i).strength
        # The level below is without the row, too: its own count there would make large strengths look better.
        left = np.maximum(counts - 1.0, 0.0) + strength * self._column_without(i)
        prior = left / (np.maximum(counts.sum(axis=1, keepdims=True) - 1.0, 0.0) + strength)
        groups = np.indices(table.shape[:2])[columns.index(nearest)].ravel()
        strength, likelihood = best_strength(table.reshape(len(groups), *table.shape[2:]), prior, groups)
        return Level(strength, (nearest,), likelihood)

    def _column_without(self, i: int) -> Floats:
        if i not in self._without:
            self._without[i] = probabilities_without_own(self.part.counts[i], self.smoothing)
        return self._without[i]


def chosen_strength(table: AnyArray, counts: Counts, smoothing: Smoothing, strength: Strength) -> float:
    """The number of virtual rows by which a table, … × v × classes, is shrunk to the smoothed counts of the column."""
    if strength != "auto":
        return float(strength)
    flat = table.reshape(prod(table.shape[:-2]), *table.shape[-2:])
    return best_strength(flat, probabilities_without_own(counts, smoothing)[None])[0]


class LeftOut:
    """Counted rows, coded, none of weight 0, and the probabilities of each by the counts of the others."""

    def __init__(self, tally: Tally, codes: Codes, y: Codes, weights: Floats, smoothing: Smoothing) -> None:
        part: Crossed = tally.parts[0]
        advice = "Calibrate on fewer columns, or on held-out rows."
        check_memory(
            "leave-one-out, rows × columns × classes,", len(y), codes.shape[1] + 2, part.classes, advice=advice
        )
        self.part, self.codes, self.y, self.weights = part, codes, y, weights
        self.class_counts = tally.class_counts
        self._smoothing = smoothing
        self._own = np.zeros((len(codes), part.classes))  # rows × classes, so that one subtraction serves all classes
        self._own[np.arange(len(codes)), y] = weights
        self.alone = [self._alone(i) for i in range(codes.shape[1])]
        self.logs = [self._column_logs(i) for i in range(codes.shape[1])]

    def factor(self, back_off: BackOff, columns: tuple[int, ...], i: int) -> Floats:
        """log P'(value of column i | values of other columns, class), for sets that are counted in order."""
        if not columns:
            return self.logs[i]
        level = back_off.level(columns, i)
        below = self.factor(back_off, level.below, i)
        return self.factor_of(back_off.table(columns, i), columns, i, level.strength, below)

    def factor_of(self, table: AnyArray, columns: Sequence[int], i: int, strength: float, below: Floats) -> Floats:
        """The same from a table with an axis for each of the columns, then i and the classes: rows × classes.

        `below` are the logarithms that the table is shrunk to. 0 where a value is missing; `below` where a value is
        unseen, as in `backed_off_logs`.
        """
        among = [*columns, i]
        known = (self.codes[:, among] >= 0).all(axis=1)
        at = tuple(self.codes[known, c] for c in columns)
        own, logs = self._own[known], below[known]
        whole = weight_left(table.sum(axis=-2)[at], own) + strength
        counts = weight_left(table[(*at, self.codes[known, i])], own)
        with np.errstate(divide="ignore"):  # strength 0 and no other row with the value: −∞
            shrunk = np.log(counts + strength * np.exp(logs)) - np.log(np.where(whole > 0, whole, 1.0))
        is_unseen = np.any([self.alone[c][known] for c in among], axis=0)
        out = np.zeros_like(self._own)
        out[known] = np.where((whole > 0) & ~is_unseen[:, None], shrunk, logs)
        return out

    def class_factor(self, table: AnyArray, columns: Sequence[int], log_prior: Floats, strength: float) -> Floats:
        """log P'(class | values of columns), with `strength` virtual rows that have the shares of the classes."""
        known = (self.codes[:, list(columns)] >= 0).all(axis=1)
        at = tuple(self.codes[known, c] for c in columns)
        counts = weight_left(
            table[at] if at else np.broadcast_to(table, (len(self.codes), len(table))), self._own[known]
        )
        whole = counts.sum(axis=1, keepdims=True) + strength
        with np.errstate(divide="ignore"):
            logs = np.log(counts + strength * np.exp(log_prior[known])) - np.log(np.where(whole > 0, whole, 1.0))
        is_unseen = np.any([self.alone[c][known] for c in columns], axis=0) if columns else np.zeros(len(counts), bool)
        out = log_prior.copy()
        out[known] = np.where((whole > 0) & ~is_unseen[:, None], logs, log_prior[known])
        return out

    def counted(self, table: AnyArray, columns: tuple[int, ...]) -> Floats:
        """The number of other rows with the same values of the columns; −1 where a value is missing."""
        known = (self.codes[:, list(columns)] >= 0).all(axis=1)
        out = np.full(len(self.codes), -1.0)  # less than any `least`
        at = tuple(self.codes[known, c] for c in columns)
        out[known] = weight_left(table.sum(axis=-1)[at], self.weights[known])
        return out

    def _alone(self, i: int) -> AnyArray:
        """True where a row is the only one with its label."""
        counts = self.part.counts[i]
        if counts.variable.is_coded or len(counts.variable) == 0:
            return np.zeros(len(self.codes), dtype=bool)
        left = weight_left(counts.table.sum(axis=0)[self.codes[:, i]], self.weights)
        return (self.codes[:, i] >= 0) & (self.weights > 0) & (left == 0)

    def _column_logs(self, i: int) -> Floats:
        """log P'(value | class); 0 where it is missing."""
        table, known = self.part.counts[i].table, self.codes[:, i] >= 0
        codes, own, alone = self.codes[known, i], self._own[known], self.alone[i][known]
        out = np.zeros_like(self._own)
        if known.any():
            pseudo, added = _pseudocounts(self.part.counts[i], codes, alone, self._smoothing)
            whole = weight_left(table.sum(axis=1), own) + added[:, None]
            logs = log_probabilities(weight_left(table[:, codes].T, own), pseudo[:, None], whole)
            # A class without other rows is uniform over the labels that the others have.
            states = np.maximum(self.part.counts[i].variable.size - alone, 1)
            out[known] = np.where(whole > 0, logs, -np.log(states)[:, None])
        return out


def pack_tables(tables: Iterable[Floats], classes: int) -> Floats:
    """Tables, … × classes, in one for `sum_lookups`."""
    flat = [table.reshape(-1, classes) for table in tables]
    # `score_table` expects two more rows behind each table, of unseen and missing values, which do not occur here.
    out = aligned((sum(len(table) + 2 for table in flat), padded(classes)))
    start = 0
    for table in flat:
        out[start : start + len(table), :classes] = table
        start += len(table) + 2
    return out


def sum_lookups(packed: Floats, rows: Sequence[Codes], sizes: Sequence[int], classes: int) -> Floats:
    """For each row of codes the sum of one row of each table, by its number in it; `sizes` are those of the tables."""
    scores, _ = score_table(list(rows), np.zeros(classes), packed, np.array(sizes), "joint", missing_allowed=False)
    return scores


def score_each_without(
    left: LeftOut, part: Crossed, rows: AnyArray, score: Callable[[Crossed, Codes, int], Floats]
) -> Floats:
    """The likelihoods of some rows, one after the other, each by tables made from the counts without it.

    `score` takes the counts, the row's codes and its index.
    """
    variables = part.variables
    sizes = [len(variable) for variable in variables]
    classes = Variable("y", np.arange(part.classes), part.classes)
    out = np.empty((len(rows), part.classes))
    for k, r in enumerate(rows.tolist()):
        codes = left.codes[r : r + 1].copy()
        # Counts of unweighted rows are integers; subtracting a float would make them floats.
        weights = None if part.cells.dtype.kind in "iu" else left.weights[r : r + 1]
        sample = Sample(classes, left.y[r : r + 1], np.empty(0), weights)
        rest = part - count_crossed(variables, narrow_codes(codes.T, sizes, 1), sample, part.sets)
        for i, alone in enumerate(left.alone):
            if alone[r]:
                codes[0, i] = len(rest.variables[i])
        out[k] = score(rest, codes, r)[0]
    return out


def _pseudocounts(counts: Counts, codes: Codes, alone: AnyArray, smoothing: Smoothing) -> tuple[Floats, Floats]:
    """The pseudo-count of each row's label, and the sum over all labels."""
    variable = counts.variable
    if variable.size != len(variable):  # a coded column of which only some states are listed
        each = smoothing.pseudocount(variable.size, counts.classes)
        return np.full(len(codes), each), np.full(len(codes), each * variable.size)
    return pseudocounts_without_own(smoothing, codes, alone, len(variable), counts.classes)


CLASS = -1  # columns are numbered from 0
"""The node of the class."""

NodeTables = Mapping[int, tuple[tuple[int, ...], Floats]]
"""The parents and the table of each node, parents before children."""


def count_free(families: NodeTables) -> int:
    """The number of free parameters of the tables, less those of P(class) without parents."""
    free = sum(table.size - table.size // table.shape[-1] for _, table in families.values())
    return free - (families[CLASS][1].shape[-1] - 1)


def draw_mixture(
    nets: Sequence[NodeTables], shares: Floats, columns: int, n: int, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """The classes of n rows, and their codes, columns × rows; −1 where a net has no such column.

    Each row is drawn from one of the nets, by their shares.
    """
    which = draw_codes(shares[None], np.zeros(n, dtype=np.int32), rng)
    y, codes = np.zeros(n, dtype=np.int32), np.full((columns, n), -1, dtype=np.int32)
    for k, families in enumerate(nets):
        rows = np.flatnonzero(which == k)
        seed = int(rng.integers(1 << 63))
        index = {node: i for i, node in enumerate(families)}
        tables = [np.ascontiguousarray(table) for _, table in families.values()]
        scopes = [(*(index[up] for up in parents), index[node]) for node, (parents, _) in families.items()]
        net = FlatNet.of([table.shape[-1] for table in tables], scopes, range(len(index)), tables)
        for node, states in zip(families, draw_forward(net, {}, seed, len(rows))[0], strict=True):
            if node == CLASS:
                y[rows] = states
            else:
                codes[node, rows] = states
    return y, codes
