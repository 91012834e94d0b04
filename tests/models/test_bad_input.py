"""Bad input gives a right answer or one clear error of deciban's own, never NaN, never a crash."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    DecibanError,
    InputError,
    MissingValueError,
    ParameterError,
    UnfittedError,
)

ALL = [db.GaussianNB, db.MultinomialNB, db.ComplementNB, db.BernoulliNB, db.CategoricalNB, db.JointBayes]
X = np.array([[1, 0, 3], [0, 2, 1], [1, 1, 0], [3, 0, 0]])
Y = np.array([0, 1, 1, 0])
models = pytest.mark.parametrize("make", ALL)


@models
def test_missing_values(make):
    gaps = X.astype(float)
    gaps[1, 2] = np.nan
    with pytest.raises(MissingValueError, match=r"column 'x2' \(row 1\) is missing"):
        make().fit(gaps, Y)
    with pytest.raises(MissingValueError, match=r"row 1"):
        make().fit(X, Y).predict(gaps)
    model = make(missing="skip").fit(gaps, Y)
    assert np.isfinite(model.predict_proba(gaps)).all()
    assert model.predict_proba(np.full((1, 3), np.nan))[0] == pytest.approx([0.5, 0.5])


@models
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity(make, value):
    bad = X.astype(float)
    bad[2, 1] = value
    with pytest.raises(InputError, match=r"infinity|Negative"):
        make().fit(bad, Y)
    with pytest.raises(InputError, match=r"infinity|Negative"):
        make().fit(X, Y).predict_proba(bad)


@pytest.mark.parametrize("make", [db.MultinomialNB, db.ComplementNB, db.CategoricalNB])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_negative_counts(make, form):
    bad = X.copy()
    bad[3, 1] = -2
    with pytest.raises(InputError, match=r"Negative values in data passed to \w+ \(input X\): column 'x1' \(row 3\)"):
        make().fit(form(bad), Y)
    with pytest.raises(InputError, match="Negative"):
        make().fit(X, Y).predict(form(bad))


@models
def test_one_class(make):
    model = make().fit(X, np.ones(4))
    assert model.predict_proba(X).tolist() == [[1.0]] * 4


@models
def test_a_class_without_rows(make):
    model = make().partial_fit(X, Y, classes=[0, 1, 2])
    assert (model.predict_proba(X)[:, 2] == 0).all()


@models
@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_empty_data(make, shape):
    with pytest.raises(InputError, match="while a minimum of 1 is required"):
        make().fit(np.empty(shape), Y[: shape[0]])


@models
def test_wrong_columns(make):
    model = make().fit(X, Y)
    with pytest.raises(ColumnMismatchError, match="X has 2 features, but"):
        model.predict(X[:, :2])
    named = make().fit(pd.DataFrame(X, columns=list("abc")), Y)
    with pytest.raises(ColumnMismatchError, match="feature names"):
        named.predict(pd.DataFrame(X, columns=list("abd")))
    with pytest.raises(ColumnMismatchError, match="feature names"):
        named.partial_fit(pd.DataFrame(X, columns=list("bac")), Y)


@models
@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f8", ">i4", "f16", "O"]
)
def test_number_types(make, dtype):
    expected = make().fit(X, Y).predict_proba(X)
    assert make().fit(X.astype(dtype), Y).predict_proba(X.astype(dtype)) == pytest.approx(expected, rel=1e-6)


@models
def test_strides_and_read_only_buffers(make):
    expected = make().fit(X, Y).predict_proba(X)
    wide = np.zeros((8, 6), dtype=X.dtype)
    wide[::2, ::2] = X
    locked = X.copy()
    locked.flags.writeable = False
    packed = np.zeros(4, dtype=[("pad", "u1"), ("x", "f8", 3)])  # rows that are not aligned
    packed["x"] = X
    for form in (
        wide[::2, ::2],
        np.asfortranarray(X),
        X[::-1][::-1],
        locked,
        np.repeat(X, 2, axis=0)[::2],
        packed["x"],
    ):
        assert make().fit(form, Y).predict_proba(form) == pytest.approx(expected, rel=1e-12)


@models
def test_objects_of_mixed_types(make):
    mixed = np.array([[1, "a"], [2.5, "b"], [None, "a"], ["x", 3]], dtype=object)
    if make in (db.CategoricalNB, db.JointBayes):
        model = make(missing="skip").fit(mixed, Y)
        assert np.isfinite(model.predict_proba(mixed)).all()
    else:
        with pytest.raises(DecibanError, match="not a number"):
            make().fit(mixed, Y)
    with pytest.raises(DecibanError, match="string or a number"):
        make().fit(np.array([[{}, 1], [2, 3]], dtype=object), [0, 1])


@models
def test_frames(make):
    columns = {"a": [1, 0, 1, 3], "b": [0, 2, 1, 0], "c": [3, 1, 0, 0]}
    expected = make().fit(X, Y).predict_proba(X)
    arrow = pa.table(columns)

    class Stream:  # anything that speaks the Arrow C stream protocol
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.__arrow_c_stream__(requested_schema)

    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), arrow, columns, pd.DataFrame(columns, dtype="Int64")):
        assert make().fit(frame, Y).predict_proba(frame) == pytest.approx(expected, rel=1e-12)
    assert make().fit(Stream(), Y).predict_proba(Stream()) == pytest.approx(expected, rel=1e-12)


@models
def test_frames_with_gaps(make):
    columns = {"a": [1, None, 1, 3], "b": [0, 2, 1, None]}
    expected = make(missing="skip").fit(pa.table(columns), Y).predict_proba(pa.table(columns))
    assert np.isfinite(expected).all()
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pd.DataFrame(columns, dtype="Int64")):
        assert make(missing="skip").fit(frame, Y).predict_proba(frame) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("make", [db.CategoricalNB, db.JointBayes])
def test_frames_of_labels(make):
    columns = {"sky": ["sun", "rain", None, "sun"], "warm": [True, False, True, True]}
    expected = make(missing="skip").fit(pa.table(columns), Y).predict_proba(pa.table(columns))
    frames = [
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype({"sky": "category"}),
        pl.DataFrame(columns),
        pl.DataFrame(columns).with_columns(pl.col("sky").cast(pl.Categorical)),
        pl.DataFrame(columns).with_columns(pl.col("sky").cast(pl.Enum(["sun", "rain", "hail"]))),
    ]
    for frame in frames:
        assert make(missing="skip").fit(frame, Y).predict_proba(frame) == pytest.approx(expected, rel=1e-12)


def test_text_in_a_model_of_numbers_names_the_column():
    with pytest.raises(InputError, match=r"column 'sky' has 'sun' \(row 0\), which is not a number"):
        db.GaussianNB().fit(pl.DataFrame({"sky": ["sun", "rain"]}), [0, 1])


def test_two_columns_of_one_name():
    with pytest.raises(DecibanError):
        db.GaussianNB().fit(pd.DataFrame(X, columns=["a", "a", "b"]), Y)


@models
def test_labels(make):
    text = ["no", "yes", "yes", "no"]
    chunks = pa.chunked_array([text[:1], text[1:]])
    for y in (text, pd.Series(text), pd.Series(text, dtype="category"), pl.Series(text), pa.array(text), chunks):
        assert make().fit(X, y).classes_.tolist() == ["no", "yes"]
    assert make().fit(X, Y.astype(bool)).predict(X).dtype == bool
    assert make().fit(X, [-5, 10**9, 10**9, -5]).classes_.tolist() == [-5, 10**9]
    assert make().fit(X, pl.Series(Y)).classes_.tolist() == [0, 1]
    for y in (None, [0.5, 1.5, 2, 3], [0, 1], [[0, 1]] * 4, [0, 1, np.nan, 0], ["a", None, "b", "a"]):
        with pytest.raises(DecibanError):
            make().fit(X, y)


@models
def test_bad_parameters(make):
    with pytest.raises(ParameterError, match="'missing' parameter"):
        make(missing="drop").fit(X, Y)
    with pytest.raises(UnfittedError, match="not fitted yet"):
        make().predict(X)
    with pytest.raises(UnfittedError):
        make().forget(X, Y)
    with pytest.raises(ParameterError, match="classes must be passed on the first call"):
        make().partial_fit(X, Y)


@pytest.mark.parametrize("make", ALL[:5])
def test_malformed_sparse_input_is_an_error_and_not_a_crash(make):
    bad = sp.csr_array(X)
    bad.indices = bad.indices + 100
    with pytest.raises((DecibanError, ValueError)):
        make().fit(bad, Y)


@models
@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2, 2)), np.ones((2, 2)) * 1j, np.array(3.0)])
def test_wrong_shapes_and_kinds(make, array):
    with pytest.raises(DecibanError):
        make().fit(array, [0, 1])


def test_values_outside_the_unit_interval_when_nothing_is_binarized():
    with pytest.raises(InputError, match="from 0 to 1 when binarize=None"):
        db.BernoulliNB(binarize=None).fit(X, Y)
    assert db.BernoulliNB(binarize=None).fit(X / 4, Y).predict(X / 4).shape == (4,)
