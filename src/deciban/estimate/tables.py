"""Log-probability tables of categorical columns, laid out for scoring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deciban.estimate.smoothing import Smoothing, log_probabilities
from deciban.tallies import Counts, Sample
from deciban.tallies.kernels import aligned, padded
from deciban.tallies.leave_one_out import weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "added_to_others",
    "for_each_pair",
    "listed_pseudocounts",
    "logs_without_own",
    "packed_tables",
    "pseudocounts_without_own",
]


def packed_tables(parts: Sequence[Counts], smoothing: Smoothing, unseen: str) -> Floats:
    """For each column the log-probabilities of its states, then those of an unseen state, then 0 for a missing value.

    An unseen state is one that was counted 0 times; where it is ignored, its row is 0.
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


def logs_without_own(
    table: AnyArray, states: AnyArray, own: Floats, pseudo: Floats, own_cells: Floats | None = None
) -> Floats:
    """log P(state | class) of counted rows, each without its own weight: rows × classes.

    `table` is class × state, `states` the state of each row, `own` its weight in each class. `own_cells` is what a row
    has in the cell of its state, where that differs.
    """
    whole = weight_left(table.sum(axis=1), own) + pseudo.sum()
    cells = weight_left(table[:, states].T, own if own_cells is None else own_cells)
    return log_probabilities(cells, pseudo[states][:, None], whole, states=table.shape[1])


def for_each_pair(score: Callable[[AnyArray, Codes, Floats], Floats], states: AnyArray, sample: Sample) -> Floats:
    """What `score` gives for the states, classes and weights of rows: rows × classes.

    Rows of weight 1 with the same state and class have the same result, which is computed once.
    """
    if sample.weights is not None:
        return score(states, sample.codes, sample.weights)
    classes = len(sample.classes)
    pairs = states * classes + sample.codes
    occurs = np.bincount(pairs) > 0
    found = np.flatnonzero(occurs)
    logs = score(found // classes, (found % classes).astype(np.int32), np.ones(len(found)))
    return logs[(np.cumsum(occurs) - 1)[pairs]]


def pseudocounts_without_own(
    smoothing: Smoothing, codes: Codes, alone: AnyArray, states: int, classes: int
) -> tuple[Floats, Floats]:
    """The pseudo-count of each row's state, and the sum over all states, one of them fewer where the row is `alone`.

    A row is alone where no other row has its state; the code `states` is an unseen state.
    """
    listed = smoothing.pseudocounts(states, classes)
    pseudo, added = np.append(listed, listed.min(initial=np.inf))[codes], np.full(len(codes), listed.sum())
    if alone.any():
        fewer = smoothing.pseudocounts(states - 1, classes)
        pseudo[alone], added[alone] = fewer.min() if len(fewer) else 0.0, fewer.sum()
    return pseudo, added


def listed_pseudocounts(smoothing: Smoothing, part: Counts) -> tuple[Floats, float]:
    """The pseudo-counts of the listed states, and the sum over all states."""
    states, size, classes = len(part.variable), part.variable.size, len(part.table)
    if size == states:
        listed = smoothing.pseudocounts(states, classes)
        return listed, float(listed.sum())
    each = smoothing.pseudocount(size, classes)  # a coded column of which only some states are listed
    return np.full(states, each), each * size


def added_to_others(smoothing: Smoothing, part: Counts) -> float:
    """The sum of the pseudo-counts of all states but one."""
    states, classes = len(part.variable), len(part.table)
    if not smoothing.is_even:
        return float(smoothing.pseudocounts(states, classes).sum())  # which of them is missing does not matter much
    return (states - 1) * smoothing.pseudocount(states - 1, classes) if states > 1 else 0.0


def _logs(part: Counts, smoothing: Smoothing) -> Floats:
    """Class × states, and one further state that was never counted."""
    states, size, classes = len(part.variable), part.variable.size, len(part.table)
    listed, added = listed_pseudocounts(smoothing, part)
    unseen = smoothing.pseudocount(size, classes) if size != states else listed.min() if states else 0.0
    pseudo = np.append(listed, unseen)
    whole = part.table.sum(axis=1, keepdims=True) + added
    counts = np.zeros((classes, states + 1))
    counts[:, :states] = part.table
    return log_probabilities(counts, pseudo, whole, states=size)
