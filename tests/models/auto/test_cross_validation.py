"""Models are compared on rows that they have not learned, and the simplest of the best is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

import deciban as db
from deciban.errors import InputError, ParameterError
from deciban.models.fitting import cross_validate

X, Y = load_iris(return_X_y=True)


def test_the_scores_are_those_of_fits_on_the_other_folds():
    found = cross_validate({"gaussian": db.GaussianNB()}, X, Y, folds=3, random_state=5).candidates[0]
    losses, hits = [], []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=5).split(X, Y):
        posterior = db.GaussianNB().fit(X[train], Y[train]).predict_proba(X[test])
        losses += (-np.log(posterior[np.arange(len(test)), Y[test]])).tolist()
        hits += (posterior.argmax(axis=1) == Y[test]).tolist()
    assert found.log_loss == pytest.approx(np.mean(losses)) and found.accuracy == pytest.approx(np.mean(hits))


def test_the_simplest_model_within_one_standard_error_is_chosen():
    same = {"first": db.GaussianNB(), "second": db.GaussianNB(var_smoothing=1e-10)}
    assert cross_validate(same, X, Y).chosen == "first"
    worse = {"bad": db.GaussianNB(var_smoothing=100.0), "good": db.GaussianNB()}
    found = cross_validate(worse, X, Y)
    assert found.chosen == "good" == found.best.name
    assert found.candidates[0].excess > found.candidates[0].error
    assert "no simpler model" in found.reason and "above the best" in repr(found)


def test_the_models_stay_as_they_are_and_weights_count():
    model = db.GaussianNB()
    heavy = cross_validate({"m": model}, X, Y, sample_weight=np.where(Y == 0, 1000.0, 1e-3)).candidates[0]
    assert not hasattr(model, "tally_")
    assert heavy.accuracy == pytest.approx(1.0, abs=1e-3), "the first class is separated from the others"


def test_a_class_that_a_fold_lacks_costs_its_rows_and_no_error():
    labels = ["a"] * 10 + ["b"] * 10 + ["rare"]
    assert cross_validate({"m": db.NaiveBayes()}, {"x": [*range(21)]}, labels).rows == 21


def test_documents_are_compared():
    texts, labels = ["free prize", "lunch at noon"] * 10, ["spam", "ham"] * 10
    assert cross_validate({"text": db.TextNB()}, texts, labels).candidates[0].accuracy == 1.0


def test_what_cannot_be_divided_is_an_error():
    with pytest.raises(InputError, match="cannot be divided into 5 folds"):
        cross_validate({"m": db.NaiveBayes()}, {"x": [1, 2]}, ["a", "b"])
    with pytest.raises(InputError, match="of 1 class "):
        cross_validate({"m": db.NaiveBayes()}, {"x": [*range(20)]}, ["a"] * 20)
    with pytest.raises(ParameterError, match="no models"):
        cross_validate({}, X, Y)
