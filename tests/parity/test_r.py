"""Numbers against R: e1071 as it runs, and the formulas of klaR, naivebayes and caret's "nb" (which calls klaR).

tests/parity/r/make_values.R computed the values; its README says how, and what was read where. Posteriors agree to 1e-9
once the two sides mean the same: variances with n, and what is 0 stays 0. That R cannot be told, so the script scales
e1071's sd by √((n − 1)/n) and passes threshold=1e-300; e1071's own `predict` does the rest.

Known differences, all on purpose:

* Variance: R divides by n − 1, deciban by n, the maximum likelihood that can be merged and forgotten exactly. Both are
  consistent; posteriors on iris move by less than 0.007, and no decision does.
* A count of 0 without smoothing: e1071 and naivebayes put 0.001 in its place, which is no estimate (it may exceed that
  of a value seen once) and does not sum to 1; with threshold=0, e1071 gives NaN. deciban's MLE says 0. deciban is right
  about what was asked, and Laplace, its default, is what should be asked.
* A density that underflows (beyond 38 standard deviations): e1071 and naivebayes replace it by 0.001 too, and so prefer
  the class that the value fits worst. Adult's 85 test rows with capital_gain 99999 all earn >50K; e1071 says <=50K of
  each. deciban adds logarithms and says >50K of each: the gap in accuracy, 0.8248 to 0.8299, is 84 rows.
* klaR raises *every* density below 0.001 to 0.001. Densities have units: in grams a penguin's mass says next to
  nothing, in kilograms it decides. deciban does not depend on units.
* laplace=1 divides by n + nlevels, as deciban does, if the column is a factor; of text, which has no levels, e1071
  divides by n, and probabilities sum to more than 1. deciban is right. Of numbers laplace changes nothing.
* Missing values are skipped in fit and predict by e1071, naivebayes and deciban alike. klaR's mean and sd become NA.
* Unseen labels: e1071 turns them into NA, which is deciban's unseen="ignore"; its default counts them 0 times.
* A class of one row: e1071's sd is NA, and all posteriors are. A class in which a column is constant: e1071 sets sd to
  0.001 in whatever unit. deciban falls back on the column's variance within classes, or a floor in the column's unit.
* Poisson: naivebayes takes the class mean, deciban one more row at the column's mean, so that it is never 0.
* Kernel: bandwidth nrd0 for each. naivebayes interpolates between density()'s 512 points and klaR takes the nearest:
  iris's posteriors are within 0.001 and 0.005 of the sum over rows, penguins' within 0.0032 and (with its floor) 0.061.
  Three bandwidths beyond the last row both stop falling and go on with the density there. The sum is right, and
  deciban's sketch is within 1e-5 of it.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import norm
from sklearn.datasets import load_iris

import deciban as db

R = json.loads((Path(__file__).parent / "r" / "values.json").read_text())
IRIS_NAMES = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"]
SMOOTHINGS = {"laplace0": db.MLE(), "laplace1": db.Laplace()}


def iris():
    X, y = load_iris(return_X_y=True)
    return pd.DataFrame(X, columns=IRIS_NAMES), np.array(R["iris"]["classes"])[y]


def read(shared_data, name):
    table = pd.read_csv(shared_data / "tables" / f"{name}.csv.gz", na_values=["?", "", "NA"], keep_default_na=False)
    label = {"votes": "party", "penguins": "species", "adult": "income"}[name]
    return table.drop(columns=label), table[label].to_numpy(str)


def fit_and_rows(shared_data, name):
    """What the model learns from, its labels, and the rows of which R's posteriors are stored."""
    X, y = iris() if name == "iris" else read(shared_data, name)
    if name != "adult":
        return X, y, X[:: R["every"][name]]
    is_train = (X.pop("split") == "train").to_numpy()
    return X[is_train], y[is_train], X[~is_train][:500][:: R["every"][name]]


def as_r(X, y, smoothing):
    """The model that e1071 means: factors are tables, numbers are normal, missing and unknown values say nothing."""
    table, number = db.Categorical(smoothing=smoothing, unseen="ignore"), db.Gaussian(strength=0)
    columns = {name: number if pd.api.types.is_numeric_dtype(X[name]) else table for name in X}
    return db.NaiveBayes(columns=columns, missing="skip", weights=None).fit(X, y)


