"""Parameters that are set on a fitted model count from the next fit on: until then everything is that of the fit."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError

rng = np.random.default_rng(0)
N = 60
Y = rng.integers(0, 2, N)
COUNTS = rng.integers(0, 3, (N, 3)) + 2 * Y[:, None]
TABLE = pd.DataFrame(
    {
        "sky": np.where(rng.uniform(size=N) < 0.2, "?", rng.choice(["sun", "rain"], N)),
        "wind": np.array(["low", "high"])[(Y + rng.integers(0, 2, N)) // 2],
        "warm": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.normal(Y, 1.0)),
    }
)
TEXTS = [f"{'Good' if y else 'bad'} film, {'fun' if i % 3 else 'dull'} Ünd {i % 7}" for i, y in enumerate(Y)]
LOSS = [[0.0, 1.0], [50.0, 0.0]]
DECIDE = {"rule": "ml", "loss": LOSS, "reject": 0.99}
LABELS = {"priors": [0.9, 0.1], "missing": "state", "unseen": "error", "na_values": ["?"]}
CODED = DECIDE | LABELS | {"columns": {"warm": db.Ignore()}, "smoothing": db.Lidstone(9.0), "strength": 50.0}
CODED |= {"temperature": 3.0}
CHAINED = DECIDE | LABELS | {"missing": "error", "columns": {"warm": db.Ignore()}}
TREES = db.CountForest(n_trees=2).fit(TABLE, Y).structure_
CHAINS = db.KDB(members=2).fit(TABLE, Y).structure_
AUTO = db.AutoBayes().fit(TABLE, Y).structure_
COUNTED = {"alpha": 9.0, "force_alpha": False, "fit_prior": False, "class_prior": [0.9, 0.1], "missing": "skip"}
CUTS = {"tokenizer": str.split, "analyzer": "char", "ngram_range": (1, 2), "lowercase": False, "strip_accents": "ascii"}
TEXT = {"shortest": 4, "longest": 5, "drop_top": 3, "min_count": 5, "min_df": 5, "max_df": 0.5, "select": 3}
TEXT |= {"measure": "mi", "n_bits": 4, "max_terms": 5, "temperature": 7.0, "length": "unit", "event": "bernoulli"}
RARE = {"min_df": 5, "max_df": 0.5}
EM = {"C": 0.01, "classifier": "svm", "tf": "log", "beta": 1.0, "max_iter": 999}

OTHERS = {
    "NaiveBayes": (
        db.NaiveBayes,
        TABLE,
        DECIDE | LABELS | {"columns": db.Categorical(), "smoothing": db.Lidstone(9.0), "weights": [9.0, 0.0, 1.0]},
    ),
    "TAN": (db.TAN, TABLE, CODED | {"root": "wind"}),
    "AODE": (db.AODE, TABLE, CODED | {"n": 2, "least": 30, "weights": None}),
    "KDB": (
        db.KDB,
        TABLE,
        CHAINED | {"k": 0, "members": 1, "bins": "many", "structure": CHAINS, "weights": None, "random_state": 7},
    ),
    "CountForest": (
        db.CountForest,
        TABLE,
        CHAINED
        | {
            "n_trees": 1,
            "max_features": 1,
            "max_depth": 1,
            "min_samples_leaf": 9,
            "structure": TREES,
            "random_state": 7,
        },
    ),
    "AutoBayes": (
        db.AutoBayes,
        TABLE,
        CHAINED | {"models": ["KDB"], "effort": "fast", "structure": AUTO, "random_state": 7},
    ),
    "BayesNetClassifier": (
        db.BayesNetClassifier,
        TABLE,
        CODED
        | {"structure": [("class", "sky")], "target": "y", "criterion": "k2", "method": "tabu", "max_parents": 1}
        | {"alpha": 0.5},
    ),
    "JointBayes": (
        db.JointBayes,
        TABLE[["sky", "wind"]],
        DECIDE | {"smoothing": db.Lidstone(9.0), "prior_smoothing": db.Lidstone(99.0), "missing": "skip"},
    ),
    "GaussianNB": (db.GaussianNB, COUNTS, {"priors": [0.9, 0.1], "var_smoothing": 10.0, "missing": "skip"}),
    "MultinomialNB": (db.MultinomialNB, COUNTS, COUNTED),
    "ComplementNB": (db.ComplementNB, COUNTS, COUNTED | {"norm": True}),
    "BernoulliNB": (db.BernoulliNB, COUNTS, COUNTED | {"binarize": 2.0}),
    "CategoricalNB": (db.CategoricalNB, COUNTS, COUNTED | {"min_categories": 9, "unseen": "error"}),
    "TextNB": (db.TextNB, TEXTS, DECIDE | CUTS | TEXT | {"smoothing": 9.0, "priors": [0.9, 0.1]}),
    "AutoText": (db.AutoText, TEXTS, {"lowercase": False, "strip_accents": "ascii"}),
    "LogCountRatio": (
        db.LogCountRatio,
        TEXTS,
        CUTS | EM | {"length": "unit", "alpha": 9.0, "min_df": 5, "max_df": 0.5, "temperature": 7.0},
    ),
}
CASES = [(name, parameter) for name, (make, _, _) in OTHERS.items() for parameter in make().get_params()]


def one(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else [X[i] for i in np.arange(N)[rows]]


def single(X, i):
    return X.iloc[i].to_dict() if isinstance(X, pd.DataFrame) else X[i]


def answers(model, X):
    """What users can ask of a fitted model that reads its parameters, as text and arrays."""
    out = [model.predict(X)]
    for name in ("predict_proba", "predict_joint_log_proba", "decision_function", "feature_log_prob_", "weights_"):
        asked = getattr(model, name, None)
        out.append(asked(X) if callable(asked) else asked)
    if hasattr(model, "explain"):
        out.append(str(model.explain(one(X, slice(0, 1)) if isinstance(X, pd.DataFrame) else X[0])))
    if hasattr(model, "predict_one"):
        row, other = single(X, 0), single(X, 1)
        out += [model.predict_one(row), model.predict_proba_one(row), model.predict_proba_one(other)]
    return out


def learn(model, X):
    """Every way to go on learning."""
    if not hasattr(model, "partial_fit"):
        return model
    model.partial_fit(one(X, slice(0, 9)), Y[:9])
    model.merge(copy.deepcopy(model)).forget(one(X, slice(5, 9)), Y[5:9])
    if hasattr(model, "learn_one"):
        model.learn_one(single(X, 1), Y[1])
        model.predict_one(single(X, 1))
    if hasattr(model, "calibrate"):
        model.calibrate(X, Y, learned=False)
    return model


def same(a, b):
    np.testing.assert_equal(a, b)


@pytest.mark.parametrize("name", OTHERS)
def test_all_parameters_are_tried(name):
    make, _, others = OTHERS[name]
    assert set(others) == set(make().get_params())


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_a_parameter_changes_nothing_before_the_next_fit(name, parameter, tmp_path):
    make, X, others = OTHERS[name]
    plain, changed = make().fit(X, Y), make().fit(X, Y)
    changed.set_params(**{parameter: others[parameter]})
    assert changed.get_params()[parameter] is others[parameter]
    assert getattr(changed, parameter) is others[parameter]
    same(answers(changed, X), answers(plain, X))
    db.save(changed, tmp_path / "changed")
    db.save(plain, tmp_path / "plain")
    assert (tmp_path / "changed").read_bytes() == (tmp_path / "plain").read_bytes()
    same(answers(learn(changed, X), X), answers(learn(plain, X), X))
    same(answers(pickle.loads(pickle.dumps(changed)), X), answers(plain, X))  # noqa: S301
    assert getattr(changed, parameter) is others[parameter]


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=15)
@given(data=st.data())
def test_any_parameters_count_from_the_next_fit_on(name, data):
    make, X, others = OTHERS[name]
    chosen = data.draw(st.sets(st.sampled_from(sorted(others))))
    values = {parameter: others[parameter] for parameter in chosen}
    model, plain = make().fit(X, Y), make().fit(X, Y)
    model.set_params(**values)
    same(answers(learn(model, X), X), answers(learn(plain, X), X))
    try:
        expected = answers(make(**values).fit(X, Y), X)
    except DecibanError:  # such as n_bits together with min_count
        with pytest.raises(DecibanError):
            answers(model.fit(X, Y), X)
        return
    same(answers(model.fit(X, Y), X), expected)


def test_a_fit_that_fails_keeps_the_fitted_parameters():
    model = db.NaiveBayes().fit(TABLE, Y)
    before = model.predict_proba(TABLE)
    with pytest.raises(DecibanError):
        model.set_params(missing="error", smoothing=db.Lidstone(9.0)).fit(TABLE, Y)
    same(model.predict_proba(TABLE), before)
    same(model.set_params(missing="skip", smoothing=db.Laplace()).fit(TABLE, Y).predict_proba(TABLE), before)


def test_attributes_are_parameters_too():
    model = db.MultinomialNB().fit(COUNTS, Y)
    before = model.feature_log_prob_.copy()
    model.partial_fit(COUNTS, Y)
    model.alpha = 50.0
    assert model.alpha == 50.0
    twice = db.MultinomialNB().fit(np.tile(COUNTS, (2, 1)), np.tile(Y, 2))
    np.testing.assert_allclose(model.feature_log_prob_, twice.feature_log_prob_)
    assert not np.allclose(before, db.MultinomialNB(alpha=50.0).fit(COUNTS, Y).feature_log_prob_)


def test_learning_row_by_row_keeps_the_parameters_of_the_first_row():
    plain, changed = db.NaiveBayes(), db.NaiveBayes()
    rows = TABLE[["sky", "wind"]].to_dict("records")
    for i, (row, label) in enumerate(zip(rows, Y, strict=True)):
        plain.learn_one(row, label)
        changed.learn_one(row, label)
        if i == 20:
            changed.set_params(smoothing=db.Lidstone(9.0), priors="uniform", na_values="?")
        assert changed.predict_proba_one(row) == plain.predict_proba_one(row)
    assert changed.tally_ == plain.tally_
