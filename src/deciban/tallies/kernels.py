"""The door to the core: what a kernel takes and gives, as numpy arrays (twins: ``tests/reference/tallies.py``).

Rows come as a matrix, as a list of columns that may differ in type, or as the (values, indices, starts, columns) of a
CSR matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np

from deciban import _core
from deciban.errors import InputError, MissingValueError, UnseenStateError
from deciban.limits import check_memory, memory_limit
from deciban.types import AnyArray, Codes, Floats, Ints, KernelRows

__all__ = [
    "Fault",
    "Want",
    "Weighing",
    "add_bins",
    "add_moments",
    "averaged_width",
    "best_strength",
    "class_moments",
    "count_codes",
    "count_occurrences",
    "count_sets",
    "count_values",
    "cross_sums",
    "description_cuts",
    "finish",
    "pack_classes",
    "pack_columns",
    "pack_complement",
    "pack_logs",
    "pack_presence",
    "padded",
    "raise_fault",
    "scale_moments",
    "score_averaged",
    "score_gaussian",
    "score_linear",
    "score_table",
    "settle_moments",
    "subtract_moments",
    "sum_terms",
]


Want = Literal["best", "joint", "log_posterior", "posterior"]

_FEWER = "Use fewer classes: group rare ones, or see whether the target is a number rather than a label."
_IN_PARTS = "Pass fewer rows at a time."
_SCORES = "the scores of rows × classes"
# Fewer scores, 8 MB, are not compared with the limit: to look it up would be felt in predictions of single rows.
_FEW_SCORES = 1 << 20
# A column with larger codes, or tables with more cells, would be mostly empty: such columns are read as labels.
_MOST_STATES = 1 << 16
_MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Weighing:
    """Which values a term matrix may hold, and what each counts for."""

    # The largest float, not ∞: infinite amounts are refused, as their sums would be NaN.
    highest: float = float(np.finfo(np.float64).max)
    lowest: float = 0.0
    missing_allowed: bool = False
    threshold: float | None = None

    def amount(self, values: AnyArray) -> AnyArray:
        """What each value counts for: itself, or 1 above the threshold."""
        return values if self.threshold is None else (values > self.threshold).astype(np.float64)


count_occurrences = _core.count_occurrences
"""How often each code 0 … size − 1 occurs."""


def cross_sums(values: Floats, partners: Sequence[Sequence[int]], weights: Floats | None) -> Floats:
    """Σ w·x_a·x_b of columns × rows for each column a and its partners b, one list after the other: high and low parts.

    The index behind the last column is that of the number 1.
    """
    starts = np.concatenate([[0], np.cumsum([len(others) for others in partners])]).astype(np.int64)
    members = np.concatenate([np.asarray(others, dtype=np.int32) for others in partners])
    return _core.cross_sums(np.ascontiguousarray(values), np.zeros(len(values)), starts, members, weights)


def count_codes(
    x: KernelRows,
    y: Codes,
    classes: int,
    weights: Floats | None,
    *,
    missing_allowed: bool,
    minus_is_missing: bool = False,
) -> tuple[list[AnyArray], Fault | None]:
    """Count, for each column, class × code: integers, or floats where there are weights."""
    columns = _columns(x)
    check_memory("the counts of columns × classes × states", columns, classes, 2, advice=_FEWER)
    most_states = max(64, min(_MOST_STATES, _MOST_CELLS // max(classes * columns, 1)))
    most_states = min(most_states, memory_limit() // (8 * max(classes * columns, 1)))
    sizes, cells, fault = _core.count_codes(x, y, classes, weights, missing_allowed, minus_is_missing, most_states)
    # The core counts in unsigned integers.
    counts = cells if weights is not None else cells.view(np.int64)
    ends = np.cumsum(sizes * classes)[:-1]
    return [part.reshape(classes, -1) for part in np.split(counts, ends)], fault


def count_sets(
    codes: AnyArray, sizes: Ints, y: Codes, classes: int, weights: Floats | None, sets: tuple[Ints, Codes]
) -> AnyArray:
    """Count, for each set of columns, cell × class, one set after the other: integers, or floats with weights.

    `codes` are columns × rows, a missing value the code that equals its column's size; `sets` are where each set
    starts, and the columns of all of them.
    """
    cells = _core.count_sets(codes, sizes, y, classes, weights, *sets)
    return cells if weights is not None else cells.view(np.int64)


def count_values(
    x: Floats, y: Codes, classes: int, weights: Floats | None, most: int
) -> tuple[Floats, AnyArray] | None:
    """Distinct numbers in order, and class × number counts or weights; None when there are more than `most`."""
    check_memory("the counts of distinct numbers × classes", min(len(x), most), classes, advice=_FEWER)
    return _core.count_values(np.ascontiguousarray(x), y, classes, weights, most)


def description_cuts(counts: Floats, tie: float) -> Ints:
    """Where cuts by minimum description length end bins: indices in the number × class counts."""
    return _core.description_cuts(np.ascontiguousarray(counts, dtype=np.float64), tie)


def add_bins(x: Floats, cuts: Floats, table: Floats, out: Floats) -> None:
    """Add to each row of `out` the row of `table` that its number's bin has; nothing where it is missing."""
    _core.add_bins(np.ascontiguousarray(x), cuts, table, out)


