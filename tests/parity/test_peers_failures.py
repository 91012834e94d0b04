"""Where peers go wrong, deciban does not: each case was seen in scikit-learn, river or R."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import deciban as db
from deciban.errors import DecibanError, InputError, ParameterError

ALL = [db.GaussianNB, db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB, db.JointBayes]


def test_row_by_row_learning_of_digits_is_one_fit():
    X, y = load_digits(return_X_y=True)
    whole, model = db.GaussianNB().fit(X, y), db.GaussianNB()
    for row, label in zip(X, y, strict=True):
        model.partial_fit(row[None], [label], classes=np.arange(10))
    assert model.var_ == pytest.approx(whole.var_, rel=1e-9)
    assert model.predict_log_proba(X) == pytest.approx(whole.predict_log_proba(X), rel=1e-9, abs=1e-9)
    assert model.score(X, y) == whole.score(X, y)


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("X", [np.ones((4, 2)), np.zeros((4, 2))], ids=["ones", "zeros"])
def test_constant_data_give_the_prior(make, X):
    model = make().fit(X, [0, 0, 0, 1])
    proba = model.predict_proba(X)
    assert not np.isnan(proba).any()
    if make not in (db.ComplementNB, db.BernoulliNB, db.MultinomialNB, db.CategoricalNB):
        assert proba == pytest.approx(np.tile([0.75, 0.25], (4, 1)))


@pytest.mark.parametrize("make", ALL)
def test_a_first_batch_of_one_row(make):
    model = make().partial_fit([[1.0, 2.0]], [0], classes=[0, 1])
    proba = model.predict_proba([[1.0, 2.0], [50.0, 60.0]])
    assert np.isfinite(proba).all()
    assert proba[0] == pytest.approx([1, 0])


def test_a_far_outlier_is_not_fifty_fifty():
    model = db.GaussianNB().fit([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    assert model.predict([[1e6], [-1e6]]).tolist() == [1, 0]
    assert model.predict_proba([[1e6]])[0, 1] == 1.0


@pytest.mark.parametrize("make", [db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB])
@pytest.mark.parametrize("alpha", [0.0, 1e-300, 1e-20])
def test_no_alpha_gives_nan(make, alpha):
    X = np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
    model = make(alpha=alpha).fit(X, [0, 0, 1, 1])
    for output in (model.predict_proba(X), model.predict_log_proba(X), model.predict_joint_log_proba(X)):
        assert not np.isnan(output).any()
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_bernoulli_without_smoothing_demands_what_every_row_of_a_class_has():
    model = db.BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    assert model.predict_proba([[0, 0]])[0] == pytest.approx([2 / 3, 1 / 3])  # possible in neither class: the prior
    assert model.predict_proba([[1, 0]]).tolist() == [[1, 0]]


def test_a_fraction_is_a_category_and_not_cut_to_zero():
    model = db.CategoricalNB().fit([[0.0], [0.9], [0.9]], ["zero", "nine", "nine"])
    assert model.predict([[0.9], [0.0]]).tolist() == ["nine", "zero"]


def test_a_huge_code_needs_no_huge_table():
    model = db.CategoricalNB().fit([[2_000_000, 1], [3, 0], [3, 1]], [0, 1, 1])
    assert model.tally_.parts[0].table.nbytes < 1000
    assert model.n_categories_.tolist() == [2_000_001, 2]
    assert model.predict([[2_000_000, 1], [3, 0], [17, 0]]).tolist() == [0, 1, 1]
    # The same smoothing as with every code listed: (1 + 1) / (1 + 2,000,001).
    assert np.exp(model.evidence([[2_000_000, 1]]).columns[0, 0, 0]) == pytest.approx(2 / 2_000_002)


@pytest.mark.parametrize("make", [db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB])
def test_priors_must_sum_to_one(make):
    with pytest.raises(ParameterError, match="sum of the priors"):
        make(class_prior=[5, 5]).fit([[1], [0]], [0, 1])


@pytest.mark.parametrize("make", ALL)
def test_negative_and_all_zero_weights_are_errors(make):
    X, y = [[1, 0], [0, 1]], [0, 1]
    with pytest.raises(InputError, match="Negative"):
        make().fit(X, y, sample_weight=[1, -1])
    with pytest.raises(InputError, match="zero"):
        make().fit(X, y, sample_weight=[0, 0])


@pytest.mark.parametrize("make", ALL)
def test_a_class_emptied_by_zero_weights_has_probability_zero(make):
    X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 1]
    proba = make().fit(X, y, sample_weight=[1, 0, 0]).predict_proba(X)
    assert proba == pytest.approx(np.tile([1.0, 0.0], (3, 1)))


def test_a_document_of_unknown_words_has_the_prior():
    model = db.MultinomialNB().fit([[1, 0], [2, 0], [0, 3]], ["big", "big", "small"])
    assert model.predict_proba([[0, 0]])[0] == pytest.approx([2 / 3, 1 / 3])


def test_long_documents_keep_their_log_odds():
    model = db.MultinomialNB().fit([[3, 1], [1, 3]], ["a", "b"])
    log_proba = model.predict_log_proba([[100_000, 0]])[0]
    assert np.isfinite(log_proba).all()
    odds = log_proba[0] - log_proba[1]
    assert odds == pytest.approx(100_000 * (model.feature_log_prob_[0, 0] - model.feature_log_prob_[1, 0]))


@pytest.mark.parametrize("unseen", ["smooth", "ignore", "error"])
def test_unseen_categories(unseen):
    model = db.CategoricalNB(unseen=unseen).fit([["sun"], ["sun"], ["rain"]], [1, 1, 0])
    if unseen == "error":
        with pytest.raises(DecibanError, match=r"column 'x0' \(row 1\) has value 'hail', unseen in fit"):
            model.predict([["sun"], ["hail"]])
        return
    expected = {"smooth": [1 / 3 * 1 / 3, 2 / 3 * 1 / 4], "ignore": [1 / 3, 2 / 3]}[unseen]
    assert np.exp(model.predict_joint_log_proba([["hail"]]))[0] == pytest.approx(expected)
    codes = db.CategoricalNB(unseen=unseen).fit([[0], [0], [1]], [1, 1, 0])
    assert np.exp(codes.predict_joint_log_proba([[7]]))[0] == pytest.approx(expected)
