"""Scores of posteriors: how sharp they are, how well calibrated, and how well they rank the rows.

With p the posteriors of a row of class y:

    log loss           the mean of −log p_y, in nats; a posterior of 0 is taken as 2.2e-16, as in scikit-learn
    Brier score        the mean of Σ_j (p_j − [j = y])², halved for two classes, as in scikit-learn
    calibration error  the mean of |confidence − accuracy| over bins of the posterior of the predicted class

Means over rows have confidence intervals, which treat the rows as independent draws; z is the quantile of the normal
distribution, 1.96 for 95 %:

    Wilson (1927)  (k + z²/2 ± z·√(k(n − k)/n + z²/4)) / (n + z²), for a share k/n such as the accuracy
    normal         mean ± z·s/√n, for the mean of any score of a row, such as the log loss

That of the calibration error is a bootstrap: rows are drawn again, which changes the sums of confidence − correctness
of the bins by a normal distribution of known covariance; the interval is that of 2,000 draws from it, with a fixed
seed, and extended to contain the error itself.

How well the posterior of a class ranks the rows is shown by two curves, one class against the rest. Rows are decided
for the class where its posterior is at least some threshold, which is lowered from the largest posterior to the
smallest:

    ROC               recall against the false positive rate, fp / (fp + tn); its area is the probability that a row of
                      the class has a higher posterior than another row (ties count half)
    precision–recall  precision against recall; its area is the average precision, Σ (R_n − R_{n−1})·P_n
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from deciban.charts import Axis, Frame
from deciban.errors import ParameterError
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "LEVEL",
    "SURE",
    "Interval",
    "ProbabilityScores",
    "RankingCurves",
    "Reliability",
    "draw_reliability",
    "mean_interval",
    "probability_scores",
    "ranking_curves",
    "reliability",
    "wilson",
]


LEVEL = 0.95
"""The confidence level of all intervals."""

SURE = "probability of the predicted class"

# The posterior of a class that was thought impossible: scikit-learn's `log_loss` clips at the same number.
_LEAST = float(np.finfo(np.float64).eps)
# A report that is made twice has the same intervals, so the seed of the bootstrap is fixed.
_DRAWS, _SEED = 2000, 0


class Interval(NamedTuple):
    """A score with its confidence interval.

    >>> print(Interval(0.5, 0.25, 0.75))
    0.5000 (0.2500 to 0.7500)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True, eq=False)
class Reliability:
    """For each bin with rows: the number of rows, the mean confidence and the accuracy."""

    counts: Ints
    confidence: Floats
    accuracy: Floats

    @property
    def error(self) -> float:
        """The expected calibration error: the mean of |confidence − accuracy|, weighted by rows."""
        return float(np.sum(self.counts * np.abs(self.confidence - self.accuracy)) / self.counts.sum())

    @property
    def overconfidence(self) -> float:
        """The mean of confidence − accuracy, weighted by rows: above 0 where the posteriors are too sure."""
        return float(np.sum(self.counts * (self.confidence - self.accuracy)) / self.counts.sum())


@dataclass(frozen=True, eq=False)
class ProbabilityScores:
    """What posteriors are worth: the smaller each of these numbers, the better.

    Attributes
    ----------
    log_loss, brier, calibration_error : with their intervals
    reliability : the bins of which the calibration error is the mean
    """

    log_loss: Interval
    brier: Interval
    calibration_error: Interval
    reliability: Reliability


def probability_scores(posterior: Floats, y: Codes, bins: int = 10) -> ProbabilityScores:
    """Score posteriors, rows × classes, by the codes of the true classes.

    >>> scores = probability_scores(
    ...     np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1], dtype=np.int32)
    ... )
    >>> round(scores.log_loss.value, 4), round(scores.brier.value, 4)
    (0.8574, 0.325)
    """
    compared = reliability(posterior, y, bins)
    own = posterior[np.arange(len(y)), y]
    halves = 0.5 if posterior.shape[1] == 2 else 1.0
    # Σ_j (p_j − [j = y])² = Σ_j p_j² − 2·p_y + 1, without a table of rows × classes.
    squares = halves * (np.einsum("ij,ij->i", posterior, posterior) - 2 * own + 1)
    return ProbabilityScores(
        log_loss=mean_interval(-np.log(np.clip(own, _LEAST, 1.0)), 0.0, -float(np.log(_LEAST))),
        brier=mean_interval(np.maximum(squares, 0.0), 0.0, 2 * halves),
        calibration_error=_error_interval(posterior, y, bins, compared.error),
        reliability=compared,
    )


def reliability(posterior: Floats, y: Codes, bins: int = 10) -> Reliability:
    """Compare the posteriors of the predicted classes with the accuracy.

    >>> reliability(
    ...     np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1], dtype=np.int32), bins=1
    ... ).error.__round__(2)
    0.35
    """
    if bins < 1 or len(posterior) == 0:
        raise ParameterError("reliability needs at least one bin and one row.")
    indices, sure, is_right = _binned(posterior, y, bins)
    counts = np.bincount(indices, minlength=bins)
    used = counts > 0
    confidence = np.bincount(indices, sure, bins)[used] / counts[used]
    accuracy = np.bincount(indices, is_right, bins)[used] / counts[used]
    return Reliability(counts[used], confidence, accuracy)


def _binned(posterior: Floats, y: Codes, bins: int) -> tuple[Ints, Floats, Ints]:
    """The bin of each row, the posterior of its predicted class, and whether this class is right."""
    best = posterior.argmax(axis=1)
    sure = posterior[np.arange(len(best)), best]
    # A posterior of 1 belongs to the last bin, not to one of its own.
    return np.minimum((sure * bins).astype(np.int64), bins - 1), sure, best == y


