"""NaiveBayes: a table as it is, learned over time, and told how to decide."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    InputError,
    MissingValueError,
    NegativeCountError,
    ParameterError,
    UnfittedError,
    UnseenStateError,
)
from deciban.read import MISSING_LABEL

RNG = np.random.default_rng(3)
N = 120
Y = RNG.choice(["ham", "spam", "eggs"], N, p=[0.5, 0.3, 0.2])
FRAME = pd.DataFrame(
    {
        "sky": np.where(Y == "spam", RNG.choice(["sun", "rain"], N), RNG.choice(["sun", "snow"], N)),
        "warm": RNG.normal(np.where(Y == "ham", 1.0, 3.0)),
        "code": RNG.integers(0, 5, N),
        "open": RNG.random(N) < 0.4,
        "size": RNG.integers(0, 500, N),
    }
)
FRAME.loc[::7, "sky"] = None
FRAME.loc[::11, "warm"] = np.nan
KINDS = {
    "sky": db.Categorical(missing="skip"),
    "warm": db.Gaussian(missing="skip"),
    "code": db.Categorical(),
    "open": db.Categorical(),
    "size": db.Gaussian(),
}
"""Distributions that do not depend on which rows are learned first."""


def same_model(one, other):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_allclose(one.predict_log_proba(FRAME), other.predict_log_proba(FRAME), atol=1e-9)


# Missing and unseen --------------------------------------------------------------------------------------------------

GAPS = {
    "None": pd.DataFrame({"c": ["a", None, "b", "a"]}),
    "NaN among labels": pd.DataFrame({"c": pd.Series(["a", np.nan, "b", "a"], dtype=object)}),
    "NaN": pd.DataFrame({"c": [1.0, np.nan, 2.0, 1.0]}),
    "NaT": pd.DataFrame({"c": pd.to_datetime(["2026-01-01", None, "2026-01-02", "2026-01-01"])}),
    "pandas.NA, text": pd.DataFrame({"c": pd.array(["a", pd.NA, "b", "a"], dtype="string")}),
    "pandas.NA, objects": pd.DataFrame({"c": pd.Series(["a", pd.NA, "b", "a"], dtype=object)}),
    "pandas.NA, whole numbers": pd.DataFrame({"c": pd.array([1, pd.NA, 2, 1], dtype="Int64")}),
    "pandas.NA, booleans": pd.DataFrame({"c": pd.array([True, pd.NA, False, True], dtype="boolean")}),
    "a category": pd.DataFrame({"c": pd.Categorical(["a", None, "b", "a"])}),
    "Arrow null": pa.table({"c": ["a", None, "b", "a"]}),
    "Arrow null, numbers": pa.table({"c": [1, None, 2, 1]}),
    "polars null": pl.DataFrame({"c": ["a", None, "b", "a"]}),
    "list": [["a"], [None], ["b"], ["a"]],
    "marker": pd.DataFrame({"c": ["a", "?", "b", "a"]}),
    "marker, number": pd.DataFrame({"c": [1, -1, 2, 1]}),
    "marker, float": pd.DataFrame({"c": [1.5, -1.0, 2.5, 1.5]}),
}
gaps = pytest.mark.parametrize("table", GAPS.values(), ids=GAPS.keys())


@gaps
def test_a_missing_value_is_left_out_of_fit_and_says_nothing(table):
    model = db.NaiveBayes(na_values=["?", -1], weights=None).fit(table, [0, 1, 0, 1])
    assert model.predict_proba(table)[1] == pytest.approx([0.5, 0.5])
    assert model.evidence(table).columns[1].tolist() == [[0.0, 0.0]]
    assert np.abs(model.evidence(table).columns[0]).min() > 0


@gaps
def test_a_missing_value_is_a_state_of_its_own(table):
    model = db.NaiveBayes(db.Categorical(), missing="state", na_values=["?", -1], weights=None).fit(table, [0, 1, 0, 1])
    assert model.predict_proba(table)[1] == pytest.approx([1 / 3, 2 / 3])  # (0 + 1) / (2 + 3) to (1 + 1) / (2 + 3)


@gaps
def test_a_missing_value_is_an_error_that_names_the_cell(table):
    with pytest.raises(MissingValueError, match=r"\(row 1\) is missing"):
        db.NaiveBayes(missing="error", na_values=["?", -1]).fit(table, [0, 1, 0, 1])


def test_missing_is_settled_column_by_column():
    kinds = {"sky": db.Categorical(missing="state"), "warm": db.Gaussian(missing="error")}
    with pytest.raises(MissingValueError, match=r"column 'warm' \(row 0\) is missing"):
        db.NaiveBayes(kinds).fit(FRAME, Y)
    filled = FRAME.fillna({"warm": 0.0})
    model = db.NaiveBayes(kinds, missing="error").fit(filled, Y)
    assert MISSING_LABEL in model.tally_.marginal("sky").parts[0].variable.labels
    with pytest.raises(MissingValueError, match="column 'warm'"):
        model.predict(FRAME)


def test_every_column_has_a_state_for_what_is_missing_but_ignored_ones():
    model = db.NaiveBayes({"open": db.Ignore()}, missing="state").fit(FRAME, Y)
    assert [plan.distribution.missing for plan in model.schema_] == ["state", "state", "state", "skip", "state"]


def test_a_label_that_reads_like_the_missing_one_is_another():
    table = {"c": ["(missing)", None, "b", "a"]}
    model = db.NaiveBayes(missing="state", weights=None).fit(table, [0, 1, 0, 1])
    assert [str(label) for label in model.tally_.parts[0].variable.labels] == ["(missing)", "(missing)", "a", "b"]
    text, gap = model.predict_proba(table)[:2]
    assert text == pytest.approx([2 / 3, 1 / 3]) and gap == pytest.approx([1 / 3, 2 / 3])
    assert list(model.predict_proba_one({"c": "(missing)"}).values()) == pytest.approx(text)
    assert list(model.predict_proba_one({"c": None}).values()) == pytest.approx(gap)


def test_a_missing_state_may_come_later():
    known, gone = FRAME["sky"].notna().to_numpy(), FRAME["sky"].isna().to_numpy()
    whole = db.NaiveBayes(missing="state", weights=None).fit(FRAME, Y)
    parts = db.NaiveBayes(missing="state", weights=None).fit(FRAME[known], Y[known]).partial_fit(FRAME[gone], Y[gone])
    same_model(parts, whole)


def test_a_marker_of_one_kind_leaves_the_other_kind_alone():
    table = {"s": ["-1", "?", "b", "a"], "n": [1.0, 2.0, 3.0, 4.0]}
    counted = db.NaiveBayes(na_values=["?"]).fit(table, [0, 1, 0, 1]).tally_
    assert counted == db.NaiveBayes().fit({**table, "s": ["-1", None, "b", "a"]}, [0, 1, 0, 1]).tally_


def test_one_marker_is_not_its_letters():
    counted = db.NaiveBayes(na_values="N/A").fit({"s": ["N", "N/A", "b", "A"]}, [0, 1, 0, 1]).tally_
    assert counted == db.NaiveBayes(na_values=["N/A"]).fit({"s": ["N", "N/A", "b", "A"]}, [0, 1, 0, 1]).tally_


def test_gaps_do_not_change_what_codes_are():
    table = pd.DataFrame({"c": pd.array([1, pd.NA, 2, 1], dtype="Int64")})
    assert isinstance(db.NaiveBayes().fit(table, [0, 1, 0, 1]).schema_["c"].distribution, db.Categorical)


def test_unseen_labels_by_column():
    table = {"a": ["u", "u", "v"], "b": ["u", "u", "v"], "c": ["u", "u", "v"]}
    kinds = {"b": db.Categorical(unseen="ignore"), "c": db.Categorical(unseen="error")}
    model = db.NaiveBayes(kinds, weights=None).fit(table, [0, 0, 1])
    said = model.evidence({"a": ["w"], "b": ["w"], "c": ["u"]}).columns[0]
    assert said[0] == pytest.approx(np.log([1 / 4, 1 / 3]))
    assert said[1].tolist() == [0.0, 0.0]
    with pytest.raises(UnseenStateError, match=r"column 'c' \(row 1\) has value 'w', unseen in fit"):
        model.predict({"a": ["u", "u"], "b": ["u", "u"], "c": ["u", "w"]})


# Priors and decisions ------------------------------------------------------------------------------------------------

ODD = {"c": ["u", "u", "u", "v"]}


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        ("empirical", [3 / 4, 1 / 4]),
        ("uniform", [1 / 2, 1 / 2]),
        ({"q": 0.9, "p": 0.1}, [0.1, 0.9]),
        ([0.2, 0.8], [0.2, 0.8]),
        (db.Laplace(), [4 / 6, 2 / 6]),
    ],
    ids=str,
)
def test_priors(priors, expected):
    model = db.NaiveBayes(priors=priors).fit(ODD, ["p", "p", "p", "q"])
    assert model.class_prior_ == pytest.approx(expected)
    assert model.predict_proba({"c": [None]})[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "priors",
    ["flat", [0.5, 0.6], [1.0], [-0.5, 1.5], {"p": 1.0}, {"p": 0.5, "z": 0.5}, 3, {"p": 0.5, "q": 0.6}],
    ids=str,
)
def test_wrong_priors(priors):
    with pytest.raises(ParameterError, match="rior"):
        db.NaiveBayes(priors=priors).fit(ODD, ["p", "p", "p", "q"])


def test_rule_loss_and_reject():
    fit = lambda **how: db.NaiveBayes(**how, weights=None).fit(ODD, ["p", "p", "p", "q"])  # noqa: E731
    row = {"c": ["v"]}  # 3/4·1/5 to 1/4·2/3: 0.474 to 0.526
    assert fit().predict_proba(row)[0] == pytest.approx([9 / 19, 10 / 19])
    assert fit().predict(row).tolist() == ["q"]
    assert fit(priors={"p": 0.9, "q": 0.1}).predict(row).tolist() == ["p"]
    assert fit(priors={"p": 0.9, "q": 0.1}, rule="ml").predict(row).tolist() == ["q"]
    assert fit(loss=[[0, 5], [1, 0]]).predict(row).tolist() == ["p"]
    assert fit(reject=0.6).predict(row).tolist() == [None]
    assert fit(reject=0.5).predict(row).tolist() == ["q"]
    assert fit(reject=db.Reject(posterior=0.6)).predict({"c": ["v", "u"]}).tolist() == [None, "p"]


@pytest.mark.parametrize(
    "wrong",
    [{"rule": "max"}, {"missing": "drop"}, {"unseen": "drop"}, {"smoothing": 1.0}, {"reject": "no"}],
    ids=str,
)
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        db.NaiveBayes(**wrong).fit(ODD, ["p", "p", "p", "q"])


def test_a_loss_of_the_wrong_shape():
    with pytest.raises(ParameterError, match="2 × 2"):
        db.NaiveBayes(loss=[[0, 1]]).fit(ODD, ["p", "p", "p", "q"]).predict(ODD)


# Learning over time --------------------------------------------------------------------------------------------------


def test_any_split_and_any_order_learns_the_same():
    whole = db.NaiveBayes(KINDS, weights=None).fit(FRAME, Y)
    order = RNG.permutation(N)
    parts = clone(whole)
    for rows in np.array_split(order, 5):
        parts.partial_fit(FRAME.iloc[rows], Y[rows], classes=np.unique(Y))
    same_model(parts, whole)
    first, second = order[:50], order[50:]
    one, two = (clone(whole).fit(FRAME.iloc[rows], Y[rows]) for rows in (first, second))
    same_model(one.merge(two), whole)


def test_new_categories_and_classes_may_come_later():
    early = (Y != "eggs") & (FRAME["sky"] != "snow").to_numpy()
    model = db.NaiveBayes(KINDS, weights=None).fit(FRAME[early], Y[early])
    assert "eggs" not in model.classes_
    model.partial_fit(FRAME[~early], Y[~early])
    same_model(model, db.NaiveBayes(KINDS, weights=None).fit(FRAME, Y))


def test_weights_are_repetitions():
    weights = RNG.integers(0, 4, N)
    weighted = db.NaiveBayes(KINDS).fit(FRAME, Y, sample_weight=weights)
    repeated = np.repeat(np.arange(N), weights)
    same_model(weighted, db.NaiveBayes(KINDS).fit(FRAME.iloc[repeated], Y[repeated]))


def test_forgetting_everything_leaves_an_empty_tally():
    model = db.NaiveBayes().fit(FRAME, Y)
    fresh = pickle.loads(pickle.dumps(model.tally_))  # noqa: S301
    model.forget(FRAME, Y)
    assert model.tally_.total == 0
    assert model.tally_ == fresh - fresh
    assert np.isfinite(model.predict_proba(FRAME)).all()
    assert model.partial_fit(FRAME, Y).tally_ == fresh


def test_forgetting_some_rows_is_never_having_learned_them():
    model = db.NaiveBayes(KINDS, weights=None).fit(FRAME, Y).forget(FRAME[80:], Y[80:])
    same_model(model, db.NaiveBayes(KINDS, weights=None).fit(FRAME[:80], Y[:80]))


def test_what_was_never_learned_cannot_be_forgotten():
    model = db.NaiveBayes().fit(FRAME, Y)
    before = model.tally_
    with pytest.raises(NegativeCountError, match="never counted"):
        model.forget(pd.concat([FRAME, FRAME]), np.concatenate([Y, Y]))
    with pytest.raises(InputError, match=r"class .*'tofu'.* was never learned"):
        model.forget(FRAME[:1], ["tofu"])
    assert model.tally_ == before


def test_decay_weighs_what_is_old():
    aged = db.NaiveBayes(KINDS, weights=None).fit(FRAME[:60], Y[:60]).decay(half_life=3, steps=6)
    aged.partial_fit(FRAME[60:], Y[60:])
    same_model(aged, db.NaiveBayes(KINDS, weights=None).fit(FRAME, Y, sample_weight=np.repeat([0.25, 1.0], 60)))
    for wrong in ({"half_life": 0}, {"half_life": float("nan")}, {"half_life": 1, "steps": -1}):
        with pytest.raises(ParameterError, match="half_life is above 0"):
            aged.decay(**wrong)
    with pytest.raises(UnfittedError):
        db.NaiveBayes(weights=None).decay(half_life=1)


def test_merge_needs_the_same_columns_and_kind():
    model = db.NaiveBayes().fit(FRAME, Y)
    with pytest.raises(ColumnMismatchError, match="the models have different columns"):
        model.merge(db.NaiveBayes().fit(FRAME[["sky"]], Y))
    with pytest.raises(ParameterError, match="cannot be merged with a CategoricalNB"):
        model.merge(db.CategoricalNB().fit(FRAME[["code"]], Y))


def test_a_model_from_a_tally_is_the_fitted_one():
    counted = db.tally(FRAME.assign(y=Y), target="y")
    kinds = {plan.name: type(plan.distribution)() for plan in db.NaiveBayes.from_tally(counted).schema_}
    same_model(db.NaiveBayes.from_tally(counted), db.NaiveBayes(kinds, weights=None).fit(FRAME, Y))
    smooth = db.NaiveBayes.from_tally(counted, smoothing=db.Lidstone(5.0), priors="uniform")
    same_model(smooth, db.NaiveBayes(kinds, smoothing=db.Lidstone(5.0), priors="uniform", weights=None).fit(FRAME, Y))


# scikit-learn --------------------------------------------------------------------------------------------------------


def test_categorical_columns_are_categorical_nb():
    labels = FRAME[["sky", "code", "open"]].fillna("none").astype(str)
    ours = db.NaiveBayes(db.Categorical(), weights=None).fit(labels, Y)
    theirs = db.CategoricalNB().fit(labels, Y)
    np.testing.assert_allclose(ours.predict_proba(labels), theirs.predict_proba(labels), atol=1e-12)


def test_clone_pickle_and_parameters():
    model = db.NaiveBayes({"size": db.Poisson()}, smoothing=db.Jeffreys(), na_values=["?"], priors={"a": 1})
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(missing="state").missing == "state"
    fitted = db.NaiveBayes().fit(FRAME, Y)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(FRAME), fitted.predict_proba(FRAME))
    assert repr(again.schema_) == repr(fitted.schema_)


def test_grid_search_over_smoothing():
    rules = [db.MLE(), db.Laplace(), db.Lidstone(0.1)]
    search = GridSearchCV(db.NaiveBayes(), {"smoothing": rules, "priors": ["empirical", "uniform"]}, cv=3)
    assert search.fit(FRAME, Y).best_params_["smoothing"] in rules


def test_in_a_pipeline():
    doubled = make_pipeline(FunctionTransformer(lambda X: X.assign(warm=2 * X["warm"])), db.NaiveBayes()).fit(FRAME, Y)
    np.testing.assert_allclose(
        doubled.predict_proba(FRAME), db.NaiveBayes().fit(FRAME, Y).predict_proba(FRAME), atol=1e-9
    )


def test_weights_are_routed():
    weights = RNG.random(N)
    with sklearn.config_context(enable_metadata_routing=True):
        model = db.NaiveBayes().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(
            model, FRAME, Y, params={"sample_weight": weights}, cv=KFold(3), return_estimator=True, return_indices=True
        )
        scores = cross_val_score(model, FRAME, Y, params={"sample_weight": weights}, cv=KFold(3))
    for fitted, rows in zip(found["estimator"], found["indices"]["train"], strict=True):
        assert fitted.tally_.total == pytest.approx(weights[rows].sum())
    np.testing.assert_array_equal(scores, found["test_score"])
