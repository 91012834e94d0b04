"""What the four models of counts share: `alpha`, priors, and scikit-learn's behaviour at alpha = 0."""

import numpy as np
import pytest
import sklearn.naive_bayes

import deciban as db
from deciban.errors import DecibanError

X, Y = np.array([[1, 0], [1, 1], [0, 1], [0, 2]]), [0, 0, 1, 1]
MODELS = ["MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"]
models = pytest.mark.parametrize("name", MODELS)


@models
@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_alpha_is_scikit_learns(name, alpha):
    ours, theirs = (getattr(module, name)(alpha=alpha).fit(X, Y) for module in (db, sklearn.naive_bayes))
    for expected, found in zip(theirs.feature_log_prob_, ours.feature_log_prob_, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@models
def test_without_smoothing_nothing_is_nan(name):
    posterior = getattr(db, name)(alpha=0.0).fit(X, Y).predict_proba(X)
    assert np.isfinite(posterior).all()


@models
def test_priors_are_counted_uniform_or_given(name):
    make = getattr(db, name)
    rows, labels = X[:3], Y[:3]
    assert np.exp(make().fit(rows, labels).class_log_prior_) == pytest.approx([2 / 3, 1 / 3])
    assert np.exp(make(fit_prior=False).fit(rows, labels).class_log_prior_) == pytest.approx([1 / 2, 1 / 2])
    assert np.exp(make(class_prior=[0.1, 0.9]).fit(rows, labels).class_log_prior_) == pytest.approx([0.1, 0.9])
    with pytest.raises(DecibanError, match="priors"):
        make(class_prior=[0.1, 0.2, 0.7]).fit(rows, labels)


@models
def test_a_negative_alpha_is_refused(name):
    with pytest.raises(ValueError, match="alpha"):
        getattr(db, name)(alpha=-1.0).fit(X, Y)
