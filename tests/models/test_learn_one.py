"""A stream of rows, learned one by one: what it takes, what it refuses, and what is kept aside meanwhile."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import deciban as db
from deciban.errors import ColumnMismatchError, DecibanError, InputError, InputTypeError, MissingValueError

rng = np.random.default_rng(0)
N = 60
TABLE = pd.DataFrame({"sky": rng.choice(["sun", "rain"], N), "warm": rng.normal(15, 5, N), "wet": rng.random(N) < 0.5})
Y = rng.choice(["yes", "no"], N)
ROWS = TABLE.to_dict("records")


def streamed(model=None, rows=ROWS, labels=Y):
    model = db.NaiveBayes() if model is None else model
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)
    return model


def state(model):
    return model.predict_proba(TABLE).tolist(), model.tally_.total, model.classes_.tolist()


def test_a_fresh_model_takes_its_columns_from_the_first_row():
    model = db.NaiveBayes({"more": db.Poisson()}).learn_one({"sky": "sun", "warm": 3, "wet": True, "x": 0.5}, "yes")
    kinds = {plan.name: (type(plan.distribution).__name__, plan.reason) for plan in model.schema_}
    assert kinds == {
        "sky": ("Categorical", "a label in the first row"),
        "warm": ("Gaussian", "a number in the first row"),
        "wet": ("Categorical", "a label in the first row"),
        "x": ("Gaussian", "a number in the first row"),
        "more": ("Poisson", "as given"),
    }
    assert model.learn_one({"more": 4}, "no").predict_one({"more": 5}) == "no"
    one = db.NaiveBayes(db.Bernoulli()).learn_one({"a": 1, "b": 0}, "x")
    assert [type(plan.distribution).__name__ for plan in one.schema_] == ["Bernoulli", "Bernoulli"]


@pytest.mark.parametrize("row", [{}, {"sky": None}, {"sky": "?"}, {"sky": math.nan}, {3: "sun"}, ["sun"], {"sky": []}])
def test_a_first_row_that_does_not_say_what_the_columns_are(row):
    model = db.NaiveBayes(na_values="?")
    with pytest.raises(DecibanError):
        model.learn_one(row, "yes")
    assert not model.__sklearn_is_fitted__()
    assert model.learn_one({"sky": "sun"}, "yes").predict_one({}) == "yes"


def test_test_then_train():
    model, right = db.NaiveBayes(weights=None).fit(TABLE[:10], Y[:10]), []
    for i in range(10, N):
        right.append(model.predict_one(ROWS[i]) == Y[i])
        model.learn_one(ROWS[i], Y[i])
        again = db.NaiveBayes(weights=None).fit(TABLE[: i + 1], Y[: i + 1])
        live = list(model.predict_proba_one(ROWS[i]).values())
        assert live == pytest.approx(again.predict_proba(TABLE[i : i + 1])[0], abs=1e-12)
    assert "tally_" not in vars(model)  # nothing was estimated as a whole
    assert model.score(TABLE, Y) == again.score(TABLE, Y)


def test_all_that_a_model_does_it_does_after_a_stream(tmp_path):
    whole = db.NaiveBayes(weights=None).fit(TABLE, Y)
    assert state(streamed()) == (pytest.approx(np.array(state(whole)[0])), N, ["no", "yes"])
    db.save(streamed(), tmp_path / "stream")
    assert db.load(tmp_path / "stream").tally_.total == N
    assert streamed().merge(streamed()).tally_.total == 2 * N
    assert whole.merge(streamed()).tally_.total == 2 * N
    assert streamed().forget(TABLE[:9], Y[:9]).learn_one(ROWS[0], Y[0]).tally_.total == N - 8
    assert streamed().decay(1).learn_one(ROWS[0], "zero").class_count_.tolist()[2] == 1
    assert streamed().partial_fit(TABLE, Y).tally_.total == 2 * N
    assert streamed().explain(ROWS[0]).label == whole.predict_one(ROWS[0])
    assert "sky" in streamed().associations() and len(streamed().select(1).schema_) == 3
    assert streamed().loo_predict_proba(TABLE, Y).shape == (N, 2)
    assert not clone(streamed()).__sklearn_is_fitted__()
    assert streamed().class_prior_ == pytest.approx(whole.class_prior_)


def test_learning_undoes_calibration():
    model = db.NaiveBayes().fit(TABLE, Y).calibrate(TABLE, Y)
    assert hasattr(model, "calibration_")
    assert not hasattr(model.learn_one(ROWS[0], Y[0]), "calibration_")


@pytest.mark.parametrize("parameters", [{"rule": "ml"}, {"reject": 0.6}, {"loss": [[0, 1], [5, 0]]}])
def test_rules_hold_after_a_stream(parameters):
    model = streamed(db.NaiveBayes(**parameters))
    assert [model.predict_one(row) for row in ROWS] == model.predict(TABLE).tolist()


WRONG = [
    ({"rain": 1}, "yes", ColumnMismatchError, "there is no column 'rain'"),
    ({"sky": "new", "warm": "hot"}, "yes", InputError, r"column 'warm' has 'hot' \(row 0\), which is not a number"),
    ({"sky": "new", "warm": "12 °C"}, "yes", InputError, "not a number"),
    ({"sky": "new", "warm": True}, "yes", InputError, "not a number"),
    ({"sky": "new", "warm": math.inf}, "yes", InputError, "infinity"),
    ({"sky": "new", "warm": 10**400}, "yes", InputError, "infinity"),
    ({"sky": math.inf}, "yes", InputError, "infinity"),
    ({"sky": ["sun"]}, "yes", InputTypeError, "column 'sky' is"),
    ({"sky": "new"}, None, InputError, "every row needs a label"),
    ({"sky": "new"}, math.nan, InputError, "every row needs a label"),
    ({"sky": "new"}, pd.NA, InputError, "every row needs a label"),
    ({"sky": "new"}, ["yes"], InputTypeError, "cannot be one"),
    ({"warm": "hot"}, "maybe", InputError, "not a number"),
    ("sun", "yes", InputTypeError, "a mapping of names to values"),
    (["sun"], "yes", ColumnMismatchError, "the row has 1 values, but there are"),
]


@pytest.mark.parametrize(("row", "label", "error", "message"), WRONG)
@pytest.mark.parametrize("is_live", [False, True])
def test_a_wrong_row_is_refused_and_changes_nothing(row, label, error, message, is_live):
    model = db.NaiveBayes().fit(TABLE, Y)
    if is_live:
        model.learn_one(ROWS[0], Y[0])
    before = db.NaiveBayes().fit(TABLE, Y).partial_fit(TABLE[:1], Y[:1]) if is_live else db.NaiveBayes().fit(TABLE, Y)
    with pytest.raises(error, match=message):
        model.learn_one(row, label)
    assert model.predict_proba_one(ROWS[1]) == pytest.approx(before.predict_proba_one(ROWS[1]), abs=1e-12)
    assert state(model) == (pytest.approx(np.array(state(before)[0]), abs=1e-12), *state(before)[1:])
    assert model.learn_one({"sky": "new"}, "yes").tally_.total == before.tally_.total + 1


@pytest.mark.parametrize(
    ("kind", "value"),
    [(db.Poisson(), 1.5), (db.Poisson(), -1), (db.LogNormal(), 0), (db.Exponential(), -0.5), (db.Kernel(), "a")],
)
def test_numbers_that_a_distribution_cannot_have_made(kind, value):
    model = db.NaiveBayes({"x": kind}).learn_one({"x": 2}, "a").learn_one({"x": 3}, "b").learn_one({"x": 3}, "b")
    with pytest.raises(InputError):
        model.learn_one({"x": value}, "a")
    assert model.tally_.total == 3


def test_missing_values_may_be_an_error():
    model = streamed(db.NaiveBayes(missing="error", na_values=[99]))
    for gap in (None, math.nan, 99):
        with pytest.raises(MissingValueError):
            model.learn_one(ROWS[0] | {"warm": gap}, "yes")
    with pytest.raises(MissingValueError):
        model.learn_one(ROWS[0] | {"sky": None}, "yes")
    assert model.tally_.total == N


def test_smoothing_that_knows_its_labels_refuses_more_of_them():
    model = db.NaiveBayes(db.Categorical(smoothing=db.MEstimate(2, (0.5, 0.5)))).fit({"a": ["x", "y"]}, [0, 1])
    with pytest.raises(DecibanError, match="there are 3 states"):
        model.learn_one({"a": "z"}, 0)
    live = list(model.learn_one({"a": "x"}, 0).predict_proba_one({"a": "x"}).values())
    assert live == pytest.approx(model.predict_proba({"a": ["x"]})[0], abs=1e-12)


def test_missing_markers_stay_those_of_the_first_row():
    model = db.NaiveBayes().learn_one({"sky": "sun"}, 0).learn_one({"sky": "?"}, 1).set_params(na_values="?")
    counts = model.learn_one({"sky": "?"}, 0).learn_one({"sky": "?"}, 1).tally_.parts[0].table
    assert counts.tolist() == [[1, 1], [2, 0]]


def test_a_column_that_never_varies_and_numbers_out_of_range():
    for values in ([5.0] * 6, [1e200, -1e200] * 3, [0.0] * 6):
        model = db.NaiveBayes()
        for i, value in enumerate(values):
            model.learn_one({"x": value}, i % 2)
            model.predict_one({"x": value})
        live = [list(model.predict_proba_one({"x": value}).values()) for value in (*values, 7.0)]
        assert model.predict_proba({"x": [*values, 7.0]}) == pytest.approx(np.array(live), abs=1e-12)
        assert not np.isnan(live).any()


def test_a_marker_that_equals_true_hides_no_presence():
    model = db.NaiveBayes({"x": db.Bernoulli(threshold=2)}, na_values=[1])
    for value, label in ((5, "a"), (1, "a"), (0, "b"), (6, "b"), (7, "a")):
        model.learn_one({"x": value}, label)
    live = [list(model.predict_proba_one({"x": value}).values()) for value in (1, 5, 0)]
    assert model.tally_.parts[0].table.tolist() == [[0, 2], [1, 1]]
    assert model.predict_proba({"x": [1, 5, 0]}) == pytest.approx(np.array(live), abs=1e-12)


def test_counts_of_codes_go_on_learning():
    tally = db.CategoricalNB().fit([[0], [3], [3]], [0, 1, 1]).tally_
    model, other = db.NaiveBayes.from_tally(tally), db.NaiveBayes.from_tally(tally)
    assert model.learn_one({"x0": 5}, 1).tally_ == other.partial_fit([[5]], [1]).tally_


def test_presence_that_no_distribution_scores_by_itself():
    kind = db.Bernoulli(smoothing=db.MEstimate(2, (0.25, 0.75)))
    model = db.NaiveBayes({"x": kind}).learn_one({"x": True}, "a").learn_one({"x": False}, "b").learn_one({}, "b")
    live = list(model.predict_proba_one({"x": True}).values())
    assert model.predict_proba({"x": [True]})[0] == pytest.approx(live, abs=1e-12)


@pytest.mark.parametrize(
    "parameters",
    [
        {"missing": "skip", "weights": "mi"},
        {"missing": "skip", "weights": {"n": 0.5}},
        {"missing": "state"},
        {"missing": "state", "weights": "mi"},
    ],
    ids=str,
)
def test_weights_and_gaps_follow_what_is_learned(parameters):
    source = np.random.default_rng(3)
    table = pd.DataFrame(
        {"n": source.normal(size=60), "m": source.exponential(size=60), "s": source.choice(list("ab"), 60)}
    )
    table.loc[source.uniform(size=60) < 0.3, "n"] = np.nan
    y = np.where(table["n"].isna(), "p", source.choice(["p", "q"], 60))
    columns = {"n": db.Gaussian(), "m": db.Binned(), "s": db.Categorical()}
    whole = db.NaiveBayes(columns, **{"weights": None, **parameters}).fit(table, y)
    model = db.NaiveBayes(columns, **{"weights": None, **parameters}).fit(table[:30], y[:30])
    for row, label in zip(table[30:].to_dict("records"), y[30:], strict=True):
        model.learn_one(row, label)
        model.predict_one(row)
    first = table.iloc[0].to_dict()
    expected = dict(zip(whole.classes_.tolist(), whole.predict_proba(table[:1])[0], strict=True))
    assert model.predict_proba_one(first) == pytest.approx(expected, rel=1e-9)
    assert model.predict_proba(table) == pytest.approx(whole.predict_proba(table), rel=1e-9)
    assert model.weights_ == pytest.approx(whole.weights_)
