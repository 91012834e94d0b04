"""Probabilities of a column given its class and other columns, smoothed towards those given the class alone.

    P(v | u, j) = (n_juv + s·P(v | j)) / (n_ju + s)

The m-estimate with P(v | j) as its prior and s virtual rows: for combinations u that are rare or new it approaches
naive Bayes (Friedman, Geiger and Goldszmidt, 1997, section 4, with P(v | j) in place of their P(v)).

The dependence of two columns given the class is measured by their conditional mutual information,

    I(U; V | C) = Σ P(u, v, c)·log P(u, v | c) / (P(u | c)·P(v | c)).
"""

from __future__ import annotations

import numpy as np

from deciban.estimate.smoothing import Smoothing
from deciban.estimate.tables import packed_tables
from deciban.tallies import Counts
from deciban.types import AnyArray, Floats

__all__ = ["backed_off_logs", "column_logs", "conditional_information"]


def column_logs(counts: Counts, smoothing: Smoothing) -> Floats:
    """log P(v | j): states × classes, and one further row for an unseen state."""
    states, classes = len(counts.variable), len(counts.table)
    return packed_tables([counts], smoothing, "smooth")[: states + 1, :classes].copy()


def backed_off_logs(table: AnyArray, alone: Floats, strength: float) -> Floats:
    """log P(v | u, j) from counts … × v × classes, with one further v for an unseen state.

    `alone` is log P(v | j) as `column_logs` gives it. It is used as it is where N and the strength are 0, and for the
    unseen state: with s·P(v | j) / (n_ju + s), an unseen label would be evidence for classes in which u is rare.
    """
    states = table.shape[-2]
    whole = table.sum(axis=-2)[..., None, :] + strength
    with np.errstate(divide="ignore"):
        logs = np.log(table + strength * np.exp(alone[:states])) - np.log(np.where(whole > 0, whole, 1.0))
    known = np.where(whole > 0, logs, alone[:states])
    unseen = np.broadcast_to(alone[states:], (*table.shape[:-2], *alone[states:].shape))
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
    seen = counts > 0
    ratio = (counts * counts.sum(axis=(0, 1)))[seen] / expected[seen]
    return max(0.0, float(np.sum(counts[seen] * np.log(ratio)) / whole))
