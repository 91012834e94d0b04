"""Bins, learned value by value, have the cuts and counts of the table after every value, also in coarse sketches."""

import numpy as np
import pytest

import deciban as db
from deciban.estimate.live import LiveRow, Setting, sample_of_codes
from deciban.read import Column
from tests.estimate.live.rows import check_missing_values, check_rows_are_one_fit

KINDS = {
    "width": db.Binned(bins=3),
    "frequency": db.Binned(bins=3, how="frequency"),
    "description length": db.Binned(how="mdl"),
    "given": db.Cut(at=[2.5, 6]),
    "smoothed": db.Binned(bins=3, smoothing=db.MEstimate(2)),
}
rng = np.random.default_rng(0)


def table(rows, spread):
    y = rng.integers(0, 3, rows)
    return np.round(rng.normal(2.0 * y, 2.0), 1) * spread, y


def check_stream(kind, x, y, start, every=1, weights=None):
    """Learn the rows after `start` one by one, and compare with a fit after each, or after some of them."""
    weights = np.ones(len(x)) if weights is None else weights
    model = db.NaiveBayes({"x": kind}, weights=None).fit({"x": x[:start]}, y[:start], weights[:start])
    for i in range(start, len(x)):
        model.learn_one({"x": float(x[i])}, int(y[i]))
        found = list(model.predict_proba_one({"x": float(x[i // 2])}).values())
        if i % every == 0:
            whole = db.NaiveBayes({"x": kind}, weights=None).fit({"x": x[: i + 1]}, y[: i + 1], weights[: i + 1])
            assert found == pytest.approx(whole.predict_proba({"x": x[i // 2 : i // 2 + 1]})[0], abs=1e-12), i
    whole = db.NaiveBayes({"x": kind}, weights=None).fit({"x": x}, y, weights)
    np.testing.assert_allclose(model.predict_proba({"x": x}), whole.predict_proba({"x": x}), atol=1e-12)
    assert model.tally_.parts[0] == whole.tally_.parts[0]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rows_learned_one_by_one_are_one_fit(kind):
    check_rows_are_one_fit(kind)
    check_missing_values(kind)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_after_each_of_many_rows_the_cuts_are_those_of_a_fit(kind):
    check_stream(kind, *table(120, 1.0), start=12)


@pytest.mark.parametrize("how", ["width", "frequency", "mdl"])
def test_cuts_move_in_sketches_that_become_coarse(how):
    x, y = table(4300, 1.0)
    x = x + rng.uniform(size=len(x))  # all distinct: from row 4,097 on the sketch has buckets
    check_stream(db.Binned(how=how), x, y, start=4060, every=20)


def test_an_octave_that_is_full_drops_more_bits():
    x = np.concatenate([rng.uniform(1.0, 2.0, 4000), rng.uniform(2.0, 4.0, 150), rng.uniform(2.0, 4.0, 400)])
    check_stream(db.Binned(how="frequency"), x, rng.integers(0, 2, len(x)), start=4150, every=40)


def test_weights_that_are_not_whole_need_no_table_of_logarithms():
    x, y = table(90, 1.0)
    weights = np.concatenate([rng.uniform(0.1, 0.9, 30), np.ones(60)])
    model = db.NaiveBayes({"x": db.Binned(how="mdl")}, weights=None).fit({"x": x[:30]}, y[:30], weights[:30])
    for value, label in zip(x[30:].tolist(), y[30:].tolist(), strict=True):
        model.learn_one({"x": value}, label)
    whole = db.NaiveBayes({"x": db.Binned(how="mdl")}, weights=None).fit({"x": x}, y, weights)
    found = [list(model.predict_proba_one({"x": value}).values()) for value in x.tolist()]
    np.testing.assert_allclose(found, whole.predict_proba({"x": x}), atol=1e-12)


def test_values_without_weight_move_no_cut():
    x, y = np.array([1.0, 2.0, 3.0, 99.0]), np.array([0, 0, 1, 1])
    model = db.NaiveBayes({"x": db.Binned(bins=2)}, weights=None).fit({"x": x}, y, [1, 1, 1, 0])
    before = model.tally_.parts[0]
    assert list(model.predict_proba_one({"x": 2.5}).values()) == pytest.approx(model.predict_proba({"x": [2.5]})[0])
    model.learn_one({"x": 2.0}, 0)
    assert model.tally_.parts[0].values.tolist() == before.values.tolist()


@pytest.mark.parametrize(("classes", "pull"), [(2, 0.0), (2, 0.02), (2, 0.3), (4, 0.05)])
def test_splits_by_description_length_that_are_not_watched_are_not_best(classes, pull):
    """The core compares few splits for some rows, and all of them now and then: the cuts stay those of all splits."""
    kind, source = db.Binned(how="mdl"), np.random.default_rng(classes)
    x = source.integers(0, 80, 1500).astype(np.float64)
    y = (source.random(1500) * classes + pull * (x > 40) * classes).astype(np.int32) % classes
    setting = Setting("x", frozenset(), "the model", classes)
    live = kind.live(
        kind.count(Column.of_numbers("x", x[:900]), sample_of_codes(y[:900], classes), "the model"), setting
    )
    row = LiveRow(["x"], [live.row_column(lambda _: [])], np.ones(classes), lambda _: None)
    some = np.arange(0.0, 80.0, 3.0)
    for value, label in zip(x[900:].tolist(), y[900:].tolist(), strict=True):
        row.learn({"x": value}, label)
        found = [row.joint({"x": v}, [0.0] * classes) for v in some.tolist()]
        np.testing.assert_allclose(found, kind.estimate([live.part()]).column(0, some), rtol=1e-12)
