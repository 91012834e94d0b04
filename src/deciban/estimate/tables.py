"""Log-probability tables of categorical columns, laid out for scoring.

Probabilities of a column given its class and other columns, smoothed towards those given the class alone.

    P(v | u, j) = (n_juv + s·P(v | j)) / (n_ju + s)

The m-estimate with P(v | j) as its prior and s virtual rows: for combinations u that are rare or new it approaches
naive Bayes (Friedman, Geiger and Goldszmidt, 1997, section 4, with P(v | j) in place of their P(v)).

The dependence of two columns given the class is measured by their conditional mutual information,

    I(U; V | C) = Σ P(u, v, c)·log P(u, v | c) / (P(u | c)·P(v | c)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deciban.estimate.smoothing import Smoothing, log_probabilities
from deciban.tallies import Counts, Sample, weight_left
from deciban.tallies.kernels import aligned, padded
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "added_to_others",
    "backed_off_logs",
    "column_logs",
    "conditional_information",
    "for_each_pair",
    "listed_pseudocounts",
    "logs_without_own",
    "packed_tables",
    "probabilities_without_own",
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
    seen = counts > 0
    ratio = (counts * counts.sum(axis=(0, 1)))[seen] / expected[seen]
    return max(0.0, float(np.sum(counts[seen] * np.log(ratio)) / whole))
