"""Missing, empty and strange documents mean the same in every container, for every text model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import deciban as db
from deciban.errors import DecibanError, MissingValueError

X, Y = ["sun sea", "rain wind", "sun sand", "hail wind"], ["dry", "wet", "dry", "wet"]
MODELS = [
    db.TextNB(),
    db.TextNB(tokenizer=str.split),
    db.TextNB(n_bits=6),
    db.LogCountRatio(),
    db.AutoText(),
    db.TextEM(),
]
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "object": lambda x: np.array(x, dtype=object),
    "column": lambda x: np.array(x, dtype=object)[:, None],
    "pandas": lambda x: pd.Series(x, dtype=object),
    "pandas-string": lambda x: pd.Series(x, dtype="string"),
    "pandas-arrow": lambda x: pd.Series(x, dtype="string[pyarrow]"),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunked": lambda x: pa.chunked_array([x[:1], x[1:]], type=pa.string()),
    "generator": iter,
}
models = pytest.mark.parametrize("model", MODELS, ids=["words", "callable", "hashed", "ratio", "auto", "em"])


@models
@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_a_missing_document_is_an_error_that_names_its_row(model, make):
    fitted = clone(model).fit(make(X), Y)
    assert fitted.predict(make(X)).tolist() == Y
    holed = [X[0], X[1], None, X[3]]
    for method in (lambda: clone(model).fit(make(holed), Y), lambda: fitted.predict(make(holed))):
        with pytest.raises(MissingValueError, match="document 2"):
            method()


@models
def test_bytes_and_lone_surrogates_are_documents(model):
    fitted = clone(model).fit([x.encode() for x in X], Y)
    assert fitted.predict(X).tolist() == Y
    strange = ["sun \ud800", "\ud800\udfff rain", X[2], X[3]]
    assert clone(model).fit(strange, Y).predict(strange).tolist() == Y
    assert fitted.predict(strange[:1]).tolist() == ["dry"]


@models
def test_no_documents_and_what_is_no_text_say_so(model):
    for documents, labels in [([], []), ([1, 2, 3, 4], Y), ([["a"], ["b"], ["c"], ["d"]], Y), ("sun", ["dry"])]:
        with pytest.raises(DecibanError):
            clone(model).fit(documents, labels)


def test_a_column_of_text_may_have_missing_values():
    for missing in (None, np.nan, pd.NA):
        table = {"note": [X[0], X[1], missing, X[3]], "n": [1, 2, 1, 2]}
        model = db.NaiveBayes({"note": db.Text()}).fit(table, Y)
        assert model.predict(table).tolist() == Y
