"""Which distribution each column gets: a user who never names one must be able to see what was picked, and why."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import log_loss

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, ParameterError

DAY = datetime.date(2026, 1, 1)
Y = ["p", "q"] * 10
MIXED = {
    "text": ["a", "b"] * 10,
    "present": [True, False] * 10,
    "size": [0.5, 1.0] * 10,
    "code": [0, 1, 2, 3] * 5,
    "amount": list(range(20)),
}


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        (["a", "b"] * 10, db.Categorical, "labels: 2 distinct"),
        (pd.Categorical(["x", "y"] * 10), db.Categorical, "labels: 2 distinct"),
        (pl.Series(["x", "y"] * 10, dtype=pl.Enum(["x", "y"])), db.Categorical, "labels: 2 distinct"),
        ([True, False] * 10, db.Categorical, "labels: 2 distinct"),
        (np.array([True, False] * 10), db.Categorical, "labels: 2 distinct"),
        ([DAY, DAY + datetime.timedelta(1)] * 10, db.Categorical, "labels: 2 distinct"),
        (pd.to_datetime(["2026-01-01", "2026-01-02"] * 10), db.Categorical, "labels: 2 distinct"),
        ([1, "a"] * 10, db.Categorical, "labels: 2 distinct"),
        ([0.5, 1.5] * 10, db.Gaussian, "floats"),
        (np.array([0.5, 1.5] * 10, dtype=np.float32), db.Gaussian, "floats"),
        ([0, 7] * 10, db.Categorical, "whole numbers, 2 distinct"),
        ([*range(10)] * 2, db.Categorical, "whole numbers, 10 distinct"),
        ([*range(16), 0, 0, 0, 0], db.Gaussian, "whole numbers, 16 distinct in 20 rows"),
        (list(range(20)), db.Gaussian, "whole numbers, more than 16 distinct"),
        ([*range(17), 0, 0, 0], db.Gaussian, "whole numbers, more than 16 distinct"),
    ],
)
def test_a_column_gets_its_distribution_by_type_and_values(values, kind, reason):
    frame = pl.DataFrame({"c": values}) if isinstance(values, pl.Series) else pd.DataFrame({"c": values})
    plan = db.NaiveBayes().fit(frame, Y).schema_["c"]
    assert (type(plan.distribution), plan.reason) == (kind, reason)


NAMES = ["Braund, Mr. Owen", "Heikkinen, Miss. Laina", "Allen, Mr. William Henry"]
LINES = ["the train was late once again", "so we walked home", "and nobody of us minded the rain much"]


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        ([f"{line} {i}" for i in range(20) for line in LINES], db.Text, "text: 7.0 words on average"),
        ([f"{line} {i}" for i in range(20) for line in [*LINES, None]], db.Text, "text: 7.0 words on average"),
        ([f"{name} {i}" for i in range(20) for name in NAMES], db.Categorical, "labels: 60 distinct"),
        ([f"{LINES[0]} {i}" for i in range(26)] * 2, db.Categorical, "labels: 26 distinct"),
        ([f"{LINES[0]} {i}" for i in range(27)] + [f"{LINES[0]} 1"] * 25, db.Text, "text: 7.0 words on average"),
        ([f"PC {i}" for i in range(60)], db.Categorical, "labels: 60 distinct"),
        ([f"a few words {i}" for i in range(49)], db.Categorical, "labels: 49 distinct"),
        ([f"a few words {i}" for i in range(59)] + [7], db.Categorical, "labels: 60 distinct"),
    ],
    ids=["lines", "gaps", "names", "half", "more", "tickets", "few", "mixed"],
)
def test_strings_that_are_long_and_nearly_all_distinct_are_text(values, kind, reason):
    values = [None if v is not None and str(v).startswith("None") else v for v in values]
    model = db.NaiveBayes(missing="skip").fit(pd.DataFrame({"c": values}), np.arange(len(values)) % 2)
    plan = model.schema_["c"]
    assert (type(plan.distribution), plan.reason) == (kind, reason)


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_the_kind_of_frame_makes_no_difference(form):
    picked = [type(plan.distribution).__name__ for plan in db.NaiveBayes().fit(form(MIXED), Y).schema_]
    assert picked == ["Categorical", "Categorical", "Gaussian", "Categorical", "Gaussian"]


def test_a_plain_array_has_names_of_its_own():
    schema = db.NaiveBayes().fit(np.array([[0.5, 1.0], [1.5, 2.0]]), ["p", "q"]).schema_
    assert [(plan.name, plan.reason) for plan in schema] == [("x0", "floats"), ("x1", "floats")]


def test_the_first_rows_of_a_stream_do_not_make_codes_measurements():
    plan = db.NaiveBayes().fit({"c": [0, 1, 2, 3]}, ["p", "q", "p", "q"]).schema_["c"]
    assert isinstance(plan.distribution, db.Categorical)


def test_measurements_in_a_small_table_are_not_taken_for_codes():
    rows = {"c": [1, 3, 2, 4, 11, 13, 12, 14]}
    model = db.NaiveBayes().fit(rows, ["low"] * 4 + ["high"] * 4)
    assert model.predict({"c": [5, 10]}).tolist() == ["low", "high"]


def test_many_distinct_numbers_that_come_late_are_seen():
    late = np.concatenate([np.zeros(20_000, dtype=int), np.arange(40)])
    assert "more than 16 distinct" in db.NaiveBayes().fit({"n": late}, np.arange(len(late)) % 2).schema_["n"].reason


rng = np.random.default_rng(0)


def test_a_spike_does_not_drown_the_rest():
    """Four in five rows are 0: a mean and a variance would call half of the others impossible."""
    y = np.arange(1000) % 2
    x = np.where(rng.uniform(size=1000) < 0.8, 0.0, np.exp(rng.normal(y * 2.0, 1.0)))
    models = db.NaiveBayes(), db.NaiveBayes(db.Gaussian())
    auto, normal = (log_loss(y, model.fit({"x": x}, y).predict_proba({"x": x})) for model in models)
    assert auto < normal - 0.01


def test_the_schema_shows_itself_as_a_table():
    schema = db.NaiveBayes(columns={"code": db.Poisson()}).fit(MIXED, Y).schema_
    assert repr(schema).splitlines() == [
        "column   distribution  reason",
        "text     Categorical   labels: 2 distinct",
        "present  Categorical   labels: 2 distinct",
        "size     Gaussian      floats",
        "code     Poisson       as given",
        "amount   Gaussian      whole numbers, more than 16 distinct",
    ]
    assert len(schema) == 5
    with pytest.raises(ColumnMismatchError, match="there is no column 'colour'"):
        schema["colour"]


def test_the_html_of_a_schema_escapes_names():
    html = db.NaiveBayes().fit({"<b>": ["a", "b"]}, ["p", "q"]).schema_._repr_html_()
    assert html.startswith("<table>")
    assert "<td>&lt;b&gt;</td><td>Categorical</td><td>labels: 2 distinct</td>" in html


def test_values_that_stand_for_missing_ones_are_no_labels():
    table = {"c": ["a", "b", "?", None] * 5}
    assert db.NaiveBayes(na_values=["?"]).fit(table, Y).schema_["c"].reason == "labels: 2 distinct"


def test_a_named_column_overrides_the_pick_and_the_rest_is_picked():
    model = db.NaiveBayes(columns={"amount": db.Poisson(), "code": db.Ignore()}).fit(MIXED, Y)
    assert [plan.reason for plan in model.schema_][2:] == ["floats", "as given", "as given"]
    assert isinstance(model.schema_["amount"].distribution, db.Poisson)
    other = {**MIXED, "code": [99] * 20}
    np.testing.assert_array_equal(model.predict_proba(MIXED), model.predict_proba(other))


def test_one_distribution_is_for_all_columns():
    model = db.NaiveBayes(db.Categorical()).fit(MIXED, Y)
    assert {type(plan.distribution) for plan in model.schema_} == {db.Categorical}


def test_what_a_distribution_leaves_open_is_the_models_own():
    own = db.Categorical(smoothing=db.MLE(), unseen="error", missing="skip")
    model = db.NaiveBayes({"text": own}, smoothing=db.Jeffreys(), unseen="ignore", missing="error").fit(MIXED, Y)
    assert model.schema_["text"].distribution == own
    filled = db.Categorical(smoothing=db.Jeffreys(), unseen="ignore", missing="error")
    assert model.schema_["present"].distribution == filled


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (
            {"colour": db.Gaussian()},
            ColumnMismatchError,
            "columns names 'colour', which is no column",
        ),
        ({"size": "gaussian"}, ParameterError, r"columns\['size'\] is 'gaussian', which is no distribution"),
        ({"size": db.Laplace}, ParameterError, "which is no distribution"),
        ({"size": None}, ParameterError, "which is no distribution"),
        ("all", ParameterError, "not 'all'"),
        (3, ParameterError, "a mapping of names to them or the schema_ of a model, not 3"),
        ({"text": db.Gaussian()}, InputError, "column 'text' holds 'a', which is not a number"),
        ({"text": db.Bernoulli()}, InputError, "column 'text' holds 'a', which is not a number"),
        ({"size": db.Poisson()}, InputError, "column 'size' is Poisson, but holds numbers that are not whole"),
        ({"amount": db.LogNormal()}, InputError, r"column 'amount' \(row 0\) is 0: LogNormal takes numbers above 0"),
    ],
)
def test_a_wrong_override_is_named(columns, error, message):
    with pytest.raises(error, match=message):
        db.NaiveBayes(columns).fit(MIXED, Y)


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (db.Gaussian, {"tie": "all"}, "tie is one of"),
        (db.Gaussian, {"strength": -1}, "strength must be a number that is not negative"),
        (db.Gaussian, {"strength": float("nan")}, "strength must be a number that is not negative"),
        (db.Gaussian, {"missing": "drop"}, "missing of a Gaussian column is one of 'skip', 'error', 'state'"),
        (db.Ignore, {"missing": "state"}, "missing of a Ignore column is one of 'skip', 'error'"),
        (db.Categorical, {"missing": "drop"}, "missing of a Categorical column is one of 'skip', 'error', 'state'"),
        (db.Categorical, {"unseen": "drop"}, "unseen is one of"),
    ],
)
def test_a_wrong_parameter_of_a_distribution_is_named(kind, parameters, message):
    with pytest.raises(ParameterError, match=message):
        kind(**parameters)


def test_models_that_picked_differently_say_so_when_they_are_merged():
    y = np.arange(200) % 2
    normal, folded = rng.normal(y * 2.0), np.where(y, rng.choice([-3.0, 3.0], 200), 0.0) + rng.normal(size=200)
    one, other = (db.NaiveBayes().fit({"x": x}, y) for x in (normal, folded))
    message = (
        r"column 'x' is Gaussian\(\) in one model \(floats; Gaussian: .*\) and Binned\(\) in the other \(.*schema_"
    )
    with pytest.raises(ColumnMismatchError, match=message):
        one.merge(other)
    again = db.NaiveBayes(one.schema_).fit({"x": folded}, y)
    assert one.merge(again).tally_.total == 400


def test_models_that_count_missing_values_differently_say_so_when_they_are_merged():
    y, x = np.arange(200) % 2, np.where(np.arange(200) % 5, np.arange(200) % 3, np.nan)
    one, other = (db.NaiveBayes(missing=missing).fit({"x": x}, y) for missing in ("skip", "state"))
    with pytest.raises(
        ColumnMismatchError, match=r"Categorical\(\) in one model .* and Categorical\(missing='state'\)"
    ):
        one.merge(other)