def _error_interval(posterior: Floats, y: Codes, bins: int, error: float) -> Interval:
    """The calibration error with the interval of the module's docstring."""
    rows = len(y)
    indices, sure, is_right = _binned(posterior, y, bins)
    excess = sure - is_right
    sums, squares = (np.bincount(indices, values, bins) for values in (excess, excess * excess))
    covariance = np.diag(squares) - np.outer(sums, sums) / rows
    draw = np.random.default_rng(_SEED).multivariate_normal
    # The covariance is singular where bins are empty, which "cholesky" refuses; rounding may make it look indefinite.
    drawn = draw(sums, covariance, _DRAWS, method="eigh", check_valid="ignore")
    errors = np.abs(drawn).sum(axis=1) / rows
    low, high = np.quantile(errors, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Interval(error, min(low, error), min(max(high, error), 1.0))


def wilson(count: int, rows: int) -> Interval:
    """The share count/rows with Wilson's interval, which lies within 0 and 1 also where the share is 0 or 1.

    >>> print(wilson(7, 10))
    0.7000 (0.3968 to 0.8922)
    """
    if not 0 <= count <= rows or rows == 0:
        raise ParameterError(f"a share is of at least one row, and not above 1, not {count} of {rows}.")
    z = _quantile()
    middle, spread = count + z * z / 2, z * math.sqrt(count * (rows - count) / rows + z * z / 4)
    low, high = (middle - spread) / (rows + z * z), (middle + spread) / (rows + z * z)
    # Rounding alone would leave the interval of 0 a little above 0, and that of 1 a little below 1.
    return Interval(count / rows, low if count else 0.0, high if count < rows else 1.0)


def mean_interval(values: Floats, lowest: float, highest: float) -> Interval:
    """The mean of scores that lie between `lowest` and `highest`; of one row, the interval is that whole range.

    >>> import numpy as np
    >>> print(mean_interval(np.array([0.1, 0.3, 0.5, 0.3]), 0.0, 1.0))
    0.3000 (0.1400 to 0.4600)
    """
    mean = float(values.mean())
    if len(values) == 1:
        return Interval(mean, lowest, highest)
    spread = _quantile() * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(mean, max(mean - spread, lowest), min(mean + spread, highest))


def _quantile() -> float:
    return float(scipy.special.ndtri(0.5 + LEVEL / 2))


def draw_reliability(bins: Reliability, *, is_alone: bool = False) -> str:
    """Draw a dot for each bin, and the line on which probabilities are right; with `is_alone`, for a notebook."""
    frame = Frame(Axis(SURE, 0, 1, True), Axis("share that is right", 0, 1, True))
    frame.guide((0, 0), (1, 1))
    points = list(zip(bins.confidence.tolist(), bins.accuracy.tolist(), strict=True))
    titles = []
    for (sure, right), rows in zip(points, bins.counts.tolist(), strict=True):
        ends = wilson(round(right * rows), rows)
        frame.whisker(sure, ends.low, ends.high)
        titles.append(f"{rows:,} rows: {sure:.1%} sure, {right:.1%} right")
    frame.points(points, titles=titles)
    return frame.svg("Reliability diagram", "; ".join(titles), is_alone=is_alone)


@dataclass(frozen=True, eq=False)
class RankingCurves:
    """The ROC and precision–recall curves of one class, by decreasing threshold.

    The first point is the one at which no row is decided for.

    Attributes
    ----------
    label : a class
        The class.
    thresholds : array
        The distinct posteriors, the largest first, after +∞.
    recall, precision, false_positive_rate : array
        At each threshold; where no row is decided for, the precision is taken as 1.
    roc_area, average_precision : float
        The areas.
    share : float
        The share of the rows that are of the class, which is the average precision of a random ranking.

    Examples
    --------
    >>> from deciban import evaluate
    >>> evaluate(["a", "b", "b"], posterior=[[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]).curves["b"]
    RankingCurves('b': ROC area 1.0000, average precision 1.0000)
    """

    label: Any
    thresholds: Floats
    recall: Floats
    precision: Floats
    false_positive_rate: Floats
    roc_area: float
    average_precision: float
    share: float

    def __repr__(self) -> str:
        areas = f"ROC area {self.roc_area:.4f}, average precision {self.average_precision:.4f}"
        return f"RankingCurves({self.label!r}: {areas})"


def ranking_curves(posterior: Floats, is_class: AnyArray, label: Any = None) -> RankingCurves:
    """The curves of one class from its posterior in each row, and whether the row is of the class.

    >>> ranking_curves(np.array([0.9, 0.8, 0.3]), np.array([True, False, True]), "spam")
    RankingCurves('spam': ROC area 0.5000, average precision 0.8333)
    """
    is_class = np.asarray(is_class, dtype=bool)
    positives = int(is_class.sum())
    if positives in (0, len(is_class)):
        raise ParameterError(f"curves need rows of the class {label!r} and rows of others.")
    order = np.argsort(-posterior, kind="stable")
    sorted_, right = posterior[order], np.cumsum(is_class[order])
    # One point for all rows with equal posteriors: no threshold separates them, and ties count half in the area.
    last = np.append(np.flatnonzero(np.diff(sorted_)), len(sorted_) - 1)
    right, decided = right[last], last + 1
    recall = np.append(0.0, right / positives)
    precision = np.append(1.0, right / decided)
    false_positive_rate = np.append(0.0, (decided - right) / (len(is_class) - positives))
    return RankingCurves(
        label=label,
        thresholds=np.append(np.inf, sorted_[last]),
        recall=recall,
        precision=precision,
        false_positive_rate=false_positive_rate,
        roc_area=float(np.trapezoid(recall, false_positive_rate)),
        average_precision=float(np.sum(np.diff(recall) * precision[1:])),
        share=positives / len(is_class),
    )
