"""Columns of numbers that are text because a marker stands for missing values: in any container, now and later."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import InputError

TEXT = ["1.5", "?", "2", "-3e2", "4.25", ".5"] * 10
NUMBERS = [1.5, None, 2.0, -300.0, 4.25, 0.5] * 10
Y = ["a", "b", "a", "b", "b", "a"] * 10
FORMS = {
    "mapping": lambda values: {"x": values},
    "pandas": lambda values: pd.DataFrame({"x": values}),
    "objects": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "polars": lambda values: pl.DataFrame({"x": values}),
    "arrow": lambda values: pa.table({"x": values}),
    "array": lambda values: np.array(values)[:, None],
    "records": lambda values: [{"x": value} for value in values],
}


def fitted(values=TEXT, make=db.NaiveBayes, **parameters):
    return make(na_values=["?"], **parameters).fit({"x": values}, Y)


@pytest.mark.parametrize("form", FORMS)
def test_text_with_markers_is_read_as_numbers_in_any_container(form):
    model = db.NaiveBayes(na_values=["?"]).fit(FORMS[form](TEXT), Y)
    plain = db.NaiveBayes().fit({"x": NUMBERS}, Y)
    name = model.schema_.plans[0].name
    assert model.schema_[name].distribution == plain.schema_["x"].distribution
    assert model.schema_[name].reason == plain.schema_["x"].reason
    assert model.predict_proba(FORMS[form](TEXT)) == pytest.approx(plain.predict_proba({"x": NUMBERS}))
    assert model.predict_proba(FORMS[form](["2", "1.75"])) == pytest.approx(plain.predict_proba({"x": [2.0, 1.75]}))


@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE, db.BayesNetClassifier])
def test_text_that_mixes_numbers_and_markers_is_read_as_numbers_by_all_models_of_tables(make):
    rows = {"x": TEXT, "z": ["p", "q", "q"] * 20}
    model, plain = (
        make(na_values=["?"], missing="skip").fit(rows, Y),
        make(missing="skip").fit(rows | {"x": NUMBERS}, Y),
    )
    assert model.predict_proba(rows) == pytest.approx(plain.predict_proba(rows | {"x": NUMBERS}))
    assert model.predict_one({"x": "4", "z": "p"}) == plain.predict_one({"x": 4.0, "z": "p"})


def test_numbers_beside_markers_are_numbers():
    assert fitted([1.5, "?", 2, -300.0, 4.25, 0.5] * 10).schema_["x"].reason == fitted().schema_["x"].reason


def test_whole_numbers_are_codes_and_leading_zeros_are_labels():
    whole = fitted(["1", "?", "2"] * 20)
    assert whole.schema_["x"].reason.startswith("whole numbers, 2 distinct")
    assert whole.predict_proba({"x": ["1", "2"]}) == pytest.approx(whole.predict_proba({"x": [1, 2]}))
    for labels in (["01", "?", "12"], ["1", "?", "a"], ["1", "?", "nan"], ["1_0", "?", "2"], ["True", "?", "1"]):
        assert fitted(labels * 20).schema_["x"].reason.startswith("labels: 2 distinct")


def test_text_without_markers_and_declared_categories_stay_labels():
    assert fitted(["1", "2", "3"] * 20).schema_["x"].reason == "labels: 3 distinct"
    assert db.NaiveBayes().fit({"x": TEXT}, Y).schema_["x"].reason == "labels: 6 distinct"
    declared = pd.DataFrame({"x": pd.Categorical(["1", "?", "2"] * 20)})
    assert db.NaiveBayes(na_values=["?"], missing="skip").fit(declared, Y).schema_["x"].reason == "labels: 2 distinct"


def test_a_given_distribution_decides_what_text_is():
    assert isinstance(fitted(columns={"x": db.Gaussian()}).schema_["x"].distribution, db.Gaussian)
    labels = fitted(columns={"x": db.Categorical()})
    assert "1.5" in labels.tally_.parts[0].variable.labels


def test_single_rows_are_read_in_the_same_way():
    model, plain = fitted(missing="skip"), db.NaiveBayes(missing="skip").fit({"x": NUMBERS}, Y)
    for text, number in (("4.25", 4.25), ("?", None), (2, 2.0), (None, None)):
        assert model.predict_proba_one({"x": text}) == pytest.approx(plain.predict_proba_one({"x": number}))
        assert model.predict_one({"x": text}) == plain.predict_one({"x": number})
        assert str(model.explain({"x": text})) == str(plain.explain({"x": number}))
        model.learn_one({"x": text}, "a")
        plain.learn_one({"x": number}, "a")
        assert model.predict_proba_one({"x": text}) == pytest.approx(plain.predict_proba_one({"x": number}))
    assert model.learn_one({"x": "7.5"}, "c").tally_.total == 65


def test_later_rows_may_be_text_or_numbers():
    model = fitted().partial_fit({"x": ["8", "9.5"]}, ["a", "b"]).partial_fit({"x": [8.0, 9.5]}, ["a", "b"])
    assert model.forget({"x": ["8", "9.5"]}, ["a", "b"]).tally_.total == 62
    again = fitted(missing="skip").fit({"x": ["p", "?", "q"] * 20}, Y)  # a new fit decides anew
    assert again.schema_["x"].reason.startswith("labels: 2 distinct")


@pytest.mark.parametrize("value", ["many", "1,5", "", "inf", "nan"])
def test_later_text_that_is_no_number_is_named_with_its_column_and_row(value):
    model = fitted()
    with pytest.raises(InputError, match=rf"column 'x' has '{value}' \(row 1\), which is not a number"):
        model.predict({"x": ["2", value]})
    for use in (model.predict_one, model.predict_proba_one, model.explain, lambda row: model.learn_one(row, "a")):
        with pytest.raises(InputError, match=rf"column 'x' has '{value}' \(row 0\), which is not a number"):
            use({"x": value})
    assert model.tally_.total == 60


def test_a_saved_model_remembers_what_it_reads_as_numbers(tmp_path):
    db.save(fitted(), tmp_path / "model.deciban")
    loaded = db.load(tmp_path / "model.deciban")
    assert loaded.predict_proba({"x": TEXT}) == pytest.approx(fitted().predict_proba({"x": TEXT}))
    assert loaded.predict_one({"x": "2"}) == fitted().predict_one({"x": "2"})


def test_any_model_reads_text_as_numbers_where_its_column_is_numeric():
    numbers = db.NaiveBayes({"x": db.Gaussian()}, na_values=["?"]).fit({"x": NUMBERS}, Y)
    assert numbers.predict_proba({"x": ["2", "?"]}) == pytest.approx(numbers.predict_proba({"x": [2.0, None]}))
    merged = numbers.merge(fitted(columns={"x": db.Gaussian()}))
    assert merged.predict_proba({"x": ["2"]}) == pytest.approx(merged.predict_proba({"x": [2.0]}))
