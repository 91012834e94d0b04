"""Log-likelihoods against formulas computed by hand and against scipy.stats: wrong ones give wrong posteriors."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import deciban as db
from deciban.errors import InputError

Y = np.array([0, 0, 0, 1, 1, 1, 1])
COUNTS = np.array([0, 2, 1, 5, 7, 4, 6])
SIZES = np.array([0.5, 1.5, 0.7, 4.0, 9.0, 2.5, 6.0])


def log_likelihood(model, table):
    """What a single column says: values × classes."""
    return model.evidence(table).columns[:, 0]


def drawn_means(values):
    """Each class's mean, drawn to the column's mean as by one more row."""
    return [(values[j == Y].sum() + values.mean()) / ((j == Y).sum() + 1) for j in (0, 1)]


def test_poisson():
    model = db.NaiveBayes(db.Poisson()).fit({"n": COUNTS}, Y)
    expected = stats.poisson.logpmf(COUNTS[:, None], drawn_means(COUNTS))
    np.testing.assert_allclose(log_likelihood(model, {"n": COUNTS}), expected, rtol=1e-12)


def test_exponential():
    model = db.NaiveBayes(db.Exponential()).fit({"t": SIZES}, Y)
    expected = stats.expon.logpdf(SIZES[:, None], scale=drawn_means(SIZES))
    np.testing.assert_allclose(log_likelihood(model, {"t": SIZES}), expected, rtol=1e-12)


@pytest.mark.parametrize("strength", [0.0, 10.0])
def test_lognormal(strength):
    model = db.NaiveBayes(db.LogNormal(strength=strength)).fit({"s": SIZES}, Y)
    mean, variance = by_hand(np.log(SIZES)[:, None], Y, "none", strength)
    expected = stats.lognorm.logpdf(SIZES[:, None], s=np.sqrt(variance[:, 0]), scale=np.exp(mean[:, 0]))
    np.testing.assert_allclose(log_likelihood(model, {"s": SIZES}), expected, rtol=1e-12)


@pytest.mark.parametrize("values", [COUNTS > 3, np.where(COUNTS > 3, 2.5, 0.0)])
def test_bernoulli(values):
    model = db.NaiveBayes(db.Bernoulli(smoothing=db.Jeffreys())).fit({"b": values}, Y)
    present = [((COUNTS > 3)[j == Y].sum() + 0.5) / ((j == Y).sum() + 1) for j in (0, 1)]
    expected = stats.bernoulli.logpmf((COUNTS > 3)[:, None].astype(int), present)
    np.testing.assert_allclose(log_likelihood(model, {"b": values}), expected, rtol=1e-12)


def test_bernoulli_has_two_states_though_only_one_occurs():
    model = db.NaiveBayes(db.Bernoulli(threshold=3)).fit({"b": [1, 2, 3]}, [0, 0, 1])
    expected = np.log([[3 / 4, 2 / 3], [1 / 4, 1 / 3]])
    np.testing.assert_allclose(log_likelihood(model, {"b": [3, 4]}), expected, rtol=1e-12)


def test_categorical():
    model = db.NaiveBayes(db.Categorical()).fit({"c": list("aabbbbc")}, Y)
    expected = np.log([[3 / 6, 1 / 7], [1 / 6, 2 / 7], [1 / 6, 1 / 7]])
    np.testing.assert_allclose(log_likelihood(model, {"c": ["a", "c", "hail"]}), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", [db.Poisson(), db.Exponential(), db.LogNormal()])
def test_numbers_that_no_class_can_make_leave_the_prior(kind):
    model = db.NaiveBayes(kind).fit({"n": COUNTS + 1}, Y)
    assert model.predict_proba({"n": [-1.0]})[0] == pytest.approx([3 / 7, 4 / 7])


@pytest.mark.parametrize("kind", [db.Poisson(), db.Exponential()])
def test_negative_numbers_are_named(kind):
    with pytest.raises(InputError, match=r"column 'n' \(row 2\)"):
        db.NaiveBayes(kind).fit({"n": [1, 2, -3]}, [0, 1, 1])


@pytest.mark.parametrize(
    "kind",
    [db.Categorical(), db.Bernoulli(), db.Gaussian(), db.Poisson(), db.Exponential(), db.LogNormal(), db.Ignore()],
    ids=lambda kind: type(kind).__name__,
)
def test_a_missing_number_says_nothing(kind):
    model = db.NaiveBayes({"n": kind}).fit({"n": [1.0, 2.0, np.nan, 4.0]}, [0, 0, 1, 1])
    assert log_likelihood(model, {"n": [np.nan]}).tolist() == [[0.0, 0.0]]
    assert np.isfinite(log_likelihood(model, {"n": [1.0, 4.0]})).all()


# Gaussian: Zhu, item 11 --------------------------------------------------------------------------------------------


def by_hand(X, y, tie, strength):
    """Means and variances for the four cases of item 11, written out class by class and column by column."""
    classes = np.unique(y)
    mean = np.array([X[y == j].mean(axis=0) for j in classes])
    squares = np.array([((X[y == j] - mean[k]) ** 2).sum(axis=0) for k, j in enumerate(classes)])
    rows = np.array([[(y == j).sum()] for j in classes])
    within = squares.sum(axis=0) / len(X)
    variance = {
        "none": (squares + strength * within) / (rows + strength),
        "class": within + 0 * squares,
        "feature": squares.sum(axis=1, keepdims=True) / (rows * X.shape[1]) + 0 * squares,
        "both": squares.sum() / X.size + 0 * squares,
    }[tie]
    return mean, variance


@pytest.mark.parametrize("strength", [0.0, 10.0])
@pytest.mark.parametrize("tie", ["none", "class", "feature", "both"])
def test_variances_are_tied_as_item_11_says(tie, strength):
    X, y = load_iris(return_X_y=True)
    model = db.NaiveBayes(db.Gaussian(tie=tie, strength=strength)).fit(X, y)
    mean, variance = by_hand(X, y, tie, strength)
    expected = stats.norm.logpdf(X[:, :, None], mean.T, np.sqrt(variance).T)
    np.testing.assert_allclose(model.evidence(X).columns, expected, rtol=1e-9)
    joint = expected.sum(axis=1) + np.log(1 / 3)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9)


def test_without_a_prior_it_is_the_gaussian_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours = db.NaiveBayes(db.Gaussian(strength=0)).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("tie", ["none", "class"])
def test_posteriors_do_not_depend_on_the_unit_of_a_column(unit, tie):
    X, y = load_iris(return_X_y=True)
    other = X * [1.0, unit, 1.0, unit]
    model = db.NaiveBayes(db.Gaussian(tie=tie))
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(other, y).predict_proba(other), expected, atol=1e-9)


def test_the_default_variance_needs_no_tuning_on_digits():
    X, y = load_digits(return_X_y=True)
    folds = KFold(5)
    ours = cross_val_score(db.NaiveBayes(), X, y, cv=folds).mean()
    theirs = cross_val_score(GaussianNB(), X, y, cv=folds).mean()
    assert ours >= 0.86
    assert ours > theirs


@pytest.mark.parametrize("tie", ["none", "class", "feature", "both"])
def test_constant_columns_leave_the_prior(tie):
    model = db.NaiveBayes(db.Gaussian(tie=tie)).fit({"a": [5.0] * 4, "b": [0.0] * 4}, [0, 0, 0, 1])
    assert model.predict_proba({"a": [5.0], "b": [0.0]})[0] == pytest.approx([3 / 4, 1 / 4])


def test_huge_numbers_give_no_nan():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    for unit in (1e-200, 1e200):
        model = db.NaiveBayes().fit({"f": values * unit}, [0, 0, 1, 1])
        assert not np.isnan(model.predict_proba({"f": values * unit})).any()
