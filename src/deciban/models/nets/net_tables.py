"""The tables of a net that classifies, and how they score rows with or without missing values.

    P(c | x) ∝ P(c | parents of c)·Π P(x_i | parents of x_i, c)   over the children i of the class

where all of the class's Markov blanket is known: a sum of table lookups. Where some of it is missing, the missing
columns are summed out of the product of all families that contain them (`deciban.models.nets.elimination`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from deciban.estimate import Smoothing, backed_off_logs, column_logs
from deciban.models.nets.back_off import Strength, chosen_strength
from deciban.models.nets.drawing import CLASS
from deciban.models.nets.elimination import Factor, Network
from deciban.models.nets.leave_one_out import LeftOut
from deciban.models.nets.net_form import Families
from deciban.tallies import Counts, Crossed
from deciban.tallies.kernels import aligned, best_strength, padded, score_table
from deciban.types import AnyArray, Codes, Floats

__all__ = ["NetTables", "net_strengths", "score_without"]


class NetTables:
    """log P(v | parents) of each column and of the class, for the states of fit and one unseen state."""

    def __init__(
        self,
        part: Crossed,
        families: Families,
        class_log_prior: Floats,
        smoothing: Smoothing,
        strength: Strength | Sequence[float],
    ) -> None:
        self._prior = class_log_prior
        self.strengths = net_strengths(part, families, smoothing, strength)
        tables = [table for _, table in part.tables()]
        self._of_class = Factor(families.of_class, self._class_logs(tables[0]), has_class=True)
        self._of_columns = [
            Factor((*families.of_columns[i], i), self._logs(part, tables[i + 1], families, i, smoothing), is_under)
            for i, is_under in enumerate(families.under_class)
        ]
        self._children = [i for i, is_under in enumerate(families.under_class) if is_under]
        self._blanket = sorted({c for factor in self._class_factors() for c in factor.columns})
        self._packed = self._pack()
        self._network = Network(self._of_class, self._of_columns, families)

    def score(self, codes: Codes, *, whole: bool = False) -> Floats:
        """log P(blanket | class), up to a term that is equal for all classes; log P(row | class) if `whole`."""
        if whole:
            return self._network.sum_out(codes, whole=True) - self._finite_prior()
        out = np.empty((len(codes), len(self._prior)))
        missing = (codes[:, self._blanket] < 0).any(axis=1)
        if not missing.all():
            out[~missing] = self._score_whole(codes[~missing])
        if missing.any():
            out[missing] = self._network.sum_out(codes[missing])
        return out - self._finite_prior()

    def families(self, log_prior: Floats) -> dict[int, tuple[tuple[int, ...], Floats]]:
        """The parents and the table of each node that has states; `log_prior` is that of a class without parents."""
        ups = self._of_class.columns
        found = {CLASS: (ups, _without_unseen(self._of_class.logs, len(ups)) if ups else np.exp(log_prior))}
        for i, factor in enumerate(self._of_columns):
            table = _without_unseen(factor.logs, len(factor.columns))
            if table.size and factor.has_class:
                found[i] = (CLASS, *factor.columns[:-1]), np.moveaxis(table, -1, 0)
            elif table.size:
                found[i] = factor.columns[:-1], table
        return found

    def _finite_prior(self) -> Floats:
        return np.where(np.isneginf(self._prior), 0.0, self._prior)

    def weigh(self, codes: Codes) -> Floats:
        """The evidence of each child of the class, and the remainder: rows × (columns + 1) × classes."""
        out = np.zeros((len(codes), codes.shape[1] + 1, len(self._prior)))
        for i in self._children:
            factor = self._of_columns[i]
            known = (codes[:, list(factor.columns)] >= 0).all(axis=1)
            out[known, i] = factor.logs[tuple(codes[known, c] for c in factor.columns)]
        whole = self.score(codes)
        with np.errstate(invalid="ignore"):
            rest = whole - out.sum(axis=1)
        out[:, -1] = np.where(np.isneginf(whole), 0.0, rest)
        return out

    def _class_factors(self) -> list[Factor]:
        """The factors that differ between classes."""
        return [self._of_class, *(self._of_columns[i] for i in self._children)]

    def _class_logs(self, table: AnyArray) -> Floats:
        """log P(c | parents): from the counts, and virtual rows with the shares of the classes."""
        strength = self.strengths[0]
        whole = table.sum(axis=-1, keepdims=True) + strength
        with np.errstate(divide="ignore"):
            logs = np.log(table + strength * np.exp(self._prior)) - np.log(np.where(whole > 0, whole, 1.0))
        return _with_unseen(np.where(whole > 0, logs, self._prior), table.ndim - 1, self._prior)

    def _logs(self, part: Crossed, table: AnyArray, families: Families, i: int, smoothing: Smoothing) -> Floats:
        """log P(v | parents): an axis for each parent, then the column's own and, under the class, the classes."""
        table, counts = _of_family(part, table, families, i)
        alone = column_logs(counts, smoothing)
        parents = len(families.of_columns[i])
        logs = backed_off_logs(table, alone, self.strengths[i + 1]) if parents else alone
        wide = _with_unseen(logs, parents, alone)
        return wide if families.under_class[i] else wide[..., 0]

    def _pack(self) -> Floats:
        """The tables that differ between classes in one, each with the two further rows that `score_table` needs."""
        parts = [factor.logs.reshape(-1, len(self._prior)) for factor in self._class_factors()]
        out = aligned((sum(len(part) + 2 for part in parts), padded(len(self._prior))))
        start = 0
        for part in parts:
            out[start : start + len(part), : len(self._prior)] = part
            start += len(part) + 2
        return out

    def _score_whole(self, codes: Codes) -> Floats:
        columns, sizes = [], []
        for factor in self._class_factors():
            axes = factor.logs.shape[:-1]
            index = reduce(lambda at, axis: at * axis[1] + codes[:, axis[0]], zip(factor.columns, axes, strict=True), 0)
            columns.append(np.ascontiguousarray(np.broadcast_to(index, len(codes)), dtype=np.int32))
            sizes.append(int(np.prod(axes, dtype=np.int64)))
        nothing = np.zeros(len(self._prior))
        scores, _ = score_table(columns, nothing, self._packed, np.array(sizes), "joint", missing_allowed=False)
        return scores


