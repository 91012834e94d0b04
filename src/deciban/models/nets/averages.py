"""The table of averaged n-dependence estimators, and the indices of rows in it.

There is one table of log-probabilities, parents × states × classes. A parent is a value of one column, or a pair of
values of two columns. Its row has log P(v | parent, class) for the states v of every other column, and its own
log-probability at its own columns, so the model in which all columns depend on one parent is a sum along a row. After
the last state there is one of zeros, for missing values; the last row is that without a parent, naive Bayes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import combinations

import numpy as np

from deciban.models.export.forms import Average, Parent
from deciban.models.lazy import Lazy
from deciban.models.nets.back_off import BackOff
from deciban.models.nets.leave_one_out import LeftOut
from deciban.tallies.crossed import check_room
from deciban.tallies.kernels import averaged_width, score_averaged
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Averages", "average_without", "models_without", "sums_without"]

_CHUNK = 1 << 21

Level = dict[tuple[int, ...], AnyArray]
"""For the columns of a parent: the rows of the table, or the counts, of its values."""


class Averages:
    """The table of averaged estimators: parents of up to `n` columns that occur in at least `least` rows.

    In the mean a parent has the product of the weights of its columns; `log_weights` are their logarithms.
    """

    def __init__(
        self, back_off: Lazy[BackOff], least: float, n: int, log_weights: Sequence[float] | None = None
    ) -> None:
        self.back_off = back_off.get()
        part = self._part = self.back_off.part
        self._sizes = [len(variable) for variable in part.variables]
        self._starts = np.concatenate([[0], np.cumsum([size + 1 for size in self._sizes])]).astype(np.int64)
        singles: Level = {(i,): counts.table.sum(axis=0) for i, counts in enumerate(part.counts)}
        pairs: Level = {columns: table.sum(axis=-1) for columns, table in part.tables() if len(columns) == 2}
        rows = 0
        self._levels: list[Level] = []
        for level in (pairs, singles)[2 - n :]:
            self._levels.append({})
            for columns, counts in level.items():
                self._levels[-1][columns] = _row_numbers(counts >= least, rows)
                rows += int((counts >= least).sum())
        self._log_weights = self._weights_of_rows(rows, log_weights)
        self.table = self._filled(rows)

    @property
    def classes(self) -> int:
        return self._part.classes

    def weighted(self, log_weights: Sequence[float] | None) -> Averages:
        """The same table with other weights of the columns."""
        other = copy(self)
        other._log_weights = self._weights_of_rows(len(self.table) - 1, log_weights)
        return other

    def indices(self, codes: Codes) -> tuple[Codes, Codes]:
        """Each row's parents, −1 where one is not used, and each row's states, as indices of the table."""
        children = np.where(codes < 0, self._starts[-1], self._starts[:-1] + codes).astype(np.int32)
        widest = max(1, *(len(level) for level in self._levels))
        parents = np.full((len(codes), widest), -1, dtype=np.int32)
        open_rows = np.ones(len(codes), dtype=bool)
        for level in self._levels:
            for k, (columns, numbers) in enumerate(level.items()):
                found = numbers[tuple(codes[:, c] for c in columns)]
                parents[open_rows, k] = found[open_rows]
            open_rows &= (parents < 0).all(axis=1)
        parents[open_rows, 0] = len(self.table) - 1
        return parents, children

    def score(self, codes: Codes) -> Floats:
        """The logarithm of the weighted mean over parents: rows × classes."""
        step = max(1, _CHUNK // max(len(level) for level in self._levels))
        starts = range(0, len(codes), step)
        parts = [
            score_averaged(*self.indices(codes[first : first + step]), self.table, self.classes, self._log_weights)
            for first in starts
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column, and that of averaging: rows × (columns + 1) × classes.

        With v_p ∝ w_p·exp L_p, log Σ_p w_p·exp L_p / Σ_p w_p = Σ_p v_p·L_p − Σ_p v_p·log (v_p·Σ w / w_p); L_p is a sum
        over columns.
        """
        parents, children = self.indices(codes)
        out = np.empty((len(codes), codes.shape[1] + 1, self.classes))
        step = max(1, _CHUNK // (parents.shape[1] * children.shape[1] * self.classes))
        for first in range(0, len(codes), step):
            rows = slice(first, first + step)
            out[rows] = self._weighed(parents[rows], children[rows])
        return out

    def models(self, codes: Codes) -> list[tuple[tuple[int, ...], float, Floats]]:
        """For one row, the parent columns of each model in the mean, its weight, and log P(row | class) in it."""
        parents, children = self.indices(codes)
        logs = self.table[parents[0, :, None], children[0, None, :], : self.classes].sum(axis=1)
        for level in self._levels:
            rows = [numbers[tuple(codes[0, c] for c in columns)] for columns, numbers in level.items()]
            if max(rows, default=-1) >= 0:
                weights = np.exp(self._log_weights[rows])
                return [(columns, float(weights[k]), logs[k]) for k, columns in enumerate(level) if rows[k] >= 0]
        return [((), 1.0, logs[0])]

    def closed_form(self) -> Average:
        """The tables of all parents of one column, as plain numbers."""
        alone = {j: self.table[-1, self._states(j), : self.classes] for j in range(len(self._sizes))}
        parents = []
        for (i,), numbers in self._levels[-1].items():
            rows = numbers[: self._sizes[i]]
            used = rows >= 0
            if used.any():
                logs = {j: self.table[rows, self._states(j), : self.classes] for j in alone if j != i}
                logs = {j: np.where(used[:, None, None], held, 0.0) for j, held in logs.items()}
                weight = float(np.exp(self._log_weights[rows[used][0]]))
                parents.append(Parent(i, used.tolist(), weight, {**logs, i: alone[i]}))
        return Average(parents, alone)

    def sums(self, codes: Codes) -> Floats:
        """log P(row | class) by the model of each parent: rows × parents × classes; −∞ where one is not used."""
        parents, children = self.indices(codes)
        out = np.full((*parents.shape, self.classes), -np.inf)
        step = max(1, _CHUNK // (children.shape[1] * self.classes))
        for k, parent in enumerate(parents.T):
            used = np.flatnonzero(parent >= 0)
            for first in range(0, len(used), step):
                rows = used[first : first + step]
                out[rows, k] = self.table[parent[rows, None], children[rows], : self.classes].sum(axis=1)
        return out

    def _weighed(self, parents: Codes, children: Codes) -> Floats:
        logs = self.table[parents[:, :, None], children[:, None, :], : self.classes]
        is_used = (parents >= 0)[:, :, None]
        log_weights = np.where(is_used, self._log_weights[parents][:, :, None], 0.0)
        sums = np.where(is_used, logs.sum(axis=2) + log_weights, -np.inf)
        largest = sums.max(axis=1, keepdims=True)
        odds = np.where(is_used, np.exp(sums - np.where(np.isneginf(largest), 0.0, largest)), 0.0)
        odds = np.where(np.isneginf(largest), is_used * np.exp(log_weights), odds)  # all impossible: by weight alone
        shares = odds / odds.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            columns = np.where(shares[:, :, None] > 0, shares[:, :, None] * logs, 0.0).sum(axis=1)
        ratio = log_weights - np.log(np.where(shares > 0, shares, 1.0))
        spread = np.where(shares > 0, shares * ratio, 0.0).sum(axis=1)
        averaging = spread - np.log((is_used * np.exp(log_weights)).sum(axis=1))
        return np.concatenate([columns, averaging[:, None, :]], axis=1)

    def _filled(self, rows: int) -> Floats:
        states = int(self._starts[-1]) + 1
        width = averaged_width(self.classes)
        check_room((rows + 1) * states, width, "the tables of the averaged models")
        table = np.zeros((rows + 1, states, width))
        for level in self._levels:
            for columns, numbers in level.items():
                used = np.argwhere(numbers >= 0)
                if len(used):
                    first = int(numbers[tuple(used[0])])
                    self._fill(table[first : first + len(used), :, : self.classes], columns, used)
        for j in range(len(self._sizes)):
            table[-1, self._states(j), : self.classes] = self.back_off.alone[j]
        return table

    def _weights_of_rows(self, rows: int, log_weights: Sequence[float] | None) -> Floats:
        """The logarithm of the weight of each row of the table."""
        out = np.zeros(rows + 1)
        if log_weights is not None:
            for level in self._levels:
                for columns, numbers in level.items():
                    out[numbers[numbers >= 0]] = sum(log_weights[c] for c in columns)
        return out

    def _fill(self, rows: Floats, columns: tuple[int, ...], used: Ints) -> None:
        """Fill the rows of the parents with these columns."""
        first = columns[0]
        rows[:, self._states(first)] = self.back_off.alone[first][used[:, 0], None]
        if len(columns) == 2:
            own = self.back_off.logs((first,), columns[1])[used[:, 0], used[:, 1]]
            rows[:, self._states(columns[1])] = own[:, None]
        for j in range(len(self._sizes)):
            if j not in columns:
                rows[:, self._states(j)] = self.back_off.logs(columns, j)[tuple(used.T)]

    def _states(self, j: int) -> slice:
        """The states of a column, and the unseen one."""
        return slice(int(self._starts[j]), int(self._starts[j + 1]))


def average_without(
    left: LeftOut, back_off: BackOff, least: float, n: int, log_weights: Sequence[float] | None = None
) -> Floats:
    """The mean over parents that occur in `least` other rows, for counted rows, each without its own counts."""
    out = np.sum(left.logs, axis=0)  # naive Bayes, where no parent occurs often enough
    weigh = np.zeros(left.codes.shape[1]) if log_weights is None else np.asarray(log_weights)
    is_open = np.ones(len(out), dtype=bool)
    for size in range(n, 0, -1):
        sums, whole = np.full_like(out, -np.inf), np.zeros(len(out))
        for parents, is_used, logs in models_without(left, back_off, least, size):
            used, log_weight = is_open & is_used, float(weigh[list(parents)].sum())
            sums[used] = np.logaddexp(sums[used], logs[used] + log_weight)
            whole += used * np.exp(log_weight)
        found = whole > 0
        out[found] = sums[found] - np.log(whole[found])[:, None]
        is_open &= ~found
    return out


def sums_without(averages: Averages, left: LeftOut) -> Floats:
    """log P(row | class) by the model of each column, each without the row's own counts: rows × columns × classes.

    This is `models_without` with one parent for all models at once, except that a label which no other row has stays a
    label that is counted 0 times.
    """
    out, own, back_off = averages.sums(left.codes), left.weights, averages.back_off
    at, columns = np.arange(len(own)), [i for i, counts in enumerate(left.part.counts) if len(counts.variable)]
    alone = np.column_stack([logs[at, left.y] for logs in left.logs])
    for i in columns:
        sums = alone[:, i].copy()
        for k in columns:
            if k != i:
                sums += _own_factor(left, back_off, (i, k), own, alone[:, k])
        out[at, i, left.y] = np.where(left.codes[:, i] >= 0, sums, -np.inf)
    return out


def _own_factor(left: LeftOut, back_off: BackOff, pair: tuple[int, int], own: Floats, below: Floats) -> Floats:
    """log P'(value of the second | value of the first, own class); 0 where a value is missing."""
    known = (left.codes[:, pair[0]] >= 0) & (left.codes[:, pair[1]] >= 0)
    first, second, y = left.codes[known, pair[0]], left.codes[known, pair[1]], left.y[known]
    table, strength = back_off.table(pair[:1], pair[1]), back_off.level(pair[:1], pair[1]).strength
    cells = np.maximum(table[first, second, y] - own[known], 0.0)
    whole = np.maximum(table.sum(axis=1)[first, y] - own[known], 0.0) + strength
    out = np.zeros(len(known))
    with np.errstate(divide="ignore"):
        logs = np.log(cells + strength * np.exp(below[known])) - np.log(np.where(whole > 0, whole, 1.0))
    out[known] = np.where(whole > 0, logs, below[known])
    return out


def models_without(
    left: LeftOut, back_off: BackOff, least: float, size: int
) -> Iterator[tuple[tuple[int, ...], AnyArray, Floats]]:
    """Each set of so many parents, the rows that use it, and log P(row | class) by its model without each row."""
    columns = range(left.codes.shape[1])
    for parents in combinations(columns, size):
        first, rest = parents[0], parents[1:]
        table = back_off.table((first,), rest[0]) if rest else left.part.counts[first].table.T
        used = left.counted(table, parents) >= least
        if used.any():
            logs = np.zeros((len(left.codes), left.part.classes))
            for k, parent in enumerate(parents):
                logs += left.factor(back_off, parents[:k], parent)
            for j in columns:
                if j not in parents:
                    logs += left.factor(back_off, parents, j)
            yield parents, used, logs


def _row_numbers(is_used: AnyArray, first: int) -> AnyArray:
    """The row of each value or pair of values; −1 for those that are not used, unseen or missing."""
    numbers = np.full([size + 2 for size in is_used.shape], -1, dtype=np.int32)
    inner = numbers[tuple(slice(0, size) for size in is_used.shape)]
    inner[is_used] = np.arange(first, first + int(is_used.sum()))
    return numbers
