"""Gaussian columns: the four cases of Zhu's item 11, written out by hand, and scikit-learn's."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import deciban as db
from tests.estimate.samples import by_hand


@pytest.mark.parametrize("strength", [0.0, 10.0])
@pytest.mark.parametrize("tie", ["none", "class", "feature", "both"])
def test_variances_are_tied_as_item_11_says(tie, strength):
    X, y = load_iris(return_X_y=True)
    model = db.NaiveBayes(db.Gaussian(tie=tie, strength=strength), weights=None).fit(X, y)
    mean, variance = by_hand(X, y, tie, strength)
    expected = stats.norm.logpdf(X[:, :, None], mean.T, np.sqrt(variance).T)
    np.testing.assert_allclose(model.evidence(X).columns, expected, rtol=1e-9)
    joint = expected.sum(axis=1) + np.log(1 / 3)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9)


def test_without_a_prior_it_is_the_gaussian_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours = db.NaiveBayes(db.Gaussian(strength=0), weights=None).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("tie", ["none", "class"])
def test_posteriors_do_not_depend_on_the_unit_of_a_column(unit, tie):
    X, y = load_iris(return_X_y=True)
    other = X * [1.0, unit, 1.0, unit]
    model = db.NaiveBayes(db.Gaussian(tie=tie), weights=None)
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(other, y).predict_proba(other), expected, atol=1e-9)


def test_the_default_variance_needs_no_tuning_on_digits():
    X, y = load_digits(return_X_y=True)
    folds = KFold(5)
    ours = cross_val_score(db.NaiveBayes(weights=None), X, y, cv=folds).mean()
    theirs = cross_val_score(GaussianNB(), X, y, cv=folds).mean()
    assert ours >= 0.86
    assert ours > theirs


@pytest.mark.parametrize("tie", ["none", "class", "feature", "both"])
def test_constant_columns_leave_the_prior(tie):
    model = db.NaiveBayes(db.Gaussian(tie=tie), weights=None).fit({"a": [5.0] * 4, "b": [0.0] * 4}, [0, 0, 0, 1])
    assert model.predict_proba({"a": [5.0], "b": [0.0]})[0] == pytest.approx([3 / 4, 1 / 4])


def test_huge_numbers_give_no_nan():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    for unit in (1e-200, 1e200):
        model = db.NaiveBayes(weights=None).fit({"f": values * unit}, [0, 0, 1, 1])
        assert not np.isnan(model.predict_proba({"f": values * unit})).any()


def test_a_huge_number_in_a_column_of_weight_0_is_no_evidence():
    """Its square overflows, and 0·∞ would make every posterior NaN."""
    table = {"size": [1.0, 2.0, 3.0, 5.0], "noise": [0.5, 1.0, 1.5, 1.0]}
    model = db.NaiveBayes(db.Gaussian(), weights={"noise": 0.0}).fit(table, ["a", "a", "b", "b"])
    row = {"size": [2.5], "noise": [1e200]}
    expected = model.predict_proba({"size": [2.5], "noise": [None]})
    np.testing.assert_array_equal(model.predict_proba(row), expected)
    assert model.evidence(row).columns[0, 1].tolist() == [0.0, 0.0]
    assert list(model.predict_proba_one({"size": 2.5, "noise": 1e200}).values()) == pytest.approx(expected[0].tolist())


def test_a_column_of_weight_0_never_gives_nan():
    table = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 4.0, 3.0]}
    model = db.NaiveBayes(db.Gaussian(), weights={"b": 0.0}).fit(table, ["x", "x", "y", "y"])
    far = {"a": [2.0], "b": [1e200]}
    np.testing.assert_allclose(model.predict_proba(far), model.predict_proba({"a": [2.0], "b": [None]}))
    assert model.explain({"a": 2.0, "b": 1e200}).reasons[1].weight_db == 0.0
    assert model.predict_proba_one({"a": 2.0, "b": 1e200})["x"] == model.predict_proba(far)[0, 0]
