"""Evidence sums to the prediction: for every model, with missing and unseen values."""

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db
from deciban.errors import ParameterError

rng = np.random.default_rng(0)
CODES = rng.integers(0, 4, (50, 5))
GAPS = np.where(rng.uniform(size=CODES.shape) < 0.2, np.nan, CODES)
Y = rng.integers(0, 3, 50)

MODELS = [
    (db.GaussianNB(), rng.normal(size=(50, 5))),
    (db.GaussianNB(missing="skip"), GAPS),
    (db.CategoricalNB(), CODES),
    (db.CategoricalNB(missing="skip"), GAPS),
    (db.CategoricalNB(unseen="ignore"), CODES),
    (db.CategoricalNB(), CODES.astype(str)),
    (db.MultinomialNB(), CODES),
    (db.MultinomialNB(alpha=0), CODES),
    (db.MultinomialNB(missing="skip"), GAPS),
    (db.MultinomialNB(), sp.csr_array(CODES)),
    (db.ComplementNB(), CODES),
    (db.ComplementNB(norm=True), CODES),
    (db.BernoulliNB(), CODES),
    (db.BernoulliNB(alpha=0), CODES),
    (db.BernoulliNB(missing="skip"), GAPS),
    (db.BernoulliNB(binarize=None), CODES / 4),
    (db.NaiveBayes(), GAPS),
    (db.NaiveBayes(missing="state"), CODES.astype(str)),
    (db.NaiveBayes(db.Gaussian(tie="feature")), GAPS),
    (db.NaiveBayes(db.Poisson()), GAPS),
    (db.NaiveBayes(db.Exponential()), CODES / 3),
    (db.NaiveBayes(db.LogNormal()), CODES + 0.5),
    (db.NaiveBayes(db.Bernoulli()), GAPS),
    (db.NaiveBayes(db.NegativeBinomial()), GAPS * 3),
    (db.NaiveBayes(db.Binned(bins=3)), GAPS),
    (db.NaiveBayes(db.Binned(how="frequency")), GAPS / 3),
    (db.NaiveBayes(db.Binned(how="mdl")), GAPS + Y[:, None]),
    (db.NaiveBayes({"x0": db.Kernel(), "x1": db.Kernel(bandwidth="SJ"), "x2": db.Kernel(bandwidth=0.1)}), GAPS),
    (db.NaiveBayes({"x0": db.Ignore(), "x1": db.Categorical(unseen="ignore")}), CODES),
    (db.NaiveBayes(weights="mi"), GAPS),
    (db.NaiveBayes(weights=None), GAPS),
    (db.NaiveBayes(), CODES.astype(str)),
    (db.NaiveBayes(smoothing=db.MLE(), weights=[0, 0.5, 1, 2, 0]), CODES.astype(str)),
    (db.NaiveBayes({"x0": db.Kernel(), "x1": db.Binned(), "x2": db.Bernoulli()}, weights={"x0": 0.5, "x1": 2}), GAPS),
    (db.NaiveBayes(db.Gaussian(tie="feature"), weights=None), GAPS),
    (db.JointBayes(), CODES[:, :2]),
    (db.JointBayes(smoothing=db.Laplace()), CODES),
]


@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda v: str(v) if hasattr(v, "fit") else "")
def test_the_parts_sum_to_the_joint_log_probability(model, data):
    model.fit(data[:40], Y[:40])
    evidence = model.evidence(data)
    joint = model.predict_joint_log_proba(data)
    assert evidence.columns.shape == (50, data.shape[1], 3)
    assert evidence.joint == pytest.approx(joint, rel=1e-12, abs=1e-12)
    log_proba = model.predict_log_proba(data)
    finite = np.isfinite(joint).all(axis=1)
    odds = log_proba[finite, 2] - log_proba[finite, 0]
    assert evidence.log_odds(2, against=0)[finite] == pytest.approx(odds, abs=1e-9)


def test_an_unseen_category_weighs_what_a_count_of_zero_weighs():
    model = db.CategoricalNB().fit([["a"], ["a"], ["b"]], [0, 0, 1])
    assert np.exp(model.evidence([["z"]]).columns[0, 0]) == pytest.approx([1 / 4, 1 / 3])


def test_a_missing_value_weighs_nothing():
    model = db.GaussianNB(missing="skip").fit(GAPS, Y)
    assert model.evidence(np.full((1, 5), np.nan)).columns.any() == np.False_
    assert model.predict_proba(np.full((1, 5), np.nan))[0] == pytest.approx(model.class_prior_)


def test_a_class_that_is_none_is_an_error_that_lists_the_classes():
    evidence = db.GaussianNB().fit(CODES, Y).evidence(CODES)
    with pytest.raises(ParameterError, match=r"there is no class 7. Known are 0, 1, 2."):
        evidence.log_odds(7, against=0)
