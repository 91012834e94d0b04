"""Evidence: the log-probability of each column's value in each class; the parts sum to the prediction.

Zhu's item 6 writes the log-odds of a class j against a base class J as a sum,

    log P(j | x) / P(J | x) = α_j + Σ_i g_ji(x_i),  g_ji(x_i) = log P(x_i | j) / P(x_i | J),

and the g_ji, in decibans, are the weights of evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.read import plain
from deciban.suggest import did_you_mean
from deciban.types import AnyArray, Floats
from deciban.units import decibans_from_nats

__all__ = ["Evidence"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The prior's and each column's log-probabilities: rows × columns × classes, in nats.

    ``joint`` is their sum: what `predict_joint_log_proba` gives.
    """

    classes: AnyArray
    names: tuple[str, ...]
    prior: Floats
    columns: Floats

    @property
    def joint(self) -> Floats:
        return self.prior + self.columns.sum(axis=1)

    def log_odds(self, label: Any, against: Any) -> Floats:
        """The log-odds of one class against another, row by row."""
        j, k = self._index(label), self._index(against)
        columns = _less(self.columns[:, :, j], self.columns[:, :, k])
        return _less(self.prior[j], self.prior[k]) + columns.sum(axis=1)

    def prior_db(self, label: Any, against: Any) -> float:
        """The prior's weight for one class against another, in decibans."""
        j, k = self._index(label), self._index(against)
        return decibans_from_nats(float(_less(self.prior[j], self.prior[k])))

    def weights_db(self, label: Any, against: Any) -> Floats:
        """Each column's weight for one class against another, in decibans: rows × columns."""
        j, k = self._index(label), self._index(against)
        return decibans_from_nats(_less(self.columns[:, :, j], self.columns[:, :, k]))

    def total_db(self, label: Any, against: Any) -> Floats:
        """The prior's and all columns' weight, in decibans: the log-odds, row by row."""
        return decibans_from_nats(self.log_odds(label, against))

    def _index(self, label: Any) -> int:
        found = np.flatnonzero(self.classes == plain(label))
        if len(found) == 0:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, self.classes.tolist())}")
        return int(found[0])

    def __repr__(self) -> str:
        rows, columns, classes = self.columns.shape
        sizes = counted(rows, "row"), counted(columns, "column"), counted(classes, "class", "classes")
        return f"Evidence({', '.join(sizes)})"


def _less(a: AnyArray, b: AnyArray) -> Floats:
    """a − b, with 0 where both are −∞: a value that is impossible in both classes has no weight."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(a) == b, 0.0, np.subtract(a, b))
