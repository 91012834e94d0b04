"""How well the posterior of a class ranks the rows: ROC and precision–recall curves, one class against the rest.

Rows are decided for the class where its posterior is at least some threshold. Lowering the threshold from the largest
posterior to the smallest one gives the points of both curves:

    ROC               recall against the false positive rate, fp / (fp + tn); its area is the probability that a row of
                      the class has a higher posterior than another row (ties count half)
    precision–recall  precision against recall; its area is the average precision, Σ (R_n − R_{n−1})·P_n
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.types import AnyArray, Floats

__all__ = ["RankingCurves", "ranking_curves"]


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
    sorted_, found = posterior[order], np.cumsum(is_class[order])
    last = np.append(np.flatnonzero(np.diff(sorted_)), len(sorted_) - 1)  # of the rows with equal posteriors
    found, decided = found[last], last + 1
    recall = np.append(0.0, found / positives)
    precision = np.append(1.0, found / decided)
    false_positive_rate = np.append(0.0, (decided - found) / (len(is_class) - positives))
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