def net_strengths(
    part: Crossed, families: Families, smoothing: Smoothing, strength: Strength | Sequence[float]
) -> Sequence[float]:
    """The number of virtual rows of the class's table, and of each column's; 1 where "auto" has nothing to choose."""
    if not isinstance(strength, str):
        return [float(strength)] * (len(part.counts) + 1) if isinstance(strength, int | float) else strength
    tables = [table for _, table in part.tables()]
    of_columns = [
        chosen_strength(*_of_family(part, tables[i + 1], families, i), smoothing, strength) if parents else 1.0
        for i, parents in enumerate(families.of_columns)
    ]
    return [_class_strength(tables[0]) if families.of_class else 1.0, *of_columns]


def score_without(
    left: LeftOut, families: Families, log_prior: Floats, strengths: Sequence[float]
) -> tuple[Floats, list[int]]:
    """`NetTables.score` of complete counted rows, each without its own counts, and the class's Markov blanket.

    `log_prior` are the logarithms of the class shares without each row. In rows with missing values the families that
    have them are left out.
    """
    tables = [table for _, table in left.part.tables()]
    out = left.class_factor(tables[0], families.of_class, log_prior, strengths[0])
    blanket = set(families.of_class)
    for i, (is_under, ups) in enumerate(zip(families.under_class, families.of_columns, strict=True)):
        if is_under:
            base = left.logs[i]
            out += left.factor_of(tables[i + 1], ups, i, strengths[i + 1], base) if ups else base
            blanket |= {*ups, i}
    return out - np.where(np.isneginf(log_prior), 0.0, log_prior), sorted(blanket)


def _of_family(part: Crossed, table: AnyArray, families: Families, i: int) -> tuple[AnyArray, Counts]:
    """The counts of a column with its parents, and alone; of all classes together where the class is no parent."""
    counts = part.counts[i]
    if families.under_class[i]:
        return table, counts
    return table.sum(axis=-1, keepdims=True), Counts(counts.variable, counts.table.sum(axis=0, keepdims=True))


def _class_strength(table: AnyArray) -> float:
    """The strength of P(class | parents), which is shrunk to the shares of the classes."""
    flat = table.reshape(-1, table.shape[-1], 1)
    left = np.maximum(flat.sum(axis=0) - 1.0, 0.0)
    return best_strength(flat, (left / max(float(flat.sum()) - 1.0, 1.0))[None])[0]


def _without_unseen(logs: Floats, axes: int) -> Floats:
    """The probabilities of the states of fit: the last state on each of the first axes is the unseen one."""
    return np.exp(logs[(slice(-1),) * axes])


def _with_unseen(logs: Floats, axes: int, alone: Floats) -> Floats:
    """One further state, an unseen parent, on each of the first axes: its row is P(v | class)."""
    for axis in range(axes):
        shape = (*logs.shape[:axis], 1, *logs.shape[axis + 1 :])
        logs = np.concatenate([logs, np.broadcast_to(alone, shape)], axis=axis)
    return logs
