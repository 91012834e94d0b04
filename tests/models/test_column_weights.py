"""Weights of columns: what they change, and that all that is learned later keeps or follows them."""

from copy import copy

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, ParameterError
from deciban.estimate import mutual_information

rng = np.random.default_rng(3)
Y = rng.choice(["a", "b", "c"], 120)
CODE = np.searchsorted(["a", "b", "c"], Y)
TABLE = pd.DataFrame(
    {
        "size": CODE + rng.normal(size=120),
        "copy": CODE + rng.normal(size=120),
        "kind": np.where(rng.uniform(size=120) < 0.7, Y, "z"),
        "noise": rng.choice(["u", "v"], 120),
    }
)
TABLE.loc[::9, "size"] = np.nan
KINDS = {"size": db.Gaussian(), "copy": db.Gaussian()}
GIVEN = {"size": 0.5, "kind": 2.0, "noise": 0.0}
WAYS = [None, "mi", "auto", GIVEN, [0.5, 1.0, 2.0, 0.0]]


def test_the_joint_is_the_prior_and_the_weighted_columns():
    plain = db.NaiveBayes(weights=None).fit(TABLE, Y).evidence(TABLE)
    model = db.NaiveBayes(weights=GIVEN).fit(TABLE, Y)
    expected = plain.prior + np.einsum("rij,i->rj", plain.columns, [0.5, 1.0, 2.0, 0.0])
    assert model.predict_joint_log_proba(TABLE) == pytest.approx(expected, rel=1e-12)
    assert model.weights_ == {"size": 0.5, "copy": 1.0, "kind": 2.0, "noise": 0.0}
    in_order = db.NaiveBayes(weights=np.array([0.5, 1.0, 2.0, 0.0])).fit(TABLE, Y)
    assert np.array_equal(in_order.predict_proba(TABLE), model.predict_proba(TABLE))


def test_a_weight_of_one_changes_nothing():
    ones = db.NaiveBayes(weights=[1, 1, 1, 1]).fit(TABLE, Y)
    textbook = db.NaiveBayes(weights=None).fit(TABLE, Y)
    assert np.array_equal(ones.predict_proba(TABLE), textbook.predict_proba(TABLE))


def test_a_column_without_weight_makes_nothing_impossible():
    model = db.NaiveBayes(smoothing=db.MLE(), weights={"x1": 0}).fit([["a", "p"], ["b", "q"], ["a", "q"]], [0, 1, 1])
    assert np.isneginf(
        db.NaiveBayes(smoothing=db.MLE()).fit([["a", "p"], ["b", "q"]], [0, 1]).evidence([["a", "q"]]).joint
    ).all()
    assert np.isfinite(model.predict_joint_log_proba([["a", "q"]])).all()
    assert model.predict_proba_one({"x0": "a", "x1": "q"})[0] == pytest.approx(model.predict_proba([["a", "q"]])[0, 0])
    assert model.evidence([["a", "q"]]).columns[0, 1].tolist() == [0, 0]


def test_information_weights_are_one_on_average():
    table = [["a", "p", "s"], ["a", "q", "s"], ["b", "q", "s"], ["b", "q", "s"]]
    y = [0, 0, 1, 1]
    model = db.NaiveBayes({"x2": db.Ignore()}, weights="mi").fit(table, y)
    first, second = np.log(2), mutual_information(np.array([[1, 1], [0, 2]]))
    assert model.weights_["x0"] == pytest.approx(2 * first / (first + second))
    assert model.weights_["x0"] + model.weights_["x1"] == pytest.approx(2)
    assert model.weights_["x2"] == 0
    nothing = db.NaiveBayes(weights="mi").fit([["a"], ["a"]], y[:1] + y[2:3])
    assert nothing.weights_ == {"x0": 1}


def test_information_weights_follow_the_tally():
    whole = db.NaiveBayes(weights="mi").fit(TABLE, Y)
    parts = db.NaiveBayes(weights="mi").partial_fit(TABLE[:60], Y[:60], classes=["a", "b", "c"])
    before = parts.weights_
    parts.merge(db.NaiveBayes(weights="mi").fit(TABLE[60:], Y[60:]))
    assert parts.weights_ == pytest.approx(whole.weights_)
    assert parts.forget(TABLE[60:], Y[60:]).weights_ == pytest.approx(before)
    assert db.NaiveBayes.from_tally(whole.tally_, weights="mi").weights_ == pytest.approx(whole.weights_)
    assert whole.select(2).weights_["noise"] == 0


