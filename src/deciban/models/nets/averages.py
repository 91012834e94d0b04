"""The table of averaged n-dependence estimators, and the indices of rows in it.

There is one table of log-probabilities, parents × states × classes. A parent is a value of one column, or a pair of
values of two columns. Its row has log P(v | parent, class) for the states v of every other column, and its own
log-probability at its own columns, so the model in which all columns depend on one parent is a sum along a row. After
the last state there is one of zeros, for missing values; the last row is that without a parent, naive Bayes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from deciban.estimate import Smoothing, backed_off_logs, column_logs
from deciban.models.nets.leave_one_out import LeftOut
from deciban.tallies import Crossed
from deciban.tallies.crossed import check_room
from deciban.tallies.kernels import averaged_width, score_averaged
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Averages", "average_without"]

_CHUNK = 1 << 21

Level = dict[tuple[int, ...], AnyArray]
"""For the columns of a parent: the rows of the table, or the counts, of its values."""


class Averages:
    """The table of averaged estimators: parents of up to `n` columns that occur in at least `least` rows."""

    def __init__(self, part: Crossed, smoothing: Smoothing, strength: float, least: float, n: int) -> None:
        self._part, self._strength = part, strength
        self._alone = [column_logs(counts, smoothing) for counts in part.counts]
        self._sizes = [len(variable) for variable in part.variables]
        self._starts = np.concatenate([[0], np.cumsum([size + 1 for size in self._sizes])]).astype(np.int64)
        self._counted = dict(part.tables())
        singles: Level = {(i,): counts.table.sum(axis=0) for i, counts in enumerate(part.counts)}
        pairs: Level = {columns: table.sum(axis=-1) for columns, table in self._counted.items() if len(columns) == 2}
        rows = 0
        self._levels: list[Level] = []
        for level in (pairs, singles)[2 - n :]:
            self._levels.append({})
            for columns, counts in level.items():
                self._levels[-1][columns] = _row_numbers(counts >= least, rows)
                rows += int((counts >= least).sum())
        self.table = self._filled(rows)

    @property
    def classes(self) -> int:
        return self._part.classes

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
        """The logarithm of the mean over parents: rows × classes."""
        step = max(1, _CHUNK // max(len(level) for level in self._levels))
        starts = range(0, len(codes), step)
        parts = [
            score_averaged(*self.indices(codes[first : first + step]), self.table, self.classes) for first in starts
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each column, and that of averaging: rows × (columns + 1) × classes.

        With w_p ∝ exp L_p, log (1/n)·Σ_p exp L_p = Σ_p w_p·L_p − Σ_p w_p·log w_p − log n; L_p is a sum over columns.
        """
        parents, children = self.indices(codes)
        out = np.empty((len(codes), codes.shape[1] + 1, self.classes))
        step = max(1, _CHUNK // (parents.shape[1] * children.shape[1] * self.classes))
        for first in range(0, len(codes), step):
            rows = slice(first, first + step)
            out[rows] = self._weighed(parents[rows], children[rows])
        return out

    def models(self, codes: Codes) -> list[tuple[tuple[int, ...], Floats]]:
        """For one row, the parent columns of each model in the mean, and log P(row | class) in it."""
        parents, children = self.indices(codes)
        logs = self.table[parents[0, :, None], children[0, None, :], : self.classes].sum(axis=1)
        for level in self._levels:
            rows = [numbers[tuple(codes[0, c] for c in columns)] for columns, numbers in level.items()]
            if max(rows, default=-1) >= 0:
                return [(columns, logs[k]) for k, columns in enumerate(level) if rows[k] >= 0]
        return [((), logs[0])]

    def _weighed(self, parents: Codes, children: Codes) -> Floats:
        logs = self.table[parents[:, :, None], children[:, None, :], : self.classes]
        is_used = (parents >= 0)[:, :, None]
        sums = np.where(is_used, logs.sum(axis=2), -np.inf)
        largest = sums.max(axis=1, keepdims=True)
        odds = np.where(is_used, np.exp(sums - np.where(np.isneginf(largest), 0.0, largest)), 0.0)
        odds = np.where(np.isneginf(largest), is_used, odds)  # all impossible: equal weights
        shares = odds / odds.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            columns = np.where(shares[:, :, None] > 0, shares[:, :, None] * logs, 0.0).sum(axis=1)
        spread = -np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0).sum(axis=1)
        averaging = spread - np.log((parents >= 0).sum(axis=1))[:, None]
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
            table[-1, self._states(j), : self.classes] = self._alone[j]
        return table

    def _fill(self, rows: Floats, columns: tuple[int, ...], used: Ints) -> None:
        """Fill the rows of the parents with these columns."""
        first = columns[0]
        rows[:, self._states(first)] = self._alone[first][used[:, 0], None]
        if len(columns) == 2:
            own = self._given((first,), columns[1])[used[:, 0], used[:, 1]]
            rows[:, self._states(columns[1])] = own[:, None]
        for j in range(len(self._sizes)):
            if j not in columns:
                rows[:, self._states(j)] = self._given(columns, j)[tuple(used.T)]

    def _given(self, columns: tuple[int, ...], j: int) -> Floats:
        """log P(v | values of the columns, class): an axis for each of them, then v and the classes."""
        among = tuple(sorted((*columns, j)))
        table = self._counted[among]
        return backed_off_logs(np.moveaxis(table, among.index(j), -2), self._alone[j], self._strength)

    def _states(self, j: int) -> slice:
        """The states of a column, and the unseen one."""
        return slice(int(self._starts[j]), int(self._starts[j + 1]))


def average_without(left: LeftOut, least: float, n: int) -> Floats:
    """The mean over parents that occur in `least` other rows, for counted rows, each without its own counts."""
    columns = range(left.codes.shape[1])
    out = np.sum(left.logs, axis=0)  # naive Bayes, where no parent occurs often enough
    is_open = np.ones(len(out), dtype=bool)
    for size in range(n, 0, -1):
        sums, number = np.full_like(out, -np.inf), np.zeros(len(out))
        for parents in combinations(columns, size):
            used = is_open & (left.counted(parents) >= least)
            if used.any():
                own = sum((left.factor(parents[:k], parents[k]) for k in range(size)), np.zeros_like(out))
                logs = sum((left.factor(parents, j) for j in columns if j not in parents), own)
                sums[used] = np.logaddexp(sums[used], logs[used])
                number += used
        found = number > 0
        out[found] = sums[found] - np.log(number[found])[:, None]
        is_open &= ~found
    return out


def _row_numbers(is_used: AnyArray, first: int) -> AnyArray:
    """The row of each value or pair of values; −1 for those that are not used, unseen or missing."""
    numbers = np.full([size + 2 for size in is_used.shape], -1, dtype=np.int32)
    inner = numbers[tuple(slice(0, size) for size in is_used.shape)]
    inner[is_used] = np.arange(first, first + int(is_used.sum()))
    return numbers
