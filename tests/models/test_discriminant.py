"""Discriminant against its definition, scikit-learn's, and rows that come, go, or are not known."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError, UnseenStateError

PLAIN = {"normal_scores": False, "temperature": 1.0}
wine, grower = load_wine(return_X_y=True)
wine = wine[:, :6]


def mixed(rows=120, seed=0, gaps=0.1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    size = rng.normal(y, 1.0)
    table = pd.DataFrame(
        {"size": size, "twice": 2 * size + rng.normal(size=rows), "sky": rng.choice(list("abc"), rows)}
    )
    table.loc[rng.random(rows) < gaps, "twice"] = np.nan
    table["sky"] = table["sky"].mask(rng.random(rows) < gaps)
    return table, y


class Twin:
    """Densities from the rows, by the definition: no tally, no eigenvectors."""

    def __init__(self, model, X, y):
        self.share, self.shrinkage = model.covariance_share_, model.shrinkage_
        units = np.array(model.structure_.units)
        self.means = [X[y == j].mean(axis=0) for j in range(3)]
        within = [(X[y == j] - self.means[j]).T @ (X[y == j] - self.means[j]) for j in range(3)]
        counts = np.bincount(y)
        self.covariances = []
        for j in range(3):
            mixed = (1 - self.share) * within[j] + self.share * sum(within)
            rows = (1 - self.share) * counts[j] + self.share * len(y)
            self.covariances.append((1 - self.shrinkage) * mixed / rows + self.shrinkage * np.diag(units**2))
        self.prior = np.log(counts / len(y))

    def joint(self, X):
        normals = zip(self.means, self.covariances, strict=True)
        return self.prior + np.stack([multivariate_normal(m, c).logpdf(X) for m, c in normals], axis=1)


def posterior(joint):
    odds = np.exp(joint - joint.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("covariance", "shrinkage"), [(0.3, 0.2), ("shared", 0.05), ("by class", 0.5), (1.0, 1.0)])
def test_posteriors_are_those_of_the_definition(covariance, shrinkage):
    model = db.Discriminant(covariance=covariance, shrinkage=shrinkage, **PLAIN).fit(wine, grower)
    assert model.predict_proba(wine) == pytest.approx(posterior(Twin(model, wine, grower).joint(wine)), abs=1e-7)


def test_two_columns_by_hand():
    """Means (0, 0) and (2, 0), variances 1, correlation ½: the weights of x are Σ⁻¹(2, 0) = (8/3, −4/3)."""
    corners = np.array([[1.0, 0.5], [-1.0, -0.5], [0.0, 0.75**0.5], [0.0, -(0.75**0.5)]]) * 2**0.5
    X, y = np.concatenate([corners, corners + np.array([2.0, 0.0])]), [0] * 4 + [1] * 4
    model = db.Discriminant(covariance="shared", shrinkage=0.0, **PLAIN).fit(X, y)
    odds = np.diff(model.predict_log_proba([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]))[:, 0]
    assert odds == pytest.approx([0.0, 8 / 3, -4 / 3], abs=1e-6)


def test_it_is_linear_and_quadratic_discriminant_analysis():
    linear = db.Discriminant(covariance="shared", shrinkage=0.0, **PLAIN).fit(wine, grower)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(wine, grower)
    assert linear.predict_proba(wine) == pytest.approx(peer.predict_proba(wine), abs=1e-6)
    counts = np.bincount(grower)
    quadratic = db.Discriminant(covariance="by class", shrinkage=0.0, **PLAIN).fit(wine, grower)
    # scikit-learn divides by n_j − 1, we by n_j: its rows of each class, weighed, have the same covariances.
    peer = QuadraticDiscriminantAnalysis().fit(wine, grower)
    joint = [
        multivariate_normal(mean, np.cov(wine[grower == j].T) * (counts[j] - 1) / counts[j]).logpdf(wine)
        for j, mean in enumerate(peer.means_)
    ]
    expected = posterior(np.stack(joint, axis=1) + np.log(peer.priors_))
    assert quadratic.predict_proba(wine) == pytest.approx(expected, abs=1e-6)
    assert np.abs(quadratic.predict_proba(wine) - peer.predict_proba(wine)).max() < 0.05


def test_numbers_are_scored_by_their_ranks():
    """Any increasing function of a column gives the same model."""
    table, y = mixed(60, gaps=0.0)
    one, other = (
        db.Discriminant(normal_scores=True).fit(table, y),
        db.Discriminant(normal_scores=True).fit(table.assign(size=np.exp(table["size"])), y),
    )
    assert one.predict_proba(table) == pytest.approx(other.predict_proba(table.assign(size=np.exp(table["size"]))))


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_leaving_a_row_out_is_fitting_without_it(gaps):
    table, y = mixed(60, gaps=gaps)
    y[0] = 3  # the only row of its class
    model = db.Discriminant().fit(table, y)
    found = model.loo_predict_proba(table, y)
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        refit = db.Discriminant(structure=model.structure_)
        refit.partial_fit(table[rest], y[rest], classes=model.classes_)
        assert found[i] == pytest.approx(refit.predict_proba(table[i : i + 1])[0], abs=1e-9)


def test_what_is_missing_is_summed_out():
    """The density of the known numbers is that of a model of these columns alone."""
    whole = db.Discriminant(covariance=0.3, shrinkage=0.1, **PLAIN).fit(wine, grower)
    fewer = db.Discriminant(covariance=0.3, shrinkage=0.1, **PLAIN).fit(wine[:, [0, 2, 3]], grower)
    rows = wine.copy()
    rows[:, [1, 4, 5]] = np.nan
    assert whole.predict_proba(rows) == pytest.approx(fewer.predict_proba(wine[:, [0, 2, 3]]), abs=1e-9)
    assert whole.predict_proba(np.full((1, 6), np.nan))[0] == pytest.approx(whole.class_prior_)


def test_evidence_sums_to_the_joint_and_does_not_depend_on_the_order_of_columns():
    table, y = mixed()
    model = db.Discriminant().fit(table, y)
    evidence = model.evidence(table)
    assert evidence.joint == pytest.approx(model.predict_joint_log_proba(table), abs=1e-9)
    turned = db.Discriminant().fit(table[["sky", "twice", "size"]], y).evidence(table[["sky", "twice", "size"]])
    assert turned.columns[:, [2, 1, 0]] == pytest.approx(evidence.columns, abs=1e-6)


def test_a_column_without_correlations_has_the_evidence_of_naive_bayes():
    model = db.Discriminant(covariance="shared", shrinkage=1.0, **PLAIN).fit(wine, grower)
    units, means = np.array(model.structure_.units), np.array([wine[grower == j].mean(axis=0) for j in range(3)])
    expected = norm.logpdf(wine[:, :, None], means.T, units[:, None]) + np.log(units)[:, None]
    assert model.evidence(wine).columns == pytest.approx(expected, abs=1e-9)


def test_batches_merged_parts_and_forgotten_rows_give_the_same_model():
    table, y = mixed()
    first = db.Discriminant(normal_scores=True).fit(table, y)
    given = {"structure": first.structure_}
    batches = db.Discriminant(**given).partial_fit(table[:50], y[:50], classes=[0, 1, 2])
    batches.partial_fit(table[50:], y[50:])
    parts = db.Discriminant(**given).fit(table[:30], y[:30])
    parts.merge(db.Discriminant(**given).fit(table[30:], y[30:]))
    more = db.Discriminant(**given).fit(pd.concat([table, table[:7]]), [*y, *y[:7]])
    for model in (batches, parts, more.forget(table[:7], y[:7])):
        assert model.tally_ == first.tally_
        assert np.array_equal(model.predict_proba(table), first.predict_proba(table))
    with pytest.raises(ColumnMismatchError, match=r"structure=first\.structure_"):
        first.merge(db.Discriminant(normal_scores=True).fit(table[:40], y[:40]))


@pytest.mark.parametrize("normal_scores", [True, False])
@pytest.mark.parametrize("covariance", ["auto", "by class", "shared"])
def test_poor_tables_have_finite_posteriors(covariance, normal_scores):
    rng = np.random.default_rng(0)
    x = rng.normal(size=12)
    table = np.column_stack([x, 2 * x, x + 1e9, np.full(12, 7.0), 1e150 * x, rng.normal(size=(12, 30))])
    y = [0] * 6 + [1] * 5 + [2]  # more columns than rows, and a class of one row
    model = db.Discriminant(covariance=covariance, normal_scores=normal_scores).fit(table, y)
    for rows in (table, -5 * table, np.full((1, 35), np.nan)):
        assert np.isfinite(model.predict_proba(rows)).all()
    assert np.isfinite(model.loo_predict_proba(table, y)).all()
    model.partial_fit(table[:3], [3, 3, 0])
    assert np.isfinite(model.predict_proba(table)).all() and len(model.classes_) == 4


def test_weights_are_numbers_of_rows():
    table, y = mixed(60, gaps=0.0)
    weights = np.arange(60) % 3
    weighed = db.Discriminant().fit(table, y, sample_weight=weights)
    repeated = db.Discriminant(structure=weighed.structure_).fit(
        table.loc[np.repeat(np.arange(60), weights)], np.repeat(y, weights)
    )
    assert weighed.tally_ == repeated.tally_
    assert weighed.predict_proba(table) == pytest.approx(repeated.predict_proba(table))


def test_labels_that_did_not_occur_are_no_evidence():
    table, y = mixed(gaps=0.0)
    model = db.Discriminant().fit(table, y)
    unknown, missing = (table[:5].assign(sky=value) for value in ("fog", None))
    assert np.array_equal(model.predict_proba(unknown), model.predict_proba(missing))
    with pytest.raises(UnseenStateError, match="fog"):
        db.Discriminant(unseen="error").fit(table, y).predict(unknown)


def test_missing_values_do_not_spoil_what_is_chosen():
    """A row that misses a value is judged by what is known of it, not as if it had a mean value."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 4)) + 6.0 * y[:, None]
    whole = db.Discriminant(normal_scores=False).fit(X, y)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = db.Discriminant(normal_scores=False).fit(X, y)
    assert model.temperature_ < 2 * whole.temperature_
    assert model.score(X, y) > 0.98


def test_a_tally_needs_the_structure():
    table, y = mixed()
    model = db.Discriminant().fit(table, y)
    with pytest.raises(ParameterError, match="structure_"):
        db.Discriminant.from_tally(model.tally_)
    again = db.Discriminant.from_tally(model.tally_, structure=model.structure_)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
