"""The distribution of a column whose class log-loss is least, and the cuts of a numeric column by the same rule.

Of candidates whose losses are close, the simplest is taken: the first one, in order, whose loss exceeds the least by at
most half a standard error of the difference,

    mean(d) ≤ ½·sd(d) / √n,   d_r = loss_r(candidate) − loss_r(best).

Candidates are compared on rows that they were not estimated from (`ColumnDistribution.left_out`): leave-one-out where
a distribution ignores the classes when it adapts to the column, three folds for cuts that are found with the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from deciban.estimate.choice.rows import SomeRows
from deciban.estimate.columns.base import ColumnDistribution, Missing
from deciban.estimate.columns.missing import left_out_column
from deciban.estimate.distributions.binned import Binned
from deciban.estimate.distributions.cut import Cut
from deciban.estimate.smoothing import Laplace, Smoothing
from deciban.read import Column
from deciban.tallies import Sample
from deciban.ties import exceeds, first_smallest
from deciban.types import Floats

__all__ = ["BINS", "Choice", "choose", "choose_cuts", "cut_or_spread"]

_CLOSE, _CLEAR = 0.5, 2.0
_FEWEST = 50

BINS: tuple[Binned, ...] = (
    Binned(how="mdl"),
    *(Binned(how="frequency", bins=bins) for bins in (5, 10, 20)),
)
"""The ways to cut a numeric column that are compared, the simplest first."""


class Choice(NamedTuple):
    """A chosen candidate and its loss, in nats a row; and the best of the others, if there are others."""

    best: int
    loss: float
    other: int | None = None
    other_loss: float = np.nan


def choose(
    candidates: Sequence[ColumnDistribution],
    column: Column,
    rows: SomeRows,
    smoothing: Smoothing,
    *,
    close: float = _CLOSE,
) -> Choice:
    """Compare distributions of a column.

    The candidates are in order, the simplest first; losses that differ by `close` standard errors or less are equal.
    """
    part = rows.take(column)
    losses = [rows.losses(left_out_column(kind, part, rows.sample, smoothing)) for kind in candidates]
    return _simplest(losses, rows, close)


def choose_cuts(
    column: Column, sample: Sample, *, missing: Missing | None = None, smoothing: Smoothing | None = None
) -> tuple[Cut, str]:
    """Cut a numeric column where its bins have the least class log-loss, and say how.

    Cuts by description length are compared with 5, 10 and 20 bins of equal frequency on at most 1,000 rows; the cuts
    themselves are found from all rows. Where fewer than 50 values are known, they are found by description length.

    Parameters
    ----------
    column : numbers
    sample : the classes and weights of the rows
    missing, smoothing : of the `Cut`; the losses are those of Laplace smoothing when None

    Returns
    -------
    the `Cut`, and how it was found, such as "4 bins by 'mdl'"
    """
    kinds = [Binned(how=kind.how, bins=kind.bins, missing=missing, smoothing=smoothing) for kind in BINS]
    rows, best = SomeRows(sample), 0
    if int((~rows.take(column).is_missing).sum()) >= _FEWEST and len(rows.sample.classes) > 1:
        plain = [Binned(how=kind.how, bins=kind.bins, smoothing=smoothing) for kind in BINS]
        best = choose(plain, column, rows, smoothing or Laplace()).best
    return kinds[best].with_fixed_states(column, sample)


def cut_or_spread(cut: Cut, column: Column, sample: Sample) -> tuple[Cut, str]:
    """A `Cut` without cuts becomes 5 bins of equal frequency where these have a clearly smaller class log-loss.

    Clearly is by more than two standard errors of the difference: cuts by description length are the better ones for
    tables of several columns, but a column must not vanish that predicts the class.
    """
    rows = SomeRows(sample)
    is_open = not cut.at and len(rows.sample.classes) > 1 and int((~rows.take(column).is_missing).sum()) >= _FEWEST
    spread = Binned(how="frequency", bins=5, missing=cut.missing, smoothing=cut.smoothing)
    plain = [replace(kind, missing=None) for kind in (cut, spread)]
    if not is_open or choose(plain, column, rows, cut.smoothing or Laplace(), close=_CLEAR).best == 0:
        return cut, ""
    return spread.with_fixed_states(column, sample)


def _simplest(losses: Sequence[Floats], rows: SomeRows, close: float) -> Choice:
    means = [rows.mean(held) for held in losses]
    least = first_smallest(means)
    chosen = next(i for i, held in enumerate(losses) if i == least or _is_close(held, losses[least], close))
    others = [i for i in range(len(losses)) if i != chosen]
    other = others[first_smallest([means[i] for i in others])] if others else None
    return Choice(chosen, means[chosen], other, np.nan if other is None else means[other])


def _is_close(losses: Floats, best: Floats, close: float) -> bool:
    with np.errstate(invalid="ignore"):
        difference = losses - best
        return not exceeds(difference.mean(), close * difference.std() / np.sqrt(len(difference)))
