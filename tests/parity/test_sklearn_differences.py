"""Where deciban differs from scikit-learn, and why: a row of weight w is w rows, and no input gives NaN.

Random weighted samples are compared with scikit-learn's own unweighted fit of the repeated rows, which has no such
differences; then each known difference is shown, as docs/coming-from/scikit-learn.md lists it.
"""

import numpy as np
import pytest
import sklearn.naive_bayes as peer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import deciban as db

NAMES = ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"]
PARAMETERS = {
    "GaussianNB": [{}, {"var_smoothing": 0.1}],
    "MultinomialNB": [{}, {"alpha": 0.5, "fit_prior": False}],
    "ComplementNB": [{}, {"alpha": 0.5, "norm": True}],
    "BernoulliNB": [{}, {"alpha": 0.5, "binarize": 1.5}],
    "CategoricalNB": [{}, {"alpha": 0.5, "min_categories": 5}],
}
names = pytest.mark.parametrize("name", NAMES)


@st.composite
def samples(draw):
    """Small rows, their classes and whole weights, some of them 0."""
    n, columns = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.int64, (n, columns), elements=st.integers(0, 3)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 2)))
    weights = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)))
    assume(weights.any())
    return X, y, weights


@names
@settings(max_examples=60)
@given(sample=samples(), data=st.data())
def test_a_weight_is_a_number_of_rows(name, sample, data):
    X, y, weights = sample
    parameters = data.draw(st.sampled_from(PARAMETERS[name]))
    rows = np.repeat(np.arange(len(y)), weights)
    with np.errstate(all="ignore"):
        theirs = getattr(peer, name)(**parameters).fit(X[rows], y[rows])
        expected = np.zeros((len(rows), len(np.unique(y))))
        expected[:, np.isin(np.unique(y), theirs.classes_)] = theirs.predict_proba(X[rows])
    assume(np.isfinite(expected).all())
    ours = getattr(db, name)(**parameters).fit(X, y, sample_weight=weights)
    if parameters.get("fit_prior", True) or len(theirs.classes_) == len(ours.classes_):  # else uniform over fewer
        assert ours.predict_proba(X[rows]) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@names
@settings(max_examples=60)
@given(sample=samples(), data=st.data())
def test_no_posterior_is_nan(name, sample, data):
    X, y, weights = sample
    parameters = dict(data.draw(st.sampled_from(PARAMETERS[name])))
    if name == "GaussianNB":
        parameters["var_smoothing"] = data.draw(st.sampled_from([0.0, 1e-9, 0.1]))
    else:
        parameters["alpha"] = data.draw(st.sampled_from([0.0, 1e-300, 1e-12, 0.5]))
    model = getattr(db, name)(**parameters).fit(X, y, sample_weight=weights)
    posterior = model.predict_proba(X)
    assert np.isfinite(posterior).all()
    assert posterior.sum(axis=1) == pytest.approx(1.0)


def test_the_variance_floor_follows_the_weights():
    X, y = np.array([[0.0], [1.0], [10.0], [11.0], [500.0]]), np.array([0, 0, 1, 1, 1])
    weights = np.array([2, 1, 1, 1, 0])
    rows = np.repeat(np.arange(5), weights)
    ours, theirs = (module.GaussianNB(var_smoothing=0.1).fit(X, y, weights) for module in (db, peer))
    repeated = peer.GaussianNB(var_smoothing=0.1).fit(X[rows], y[rows])
    assert ours.epsilon_ == pytest.approx(repeated.epsilon_)
    assert theirs.epsilon_ == pytest.approx(0.1 * X.var()) and theirs.epsilon_ > 100 * ours.epsilon_


def test_a_category_of_rows_without_weight_is_no_state():
    X, y, weights = np.array([[0], [1], [9]]), np.array([0, 1, 1]), np.array([1.0, 1.0, 0.0])
    ours, theirs = (module.CategoricalNB().fit(X, y, weights) for module in (db, peer))
    assert ours.predict_proba([[0]])[0] == pytest.approx([2 / 3, 1 / 3])
    assert np.exp(ours.predict_joint_log_proba([[0]])[0, 0]) == pytest.approx(0.5 * 2 / 3)  # two states
    assert np.exp(theirs.predict_joint_log_proba([[0]])[0, 0]) == pytest.approx(0.5 * 2 / 11)  # ten


@names
def test_a_batch_without_weight_teaches_nothing(name):
    X, y = np.array([[0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1])
    model = getattr(db, name)().partial_fit(X, y, classes=[0, 1])
    before = model.predict_proba(X)
    assert model.partial_fit(X, y, sample_weight=[0, 0, 0]).predict_proba(X) == pytest.approx(before)
    with pytest.raises(ValueError, match="at least one non-zero"):
        getattr(peer, name)().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, sample_weight=[0, 0, 0])
    with pytest.raises(ValueError, match="all sample weights are zero"):
        getattr(db, name)().fit(X, y, sample_weight=[0, 0, 0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_normalized_complements_of_one_column_say_nothing():
    X, y = [[3], [0]], [0, 1]
    assert db.ComplementNB(norm=True).fit(X, y).predict_proba(X).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert np.isnan(peer.ComplementNB(norm=True).fit(X, y).predict_proba(X)).any()


def test_a_class_without_weight_has_probability_0():
    X, y, weights = np.array([[3, 1], [0, 2], [1, 1]]), np.array([0, 1, 2]), np.array([1.0, 1.0, 0.0])
    assert (db.ComplementNB().fit(X, y, weights).predict_proba(X)[:, 2] == 0).all()
    assert (peer.ComplementNB().fit(X, y, weights).predict_proba(X)[:, 2] > 0).any()
