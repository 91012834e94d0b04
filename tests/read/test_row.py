"""One row is one row, whatever holds it: `explain`, `predict_one` and `learn_one` take the same kinds."""

import sqlite3
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.read.table import read_row

TABLE = {"sky": ["sun", "rain", "sun", "fog"] * 5, "warm": [20.5, 9.0, 18.5, 11.0] * 5}
Y = ["play", "stay", "play", "stay"] * 5
ROW = {"sky": "sun", "warm": 19.5}


@dataclass
class Day:
    sky: str
    warm: float


def database_row():
    link = sqlite3.connect(":memory:")
    link.row_factory = sqlite3.Row
    return link.execute("select 'sun' as sky, 19.5 as warm").fetchone()


ROWS = {
    "dict": ROW,
    "OrderedDict": OrderedDict(ROW),
    "MappingProxyType": MappingProxyType(ROW),
    "Series": pd.Series(ROW),
    "pandas": pd.DataFrame([ROW]),
    "polars": pl.DataFrame([ROW]),
    "polars-row": pl.DataFrame([ROW]).row(0, named=True),
    "polars-tuple": pl.DataFrame([ROW]).row(0),
    "arrow": pa.Table.from_pylist([ROW]),
    "batch": pa.RecordBatch.from_pylist([ROW]),
    "columns": {name: [value] for name, value in ROW.items()},
    "list": list(ROW.values()),
    "tuple": tuple(ROW.values()),
    "array": np.array(list(ROW.values()), dtype=object),
    "matrix": np.array([list(ROW.values())], dtype=object),
    "named tuple": namedtuple("Day", ROW)(**ROW),
    "itertuples": next(pd.DataFrame([ROW]).itertuples(index=False)),
    "dataclass": Day(**ROW),
    "record": np.array([("sun", 19.5)], dtype=[("sky", "U3"), ("warm", "f8")])[0],
    "database": database_row(),
    "reordered": {"warm": 19.5, "sky": "sun"},
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE, db.BayesNetClassifier])
def test_all_methods_take_all_rows(name, make):
    row, model = ROWS[name], make().fit(TABLE, Y)
    if name == "columns" and make is db.NaiveBayes:
        assert model.explain(row).to_text() == model.explain(ROW).to_text()
        return  # a dict goes straight to the scorers, which take single values
    assert model.explain(row).to_text() == model.explain(ROW).to_text()
    assert model.predict_one(row) == model.predict_one(ROW) == "play"
    assert model.predict_proba_one(row) == model.predict_proba_one(ROW)
    if make is db.NaiveBayes:
        assert model.learn_one(row, "stay").tally_ == make().fit(TABLE, Y).learn_one(ROW, "stay").tally_


@pytest.mark.parametrize("make", [db.NaiveBayes, db.TAN, db.AODE])
def test_what_a_row_does_not_name_is_missing(make):
    model = make().fit(TABLE, Y)
    assert model.explain({"sky": "sun"}).to_text() == model.explain({"sky": "sun", "warm": None}).to_text()
    shown = model.explain({"sky": "sun"})
    odds = model.predict_proba_one({"sky": "sun"})
    assert shown.total_db == pytest.approx(10 * np.log10(odds[shown.label] / odds[shown.against]))


def test_a_first_row_must_name_the_columns():
    with pytest.raises(InputTypeError, match="the first row names the columns"):
        db.NaiveBayes().learn_one(["sun", 19.5], "play")
    assert db.NaiveBayes().learn_one(Day("sun", 19.5), "play").tally_.names == ("sky", "warm")


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        (["sun"], ColumnMismatchError, "the row has 1 values, but there are 2 columns"),
        (pd.DataFrame(TABLE), InputError, "one row is expected, not 20"),
        ("sun", InputTypeError, "not a str"),
        (7, InputTypeError, "not a int"),
        (None, InputTypeError, "not a NoneType"),
        (np.zeros((1, 3)), ColumnMismatchError, "the row has 3 values"),
    ],
)
def test_what_is_no_row_is_refused(row, error, message):
    with pytest.raises(error, match=message):
        read_row(row, ["sky", "warm"])
