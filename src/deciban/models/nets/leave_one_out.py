"""Probabilities of coded rows, each without its own counts: the factors of leave-one-out for TAN, AODE and nets.

With w the weight of a row of class y that has the values u and v,

    P'(v | u, j) = (n_juv − w·[j = y] + s·P'(v | j)) / (n_ju − w·[j = y] + s),

and P'(v | j) likewise; with two parents P'(v | u, j) may be in its place (`deciban.models.nets.back_off`). The
strengths s stay those of all rows. A label that no other row has is unseen; bins stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deciban.estimate import Smoothing, log_probabilities
from deciban.estimate.tables import pseudocounts_without_own
from deciban.limits import check_memory
from deciban.models.nets.back_off import BackOff
from deciban.read import Variable
from deciban.tallies import Counts, Crossed, Sample
from deciban.tallies.crossed import count_crossed, narrow_codes
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["LeftOut", "score_each_without"]


class LeftOut:
    """Counted rows, coded, none of weight 0, and the probabilities of each by the counts of the others."""

    def __init__(self, part: Crossed, codes: Codes, y: Codes, weights: Floats, smoothing: Smoothing) -> None:
        advice = "Calibrate on fewer columns, or on held-out rows."
        check_memory(
            "leave-one-out, rows × columns × classes,", len(y), codes.shape[1] + 2, part.classes, advice=advice
        )
        self.part, self.codes, self.y, self.weights = part, codes, y, weights
        self._smoothing = smoothing
        self._own = np.zeros((len(codes), part.classes))
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
        with np.errstate(divide="ignore"):
            found = np.log(counts + strength * np.exp(logs)) - np.log(np.where(whole > 0, whole, 1.0))
        is_unseen = np.any([self.alone[c][known] for c in among], axis=0)
        out = np.zeros_like(self._own)
        out[known] = np.where((whole > 0) & ~is_unseen[:, None], found, logs)
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
        out = np.full(len(self.codes), -1.0)
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
            states = np.maximum(self.part.counts[i].variable.size - alone, 1)
            out[known] = np.where(whole > 0, logs, -np.log(states)[:, None])
        return out


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
