"""Cross-validated accuracy and log loss.

log loss = −mean log P(true class | row)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

__all__ = ["Score", "best_score", "cross_validate", "quiet_peers"]

_SEED = 0


class Score(NamedTuple):
    """Means over the folds."""

    accuracy: float
    log_loss: float

    def rounded(self) -> Score:
        """As printed, so that a difference that the table does not show counts as a tie."""
        return Score(round(self.accuracy, 4), round(self.log_loss, 3))


def cross_validate(make: Callable[[], Any], X: pd.DataFrame, y: NDArray[Any], folds: int) -> Score:
    """Score a model on stratified, shuffled folds with a fixed seed."""
    scores = []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=_SEED).split(X, y):
        model = make().fit(X.iloc[train], y[train])
        posterior = model.predict_proba(X.iloc[test])
        is_correct = model.classes_[posterior.argmax(axis=1)] == y[test]
        scores.append((is_correct.mean(), log_loss(y[test], posterior, labels=model.classes_)))
    return Score(*map(float, np.mean(scores, axis=0)))


def best_score(scores: Mapping[str, Score]) -> str:
    """The name of the most accurate; of equals, the one with the lower log loss."""
    return max(scores, key=lambda name: (scores[name].accuracy, -scores[name].log_loss))


@contextmanager
def quiet_peers() -> Iterator[None]:
    """Without scikit-learn's warnings about rare classes, bins and unknown categories."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "(The least populated class|Bins whose width|Feature .* is constant|Found unknown categories)"
        )
        yield
