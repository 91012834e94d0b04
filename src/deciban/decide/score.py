"""Scores of posteriors: their sharpness and their calibration.

Log loss and Brier score are scikit-learn's (`sklearn.metrics`). Reliability compares, in bins of the posterior of the
predicted class, how sure the model was with how often it was right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciban.errors import ParameterError
from deciban.types import Codes, Floats, Ints

__all__ = ["Reliability", "reliability"]


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


def reliability(posterior: Floats, y: Codes, bins: int = 10) -> Reliability:
    """Compare the posteriors of the predicted classes with the accuracy.

    >>> reliability(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1], dtype=np.int32), bins=1).error.__round__(2)
    0.35
    """
    if bins < 1 or len(posterior) == 0:
        raise ParameterError("reliability needs at least one bin and one row.")
    best = posterior.argmax(axis=1)
    sure = posterior[np.arange(len(best)), best]
    indices = np.minimum((sure * bins).astype(np.int64), bins - 1)
    counts = np.bincount(indices, minlength=bins)
    used = counts > 0
    confidence = np.bincount(indices, sure, bins)[used] / counts[used]
    accuracy = np.bincount(indices, best == y, bins)[used] / counts[used]
    return Reliability(counts[used], confidence, accuracy)
