"""Every estimator learns from every container and type of column, or says in an error of deciban why it cannot."""

import contextlib
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import deciban as db
from deciban.errors import DecibanError
from tests.containers import containers_of

rng = np.random.default_rng(0)
ROWS = 24
Y = [("no", "yes")[i % 3 == 0] for i in range(ROWS)]
NUMBERS = {"a": rng.integers(0, 3, ROWS).tolist(), "b": rng.integers(0, 4, ROWS).tolist()}
MIXED = {
    "sky": [["sun", "rain", None][i % 3] for i in range(ROWS)],
    "wind": [None if i % 5 == 0 else float(w) for i, w in enumerate(rng.normal(size=ROWS).round(2))],
    "days": rng.integers(0, 3, ROWS).tolist(),
    "windy": [bool(v) for v in rng.integers(0, 2, ROWS)],
}
DROP_INS = [db.GaussianNB(), db.MultinomialNB(), db.ComplementNB(), db.BernoulliNB(), db.CategoricalNB()]
TABLES = [
    db.NaiveBayes(),
    db.NaiveBayes(missing="state"),
    db.JointBayes(missing="skip"),
    db.TAN(),
    db.AODE(),
    db.BayesNetClassifier(),
    db.KDB(members=3),
    db.Discriminant(),
    db.CountForest(n_trees=3),
    db.AutoBayes(),
]
DAG = db.DAG([("a", "b")])
NETS = {
    "discover": lambda data: db.discover(data).graph,
    "search": lambda data: db.search(data).graph,
    "BayesNet": lambda data: db.BayesNet(DAG).fit(data).query("b", {"a": 1}),
}


def learned_from(model, table):
    """The posteriors of the rows that were learned, for each container."""
    twice = zip(containers_of(table), containers_of(table), strict=True)  # a stream is read once
    return {name: model.fit(X, Y).predict_proba(again).round(12).tolist() for (name, X), (_, again) in twice}


@pytest.mark.parametrize("model", [*DROP_INS, *TABLES], ids=repr)
def test_every_estimator_learns_the_same_from_every_container(model):
    found = learned_from(model, NUMBERS)
    assert len(found) >= 25
    assert all(one == found["mapping of lists"] for one in found.values())


@pytest.mark.parametrize("model", TABLES, ids=repr)
def test_mixed_tables_are_read_alike(model):
    found = learned_from(model, MIXED)
    assert len(found) >= 18
    assert all(one == found["mapping of lists"] for one in found.values())


@pytest.mark.parametrize("make", NETS.values(), ids=NETS)
def test_nets_learn_the_same_from_every_container(make):
    found = {}
    for name, held in containers_of(NUMBERS):
        try:
            found[name] = repr(make(held)).replace("x0", "a").replace("x1", "b")
        except DecibanError as error:  # a graph names its columns, and an array has no names
            found[name] = str(error)
            assert "no column for" in found[name] and name in UNNAMED
    assert {one for name, one in found.items() if name not in UNNAMED} == {found["mapping of lists"]}


UNNAMED = {"rows", "tuple of tuples", "object array", "Fortran object array", "masked array", "array", "numpy.matrix"}

