"""Evidence: the log-probability of each column's value in each class; the parts sum to the prediction.

Zhu's item 6 writes the log-odds of a class j against a base class J as a sum,

    log P(j | x) / P(J | x) = α_j + Σ_i g_ji(x_i),  g_ji(x_i) = log P(x_i | j) / P(x_i | J),

and the g_ji, in decibans, are the weights of evidence.

How much evidence a column gives on average is measured on rows whose class is known. The weight of evidence of the
value x_i for the class c of its row, against not knowing the value, is

    10·log10 P(x_i | c) / P(x_i),   P(x_i) = Σ_k P(k)·P(x_i | k),

and its mean over rows is the mutual information of the column and the class, in decibans, as the model sees it: with
the weights that the columns have in the model and, in models of dependent columns, given the column's parents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import counted, did_you_mean
from deciban.errors import ParameterError
from deciban.log_sums import log_sum_exp
from deciban.read import plain
from deciban.ties import settled
from deciban.types import AnyArray, Codes, Floats
from deciban.units import decibans_from_nats

__all__ = ["Evidence", "mean_weights"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The log-probabilities of the prior and of each column: the result of `evidence`.

    Attributes
    ----------
    classes : array
        The labels.
    names : tuple of str
        The names of the columns.
    prior : array of shape (n_classes,)
        The log priors, in nats.
    columns : array of shape (n_samples, n_columns, n_classes)
        The log-likelihoods, in nats.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes(weights=None).fit(
    ...     {"sky": ["sun", "sun", "rain"]}, ["play", "play", "stay"]
    ... )
    >>> evidence = model.evidence({"sky": ["sun", "rain"]})
    >>> (
    ...     evidence.weights_db("play", "stay").round(1).tolist(),
    ...     evidence.total_db("play", "stay").round(1).tolist(),
    ... )
    ([[3.5], [-4.3]], [6.5, -1.2])
    """

    classes: AnyArray
    names: tuple[str, ...]
    prior: Floats
    columns: Floats

    @property
    def joint(self) -> Floats:
        """The sum of the evidence, rows × classes: what `predict_joint_log_proba` returns."""
        return self.prior + self.columns.sum(axis=1)

    def log_odds(self, label: Any, against: Any) -> Floats:
        """Compute the log-odds of one class against another, row by row.

        Parameters
        ----------
        label, against : a class
            The two classes.

        Returns
        -------
        log_odds : array of shape (n_samples,)
            In nats.
        """
        j, k = self._index(label), self._index(against)
        columns = _less(self.columns[:, :, j], self.columns[:, :, k])
        return _less(self.prior[j], self.prior[k]) + columns.sum(axis=1)

    def prior_db(self, label: Any, against: Any) -> float:
        """Compute the prior's weight for one class against another.

        Parameters
        ----------
        label, against : a class
            The two classes.

        Returns
        -------
        weight : float
            In decibans.
        """
        j, k = self._index(label), self._index(against)
        return decibans_from_nats(float(_less(self.prior[j], self.prior[k])))

    def weights_db(self, label: Any, against: Any) -> Floats:
        """Compute each column's weight for one class against another.

        Parameters
        ----------
        label, against : a class
            The two classes.

        Returns
        -------
        weights : array of shape (n_samples, n_columns)
            In decibans.
        """
        j, k = self._index(label), self._index(against)
        return decibans_from_nats(_less(self.columns[:, :, j], self.columns[:, :, k]))

    def total_db(self, label: Any, against: Any) -> Floats:
        """Compute the weight of the prior and all columns together: the log-odds, row by row.

        Parameters
        ----------
        label, against : a class
            The two classes.

        Returns
        -------
        weights : array of shape (n_samples,)
            In decibans.
        """
        return decibans_from_nats(self.log_odds(label, against))

    def _index(self, label: object) -> int:
        codes = np.flatnonzero(self.classes == plain(label))
        if len(codes) == 0:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, self.classes.tolist())}")
        return int(codes[0])

    def __repr__(self) -> str:
        rows, columns, classes = self.columns.shape
        sizes = counted(rows, "row"), counted(columns, "column"), counted(classes, "class", "classes")
        return f"Evidence({', '.join(sizes)})"


def _less(a: AnyArray, b: AnyArray) -> Floats:
    """a − b, with 0 where both are −∞: a value that is impossible in both classes has no weight."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(a) == b, 0.0, np.subtract(a, b))


# Lower log-probabilities are taken as this one, the logarithm of 10⁻³⁰⁴: the mean of one impossible value and any
# number of likely ones would be −∞.
_FLOOR = -700.0
# Rows × columns × classes are exponentiated a few rows at a time, to bound memory.
_BLOCK = 256


def mean_weights(evidence: Evidence, y: Codes) -> dict[str, float]:
    """The mean weight of each column for the class of the row, in decibans, largest first; `y` are codes of classes."""
    total = np.zeros(len(evidence.names))
    for first in range(0, len(y), _BLOCK):
        block = slice(first, first + _BLOCK)
        logs = np.maximum(evidence.columns[block], _FLOOR)
        own = np.take_along_axis(logs, y[block, None, None].astype(np.int64), axis=2)[:, :, 0]
        total += (own - log_sum_exp(logs + evidence.prior)).sum(axis=0)  # log P(x_i | c) / P(x_i)
    means = decibans_from_nats(total / len(y))
    order = np.argsort(-settled(means), kind="stable")
    return {evidence.names[i]: float(means[i]) for i in order.tolist()}
