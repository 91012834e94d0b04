"""Accuracy, log loss and calibration error of posteriors.

log loss = −mean ln P(true class | row), where P is at least ε = 2.2e-16, as scikit-learn's `log_loss` has it

calibration error = Σ over bins |Σ over the bin's rows (1 if the most probable class is right, else 0) − P| / rows

P is the probability of the most probable class. Its 15 bins have equal widths (Guo, Pleiss, Sun & Weinberger 2017, "On
calibration of modern neural networks"). All rows of a seed count together, each predicted once, because the rows of one
fold are too few for 15 bins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MEASURES", "Fold", "Measure", "Score", "best_candidate", "judge"]

_BINS = 15
_LEAST = float(np.finfo(np.float64).eps)


class Measure(NamedTuple):
    """A field of a score, its title, the digits that are printed, and whether more of it is better."""

    name: str
    title: str
    digits: int
    is_more_better: bool = False

    def rounded(self, score: Score) -> float:
        """As printed, so that a difference that a table does not show counts as a tie."""
        return round(float(getattr(score, self.name)), self.digits)

    def lead(self, ours: Score, theirs: Score) -> float:
        """How much better the first is; negative where it is worse."""
        lead = self.rounded(ours) - self.rounded(theirs)
        return round(lead if self.is_more_better else -lead, self.digits)

    def text(self, value: float) -> str:
        """The figure as printed."""
        return f"{value:.{self.digits}f}"


MEASURES = (
    Measure("accuracy", "accuracy", 4, is_more_better=True),
    Measure("log_loss", "log loss", 3),
    Measure("calibration_error", "calibration error", 3),
)


class Fold(NamedTuple):
    """What is known of the rows of a fold.

    Parameters
    ----------
    loss : the sum of −ln P(true class)
    excess : for each bin, the number of right predictions minus the sum of their probabilities
    """

    rows: int
    correct: int
    loss: float
    excess: Sequence[float]


class Score(NamedTuple):
    """Means over the rows, and over the seeds."""

    accuracy: float
    log_loss: float
    calibration_error: float

    @classmethod
    def of_folds(cls, folds: Iterable[Fold]) -> Score:
        """The score of one seed."""
        rows, correct, loss, excess = zip(*folds, strict=True)
        errors = np.abs(np.sum(excess, axis=0)).sum()
        return cls(sum(correct) / sum(rows), sum(loss) / sum(rows), float(errors) / sum(rows))

    @classmethod
    def mean(cls, scores: Iterable[Score]) -> Score:
        """The mean of the scores of several seeds, or of several tables."""
        return cls(*np.mean(list(scores), axis=0).tolist())


def judge(posterior: NDArray[np.float64], classes: Sequence[Any], y: NDArray[Any]) -> Fold:
    """Compare posteriors with the true classes; a class that the model does not know has probability 0."""
    columns = {label: column for column, label in enumerate(classes)}
    true = np.array([columns.get(label, -1) for label in y])
    of_true = np.where(true < 0, 0.0, posterior[np.arange(len(y)), true])
    confidence, is_right = posterior.max(axis=1), posterior.argmax(axis=1) == true
    bins = np.clip((confidence * _BINS).astype(np.int64), 0, _BINS - 1)
    excess = np.bincount(bins, is_right - confidence, _BINS)
    loss = -np.log(np.maximum(of_true, _LEAST)).sum()
    return Fold(len(y), int(is_right.sum()), float(loss), excess.tolist())


def best_candidate(scores: Mapping[str, Score], measure: Measure) -> str:
    """The name of the best by a measure; the first of equals."""
    sign = 1 if measure.is_more_better else -1
    return max(scores, key=lambda name: sign * getattr(scores[name], measure.name))