@pytest.mark.parametrize("laplace", SMOOTHINGS)
@pytest.mark.parametrize("name", ["votes", "penguins", "adult"])
def test_posteriors_are_those_of_e1071(shared_data, name, laplace):
    X, y, rows = fit_and_rows(shared_data, name)
    model = as_r(X, y, SMOOTHINGS[laplace])
    assert model.classes_.tolist() == R[name]["classes"]
    stored = R[name][laplace]["n"]
    assert model.predict_proba(rows) == pytest.approx(np.array(stored), rel=1e-9, abs=1e-12)


def test_iris_needs_no_shared_data():
    """Parity with R is held wherever the tests run."""
    X, y = iris()
    ours = as_r(X, y, db.MLE()).predict_proba(X[:: R["every"]["iris"]])
    assert ours == pytest.approx(np.array(R["iris"]["laplace0"]["n"]), rel=1e-9, abs=1e-12)
    assert not R["iris"]["laplace_matters"]


@pytest.mark.parametrize(
    ("name", "tables", "smoothing"),
    [
        ("votes", "tables0", db.MLE()),
        ("votes", "tables1", db.Laplace()),
        ("penguins", "tables0", db.MLE()),
        ("penguins", "tables1", db.Laplace()),
        ("adult", "tables1", db.Laplace()),
    ],
)
def test_conditional_tables_are_those_of_e1071(shared_data, name, tables, smoothing):
    """P(state | class) cell by cell, and of numbers the mean and, with n for n − 1, the variance."""
    X, y, _ = fit_and_rows(shared_data, name)
    for column, table in R[name][tables].items():
        alone = as_r(X[[column]], y, smoothing)
        if "states" in table:
            evidence = alone.evidence(pd.DataFrame({column: table["states"]}))
            assert np.exp(evidence.columns[:, 0].T) == pytest.approx(np.array(table["p"]), rel=1e-12), column
            continue
        n = X[column].notna().groupby(y).sum().to_numpy()
        sd = np.array(table["sd"]) * np.sqrt((n - 1) / n)
        at = np.array([0.0, *table["mean"]])
        expected = norm.logpdf(at[:, None], table["mean"], sd)
        assert alone.evidence(pd.DataFrame({column: at})).columns[:, 0] == pytest.approx(expected, rel=1e-9), column


def test_dividing_by_n_moves_posteriors_little():
    """n or n − 1 is a matter of taste on 50 rows a class: no decision hangs on it."""
    X, y = iris()
    ours = as_r(X, y, db.MLE()).predict_proba(X[:: R["every"]["iris"]])
    theirs = np.array(R["iris"]["laplace0"]["default"])
    assert 1e-4 < np.abs(ours - theirs).max() < 0.007
    assert (ours.argmax(axis=1) == theirs.argmax(axis=1)).all()


def test_what_was_never_counted_is_impossible_unless_smoothed(shared_data):
    """Gentoo penguins live on Biscoe only. MLE says so; e1071 says 0.001, or NaN when told to leave 0 alone."""
    X, y, rows = fit_and_rows(shared_data, "penguins")
    elsewhere, gentoo = (rows["island"] != "Biscoe").to_numpy(), R["penguins"]["classes"].index("Gentoo")
    theirs = np.array(R["penguins"]["laplace0"]["default"])[elsewhere, gentoo]
    assert (as_r(X, y, db.MLE()).predict_proba(rows)[elsewhere, gentoo] == 0).all()
    assert (as_r(X, y, db.Laplace()).predict_proba(rows)[elsewhere, gentoo] > 0).all()
    assert (theirs > 0).any()
    assert R["penguins"]["zero_threshold_is_nan"]


def test_the_far_outlier_goes_to_the_class_it_fits_best():
    """Setosa petals measure 1 to 1.9 cm. One of 10 cm is setosa to e1071, because its density there underflows."""
    X, y = iris()
    model = as_r(X[["Petal.Length"]], y, db.MLE())
    assert model.predict(pd.DataFrame({"Petal.Length": [10.0]})).tolist() == ["virginica"]
    assert R["iris"]["petal_of_10_cm"][0][0] > 0.999


