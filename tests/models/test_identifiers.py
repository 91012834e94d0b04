"""Columns that are unique, and copies of the target, are named with a warning; identifiers are ignored."""

import warnings

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import DecibanWarning
from deciban.estimate import Ignore

ROWS = 120
rng = np.random.default_rng(0)
Y = rng.integers(0, 2, ROWS)
SKY = np.where((Y + rng.integers(0, 3, ROWS)) > 1, "sun", "rain")
PRICE = rng.choice(50_000, ROWS, replace=False)
IDS = {
    "row numbers": np.arange(ROWS) + 17,
    "row numbers in any order": rng.permutation(ROWS),
    "row numbers of some rows": rng.choice(2 * ROWS, ROWS, replace=False),
    "row numbers, some missing": pd.array([None if i % 9 == 0 else i for i in range(ROWS)], dtype="Int64"),
    "keys": [f"K{i}" for i in range(ROWS)],
    "keys, nearly all distinct": [f"K{max(i, 8)}" for i in range(ROWS)],
    "keys, some missing": [None if i % 3 == 0 else f"K{i}" for i in range(ROWS)],
    "categories": pd.Categorical([f"K{i}" for i in range(ROWS)]),
}
USED = {
    "prices": PRICE,
    "numbers": rng.normal(size=ROWS),
    "whole floats": np.arange(ROWS, dtype=float),
    "labels": rng.choice([f"K{i}" for i in range(60)], ROWS),
    "free text": [" ".join(rng.choice(["ab", "cd", "ef", "gh", "ij", "kl"], 7)) for _ in range(ROWS)],
    "mostly missing": [None] * (ROWS - 30) + [f"K{i}" for i in range(30)],
}
models = pytest.mark.parametrize("model", [db.NaiveBayes(), db.TAN(), db.AODE(), db.BayesNetClassifier()], ids=repr)


@models
@pytest.mark.parametrize("name", IDS)
def test_identifiers_are_named_and_ignored(model, name):
    with pytest.warns(DecibanWarning, match="column 'id' holds another value in nearly every row"):
        model.fit({"sky": SKY, "id": IDS[name]}, Y)
    assert isinstance(model.schema_["id"].distribution, Ignore)
    assert model.schema_["id"].reason.startswith("identifier: ")
    assert "identifier: " in repr(model.schema_)
    rows = {"sky": SKY, "id": list(reversed(list(IDS[name])))}
    expected = type(model)().fit({"sky": SKY}, Y).predict_proba({"sky": SKY})
    assert model.predict_proba(rows) == pytest.approx(expected)


def test_the_warning_is_at_the_line_of_the_user():
    table = {"id": [f"k{i}" for i in range(100)], "a": [0.1, 0.2] * 50}
    with pytest.warns(DecibanWarning) as caught:
        db.NaiveBayes().fit(table, [0, 0, 1, 1] * 25)
    assert {one.filename for one in caught} == {__file__}


@pytest.mark.parametrize("name", USED)
def test_columns_that_happen_to_be_distinct_are_used(name):
    model = db.NaiveBayes().fit({"sky": SKY, "held": USED[name]}, Y)
    assert not isinstance(model.schema_["held"].distribution, Ignore)


@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE])
def test_a_distribution_that_is_named_is_used(make):
    table = {"sky": SKY, "id": IDS["keys"], "copy": Y.astype(str)}
    model = make(columns={"id": db.Categorical(), "copy": db.Categorical()}).fit(table, Y)
    assert isinstance(model.schema_["id"].distribution, db.Categorical)
    assert model.schema_["copy"].reason == "as given"


@models
@pytest.mark.parametrize(
    "copy", [Y, Y.astype(str), Y.astype(bool), np.where(Y, "b", "a"), [None, *Y[1:].tolist()]], ids=str
)
def test_copies_of_the_target_are_named_and_used(model, copy):
    with pytest.warns(DecibanWarning, match="column 'copy' is one-to-one with the target"):
        model.fit({"sky": SKY, "copy": copy}, Y)
    assert "one-to-one with the target" in model.schema_["copy"].reason
    assert not isinstance(model.schema_["copy"].distribution, Ignore)


def test_a_column_that_is_nearly_a_copy_is_no_copy():
    other = Y.copy()
    other[-1] = 1 - other[-1]
    table = {"sky": SKY, "nearly": other, "finer": np.where(Y, "b", rng.choice(["a", "c"], ROWS)), "one": [1] * ROWS}
    assert "one-to-one" not in repr(db.NaiveBayes().fit(table, Y).schema_)


def test_small_tables_are_not_judged():
    db.NaiveBayes().fit({"id": np.arange(14), "copy": Y[:14].astype(str)}, Y[:14])


def test_a_model_keeps_its_only_column():
    model = db.NaiveBayes().fit({"id": IDS["row numbers"]}, Y)
    assert not model.schema_["id"].distribution.is_ignored


def test_rows_without_weight_do_not_count():
    weights = np.r_[np.ones(ROWS), 0.0, 0.0]
    table = {"sky": [*SKY, "sun", "sun"], "id": [*range(ROWS), 5, 5]}
    with pytest.warns(DecibanWarning, match="'id'"):
        db.NaiveBayes().fit(table, [*Y, 0, 1], weights)


def test_later_batches_are_not_judged():
    with pytest.warns(DecibanWarning, match="'id'"):
        model = db.NaiveBayes().partial_fit({"sky": SKY, "id": np.arange(ROWS)}, Y, classes=[0, 1])
    model.partial_fit({"sky": SKY, "id": np.arange(ROWS)}, Y)
    assert model.tally_.total == 2 * ROWS


@pytest.mark.parametrize("rows", [slice(None), slice(0, 600), slice(0, None, 3)])
def test_of_the_titanic_only_the_names_and_numbers_of_passengers(shared_data, rows):
    table = pd.read_csv(shared_data / "tables" / "titanic.csv.gz").iloc[rows]
    with pytest.warns(DecibanWarning) as seen:
        model = db.NaiveBayes().fit(table, "Survived")
    assert len(seen) == 1
    identifiers = [plan.name for plan in model.schema_ if plan.reason.startswith("identifier")]
    assert identifiers == ["PassengerId", "Name"]
    ignored = {plan.name for plan in model.schema_ if isinstance(plan.distribution, Ignore)}
    assert ignored <= {"PassengerId", "Name", "Cabin"}  # most cabins are named once


@pytest.mark.parametrize("name", ["adult", "auto_imports", "german", "horse_colic", "mushroom", "penguins", "soybean"])
def test_no_column_of_other_real_tables(shared_data, name):
    table = pd.read_csv(shared_data / "tables" / f"{name}.csv.gz", na_values=["?"])
    target = next(column for column in table if column.lower() in ("class", "income", "species"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        db.NaiveBayes().fit(table, target)
