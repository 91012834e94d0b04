"""Log-probability tables of categorical columns, laid out for scoring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban.estimate.smoothing import Smoothing, log_probabilities
from deciban.tallies import Counts
from deciban.tallies.kernels import aligned, padded
from deciban.types import Floats

__all__ = ["packed_tables"]


def packed_tables(parts: Sequence[Counts], smoothing: Smoothing, unseen: str) -> Floats:
    """For each column its states' log-probabilities, then the row of an unseen state and of a missing value (0).

    An unseen state is one that was counted 0 times; where it is ignored, its row is 0 too.
    """
    classes = len(parts[0].table)
    out = aligned((sum(len(part.variable) + 2 for part in parts), padded(classes)))
    start = 0
    for part in parts:
        states = len(part.variable)
        out[start : start + states + 1, :classes] = _logs(part, smoothing).T
        if unseen == "ignore":
            out[start + states] = 0.0
        start += states + 2
    return out


def _logs(part: Counts, smoothing: Smoothing) -> Floats:
    """Class × states, and one state more that was never counted."""
    states, size = len(part.variable), part.variable.size
    if size == states:
        listed = smoothing.pseudocounts(states)
        rare = listed.min(initial=np.inf) if states else 0.0
        pseudo, added = np.append(listed, rare), listed.sum()
    else:  # a coded column of which only some states are listed
        pseudo = np.full(states + 1, smoothing.pseudocount(size))
        added = smoothing.pseudocount(size) * size
    whole = part.table.sum(axis=1, keepdims=True) + added
    counts = np.zeros((len(part.table), states + 1))
    counts[:, :states] = part.table
    return log_probabilities(counts, pseudo, whole, states=size)
