"""Labels of any type become classes in order and codes."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import deciban as db
from deciban.errors import ColumnMismatchError
from deciban.read import read_target
from deciban.read.table import is_series
from deciban.tallies import Sample


@given(hnp.arrays(st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u8"]), st.integers(1, 30)))
def test_integers_are_encoded_as_by_sorting(y):
    target = read_target(y, len(y))
    expected, inverse, counts = np.unique(y, return_inverse=True, return_counts=True)
    assert target.classes.labels.dtype == y.dtype
    assert target.classes.labels[target.codes].tolist() == y.tolist()
    sample = Sample.of(target)
    assert sample.classes.labels.tolist() == expected.tolist()
    assert sample.codes.tolist() == inverse.tolist()
    assert sample.counts.tolist() == counts.tolist()


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20))
def test_text_is_encoded_as_by_sorting(y):
    target = read_target(np.array(y, dtype=object), len(y))
    assert target.classes.labels.tolist() == sorted(set(y))
    assert [target.classes.labels[c] for c in target.codes] == y
    assert Sample.of(target).counts.sum() == len(y)


def test_a_column_of_labels_is_flattened_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y"):
        target = read_target(np.array([[1], [0]]), 2)
    assert target.classes.labels.tolist() == [0, 1]


def test_a_series_of_pandas_2_is_a_named_column(monkeypatch):
    """Before pandas 3 a Series has no interface of Arrow; its name and its types were lost."""
    old = type("Series", (), {})
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(Series=old))
    assert is_series(old())
    assert not is_series([1, 2])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert not is_series(old())


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda t: [{"play": x} for x in t["play"]]]
)
def test_a_table_of_nothing_but_the_target_is_named_as_such(make):
    with pytest.raises(ColumnMismatchError, match="no column beside 'play': there is nothing to learn from"):
        db.NaiveBayes().fit(make({"play": ["yes", "no"]}), "play")