_TEXT = ["x", "y"] * (ROWS // 2)
_WHOLE = NUMBERS["a"]
STRANGE = {
    **{f"numpy {kind}": np.array([_WHOLE] * 2).T.astype(kind) for kind in ("i1", "u2", "u8", "f2", "f4", "g", ">i4")},
    **{f"polars {kind}": pl.DataFrame({"a": pl.Series(_WHOLE, dtype=kind)}) for kind in (pl.UInt8, pl.Int128)},
    "complex": np.array([_WHOLE] * 2).T.astype(complex),
    "strings": np.array([_TEXT] * 2).T,
    "bytes": np.array([_TEXT] * 2).T.astype("S"),
    "StringDType": np.array([_TEXT] * 2).T.astype(np.dtypes.StringDType()),
    "datetime64": np.array([["2020-01-01", "2021-01-01"]] * ROWS, dtype="M8[ns]"),
    "timedelta64": np.array([[1, 2]] * ROWS, dtype="m8[s]"),
    "void": np.zeros((ROWS, 1), dtype="V4"),
    "three dimensions": np.zeros((ROWS, 2, 2)),
    "one dimension": np.zeros(ROWS),
    "a scalar": np.array(3.0),
    "no rows": np.empty((0, 2)),
    "no columns": np.empty((ROWS, 0)),
    "sparse": sp.csr_array(np.array([_WHOLE] * 2).T),
    "sparse, coordinates": sp.coo_matrix(np.array([_WHOLE] * 2).T),
    "sparse, keys": sp.dok_array(np.array([_WHOLE] * 2).T),
    "an empty mapping": {},
    "unequal columns": {"a": _WHOLE, "b": _WHOLE[1:]},
    "a column that is text": {"a": "abc", "b": _WHOLE},
    "a column that is a number": {"a": 3},
    "a column of two dimensions": {"a": np.zeros((ROWS, 2))},
    "names that are numbers": dict(enumerate([_WHOLE, _WHOLE])),
    "names of two types": {"a": _WHOLE, 1: _WHOLE},
    "an empty list": [],
    "ragged rows": [[1, 2], [1]] * (ROWS // 2),
    "records that lack names": [{"a": 1} if i % 2 else {"b": 2} for i in range(ROWS)],
    "rows of arrays": [np.array([1, 2])] * ROWS,
    "rows of sets": [{1, 2}] * ROWS,
    "a huge number": {"a": [2**70] * ROWS},
    "a number beyond floats": {"a": [10**400, 1.5] * (ROWS // 2)},
    "whole numbers of both signs beyond 63 bits": {"a": [2**63 + 1, -1] * (ROWS // 2)},
    "large codes": {"a": [2**63 - 1, 2**62] * (ROWS // 2)},
    "lone surrogates": {"a": ["\udc80", "x"] * (ROWS // 2)},
    "lone surrogates in a frame": pd.DataFrame({"a": pd.Series(["\udc80", "x"] * (ROWS // 2), dtype=object)}),
    "mixed types": {"a": [1, "x", None, 2.5, True, b"b"] * (ROWS // 6)},
    "lists": {"a": [[1], [2]] * (ROWS // 2)},
    "dicts": pd.DataFrame({"a": [{}, {1: 2}] * (ROWS // 2)}),
    "decimals": {"a": [Decimal("1.5"), None] * (ROWS // 2)},
    "arrow decimals": pa.table({"a": pa.array([Decimal("1.5"), None] * (ROWS // 2))}),
    "arrow lists": pa.table({"a": [[1], [2]] * (ROWS // 2)}),
    "arrow structs": pa.table({"a": [{"b": 1}, {"b": 2}] * (ROWS // 2)}),
    "arrow nulls": pa.table({"a": pa.nulls(ROWS)}),
    "arrow times": pa.table({"a": [time(1), time(2)] * (ROWS // 2), "b": [timedelta(1)] * ROWS}),
    "arrow views": pa.table({"a": pa.array(_TEXT, pa.string_view())}),
    "arrow binary": pa.table({"a": pa.array([b"x", None] * (ROWS // 2))}),
    "arrow dictionaries": pa.table({"a": pa.array(_WHOLE).dictionary_encode()}),
    "two columns of one name": pa.table([_WHOLE, _WHOLE], names=["a", "a"]),
    "polars categories": pl.DataFrame({"a": pl.Series(_TEXT, dtype=pl.Categorical)}),
    "polars enums": pl.DataFrame({"a": pl.Series(_TEXT, dtype=pl.Enum(["y", "x", "z"]))}),
    "polars lists": pl.DataFrame({"a": [[1], [2]] * (ROWS // 2)}),
    "polars objects": pl.DataFrame({"a": pl.Series([object()] * ROWS, dtype=pl.Object)}),
    "a lazy frame": pl.LazyFrame({"a": _WHOLE}),
    "pandas categories": pd.DataFrame({"a": pd.Categorical(_TEXT, categories=["z", "y", "x"])}),
    "pandas intervals": pd.DataFrame({"a": pd.cut(pd.Series(_WHOLE), 2)}),
    "pandas periods": pd.DataFrame({"a": pd.period_range("2020", periods=ROWS, freq="M")}),
    "pandas dates": pd.DataFrame({"a": pd.date_range("2020", periods=ROWS, tz="UTC"), "b": [pd.NaT] * ROWS}),
    "pandas sparse": pd.DataFrame({"a": pd.arrays.SparseArray(_WHOLE)}),
    "pandas complex": pd.DataFrame({"a": [1j] * ROWS}),
    "pandas, columns of two levels": pd.DataFrame([[1, 2]] * ROWS, columns=pd.MultiIndex.from_tuples([(1, 2), (3, 4)])),
    "a pandas Series": pd.Series(_WHOLE),
    "dates": {"a": [date(2020, 1, 1), datetime(2020, 1, 2)] * (ROWS // 2)},
    "infinity": {"a": [1.5, float("inf")] * (ROWS // 2)},
    "None": None,
    "text": "abc",
    "a number": 3,
    "a set": {1, 2, 3},
    "a generator": (row for row in [[1, 2]] * ROWS),
    "an object": object(),
}


@pytest.mark.filterwarnings("ignore::deciban.errors.DecibanWarning")
@pytest.mark.parametrize("model", [*DROP_INS, *TABLES], ids=repr)
def test_strange_tables_are_learned_or_refused(model):
    for name, held in STRANGE.items():
        try:
            posterior = model.fit(held, Y).predict_proba(held)
        except DecibanError:
            continue
        except Exception as error:
            raise AssertionError(name) from error
        assert np.isfinite(posterior).all() and np.allclose(posterior.sum(axis=1), 1), name


@pytest.mark.parametrize("make", NETS.values(), ids=NETS)
def test_strange_tables_are_learned_or_refused_by_nets(make):
    for name, held in STRANGE.items():
        try:
            make(held)
        except DecibanError:
            continue
        except Exception as error:
            raise AssertionError(name) from error


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize("name", STRANGE)
def test_strange_targets_are_learned_or_refused(name):
    for model in (db.NaiveBayes(), db.GaussianNB()):
        try:
            model.fit(np.zeros((ROWS, 1)), STRANGE[name])
        except DecibanError:
            continue
        assert len(model.classes_) >= 1


@pytest.mark.parametrize("model", [db.TextNB(), db.LogCountRatio(), db.AutoText(), db.TextEM()], ids=repr)
def test_documents_are_read_alike_from_every_container(model):
    texts = ["sun and sea", "rain", "wind and rain", "sea", "", "sun"] * 4
    held = {
        "list": texts,
        "tuple": tuple(texts),
        "generator": (text for text in texts),
        "scalars": [np.str_(text) for text in texts],
        "Arrow scalars": list(pa.array(texts)),
        "object array": np.array(texts, dtype=object),
        "array": np.array(texts),
        "column of an array": np.array(texts, dtype=object)[:, None],
        "pandas": pd.Series(texts),
        "pandas objects": pd.Series(texts, dtype=object),
        "pandas array": pd.Series(texts).array,
        "pandas categories": pd.Series(texts, dtype="category"),
        "pandas Index": pd.Index(texts),
        "polars": pl.Series(texts),
        "polars categories": pl.Series(texts, dtype=pl.Categorical),
        "Arrow": pa.array(texts),
        "Arrow views": pa.array(texts, pa.string_view()),
        "Arrow chunks": pa.chunked_array([texts[:5], texts[5:]]),
        "Arrow dictionary": pa.array(texts).dictionary_encode(),
    }
    found = {name: model.fit(documents, Y).predict_proba(texts).tolist() for name, documents in held.items()}
    assert all(one == found["list"] for one in found.values())


@pytest.mark.parametrize("model", [db.TextNB(), db.LogCountRatio(), db.AutoText(), db.TextEM()], ids=repr)
def test_a_missing_document_is_an_error_in_every_container(model):
    texts = ["sun", None, "rain", "sun"]
    gone = [[*texts[:1], value, *texts[2:]] for value in (None, float("nan"), pd.NA, pa.scalar(None, pa.string()))]
    held = [*gone, np.array(texts, dtype=object), pd.Series(texts), pd.Series(texts, dtype=object), pl.Series(texts)]
    held += [pa.array(texts), pa.chunked_array([texts[:1], texts[1:]]), pd.Series(texts, dtype="category")]
    for documents in held:
        with pytest.raises(db.errors.MissingValueError, match="document 1 is missing"):
            model.fit(documents, ["a", "b", "a", "b"])


@pytest.mark.parametrize("strange", [3, None, object(), [1, 2, 3, 4], {"a": 1}, [["a"]] * 4, "text", ["\udc80"] * 4])
@pytest.mark.parametrize("model", [db.TextNB(), db.LogCountRatio(), db.AutoText(), db.TextEM()], ids=repr)
def test_strange_documents_are_learned_or_refused(model, strange):
    with contextlib.suppress(DecibanError):
        assert len(model.fit(strange, ["a", "b", "a", "b"]).predict(strange)) == 4