@pytest.mark.parametrize("kind", [db.Kernel(), db.Binned(how="mdl"), db.Poisson(), db.Gaussian(tie="both")])
def test_every_kind_of_column_has_information(kind):
    table = pd.DataFrame({"n": rng.poisson(1 + 3 * CODE), "noise": rng.poisson(3, 120)})
    weights = db.NaiveBayes(kind, weights="mi").fit(table, Y).weights_
    assert weights["n"] > 1.5
    assert weights["noise"] < 0.5


def test_learned_weights_are_kept_by_what_is_learned_later(tmp_path):
    model = db.NaiveBayes().fit(TABLE, Y)
    learned = model.weights_
    assert learned["size"] != 1
    db.save(model, tmp_path / "model.deciban")
    loaded = db.load(tmp_path / "model.deciban")
    assert np.array_equal(loaded.predict_proba(TABLE), model.predict_proba(TABLE))
    assert loaded.partial_fit(TABLE[:30], Y[:30]).weights_ == learned
    assert loaded.forget(TABLE[:30], Y[:30]).weights_ == loaded.decay(2).weights_ == learned
    row = {"size": 0.3, "copy": 1.2, "kind": "a", "noise": "u"}
    assert loaded.learn_one(row, "a").weights_ == loaded.learn_one(row, "a new class").weights_ == learned
    small = model.select(columns=["size", "kind"])
    assert small.weights_ == {**learned, "copy": 1, "noise": 1}
    assert small.evidence(TABLE).columns[:, [1, 3]].any() == np.False_
    again = model.fit(TABLE[:60], Y[:60])  # and fit learns them again
    assert again.weights_ != learned


def test_the_first_batch_learns_the_weights_and_later_ones_keep_them():
    model = db.NaiveBayes().partial_fit(TABLE[:60], Y[:60], classes=["a", "b", "c"])
    learned = model.weights_
    assert learned == pytest.approx(db.NaiveBayes().fit(TABLE[:60], Y[:60]).weights_)
    assert model.partial_fit(TABLE[60:], Y[60:]).weights_ == learned != dict.fromkeys(TABLE, 1)


def parts(*models):
    merged = copy(models[0])
    for other in models[1:]:
        merged.merge(other)
    return merged


def test_merged_weights_are_averaged_by_the_rows_they_were_learned_from():
    a, b, c = (db.NaiveBayes(KINDS).fit(TABLE[rows], Y[rows]) for rows in (slice(20), slice(20, 50), slice(50, 120)))
    expected = {n: (2 * a.weights_[n] + 3 * b.weights_[n] + 7 * c.weights_[n]) / 12 for n in TABLE}
    whole = parts(a, b, c)
    assert whole.weights_ == pytest.approx(expected)
    for merged in (parts(c, b, a), parts(a, parts(b, c)), parts(parts(b, a), c)):
        assert merged.weights_ == pytest.approx(expected)
        assert merged.predict_proba(TABLE) == pytest.approx(whole.predict_proba(TABLE))


def test_models_without_rows_have_weights_of_one_until_they_are_merged():
    fitted = db.NaiveBayes(KINDS).fit(TABLE, Y)
    ones = dict.fromkeys(TABLE, 1)
    from_tally = db.NaiveBayes.from_tally(fitted.tally_)
    assert from_tally.weights_ == ones
    begun = db.NaiveBayes(KINDS).learn_one({"size": 1.0, "copy": 2.0, "kind": "a", "noise": "u"}, "a")
    assert begun.weights_ == ones
    assert copy(fitted).merge(begun).weights_ == fitted.weights_ == begun.merge(fitted).weights_


def test_a_fit_that_fails_changes_nothing():
    model = db.NaiveBayes().fit(TABLE, Y)
    before = model.predict_proba(TABLE)
    with pytest.raises(InputError):
        model.fit(TABLE[:2], [None, "a"])
    assert np.array_equal(model.predict_proba(TABLE), before)


