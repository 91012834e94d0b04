"""A column that takes one of its states (Zhu, items 5 and 10).

P(v | j) = (n_jv + a) / (n_j + a·m)
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.base import Distribution, Likelihood, OneValue, times
from deciban.estimate.distributions.examples import Example, states_of
from deciban.estimate.distributions.values import Markers, is_missing
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.counts import LiveCounts
from deciban.estimate.smoothing import Laplace, Smoothing, log_probabilities
from deciban.estimate.tables import packed_tables
from deciban.read import MISSING_LABEL, Column, Variable, plain
from deciban.suggest import did_you_mean
from deciban.tallies import Counts, Sample, count_column, raise_fault
from deciban.tallies.kernels import aligned, score_table
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Categorical", "CategoricalLikelihood"]

_UNSEEN = ("smooth", "ignore", "error")


@dataclass(frozen=True, kw_only=True)
class Categorical(Distribution):
    """One of a set of labels: text, codes, booleans, dates.

    Parameters
    ----------
    smoothing : how counts become probabilities; the model's when None
    unseen : what a label that fit never saw is: "smooth", one counted 0 times; "ignore", no evidence; or "error"
    missing : "skip"; "error"; or "state": a missing value is a state of its own
    """

    smoothing: Smoothing | None = None
    unseen: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unseen not in (None, *_UNSEEN):
            raise ParameterError(
                f"unseen is one of 'smooth', 'ignore', 'error', not {self.unseen!r}."
                f"{did_you_mean(self.unseen, _UNSEEN)}"
            )
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise ParameterError(f"smoothing is a rule such as Laplace() or Lidstone(0.5), not {self.smoothing!r}.")

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        self.check(column, owner)
        return count_column(self._states(column), sample)

    def estimate(self, parts: Sequence[Counts]) -> CategoricalLikelihood:
        return CategoricalLikelihood(self, tuple(parts))

    def live(self, part: Counts, setting: Setting) -> LiveColumn:
        return LiveCounts(self, part, setting, self.unseen)

    def leave_one_out(self, parts: Sequence[Counts], columns: Sequence[Column], y: Codes, weights: Floats) -> Floats:
        """Exact; a label that only the row has is one that fit never saw (smoothed also where that is an error)."""
        out = np.zeros((len(y), len(columns), len(parts[0].table)))
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            codes = self._states(column).codes(part.variable)
            known = codes >= 0
            out[known, i] = self._without_own(part.table, codes[known], y[known], weights[known])
        return out

    def examples(self, part: Counts) -> list[Example]:
        return states_of(part)

    def _without_own(self, table: AnyArray, codes: Codes, y: Codes, weights: Floats) -> Floats:
        """(n − w + a) / (N − w + Σa) in the row's own class, (n + a) / (N + Σa) in the others."""
        table = np.pad(table, ((0, 0), (0, 1)))  # the last: labels that fit never saw, of rows without weight
        alone = (weights > 0) & (weight_left(table.sum(axis=0)[codes], weights) == 0)
        own = np.zeros((len(y), len(table)))
        own[np.arange(len(y)), y] = weights
        states = table.shape[1] - 1 - alone
        pseudo, added = self._pseudocounts(codes, alone, table.shape[1] - 1)
        whole = weight_left(table.sum(axis=1), own) + added[:, None]
        logs = log_probabilities(weight_left(table[:, codes].T, own), pseudo[:, None], whole)
        logs = np.where(whole > 0, logs, -np.log(np.maximum(states, 1))[:, None])
        is_unseen = alone | (codes == table.shape[1] - 1)
        return np.where((is_unseen & (self.unseen == "ignore"))[:, None], 0.0, logs)

    def _pseudocounts(self, codes: Codes, alone: AnyArray, states: int) -> tuple[Floats, Floats]:
        """The pseudo-count of each row's label, and the sum of all labels', one of them fewer where it is alone."""
        smoothing = self.smoothing or Laplace()
        listed = smoothing.pseudocounts(states)
        pseudo, added = np.append(listed, listed.min(initial=np.inf))[codes], np.full(len(codes), listed.sum())
        if alone.any():
            fewer = smoothing.pseudocounts(states - 1)
            pseudo[alone], added[alone] = fewer.min() if len(fewer) else 0.0, fewer.sum()
        return pseudo, added

    def _states(self, column: Column) -> Column:
        return column.with_missing_state() if self.missing == "state" else column


