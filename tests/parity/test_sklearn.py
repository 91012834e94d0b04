"""Numbers against scikit-learn: the same data, the same answers.

Known differences, all on purpose:

* GaussianNB takes its variance floor from everything learned, weighted; scikit-learn from the last batch, unweighted.
* CategoricalNB treats a value that is no whole number as a label; scikit-learn cuts 0.9 to 0.
* ComplementNB gives a class without rows probability 0; scikit-learn lets it win.

Those that come from weights, and where scikit-learn has NaN, are held in `test_sklearn_differences.py`.
"""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as peer
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import deciban as db

rng = np.random.default_rng(0)
DATASETS = {
    loader.__name__: loader(return_X_y=True) for loader in (load_iris, load_wine, load_digits, load_breast_cancer)
}
PARAMETERS = [
    ("GaussianNB", {}),
    ("GaussianNB", {"var_smoothing": 1e-3}),
    ("MultinomialNB", {}),
    ("MultinomialNB", {"alpha": 0.01, "fit_prior": False}),
    ("ComplementNB", {}),
    ("ComplementNB", {"norm": True, "alpha": 0.3}),
    ("BernoulliNB", {}),
    ("BernoulliNB", {"binarize": 3.0, "alpha": 0.2}),
    ("CategoricalNB", {"min_categories": 300}),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "parameters"), PARAMETERS, ids=str)
@pytest.mark.parametrize("dataset", DATASETS)
def test_probabilities_agree(dataset, name, parameters, weighted):
    X, y = DATASETS[dataset]
    if name == "CategoricalNB":
        X = np.floor(X).clip(0, 200).astype(int)
    w = rng.uniform(0.5, 2, len(y)) if weighted else None
    if weighted and name == "GaussianNB":
        parameters = {"var_smoothing": 1e-15} if dataset != "load_digits" else {"var_smoothing": 0.0}
        X = X + rng.normal(size=X.shape)  # the floors differ, so let them not matter
    ours = getattr(db, name)(**parameters).fit(X, y, sample_weight=w)
    theirs = getattr(peer, name)(**parameters).fit(X, y, sample_weight=w)
    assert ours.predict_joint_log_proba(X) == pytest.approx(theirs.predict_joint_log_proba(X), rel=1e-9, abs=1e-9)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()


ATTRIBUTES = {
    "GaussianNB": ["theta_", "var_", "class_prior_", "class_count_", "epsilon_"],
    "MultinomialNB": ["feature_log_prob_", "feature_count_", "class_log_prior_", "class_count_"],
    "ComplementNB": ["feature_log_prob_", "feature_count_", "feature_all_", "class_log_prior_", "class_count_"],
    "BernoulliNB": ["feature_log_prob_", "feature_count_", "class_log_prior_", "class_count_"],
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_fitted_attributes_agree(name):
    X, y = DATASETS["load_digits"]
    ours, theirs = getattr(db, name)().fit(X, y), getattr(peer, name)().fit(X, y)
    for attribute in [*ATTRIBUTES[name], "classes_", "n_features_in_"]:
        a, b = getattr(ours, attribute), getattr(theirs, attribute)
        assert np.shape(a) == np.shape(b)
        assert a == pytest.approx(b, rel=1e-12), attribute


def test_categorical_attributes_agree():
    X, y = DATASETS["load_digits"]
    ours, theirs = db.CategoricalNB().fit(X, y), peer.CategoricalNB().fit(X.astype(int), y)
    assert ours.n_categories_.tolist() == theirs.n_categories_.tolist()
    for a, b in zip(ours.category_count_, theirs.category_count_, strict=True):
        assert a.tolist() == b.tolist()
    for a, b in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        assert a == pytest.approx(b, rel=1e-13)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.coo_array])
def test_sparse_input_agrees(name, form):
    X = form(sp.random_array((200, 50), density=0.1, random_state=0) * 5)
    y = np.random.default_rng(0).integers(0, 4, 200)
    ours, theirs = getattr(db, name)().fit(X, y), getattr(peer, name)().fit(X, y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-12)
    assert ours.predict_proba(X.toarray()) == pytest.approx(ours.predict_proba(X), abs=1e-14)


def test_sparse_gaussian_is_dense_gaussian():
    X, y = DATASETS["load_digits"]
    dense, sparse = db.GaussianNB().fit(X, y), db.GaussianNB().fit(sp.csr_array(X), y)
    assert dense.tally_ == sparse.tally_
    assert np.array_equal(dense.predict_proba(X), sparse.predict_proba(sp.csc_array(X)))
