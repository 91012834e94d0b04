"""Calibrated posteriors mean what they say, and single rows get the same."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import deciban as db
from deciban.decide import Isotonic, Temperature, reliability
from deciban.errors import DecibanError

rng = np.random.default_rng(0)
N = 600
Y = rng.integers(0, 2, N)
TWICE = np.repeat((Y + rng.normal(size=N))[:, None], 5, axis=1)  # the same evidence five times over
TEST_Y = rng.integers(0, 2, N)
TEST = np.repeat((TEST_Y + rng.normal(size=N))[:, None], 5, axis=1)


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_calibration_mends_evidence_that_is_counted_five_times(method):
    model = db.NaiveBayes(weights=None).fit(TWICE, Y)
    before = model.predict_proba(TEST)
    calibrated = model.calibrate(TWICE, Y, method=method)
    after = calibrated.predict_proba(TEST)
    assert log_loss(TEST_Y, after) < 0.8 * log_loss(TEST_Y, before)
    assert reliability(after, TEST_Y).error < 0.5 * reliability(before, TEST_Y).error
    assert after.sum(axis=1) == pytest.approx(1)
    row = dict(zip(["x0", "x1", "x2", "x3", "x4"], TEST[0], strict=True))
    assert list(model.predict_proba_one(row).values()) == pytest.approx(after[0])
    assert model.predict_one(row) == model.predict(TEST[:1])[0]


def test_temperature_keeps_the_best_class_and_finds_the_right_power():
    posterior = rng.dirichlet([1, 1, 1], size=20_000)
    y = np.array([rng.choice(3, p=p) for p in posterior], dtype=np.int32)
    sharpened = Temperature(0.5).apply(posterior)
    found = Temperature.fit(sharpened, y)
    assert found.value == pytest.approx(2.0, rel=0.05)
    assert (found.apply(sharpened).argmax(axis=1) == posterior.argmax(axis=1)).all()


def test_isotonic_is_monotone():
    p = rng.uniform(size=500)
    posterior = np.column_stack([1 - p, p])
    y = (rng.uniform(size=500) < p**2).astype(np.int32)
    mapped = Isotonic.fit(posterior, y).apply(posterior)
    order = np.argsort(p)
    assert (np.diff(mapped[order, 1]) >= -1e-9).all()


def test_isotonic_is_never_certain():
    """Three rows of a class, all above the others, do not show that the next one above them is of it."""
    p = np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    y = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    posterior = np.column_stack([1 - p, p])
    mapped = Isotonic.fit(posterior, y).apply(posterior)
    assert mapped[:3, 1] == pytest.approx(0.5 / 4) and mapped[3:, 1] == pytest.approx(3.5 / 4)
    weighted = Isotonic.fit(posterior, y, np.full(6, 10.0)).apply(posterior)
    assert weighted[:3, 1] == pytest.approx(0.5 / 31) and weighted[3:, 1] == pytest.approx(30.5 / 31)


def test_bounded_steps_stay_monotone():
    """One row of the class above 99 of 100: (1 + ½)/(1 + 1) would be below the step before it."""
    p = np.append(np.full(100, 0.8), 0.9)
    y = np.append(np.arange(100) > 0, True).astype(np.int32)
    mapped = Isotonic.fit(np.column_stack([1 - p, p]), y).apply(np.column_stack([1 - p, p]))
    assert mapped[-1, 1] >= mapped[0, 1] - 1e-12
    assert mapped.min() > 0.0 and mapped.max() < 1.0


def test_learning_undoes_calibration_and_wrong_input_is_refused():
    model = db.NaiveBayes(weights=None).fit(TWICE, Y).calibrate(TWICE, Y)
    again = db.NaiveBayes(model.schema_, weights=None).fit(np.tile(TWICE, (2, 1)), np.tile(Y, 2))
    assert model.partial_fit(TWICE, Y).predict_proba(TWICE) == pytest.approx(again.predict_proba(TWICE), abs=1e-9)
    with pytest.raises(DecibanError, match="'temperature' or 'isotonic'"):
        model.calibrate(TWICE, Y, method="magic")
    with pytest.raises(DecibanError, match="the class 8, which the model has not learned"):
        model.calibrate(TWICE, Y + 7)
    with pytest.raises(DecibanError):
        reliability(np.ones((1, 1)), np.zeros(1, dtype=np.int32), bins=0)
