"""Probabilities of a column given its class and other columns, smoothed towards those given the class alone.

    P(v | u, j) = (n_juv + s·P(v | j)) / (n_ju + s)

The m-estimate with P(v | j) as its prior and s virtual rows: for combinations u that are rare or new it approaches
naive Bayes (Friedman, Geiger and Goldszmidt, 1997, section 4, with P(v | j) in place of their P(v)).

The dependence of two columns given the class is measured by their conditional mutual information,

    I(U; V | C) = Σ P(u, v, c)·log P(u, v | c) / (P(u | c)·P(v | c)).
"""

from __future__ import annotations

import numpy as np

from deciban.estimate.distributions.categorical import packed_tables
from deciban.estimate.smoothing import Smoothing
from deciban.tallies import Counts
from deciban.types import AnyArray, Floats

__all__ = ["backed_off_logs", "column_logs", "conditional_information", "probabilities_without_own"]


def column_logs(counts: Counts, smoothing: Smoothing) -> Floats:
    """log P(v | j): states × classes, and one further row for an unseen state."""
    states, classes = len(counts.variable), len(counts.table)
    return packed_tables([counts], smoothing, "smooth")[: states + 1, :classes].copy()


def probabilities_without_own(counts: Counts, smoothing: Smoothing) -> Floats:
    """P(v | j) for a row that has the value v and the class j, by the counts of the other rows: states × classes.

    >>> from deciban.estimate import Laplace
    >>> from deciban.read import Variable
    >>> counts = Counts(Variable.of("sky", np.array(["rain", "sun"])), np.array([[3, 1]]))
    >>> probabilities_without_own(counts, Laplace()).T.round(
    ...     3
    ... ).tolist()  # (2 + 1) / (3 + 2), (0 + 1) / (3 + 2)
    [[0.6, 0.2]]
    """
    table, variable = counts.table.T, counts.variable
    if variable.size == len(variable):
        pseudo = smoothing.pseudocounts(len(variable), counts.classes)[:, None]
        added = pseudo.sum()
    else:  # a coded column of which only some states are listed
        pseudo = np.full((1, 1), smoothing.pseudocount(variable.size, counts.classes))
        added = pseudo.sum() * variable.size
    # A row of a class that occurs once has nothing left but pseudo-counts.
    whole = np.maximum(table.sum(axis=0) - 1.0, 0.0) + added
    return (np.maximum(table - 1.0, 0.0) + pseudo) / np.where(whole > 0, whole, 1.0)


def backed_off_logs(table: AnyArray, below: Floats, strength: float) -> Floats:
    """log P(v | u, j) from counts … × v × classes, with one further v for an unseen state.

    `below` are the logarithms that they are shrunk to: those of `column_logs`, or such a table with fewer parents,
    with an axis of length 1 for each that it lacks. They are used as they are where N and the strength are 0, and for
    the unseen state: with s·P(v | j) / (n_ju + s), an unseen label would be evidence for classes in which u is rare.
    """
    states = table.shape[-2]
    whole = table.sum(axis=-2)[..., None, :] + strength
    known_below = below[..., :states, :]
    # Cells of parents that never occurred, without virtual rows, are 0/0: they are what they would be shrunk to.
    with np.errstate(divide="ignore"):
        logs = np.log(table + strength * np.exp(known_below)) - np.log(np.where(whole > 0, whole, 1.0))
    known = np.where(whole > 0, logs, known_below)
    unseen = np.broadcast_to(below[..., states:, :], (*table.shape[:-2], 1, table.shape[-1]))
    return np.concatenate([known, unseen], axis=-2)


def conditional_information(table: AnyArray) -> float:
    """I(U; V | C) in nats, of u × v × class counts.

    >>> same = np.array([[[1], [0]], [[0], [1]]])  # in the only class, v is u
    >>> round(conditional_information(same), 4)
    0.6931
    """
    counts = np.asarray(table, dtype=np.float64)
    whole = counts.sum()
    if not whole > 0:
        return 0.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True)
    seen = counts > 0  # 0·log 0 is 0
    ratio = (counts * counts.sum(axis=(0, 1)))[seen] / expected[seen]
    # Never negative but by rounding, which would decide between trees of columns that are independent.
    return max(0.0, float(np.sum(counts[seen] * np.log(ratio)) / whole))
