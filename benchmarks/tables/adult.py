"""Adult as a pandas frame: encoding, fit and posteriors against scikit-learn's pair and mixed-naive-bayes.

All get the same distributions (Laplace's rule for labels, Gaussian with variances as counted), and posteriors agree to
1e-6 before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import LabelEncoder, OrdinalEncoder

import deciban as db
from benchmarks.accuracy.tables import split_columns
from benchmarks.harness.machine import missing_peer
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.paths import TABLES
from benchmarks.harness.results import Ratio, race
from benchmarks.harness.timing import Clock, clock

__all__ = ["SAME", "race_adult", "read_adult"]

SAME = 1e-6
_WORK = "Adult, 48,842 × 14 mixed: fit and predict_proba"
_PAIR, _MIXED = "scikit-learn's OrdinalEncoder, CategoricalNB and GaussianNB", "mixed-naive-bayes"


def read_adult(scale: float = 1.0) -> tuple[pd.DataFrame, pd.Series[str]]:
    """The first rows of Adult that make up `scale`, and their incomes."""
    frame = pd.read_csv(TABLES / "adult.csv.gz")
    frame = frame.head(int(len(frame) * scale))
    return frame.drop(columns=["split", "income"]), frame["income"]


def race_adult(X: pd.DataFrame, y: pd.Series[str]) -> Iterator[Ratio | str]:
    """Fit and posteriors of all rows, from the frame."""
    labels, numbers = split_columns(X)
    ours, pair, mixed = (partial(make, labels, numbers) for make in (_ours, _Pair, _Mixed))
    expected = ours().fit(X, y).predict_proba(X)
    check_posteriors(_PAIR, expected, pair().fit(X, y).predict_proba(X), SAME)
    yield race(_WORK, _PAIR, _job(pair, X, y), _job(ours, X, y), 10)
    by_default = f"{_WORK}, distributions chosen by `NaiveBayes()`"
    yield race(by_default, _PAIR, _job(pair, X, y), _job(db.NaiveBayes, X, y), 10)
    if missing_peer(_MIXED):
        yield from missing_peer(_MIXED)
        return
    theirs = mixed().fit(X, y).predict_proba(X)
    is_nan = np.isnan(theirs).any(axis=1)  # products of densities, not sums of logs
    check_posteriors(_MIXED, expected[~is_nan], theirs[~is_nan], SAME)
    yield race(_WORK, _MIXED, _job(mixed, X, y), _job(ours, X, y), 20)
    if is_nan.any():
        yield f"mixed-naive-bayes underflows to NaN in {int(is_nan.sum())} rows, which are not compared."


def _ours(labels: list[str], numbers: list[str]) -> db.NaiveBayes:
    columns = {name: db.Categorical() for name in labels} | {name: db.Gaussian(strength=0) for name in numbers}
    return db.NaiveBayes(columns, smoothing=db.Laplace(), weights=None)


def _job(make: Callable[[], Any], X: pd.DataFrame, y: pd.Series[str]) -> Clock:
    return clock(lambda: make().fit(X, y).predict_proba(X))


class _Encoded:
    """Labels as codes, followed by the numbers."""

    def __init__(self, labels: list[str], numbers: list[str]) -> None:
        self._labels = len(labels)
        self._encoder = ColumnTransformer([("labels", OrdinalEncoder(), labels), ("numbers", "passthrough", numbers)])


class _Pair(_Encoded):
    """log P(j, x) = log P(j, labels) + log P(j, numbers) − log P(j)."""

    def fit(self, X: pd.DataFrame, y: pd.Series[str]) -> Self:
        Z = self._encoder.fit_transform(X)
        self._categorical = CategoricalNB().fit(Z[:, : self._labels], y)
        self._gaussian = GaussianNB(var_smoothing=0.0).fit(Z[:, self._labels :], y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        Z = self._encoder.transform(X)
        joint = self._categorical.predict_joint_log_proba(Z[:, : self._labels])
        joint += self._gaussian.predict_joint_log_proba(Z[:, self._labels :])
        return np.asarray(softmax(joint - self._categorical.class_log_prior_, axis=1))


class _Mixed(_Encoded):
    """The package mixed-naive-bayes, which requires codes for everything."""

    def fit(self, X: pd.DataFrame, y: pd.Series[str]) -> Self:
        mixed = import_module("mixed_naive_bayes").MixedNB
        self._model = mixed(categorical_features=list(range(self._labels)), alpha=1, var_smoothing=0.0)
        self._model.fit(self._encoder.fit_transform(X), LabelEncoder().fit_transform(y))
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.asarray(self._model.predict_proba(self._encoder.transform(X)))
