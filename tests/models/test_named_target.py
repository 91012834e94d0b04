"""The target may be named: a column of the table, which is then no feature."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from tests.containers import NAMED, containers_of

TABLE = {"a": [0, 1, 2, 0, 1, 2, 0, 1], "b": [1, 1, 0, 0, 1, 0, 1, 1], "won": [True, False, True, False] * 2}
FEATURES = {name: TABLE[name] for name in ("a", "b")}
MODELS = [
    db.NaiveBayes(),
    db.NaiveBayes(weights=None),
    db.GaussianNB(),
    db.MultinomialNB(),
    db.ComplementNB(),
    db.BernoulliNB(),
    db.CategoricalNB(),
    db.JointBayes(),
    db.TAN(),
    db.AODE(),
    db.BayesNetClassifier(),
    db.KDB(members=3),
    db.Discriminant(),
    db.CountForest(n_trees=3),
    db.AutoBayes(),
]
models = pytest.mark.parametrize("model", MODELS, ids=repr)


@models
def test_fitting_by_name_is_fitting_by_column(model):
    expected = model.fit(pd.DataFrame(FEATURES), TABLE["won"]).predict_proba(pd.DataFrame(FEATURES)).tolist()
    named = model.fit(pd.DataFrame(TABLE), "won")
    assert named.n_features_in_ == 2 and named.feature_names_in_.tolist() == ["a", "b"]
    assert named.tally_.classes.name == "won" and named.classes_.tolist() == [False, True]
    for rows in (FEATURES, TABLE):  # the target's column is ignored where it is still there
        assert named.predict_proba(pd.DataFrame(rows)).tolist() == expected
        assert named.predict(pa.table(rows)).tolist() == named.predict(pl.DataFrame(rows)).tolist()
        assert named.evidence(rows).columns.shape[1] >= 2
    assert named.score(TABLE, "won") == named.score(FEATURES, TABLE["won"])


@pytest.mark.parametrize("container", NAMED)
def test_every_container_with_names(container):
    held = dict(containers_of(TABLE))
    if container not in held:
        pytest.skip(f"a {container} cannot hold this table, or its library is not installed")
    model = db.NaiveBayes().fit(held[container], "won")
    assert model.tally_ == db.NaiveBayes().fit(TABLE, "won").tally_


@models
def test_learning_in_parts_and_forgetting(model):
    if not hasattr(model, "partial_fit"):
        return
    first, second = ({name: held[part] for name, held in TABLE.items()} for part in (slice(0, 4), slice(4, None)))
    columns = {name: db.Categorical() for name in FEATURES}
    made = model.set_params(columns=columns) if "columns" in model.get_params() else model
    whole = made.fit(TABLE, "won").tally_
    made.fit(first, "won").partial_fit(second, "won")
    assert str(made.tally_) == str(whole)
    assert str(made.forget(second, "won").tally_) == str(made.fit(first, "won").tally_)
    made.partial_fit(second, TABLE["won"][4:])  # labels by themselves, and the column is still in the table
    assert str(made.tally_) == str(whole)


def test_what_else_takes_labels():
    model = db.NaiveBayes().fit(TABLE, "won")
    assert model.loo_predict_proba(TABLE, "won").shape == (8, 2)
    assert model.calibrate(TABLE, "won").calibration_ is not None
    assert db.TAN().fit(TABLE, "won").calibrate(TABLE, "won").predict(TABLE).shape == (8,)
    row = {name: held[0] for name, held in FEATURES.items()}
    assert repr(model.explain({**row, "won": True})) == repr(model.explain(row))


def test_the_name_is_kept_in_a_file(tmp_path):
    model = db.NaiveBayes().fit(TABLE, "won")
    db.save(model, tmp_path / "model")
    assert db.load(tmp_path / "model").predict(TABLE).tolist() == model.predict(TABLE).tolist()


@models
def test_an_unknown_name(model):
    with pytest.raises(ColumnMismatchError, match=r"y names the column 'wone', and X has none. Did you mean 'won'\?"):
        model.fit(pd.DataFrame(TABLE), "wone")
    with pytest.raises(ColumnMismatchError, match=r"Did you mean 'won'\?"):
        model.fit(TABLE, "wone")


@models
@pytest.mark.parametrize("X", [np.zeros((8, 2)), [[1, 2]] * 8])
def test_tables_without_names(model, X):
    with pytest.raises(InputTypeError, match="y is the text 'won', which names a column, but X has no column names"):
        model.fit(X, "won")


@pytest.mark.parametrize("model", [*MODELS, db.TextNB(), db.LogCountRatio(), db.AutoText(), db.TextEM()], ids=repr)
def test_a_target_that_was_forgotten(model):
    with pytest.raises(
        InputError, match=r'Pass one label for each row, or the name of the column .*fit\(table, "column"\)'
    ):
        model.fit(["a b", "b c"] if "Text" in repr(model) or "Log" in repr(model) else FEATURES)


def test_a_target_by_name_of_which_nothing_else_is_there():
    with pytest.raises(InputError, match="no column beside 'won'"):
        db.NaiveBayes().fit({"won": TABLE["won"]}, "won")
    with pytest.raises(InputError, match="no column beside 'won'"):
        db.GaussianNB().fit(pd.DataFrame({"won": TABLE["won"]}), "won")
