"""scikit-learn's strong classifiers, each with the encoding that a user would give it for a mixed table.

=====================  ==============================================  ===========================================
classifier             labels                                          numbers
=====================  ==============================================  ===========================================
logistic regression    one column per label, missing is a label        median where missing, a column that says so,
                                                                       standardized
random forest          the same                                        median where missing, a column that says so
HistGradientBoosting   its own categories, up to 255 of them           as they are; it reads missing values
=====================  ==============================================  ===========================================

Parameters are scikit-learn's defaults, but logistic regression may take 1,000 iterations. The forest has 100 trees. It
gets one column per label and not codes, because that was a little more accurate on the choosing half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.accuracy.candidates import Codes
from benchmarks.accuracy.tables import Table, split_columns
from benchmarks.accuracy.trials import Contestant
from benchmarks.harness.builds import peer_versions

__all__ = ["PEERS", "forest", "one_hot", "strong_peers"]

PEERS = ("logistic regression", "random forest", "HistGradientBoosting")
_MOST_CATEGORIES = 255


def strong_peers(table: Table) -> tuple[Contestant, ...]:
    """The three classifiers for a table."""
    X = table.marked
    models = LogisticRegression(max_iter=1000), forest(), HistGradientBoostingClassifier(random_state=0)
    makers = (
        lambda: make_pipeline(one_hot(X, is_linear=True), LogisticRegression(max_iter=1000)),
        lambda: make_pipeline(one_hot(X), forest()),
        lambda: _Boosted(X),
    )
    encodings = ("one-hot, median, indicator, standardized", "dense one-hot, median, indicator", "categories")
    return tuple(
        Contestant(name, make, f"{model!r}; {encoding}; {peer_versions()}")
        for name, make, model, encoding in zip(PEERS, makers, models, encodings, strict=True)
    )


def forest(jobs: int = 1) -> RandomForestClassifier:
    """A forest of 100 trees."""
    return RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=jobs)


def one_hot(X: pd.DataFrame, is_linear: bool = False) -> ColumnTransformer:
    """One column per label; numbers with the median where missing, and a column that says where.

    For a linear model, numbers are standardized, and the matrix may be sparse; a forest is many times slower on one.
    """
    labels, numbers = split_columns(X)
    filled: Any = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    of_numbers = make_pipeline(filled, StandardScaler()) if is_linear else filled
    return ColumnTransformer(
        [("labels", OneHotEncoder(handle_unknown="ignore"), labels), ("numbers", of_numbers, numbers)],
        sparse_threshold=0.3 if is_linear else 0.0,
    )


class _Boosted:
    """HistGradientBoostingClassifier on codes of the labels, which are categories if there are at most 255."""

    def __init__(self, X: pd.DataFrame) -> None:
        self._labels, self._numbers = split_columns(X)
        self._codes = Codes.of(X[self._labels])
        few = [size <= _MOST_CATEGORIES for size in self._codes.sizes]
        self._model = HistGradientBoostingClassifier(
            categorical_features=[*few, *(False for _ in self._numbers)], random_state=0
        )

    def fit(self, X: pd.DataFrame, y: Any) -> _Boosted:
        """Fit without early stopping if a class has one row, which a stratified validation set cannot have."""
        if np.unique(y, return_counts=True)[1].min() == 1:
            self._model.set_params(early_stopping=False)
        self._model.fit(self._encoded(X), y)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        return np.asarray(self._model.predict_proba(self._encoded(X)))

    def _encoded(self, X: pd.DataFrame) -> NDArray[np.float64]:
        labelled = zip(self._labels, self._codes.labels, strict=True)
        columns = [pd.Categorical(X[name], categories=labels).codes for name, labels in labelled]
        coded = [np.where(codes < 0, np.nan, codes) for codes in columns]
        return np.column_stack([*coded, X[self._numbers].to_numpy(dtype=np.float64)])
