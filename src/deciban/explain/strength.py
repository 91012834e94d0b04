"""How much evidence each column gives, on average over rows whose class is known.

The weight of evidence of the value x_i for the class c of its row, against not knowing the value, is

    10·log10 P(x_i | c) / P(x_i),   P(x_i) = Σ_k P(k)·P(x_i | k),

and its mean over rows is the mutual information of the column and the class, in decibans, as the model sees it: with
the weights that the columns have in the model and, in models of dependent columns, given the column's parents.
"""

from __future__ import annotations

import numpy as np

from deciban.explain.evidence import Evidence
from deciban.ties import settled
from deciban.types import Codes, Floats
from deciban.units import decibans_from_nats

__all__ = ["mean_weights"]

_FLOOR = -700.0
_BLOCK = 256


def mean_weights(evidence: Evidence, y: Codes) -> dict[str, float]:
    """The mean weight of each column for the class of the row, in decibans, largest first; `y` are codes of classes."""
    total = np.zeros(len(evidence.names))
    for first in range(0, len(y), _BLOCK):
        block = slice(first, first + _BLOCK)
        total += _weights(evidence.columns[block], evidence.prior, y[block]).sum(axis=0)
    means = decibans_from_nats(total / len(y))
    order = np.argsort(-settled(means), kind="stable")
    return {evidence.names[i]: float(means[i]) for i in order.tolist()}


def _weights(columns: Floats, prior: Floats, y: Codes) -> Floats:
    """log P(x_i | c) / P(x_i) of some rows, c the class of the row: rows × columns."""
    logs = np.maximum(columns, _FLOOR)
    own = np.take_along_axis(logs, y[:, None, None].astype(np.int64), axis=2)[:, :, 0]
    joint = logs + prior
    largest = joint.max(axis=2)
    return own - largest - np.log(np.exp(joint - largest[:, :, None]).sum(axis=2))