class CategoricalLikelihood(Likelihood):
    """The tables of several columns, scored by one kernel."""

    def __init__(self, kind: Categorical, parts: tuple[Counts, ...]) -> None:
        self._kind = kind
        self._variables = tuple(part.variable for part in parts)
        self._sizes = np.array([len(part.variable) for part in parts], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes + 2)[:-1]])
        self._classes = len(parts[0].table)
        self._table = packed_tables(parts, kind.smoothing or Laplace(), kind.unseen or "smooth")

    def weighted(self, weights: Floats) -> CategoricalLikelihood:
        """Weigh the tables themselves, so that scoring is as fast as without weights."""
        made = copy(self)
        made._table = aligned(self._table.shape)
        made._table[:] = times(np.repeat(weights, self._sizes + 2)[:, None], self._table)
        return made

    def rows(self, columns: Sequence[Column]) -> Floats:
        zero = np.zeros(self._classes)
        parts = [self._places(i, self._as_states(column)) for i, column in enumerate(columns)]
        places = [part[0] for part in parts]
        table = np.concatenate([part[1] for part in parts])
        sizes = np.array([len(part[1]) - 2 for part in parts], dtype=np.int64)
        joint, _ = score_table(places, zero, table, sizes, "joint", missing_allowed=True, minus_is_missing=True)
        return joint

    def _places(self, i: int, column: Column) -> tuple[Codes, Floats]:
        """Each row's place in a table, and the table: put into the order of the rows' states, as rows are many."""
        variable, start = self._variables[i], self._starts[i]
        table = self._table[start : start + len(variable) + 2]
        if column.is_numeric or len(column.states) > len(column) or self._kind.unseen == "error":
            return self._column_codes(column, variable), table
        own = variable.encode(column.states)
        return column.places, table[np.append(own, [len(variable), len(variable) + 1])]

    def columns(self, columns: Sequence[Column]) -> Floats:
        codes, sizes = self._codes(columns), self._sizes
        rows = np.where(codes < 0, sizes + 1, np.minimum(codes, sizes))  # missing: the last row of a column
        return self._table[self._starts + rows][:, :, : self._classes]

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        start = int(self._starts[i])
        labels = self._variables[i].labels.tolist()
        logs = self._table[start : start + len(labels) + 2, : self._classes].tolist()
        of_label = dict(zip(labels, logs, strict=False))
        gone = of_label.get(MISSING_LABEL, logs[-2]) if self._kind.missing == "state" else logs[-1]
        of_label.update(dict.fromkeys((None, *markers), gone))
        unseen = None if self._kind.unseen == "error" else logs[-2]
        return _LabelLogs(of_label, gone, unseen, names[i]).__getitem__

    def _codes(self, columns: Sequence[Column]) -> AnyArray:
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        for i, (column, variable) in enumerate(zip(columns, self._variables, strict=True)):
            codes[:, i] = self._column_codes(self._as_states(column), variable)
        return codes

    def _as_states(self, column: Column) -> Column:
        """The column whose states are looked up."""
        return self._kind._states(column)

    def _column_codes(self, column: Column, variable: Variable) -> Codes:
        codes = column.codes(variable)
        if self._kind.unseen == "error" and (codes == len(variable)).any():
            row = int(np.argmax(codes == len(variable)))
            raise_fault(("unseen", row, 0), "the model", (column.name,), column.value(row))
        return codes


class _LabelLogs(dict[Any, Sequence[float]]):
    """The log-probabilities of each label, and of what is none."""

    def __init__(
        self, known: dict[Any, Sequence[float]], gone: Sequence[float], unseen: Sequence[float] | None, name: str
    ) -> None:
        super().__init__(known)
        self._gone, self._unseen, self._name = gone, unseen, name

    def __missing__(self, value: Any) -> Sequence[float]:
        held = plain(value)
        if held is not value:
            return self[held]
        if is_missing(value):
            return self._gone
        if self._unseen is None:
            raise_fault(("unseen", 0, 0), "the model", (self._name,), value)
        return self._unseen