def class_moments(
    x: KernelRows, y: Codes, classes: int, weights: Floats | None, *, missing_allowed: bool
) -> tuple[Floats, Floats, Fault | None]:
    """Weight of each column in each class, and six tables of sums (see `Moments`)."""
    check_memory("the moments of columns × classes", _columns(x), classes, itemsize=7 * 8, advice=_FEWER)
    return _core.class_moments(x, y, classes, weights, missing_allowed)


def add_moments(weight: Floats, sums: Floats, other_weight: Floats, other_sums: Floats) -> Floats:
    """The six tables of two samples together; a weight a cell."""
    joined = _core.add_moments(weight.ravel(), sums.ravel(), other_weight.ravel(), other_sums.ravel())
    return joined.reshape(sums.shape)


def subtract_moments(
    weight: Floats, sums: Floats, other_weight: Floats, other_sums: Floats, left: Floats
) -> tuple[Floats, Floats]:
    """The six tables when a sample is taken out and the weight `left` remains, and how far off S₂ may be."""
    less, rounding = _core.subtract_moments(
        weight.ravel(), sums.ravel(), other_weight.ravel(), other_sums.ravel(), left.ravel()
    )
    return less.reshape(sums.shape), rounding.reshape(left.shape)


def scale_moments(weight: Floats, sums: Floats, factor: float) -> Floats:
    """The six tables of a sample that counts `factor` times."""
    return _core.scale_moments(weight.ravel(), sums.ravel(), factor).reshape(sums.shape)


def settle_moments(weight: Floats, sums: Floats) -> Floats:
    """Means and sums of squared deviations: two tables from the six; a weight a cell."""
    return _core.settle_moments(weight.ravel(), sums.ravel()).reshape(2, *sums.shape[1:])


def sum_terms(
    x: KernelRows, y: Codes, classes: int, weights: Floats | None, weighing: Weighing
) -> tuple[Floats, Floats | None, Fault | None]:
    """Sum each column in each class; and the weight of the missing values, where there are any."""
    w = weighing
    check_memory("the sums of columns × classes", _columns(x), classes, advice=_FEWER)
    return _core.sum_terms(x, y, classes, weights, w.lowest, w.highest, w.missing_allowed, w.threshold)