def test_rows_that_are_learned_one_by_one_are_scored_with_the_weights():
    model = db.NaiveBayes(KINDS).fit(TABLE, Y)
    for row, label in zip(TABLE[:20].to_dict("records"), Y[:20], strict=True):
        live = model.learn_one(row, label).predict_proba_one(row)
        assert "tally_" not in model.__dict__  # the live counter has scored it
        table = copy(model)
        assert live == pytest.approx(dict(zip("abc", table.predict_proba(pd.DataFrame([row]))[0], strict=True)))


def test_a_live_column_of_weight_zero_makes_nothing_impossible():
    columns = {"x0": db.Categorical(smoothing=db.MLE()), "x1": db.Categorical(smoothing=db.MLE())}
    model = db.NaiveBayes(columns, weights=[1, 0]).fit([["a", "p"], ["a", "q"]], [0, 1])
    model.learn_one({"x0": "a", "x1": "p"}, 0)
    assert model.predict_proba_one({"x0": "a", "x1": "p"}) == pytest.approx({0: 2 / 3, 1: 1 / 3})


def test_the_explanation_shows_the_weights_of_columns_only_where_there_are_some():
    row = {"size": 0.3, "copy": 1.2, "kind": "a", "noise": "u"}
    plain = db.NaiveBayes(weights=None).fit(TABLE, Y).explain(row)
    assert str(plain).splitlines()[1].split() == ["column", "value", "decibans"]
    weighed = db.NaiveBayes(weights=GIVEN).fit(TABLE, Y).explain(row)
    assert str(weighed).splitlines()[1].split() == ["column", "value", "weight", "decibans"]
    shown = {line.split()[0]: line.split()[1:-1] for line in str(weighed).splitlines()[2:]}
    assert shown["kind"] == ["a", "2.00"] and shown["copy"] == ["1.2"] and shown["prior"] == []
    assert "<th>weight</th>" in weighed._repr_html_() and "<th>weight</th>" not in plain._repr_html_()
    assert f"P(a|{weighed.label})^2.00" in weighed.to_text()


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ({"sise": 1}, ColumnMismatchError, "weights names 'sise', which is no column. Did you mean 'size'"),
        ({"size": -1}, ParameterError, "the weight of column 'size' is -1.0, not a number from 0 up"),
        ({"size": "much"}, ParameterError, "weights are numbers"),
        ([1, 2], ParameterError, r"weights has the shape \(2,\), but there are 4 columns"),
        ([1, 2, np.nan, 1], ParameterError, "the weight of column 'kind' is nan"),
        ("gain", ParameterError, "The 'weights' parameter"),
    ],
)
def test_weights_that_are_none_are_an_error_that_says_why(weights, error, words):
    with pytest.raises(error, match=words):
        db.NaiveBayes(weights=weights).fit(TABLE, Y)


@pytest.mark.parametrize("weights", WAYS, ids=str)
def test_one_row_the_explanation_and_the_nomogram_use_the_weights(weights, tmp_path):
    model = db.NaiveBayes(weights=weights).fit(TABLE, Y)
    row = {"size": 0.3, "copy": 1.2, "kind": "a", "noise": "u"}
    posterior = model.predict_proba(pd.DataFrame([row]))[0]
    assert list(model.predict_proba_one(row).values()) == pytest.approx(posterior.tolist())
    told = model.explain(row, against="c")
    odds = posterior[list(model.classes_).index(told.label)] / posterior[2]
    assert told.prior_db + sum(r.weight_db for r in told.reasons) == pytest.approx(10 * np.log10(odds))
    scale = next(scale for scale in model.nomogram("a", "c").scales if scale.name == "kind")
    evidence = model.evidence(pd.DataFrame([row])).weights_db("a", "c")[0, 2]
    assert dict(scale.points)["a"] == pytest.approx(evidence)
    db.save(model, tmp_path / "m")
    assert np.array_equal(db.load(tmp_path / "m").predict_proba(TABLE), model.predict_proba(TABLE))


def test_leaving_one_out_weighs_the_columns():
    model = db.NaiveBayes(weights=GIVEN).fit(TABLE, Y)
    held_out = np.delete(np.arange(120), 5)
    alone = db.NaiveBayes(weights=GIVEN).fit(TABLE.iloc[held_out], Y[held_out])
    assert model.loo_predict_proba(TABLE, Y)[5] == pytest.approx(alone.predict_proba(TABLE.iloc[[5]])[0])
    model.calibrate(TABLE, Y)  # which uses them
    assert model.predict_proba(TABLE).sum(axis=1) == pytest.approx(1)
