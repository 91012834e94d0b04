"""The five drop-ins score as they do in Python, with zero counts, missing values and unseen codes."""

import numpy as np
import pytest

import deciban as db
from tests.export.onnx.session import assert_same, run

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.7, (90, 6)) * (RNG.random((90, 6)) < 0.7)
COUNTS[:, 5] = 0
Y = RNG.integers(0, 3, 90)
WITH_NAN = np.where(RNG.random((90, 6)) < 0.2, np.nan, COUNTS)
ALPHAS = [1.0, 0.3, 0.0]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("kind", [db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB])
def test_counts(kind, alpha):
    """With alpha=0 some classes are impossible, or certain, for some rows."""
    assert_same(kind(alpha=alpha).fit(COUNTS, Y), COUNTS)
    assert_same(kind(alpha=alpha, missing="skip").fit(WITH_NAN, Y), WITH_NAN)


@pytest.mark.parametrize("kind", [db.GaussianNB, db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB])
def test_a_missing_value_is_no_evidence_where_the_model_would_refuse_it(kind):
    """A graph cannot raise an error."""
    strict, skips = kind().fit(COUNTS, Y), kind(missing="skip").fit(COUNTS, Y)
    expected = skips.predict_proba(WITH_NAN)
    np.testing.assert_allclose(run(strict, WITH_NAN)["probabilities"], expected, rtol=0, atol=1e-9)


def test_complement_with_normalized_weights_and_one_class():
    assert_same(db.ComplementNB(norm=True).fit(COUNTS, Y), COUNTS)
    assert_same(db.ComplementNB(norm=True, alpha=0).fit(COUNTS, Y), COUNTS)
    assert_same(db.ComplementNB().fit(COUNTS, np.zeros(90)), COUNTS)
    assert_same(db.ComplementNB().partial_fit(COUNTS, Y, classes=[0, 1, 2, 3]), COUNTS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_bernoulli_of_shares_and_of_sure_terms(alpha):
    shares = RNG.random((40, 3))
    y = RNG.integers(0, 2, 40)
    shares[y == 0, 1] = 1.0  # all rows of a class have it
    assert_same(db.BernoulliNB(binarize=None, alpha=alpha).fit(shares, y), shares)
    assert_same(db.BernoulliNB(binarize=0.5, alpha=alpha).fit(shares, y), shares)


@pytest.mark.parametrize("unseen", ["smooth", "ignore"])
def test_codes_that_are_not_in_fit(unseen):
    model = db.CategoricalNB(unseen=unseen, min_categories=4).fit(COUNTS, Y)
    assert_same(model, np.array([[0, 1, 2, 3, 4, 5], [9, 0, 0, 0, 1e6, 0], [0.5, 1, 1, 1, 0, 0]]))
    huge = np.array([[1.0, 7], [10**9, 8], [3, 7], [3, 2]])
    assert_same(db.CategoricalNB(unseen=unseen).fit(huge, [0, 1, 1, 0]), huge)


def test_categorical_labels_are_one_tensor_of_strings_or_an_input_for_each_column():
    X = np.array([["sun", "hot"], ["rain", "cool"], ["sun", "cool"]], dtype=object)
    model = db.CategoricalNB(missing="skip").fit(X, ["a", "b", "b"])
    assert_same(model, X)
    assert [each.name for each in model.to_onnx().graph.input] == ["X"]
    table = {"sky": ["sun", "rain", "sun"], "doors": [2, 4, 4], "flag": [True, False, True]}
    model = db.CategoricalNB().fit(table, ["a", "b", "b"])
    assert_same(model, table)


def test_gaussian_of_far_values_falls_back_to_the_prior():
    X = RNG.normal(size=(60, 2))
    model = db.GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, np.arange(60) % 3)
    outputs = assert_same(model, np.array([[1e200, 0.0], [-1e308, 1e308], [0.0, 3.0]]))
    np.testing.assert_allclose(outputs["probabilities"][0], [0.2, 0.3, 0.5])