def test_large_gains_are_large_incomes(shared_data):
    """On Adult the same costs e1071 85 rows of 85, and the accuracy that they make."""
    X, y = read(shared_data, "adult")
    is_train = (X.pop("split") == "train").to_numpy()
    model = as_r(X[is_train], y[is_train], db.Laplace())
    found, rich = R["adult"]["gain_99999"], (X["capital_gain"] == 99999).to_numpy() & ~is_train
    assert (found["rows"], found["over_50K"], found["said_over_50K"]) == (85, 85, 0)
    assert rich.sum() == 85 and (model.predict(X[rich]) == ">50K").all()
    ours, theirs = model.score(X[~is_train], y[~is_train]), R["adult"]["accuracy"]["laplace1"]
    assert ours - theirs == pytest.approx(85 / (~is_train).sum(), abs=2e-4)


# klaR and naivebayes: formulas ---------------------------------------------------------------------------------------


def test_naivebayes_is_e1071_on_normal_columns():
    """dnorm with sd of n − 1, zeros replaced: what holds of e1071 above holds of naivebayes."""
    theirs = np.array(R["iris"]["formulas"]["gaussian"]["naivebayes"])
    assert theirs == pytest.approx(np.array(R["iris"]["laplace0"]["default"]), rel=1e-12)


def test_klar_floors_every_density():
    """klaR's posteriors are R's table with each density raised to 0.001; deciban has no such floor."""
    X, y = iris()
    shown, tables = X[:: R["every"]["iris"]], R["iris"]["tables"]
    density = [norm.pdf(shown[[name]], tables[name]["mean"], tables[name]["sd"]) for name in IRIS_NAMES]
    floored = softmax(np.log(np.maximum(density, 1e-3)).sum(axis=0), axis=1)  # priors are equal
    assert floored == pytest.approx(np.array(R["iris"]["formulas"]["gaussian"]["klaR"]), rel=1e-9)
    assert as_r(X, y, db.MLE()).predict_proba(shown).min() < 1e-200
    assert floored.min() > 1e-13


def test_units_do_not_matter(shared_data):
    """In grams klaR's floor leaves the prior of a penguin's mass, in kilograms the evidence."""
    X, y, rows = fit_and_rows(shared_data, "penguins")
    grams, rows = X[["body_mass_g"]], rows[["body_mass_g"]]
    ours = as_r(grams, y, db.MLE()).predict_proba(rows)
    assert as_r(grams / 1000, y, db.MLE()).predict_proba(rows / 1000) == pytest.approx(ours, rel=1e-9)
    klar, prior = R["penguins"]["klaR_body_mass"], np.unique(y, return_counts=True)[1] / len(y)
    assert np.array(klar["grams"]) == pytest.approx(prior, abs=0.01)
    assert ours[0] == pytest.approx(klar["kilograms"], abs=0.01)
    assert np.abs(np.subtract(klar["kilograms"], prior)).max() > 0.3


def test_poisson_is_that_of_naivebayes_with_one_more_row(shared_data):
    names = ["age", "education_num", "hours_per_week"]
    X, y, _ = fit_and_rows(shared_data, "adult")
    model = db.NaiveBayes(columns={name: db.Poisson() for name in names}, weights=None).fit(X[names], y)
    rows = X[names][:500][:: R["every"]["adult"]]
    n, theirs = np.unique(y, return_counts=True)[1][:, None], np.array(R["adult"]["poisson"]["mean"])
    rate = (n * theirs + X[names].mean().to_numpy()) / (n + 1)
    values = rows.to_numpy()[:, :, None]

    def posterior(rate):
        return softmax(np.log(n[:, 0]) + (values * np.log(rate.T) - rate.T).sum(axis=1), axis=1)  # x! cancels

    assert posterior(theirs) == pytest.approx(np.array(R["adult"]["poisson"]["posterior"]), rel=1e-9)
    assert model.predict_proba(rows) == pytest.approx(posterior(rate), rel=1e-9)
    assert model.predict_proba(rows) == pytest.approx(posterior(theirs), abs=1e-3)


