"""scikit-learn's naive Bayes classifiers, each with the encoding through which it can read a mixed table.

=====================  ================================================  ==================================
candidate              labels                                            numbers
=====================  ================================================  ==================================
GaussianNB             codes                                             median where missing
CategoricalNB          codes                                             codes; only where all are whole
BernoulliNB            one column per label                              median where missing, then x > 0
MultinomialNB          one column per label                              median; only where none is negative
ComplementNB           one column per label                              median; only where none is negative
bins + CategoricalNB   codes                                             ten bins of equal frequency
the pair               codes, CategoricalNB                              median, GaussianNB
=====================  ================================================  ==================================

The pair adds joint log-probabilities and takes one log prior off, because both have it:

    log P(j, x) = log P(j, labels) + log P(j, numbers) − log P(j)

The encoders know the labels of the whole table, so that none is unknown in a fold, and CategoricalNB smooths over
those; a missing label is code 0 in columns that have one, because CategoricalNB takes no negative code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

from benchmarks.accuracy.tables import Table, split_columns
from benchmarks.accuracy.trials import Contestant
from benchmarks.harness.builds import peer_versions

__all__ = ["Codes", "Pair", "candidates"]

_BINS = 10


def candidates(table: Table) -> tuple[Contestant, ...]:
    """The classifiers that can read the table."""
    settings = f"defaults; {_BINS} bins; {peer_versions()}"
    return tuple(Contestant(name, make, settings) for name, make in _makers(table.marked))


def _makers(X: pd.DataFrame) -> Iterator[tuple[str, Callable[[], Any]]]:
    labels, numbers = split_columns(X)
    values = X[numbers].to_numpy(dtype=np.float64)
    known = values[~np.isnan(values)]
    codes = Codes.of(X[labels])
    yield "GaussianNB", lambda: make_pipeline(_encoder(labels, codes.encoder(), numbers, _filled()), GaussianNB())
    if (known == np.floor(known)).all():
        whole = Codes.of(X)
        yield "CategoricalNB", lambda: make_pipeline(whole.encoder(), CategoricalNB(min_categories=whole.sizes))
    for model in (BernoulliNB, MultinomialNB, ComplementNB):
        if model is BernoulliNB or (known >= 0).all():
            yield model.__name__, partial(_with_one_hot, labels, numbers, model)
    if numbers:
        yield (
            "bins + CategoricalNB",
            lambda: make_pipeline(
                _encoder(labels, codes.encoder(), numbers, _binned()),
                CategoricalNB(min_categories=codes.sizes + [1] * len(numbers)),
            ),
        )
    if labels and numbers:
        yield "CategoricalNB and GaussianNB", lambda: Pair(labels, codes, numbers)


class Codes(NamedTuple):
    """The labels of some columns, and which of the columns have missing values."""

    labels: list[NDArray[Any]]
    has_missing: list[bool]

    @classmethod
    def of(cls, X: pd.DataFrame) -> Codes:
        labels = [np.sort(np.asarray(X[name].dropna().unique())) for name in X.columns]
        return cls(labels, [bool(X[name].isna().any()) for name in X.columns])

    @property
    def sizes(self) -> list[int]:
        """The number of codes of each column."""
        return [len(labels) + is_missing for labels, is_missing in zip(self.labels, self.has_missing, strict=True)]

    def encoder(self) -> Any:
        """Codes from 0; a missing value, where the column has one, is 0 and the labels come after it."""
        encode = OrdinalEncoder(categories=self.labels, handle_unknown="use_encoded_value", unknown_value=-1)
        return make_pipeline(encode, FunctionTransformer(partial(np.add, np.array(self.has_missing, dtype=np.int64))))


class Pair:
    """CategoricalNB on the labels and GaussianNB on the numbers, as one classifier."""

    def __init__(self, labels: list[str], codes: Codes, numbers: list[str]) -> None:
        self._of_labels = labels, codes.encoder(), CategoricalNB(min_categories=codes.sizes)
        self._of_numbers = numbers, _filled(), GaussianNB()

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        for names, encode, model in (self._of_labels, self._of_numbers):
            model.fit(encode.fit_transform(X[names]), y)
        self.classes_ = self._of_labels[2].classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        joint = -self._of_labels[2].class_log_prior_
        for names, encode, model in (self._of_labels, self._of_numbers):
            joint = joint + model.predict_joint_log_proba(encode.transform(X[names]))
        return np.asarray(softmax(joint, axis=1))


def _encoder(labels: list[str], of_labels: Any, numbers: list[str], of_numbers: Any) -> Any:
    return ColumnTransformer(
        [("labels", of_labels, labels), ("numbers", of_numbers, numbers)], sparse_threshold=0.0, n_jobs=1
    )


def _with_one_hot(labels: list[str], numbers: list[str], model: Callable[[], Any]) -> Any:
    return make_pipeline(_encoder(labels, OneHotEncoder(handle_unknown="ignore"), numbers, _filled()), model())


def _filled() -> Any:
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _binned() -> Any:
    cut = KBinsDiscretizer(_BINS, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    return make_pipeline(_filled(), cut)