def padded(n: int) -> int:
    """The next multiple of the lanes that the core adds at a time."""
    return -(-n // _core.LANES) * _core.LANES


def aligned(shape: tuple[int, int]) -> Floats:
    """Zeros that start on a cache line, so that a padded row never straddles one more than it must."""
    check_memory("the table of the estimates", *shape, advice=_FEWER)
    cells = shape[0] * shape[1]
    # Unlike np.zeros, this gets large pages where there is much of it.
    room = np.empty(cells + _core.LANES)
    room.fill(0.0)
    skip = (-room.ctypes.data // room.itemsize) % _core.LANES
    return room[skip : skip + cells].reshape(shape)


def pack_columns(table: AnyArray) -> Floats:
    """Classes × columns with the columns padded by zeros: the layout of Gaussian parameters."""
    out = aligned((table.shape[0], padded(table.shape[1])))
    out[:, : table.shape[1]] = table
    return out


def pack_classes(table: AnyArray) -> Floats:
    """Classes × columns → columns × padded classes: the layout of weights and tables."""
    out = aligned((table.shape[1], padded(table.shape[0])))
    out[:, : table.shape[0]] = table.T
    return out


def pack_logs(counts: Floats, pseudo: AnyArray | float, whole: Floats) -> Floats:
    """log(counts + pseudo) − log(whole), classes × columns → columns × padded classes; `whole` is above 0."""
    out = aligned((counts.shape[1], padded(counts.shape[0])))
    _core.pack_logs(*_smoothed(counts, pseudo), np.log(whole), out)
    return out


def pack_complement(counts: Floats, pseudo: AnyArray | float, whole: Floats) -> Floats:
    """log(whole) − log(counts of all other classes + pseudo), packed as by `pack_logs`."""
    out = aligned((counts.shape[1], padded(counts.shape[0])))
    _core.pack_complement(*_smoothed(counts, pseudo), np.log(whole), out)
    return out


def pack_presence(counts: Floats, pseudo: AnyArray | float, rows: Floats) -> tuple[Floats, Floats]:
    """log(counts + pseudo) − log(rows − counts + pseudo), packed, and each class's log P(no term is present)."""
    out = aligned((counts.shape[1], padded(counts.shape[0])))
    return out, _core.pack_presence(*_smoothed(counts, pseudo), rows, out)


def _smoothed(counts: Floats, pseudo: AnyArray | float) -> tuple[Floats, Floats]:
    added = np.atleast_1d(np.asarray(pseudo, dtype=np.float64))
    return np.ascontiguousarray(counts, dtype=np.float64), added


def finish(joint: Floats, fallback: Floats, want: Want) -> AnyArray:
    """What follows from joint log-probabilities; a row that no class can have made has the fallback."""
    return _core.finish(np.ascontiguousarray(joint, dtype=np.float64), fallback, want)


def score_gaussian(
    x: KernelRows,
    prior: Floats,
    packed: tuple[Floats, Floats, Floats],
    want: Want,
    *,
    missing_allowed: bool,
) -> tuple[AnyArray, Fault | None]:
    """Score rows by packed means, half precisions and log norms."""
    _check_scores(x, prior, want)
    # Twice the prior: a row that is impossible under every class falls back to it.
    return _core.score_gaussian(x, prior, prior, *packed, missing_allowed, want)


def score_linear(
    x: KernelRows,
    prior: Floats,
    fallback: Floats,
    weight: Floats,
    want: Want,
    weighing: Weighing,
    at_missing: Floats | None = None,
) -> tuple[AnyArray, Fault | None]:
    """Score rows by Σ amount·weight, with weights packed by classes."""
    w = weighing
    _check_scores(x, prior, want)
    return _core.score_linear(
        x, prior, fallback, weight, at_missing, w.lowest, w.highest, w.missing_allowed, w.threshold, want
    )


def score_table(
    x: KernelRows,
    prior: Floats,
    table: Floats,
    sizes: Ints,
    want: Want,
    *,
    missing_allowed: bool,
    minus_is_missing: bool = False,
    unseen_allowed: bool = True,
) -> tuple[AnyArray, Fault | None]:
    """Score rows of codes by Σ table[code]; each column's rows end with the unseen and the missing one."""
    _check_scores(x, prior, want)
    return _core.score_table(x, prior, prior, table, sizes, missing_allowed, minus_is_missing, unseen_allowed, want)


def averaged_width(classes: int) -> int:
    """The doubles that a state has in the table of `score_averaged`, one for each class and some to spare."""
    return 2 if classes <= 2 else 4 if classes <= 4 else padded(classes)


def score_averaged(
    parents: Codes, children: Codes, table: Floats, classes: int, log_weights: Floats | None = None
) -> Floats:
    """log of the mean over p of exp Σ_j table[p, child j]: rows × classes, over the parents of each row.

    Parents of −1 are ignored; `log_weights` are those of all parents in the mean.
    """
    check_memory(_SCORES, len(parents), classes, advice=_IN_PARTS)
    weights = np.zeros(len(table)) if log_weights is None else log_weights
    return _core.score_averaged(parents, children, table, weights, classes)


def best_strength(counts: AnyArray, prior: Floats, groups: Ints | None = None) -> tuple[float, float]:
    """The number of virtual rows by which counts are shrunk to a prior, of largest leave-one-out likelihood, and that.

    `counts` are contexts × states × classes, `prior` the probabilities without each row itself, groups × states ×
    classes, and `groups` the group of each context.
    """
    which = np.zeros(len(counts), dtype=np.int64) if groups is None else groups
    return _core.best_strength(np.ascontiguousarray(counts, dtype=np.float64), np.ascontiguousarray(prior), which)


def _check_scores(x: KernelRows, prior: Floats, want: Want) -> None:
    if want == "best":  # one index a row, whatever the number of classes
        return
    rows = len(x[2]) - 1 if isinstance(x, tuple) else len(x) if isinstance(x, np.ndarray) else len(x[0]) if x else 0
    if rows * len(prior) > _FEW_SCORES:
        check_memory(_SCORES, rows, len(prior), advice=_IN_PARTS)


def _columns(x: KernelRows) -> int:
    if isinstance(x, np.ndarray):
        return int(x.shape[1])
    return x[3] if isinstance(x, tuple) else len(x)


Fault = tuple[str, int, int]
"""What, row, column."""


def raise_fault(fault: Fault, owner: str, names: Sequence[str] | None, value: object = None) -> NoReturn:
    """Raise the error for a fault; `owner` is the model that reads the data."""
    what, row, column = fault
    at = f"column {names[column] if names else f'x{column}'!r} (row {row})"
    # The beginnings are scikit-learn's words, which its checks of estimators look for.
    match what:
        case "missing":
            raise MissingValueError(
                f'Input X contains NaN: {at} is missing, and {owner} has missing="error". Pass missing="skip" to leave '
                "missing values out, or fill them in."
            )
        case "infinite":
            raise InputError(f"Input X contains infinity or a value too large for float64: {at}.")
        case "negative":
            raise InputError(f"Negative values in data passed to {owner} (input X): {at}.")
        case "fractional":
            raise InputError(f"{owner} counts categories, and {at} is {value}, which is not a whole number.")
        case "unseen":
            raise UnseenStateError(f'{at} has value {value!r}, unseen in fit. Pass unseen="smooth" or refit.')
        case "outside":
            raise InputError(f"{owner} takes values from 0 to 1 when binarize=None; {at} is larger. Set binarize.")
    raise InputError(f"{owner} cannot use {at}: {what}.")
