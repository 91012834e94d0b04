"""Weights learned from leave-one-out evidence: the optimum, and that no column, table or prior can spoil them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict, cross_val_score

import deciban as db
from deciban.models import leave_one_out
from deciban.models.leave_one_out import minimize_from
from deciban.thread_pool import set_threads


def sample(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = np.where(rng.uniform(size=(rows, 4)) < 0.6, y[:, None], rng.integers(0, 3, (rows, 4)))
    return X.astype(str), y


def mixed(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    table = pd.DataFrame(
        {
            "size": y + rng.normal(size=rows),
            "kind": np.where(rng.uniform(size=rows) < 0.7, y, 2).astype(str),
            "skewed": np.exp(y + rng.normal(size=rows)),
        }
    )
    return table, y


def objective(model, X, y):
    """The loss of leave-one-out, which `loo_predict_proba` computes in another way, and the penalty."""
    away = np.array(list(model.weights_.values())) - 1
    return log_loss(y, model.loo_predict_proba(X, y), normalize=False) + 0.5 * away @ away


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_no_other_weights_are_better(seed):
    X, y = sample(seed=seed)
    model = db.NaiveBayes().fit(X, y)
    best, learned = objective(model, X, y), np.array(list(model.weights_.values()))
    rng = np.random.default_rng(seed)
    for step in rng.normal(size=(5, 4)) * 0.1:
        other = db.NaiveBayes(weights=np.maximum(learned + step, 0)).fit(X, y)
        assert objective(other, X, y) >= best - 1e-3


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5), st.integers(0, 1000))
def test_the_minimum_of_a_quadratic_is_that_of_its_conditions(middle, seed):
    rng, n = np.random.default_rng(seed), len(middle)
    root = rng.normal(size=(n, n))
    matrix = root @ root.T + np.eye(n)

    def quadratic(x):
        away = x - np.array(middle)
        return 0.5 * away @ matrix @ away, matrix @ away

    found = minimize_from(np.ones(n), quadratic)
    slope = quadratic(found)[1]
    assert (found >= 0).all()
    assert slope[found > 0] == pytest.approx(np.zeros((found > 0).sum()), abs=5e-3)
    assert (slope[found == 0] > -1e-3).all()


def test_copies_of_a_column_share_its_weight():
    X, y = sample(2000)
    once = db.NaiveBayes().fit(X, y).weights_
    twice = db.NaiveBayes().fit(np.hstack([X, X[:, :1]]), y).weights_
    assert twice["x0"] == pytest.approx(twice["x4"], abs=1e-3)
    assert twice["x0"] + twice["x4"] == pytest.approx(once["x0"], abs=0.03)


def test_a_weight_of_two_is_a_row_twice_and_of_zero_none():
    X, y = sample(60)
    weight = np.tile([0.0, 1.0, 2.0], 20)
    weighted = db.NaiveBayes().fit(X, y, sample_weight=weight)
    repeated = db.NaiveBayes().fit(np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int)))
    assert weighted.weights_ == pytest.approx(repeated.weights_, abs=1e-6)


def test_weights_that_are_not_whole_numbers_leave_out_their_rows():
    table, y = mixed(200)
    table["name"] = [f"row {i}" for i in range(200)]
    columns = {"name": db.Categorical()}
    weight = np.random.default_rng(0).uniform(1.5, 4.0, 200)
    model = db.NaiveBayes(columns).fit(table, y, sample_weight=weight)
    assert model.loo_predict_proba(table, y, sample_weight=weight).argmax(axis=1).tolist() != y.tolist()
    assert np.isfinite(list(model.weights_.values())).all()
    plain = db.NaiveBayes().fit(table[["size", "kind", "skewed"]], y, sample_weight=weight)
    assert model.weights_["size"] == pytest.approx(plain.weights_["size"], abs=0.25)


def test_the_order_of_the_rows_does_not_matter():
    table, y = mixed()
    order = np.random.default_rng(1).permutation(len(y))
    model, shuffled = db.NaiveBayes().fit(table, y), db.NaiveBayes().fit(table.iloc[order], y[order])
    assert shuffled.weights_ == pytest.approx(model.weights_, abs=1e-6)


def test_impossible_values_leave_the_weights_finite():
    X, y = sample(30)
    X[0, 0] = "only here"
    model = db.NaiveBayes(smoothing=db.MLE()).fit(X, y)
    assert np.isfinite(list(model.weights_.values())).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_probabilities_are_better_on_rows_that_were_not_seen():
    X, y = load_breast_cancer(return_X_y=True)
    losses = {
        w: log_loss(y, cross_val_predict(db.NaiveBayes(weights=w), X, y, method="predict_proba"))
        for w in (None, "auto")
    }
    assert losses["auto"] < 0.4 * losses[None]


def with_names_of_rows(table):
    return table.assign(name=[f"row {i}" for i in range(len(table))])


def with_a_column_of_many_labels(table):
    return table.assign(street=np.random.default_rng(2).integers(0, len(table) // 2, len(table)).astype(str))


def with_a_column_twice(table):
    return table.assign(again=table.iloc[:, 0])


@pytest.mark.parametrize("spoil", [with_names_of_rows, with_a_column_of_many_labels, with_a_column_twice])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_no_column_that_is_added_makes_predictions_worse(spoil, load):
    table, y = load(return_X_y=True, as_frame=True)
    spoilt = spoil(table)
    columns = {name: db.Categorical() for name in ("name", "street") if name in spoilt}  # or it would be ignored
    before = cross_val_score(db.NaiveBayes(), table, y).mean()
    assert cross_val_score(db.NaiveBayes(columns or "auto"), spoilt, y).mean() >= before - 0.006


def test_a_column_that_names_the_rows_gets_no_credit_for_it():
    table, y = mixed()
    model = db.NaiveBayes({"name": db.Categorical()}).fit(with_names_of_rows(table), y)
    assert model.weights_["name"] <= 1
    plain = db.NaiveBayes().fit(table, y)
    assert model.weights_["size"] == pytest.approx(plain.weights_["size"], abs=0.1)


@pytest.mark.parametrize(
    "table",
    [
        {"x": ["a"] * 14},
        {"x": [None] * 14},
        {"x": [f"row {i}" for i in range(14)]},
        {"x": [1e308, -1e308] * 7},
        {"x": [5e-324, 0.0] * 7},
        {"x": [1.5] * 14},
        {"x": [1.0, np.nan] * 7},
        {"x": np.arange(14.0)},
    ],
    ids=["constant", "missing", "names", "huge", "tiny", "constant number", "half missing", "few"],
)
@pytest.mark.parametrize("classes", [1, 2, 3, 14])
@pytest.mark.parametrize("kind", ["auto", db.Categorical(), db.Categorical(missing="state")])
def test_every_small_table_has_finite_weights_and_posteriors(table, classes, kind):
    y = np.arange(14) % classes
    columns = kind if kind == "auto" else {"x": kind}
    frame = pd.DataFrame(table)
    with np.errstate(all="raise", under="ignore"):
        model = db.NaiveBayes(columns).fit(frame, y)
        assert np.isfinite(list(model.weights_.values())).all()
        assert np.isfinite(model.predict_proba(frame)).all()


def test_with_one_class_or_one_row_a_class_there_is_nothing_to_learn():
    assert db.NaiveBayes().fit([["x"], ["y"]], [1, 1]).weights_ == {"x0": 1}
    assert db.NaiveBayes().fit([["x"], ["y"], ["z"]], [1, 2, 3]).weights_ == {"x0": 1}
    one_of_many = db.NaiveBayes().fit([["x", "p"]] * 9 + [["y", "q"]] * 9 + [["z", "q"]], [1] * 9 + [2] * 9 + [3])
    assert np.isfinite(one_of_many.predict_proba([["z", "q"]])).all()


def test_columns_without_information_and_ignored_ones_have_the_weight_one():
    table, y = mixed()
    table["constant"], table["ignored"] = "c", table["kind"]
    weights = db.NaiveBayes({"ignored": db.Ignore()}).fit(table, y).weights_
    assert weights["ignored"] == weights["constant"] == 1
    assert weights["size"] != 1


@pytest.mark.parametrize("priors", ["uniform", db.Laplace(), [0.9, 0.1], {0: 1.0, 1: 0.0}], ids=str)
def test_any_priors_are_allowed(priors):
    table, y = mixed()
    model = db.NaiveBayes(priors=priors).fit(table, y)
    assert np.isfinite(list(model.weights_.values())).all()
    assert np.isfinite(model.predict_proba(table)).all()


def test_large_tables_are_learned_from_some_rows(monkeypatch):
    table, y = mixed(4000)
    whole = db.NaiveBayes().fit(table, y)
    used = []
    learn = leave_one_out.best_weights
    monkeypatch.setattr(leave_one_out, "best_weights", lambda *given: used.append(len(given[0])) or learn(*given))
    monkeypatch.setattr(leave_one_out, "_MOST_ROWS", 1000)
    some = db.NaiveBayes().fit(table, y)
    order = np.argsort(y, kind="stable")  # in the order of the classes, too
    db.NaiveBayes().fit(table.iloc[order], y[order])
    monkeypatch.setattr(leave_one_out, "_FEWEST_CELLS", 300)
    db.NaiveBayes().fit(table, y)
    assert used == [1000, 1000, 800]  # a fifth of the 12,000 cells are the margins of 800 rows
    assert some.weights_ == pytest.approx(whole.weights_, abs=0.25)


def test_tables_with_too_many_columns_and_classes_have_weights_of_one(monkeypatch):
    X, y = sample(300)
    monkeypatch.setattr(leave_one_out, "_FEWEST_CELLS", 99 * 8)
    monkeypatch.setattr(leave_one_out, "_MOST_CELLS", 99 * 8)
    assert set(db.NaiveBayes().fit(X, y).weights_.values()) == {1}
    assert set(db.NaiveBayes().fit(X[:99], y[:99]).weights_.values()) != {1}


def test_the_number_of_threads_does_not_matter():
    table, y = mixed(9000)
    model = db.NaiveBayes().fit(table, y)
    set_threads(1)
    try:
        assert db.NaiveBayes().fit(table, y).weights_ == model.weights_
    finally:
        set_threads(None)
