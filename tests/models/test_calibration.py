"""`calibrate` knows rows that were learned by what they are, or is told; a failure changes nothing."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import deciban as db
from deciban.decide import fit_calibration
from deciban.errors import DecibanError, InputError, ParameterError

MAKERS = [db.NaiveBayes, db.TAN, db.AODE, db.BayesNetClassifier, db.JointBayes]
makers = pytest.mark.parametrize("make", MAKERS, ids=[make.__name__ for make in MAKERS])


def halves(y, seed=0):
    """Two samples of the same size, with the same number of rows of each class."""
    rng = np.random.default_rng(seed)
    first, second = [], []
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        half = len(rows) // 2
        first += rows[:half].tolist()
        second += rows[half : 2 * half].tolist()
    return np.array(first), np.array(second)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


def held_out_temperature(model, X, y):
    codes = np.searchsorted(model.classes_, y).astype(np.int32)
    return fit_calibration("temperature", model.predict_proba(X), codes).value


def test_a_stratified_half_is_not_taken_for_the_learned_rows(cancer):
    X, y = cancer
    a, b = halves(y)
    model = db.NaiveBayes().fit(X.iloc[a], y[a])
    expected = held_out_temperature(model, X.iloc[b], y[b])
    assert model.calibrate(X.iloc[b], y[b]).calibration_.value == expected
    assert model.calibrate(X.iloc[b], y[b], learned=False).calibration_.value == expected
    own = model.calibrate(X.iloc[a], y[a]).calibration_.value
    assert own == model.calibrate(X.iloc[a], y[a], learned=True).calibration_.value != expected


@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE, db.BayesNetClassifier])
def test_leave_one_out_and_held_out_rows_agree_on_adult(shared_data, make):
    table = pd.read_csv(shared_data / "tables" / "adult.csv.gz", na_values="?", nrows=8_000)
    y = table.pop("income").to_numpy()
    a, b = halves(y)
    model = make().fit(table.iloc[a], y[a])
    expected = held_out_temperature(model, table.iloc[b], y[b])
    assert model.calibrate(table.iloc[b], y[b]).calibration_.value == expected
    assert model.calibrate(table.iloc[a], y[a]).calibration_.value == pytest.approx(expected, rel=0.1)


@makers
def test_rows_are_known_in_any_order_and_after_any_batches(make):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.choice(list("xyz"), 60), "b": rng.choice(list("uv"), 60)})
    y = rng.integers(0, 2, 60)
    model = make().partial_fit(X[:25], y[:25], classes=[0, 1])
    model.partial_fit(X[25:], y[25:])
    order = rng.permutation(60)
    found = model.calibrate(X, y, learned=True).calibration_.value
    assert model.calibrate(X.iloc[order], y[order]).calibration_.value == pytest.approx(found)


def test_moments_are_known_up_to_rounding():
    rng = np.random.default_rng(2)
    X, y = rng.normal(1e6, 1.0, (300, 2)), rng.integers(0, 2, 300)
    model = db.NaiveBayes(db.Gaussian())
    for rows in np.array_split(rng.permutation(300), 7):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert np.isfinite(model.loo_predict_proba(X, y)).all()
    X[0, 0] += 1e-3
    with pytest.raises(InputError, match="all of them"):
        model.loo_predict_proba(X, y)


@makers
def test_rows_that_are_said_to_be_learned_are_checked(make):
    X, y = pd.DataFrame({"a": list("xyxyxx"), "b": list("uvuvvu")}), np.array([0, 1, 0, 1, 0, 1])
    model = make().fit(X, y)
    with pytest.raises(InputError, match="leave-one-out needs the rows that the model was fitted on"):
        model.calibrate(X[:5], y[:5], learned=True)


@makers
@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"method": "magic"}, ParameterError),
        ({"learned": "yes"}, ParameterError),
        ({"learned": True, "sample_weight": [2.0] * 6}, InputError),
        ({"sample_weight": [0.0] * 6}, InputError),
        ({"y": [0, 1, 0, 1, 0, 9]}, InputError),
        ({"X": {"c": ["x"] * 6}}, DecibanError),
    ],
    ids=str,
)
def test_a_failure_keeps_the_old_calibration(make, wrong, kind):
    X, y = pd.DataFrame({"a": list("xyxyxx"), "b": list("uvuvvu")}), np.array([0, 1, 0, 1, 0, 1])
    model = make().fit(X, y).calibrate(X, y)
    before, posterior = model.calibration_, model.predict_proba(X)
    with pytest.raises(kind):
        model.calibrate(**{"X": X, "y": y, **wrong})
    assert model.calibration_ is before
    assert model.predict_proba(X).tobytes() == posterior.tobytes()


@makers
def test_calibrating_again_begins_anew(make):
    X, y = pd.DataFrame({"a": list("xyxyxx") * 5, "b": list("uvuvvu") * 5}), np.array([0, 1, 0, 1, 0, 1] * 5)
    model = make().fit(X, y)
    first = model.calibrate(X[::2], y[::2], learned=False).calibration_
    assert model.calibrate(X[::2], y[::2], learned=False).calibration_ == first


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_a_weight_is_a_number_of_rows(method, cancer):
    X, y = cancer
    model = db.NaiveBayes().fit(X[:200], y[:200])
    weights = np.random.default_rng(3).integers(0, 3, 100)
    repeated = np.repeat(np.arange(200, 300), weights)
    kept = {"method": method, "learned": False}
    weighted = model.calibrate(X[200:300], y[200:300], sample_weight=weights, **kept).predict_proba(X)
    assert weighted == pytest.approx(model.calibrate(X.iloc[repeated], y[repeated], **kept).predict_proba(X), abs=1e-5)


def test_learned_rows_with_weights_are_known_with_them(cancer):
    X, y = cancer
    weights = np.random.default_rng(4).choice([0.5, 1.0, 2.0], len(y))
    model = db.NaiveBayes().fit(X, y, weights)
    found = model.calibrate(X, y, sample_weight=weights).calibration_
    assert found == model.calibrate(X, y, learned=True, sample_weight=weights).calibration_


def test_a_part_of_the_learned_rows_is_noticed(cancer):
    X, y = cancer
    a, b = halves(y)
    model = db.NaiveBayes().fit(X.iloc[a], y[a])
    mixed = np.concatenate([a[::2], b[::2]])
    for rows in (a[::3], mixed):
        with pytest.warns(UserWarning, match="some of these rows seem to have been learned: column"):
            model.calibrate(X.iloc[rows], y[rows])
        model.calibrate(X.iloc[rows], y[rows], learned=False)
    for seed in range(20):
        a, b = halves(y, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            db.NaiveBayes().fit(X.iloc[a], y[a]).calibrate(X.iloc[b], y[b])