def nrd0(values):
    """R's bw.nrd0: 0.9·min(sd, IQR/1.34)·n^(−1/5), Silverman (1986), 3.31."""
    low, high = np.quantile(values, [0.25, 0.75])
    return 0.9 * min(values.std(ddof=1), (high - low) / 1.34) * len(values) ** -0.2


def test_kernel_formula():
    """The sum over rows is what R's packages approximate: this is what `Kernel` has to meet."""
    X, y = iris()
    shown, stored = X[:: R["every"]["iris"]].to_numpy(), R["iris"]["formulas"]["kernel"]
    joint = np.zeros((len(shown), 3))
    for j, label in enumerate(R["iris"]["classes"]):
        for i, values in enumerate(X.to_numpy()[y == label].T):
            assert nrd0(values) == pytest.approx(stored["bw"][j][i], rel=1e-12)
            joint[:, j] += logsumexp(norm.logpdf(shown[:, [i]], values, nrd0(values)), axis=1) - np.log(len(values))
    exact = softmax(joint, axis=1)
    assert exact == pytest.approx(np.array(stored["exact"]), rel=1e-9, abs=1e-300)
    assert exact == pytest.approx(np.array(stored["naivebayes"]), abs=1e-3)
    assert exact == pytest.approx(np.array(stored["klaR"]), abs=5e-3)


@pytest.mark.parametrize("name", ["iris", "penguins"])
def test_kernel_posteriors_are_those_of_the_exact_sum(shared_data, name):
    X, y, rows = fit_and_rows(shared_data, name)
    numbers = X.select_dtypes("number").columns
    model = db.NaiveBayes(columns={column: db.Kernel() for column in numbers}, weights=None).fit(X[numbers], y)
    exact = np.array(R[name]["formulas"]["kernel"]["exact"])
    assert model.predict_proba(rows[numbers]) == pytest.approx(exact, abs=5e-5)


def test_kernels_go_on_falling_beyond_the_rows():
    """No setosa petal is longer than 1.9 cm; at 5 cm R's packages still give the density of three bandwidths out."""
    X, y = iris()
    model = db.NaiveBayes(columns={"Petal.Length": db.Kernel()}, weights=None).fit(X[["Petal.Length"]], y)
    ours = model.evidence(pd.DataFrame({"Petal.Length": [5.0]})).columns[0, 0, 0]
    theirs = R["iris"]["setosa_density_at_5_cm"]
    assert theirs["exact"] < 1e-300 and ours < np.log(1e-12)
    assert theirs["naivebayes"] == theirs["klaR"] > 1e-3


# Where e1071 fails ---------------------------------------------------------------------------------------------------


def test_smoothed_text_sums_to_one():
    """Text is no factor in R, has no levels, and e1071 smooths its counts but not their sum."""
    X = pd.DataFrame({"v": ["red", "red", "blue", "blue"]})
    model = as_r(X, np.array(list("aabb")), db.Laplace())
    sums = np.exp(model.evidence(pd.DataFrame({"v": ["red", "blue"]})).columns[:, 0]).sum(axis=0)
    assert sums == pytest.approx([1, 1])
    assert R["failures"]["text_row_sums"] == [2, 2]


def test_a_class_of_one_row_does_not_silence_the_others():
    X = pd.DataFrame({"v": [1.0, 2.0, 3.0, 9.0]})
    model = as_r(X, np.array(list("aaab")), db.MLE())
    assert model.predict(pd.DataFrame({"v": [2.0, 9.0]})).tolist() == ["a", "b"]
    assert R["failures"]["lone_row_is_nan"]


def test_a_constant_class_is_not_certain():
    """e1071 takes 0.001 for the sd of a constant, so that 5.01 is out of the question; deciban's default does not."""
    X, rows = pd.DataFrame({"v": [5, 5, 5, 4.9, 5.1, 5.2]}), pd.DataFrame({"v": [5, 5.001, 5.01]})
    ours = (
        db.NaiveBayes(columns={"v": db.Gaussian()}, weights=None).fit(X, np.array(list("aaabbb"))).predict_proba(rows)
    )
    assert R["failures"]["constant"][2][0] < 1e-19
    assert (ours[:, 0] > 0.5).all() and (ours[:, 0] < 0.9).all()
