"""Numbers are read where they lie."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from deciban.errors import InputError
from deciban.read import read_matrix


def test_arrays_and_frames_of_one_type_are_not_copied():
    array = np.arange(12.0).reshape(4, 3)
    assert read_matrix(array).values is array
    frame = pd.DataFrame(array, columns=list("abc"), copy=False)
    assert np.shares_memory(read_matrix(frame).values, array)
    assert read_matrix(frame).names == ("a", "b", "c")


def test_frames_keep_their_columns():
    frame = pl.DataFrame({"a": [1, 2], "b": [0.5, None]})
    matrix = read_matrix(frame)
    assert matrix.names == ("a", "b")
    assert matrix.values[0].tolist() == [1.0, 0.5]
    assert np.isnan(matrix.values[1, 1])


@pytest.mark.parametrize("form", [sp.csc_array, sp.coo_matrix, sp.lil_array, sp.dok_array, sp.bsr_array])
def test_sparse_matrices_become_csr(form):
    dense = np.array([[0, 1.0], [2, 0], [0, 0]])
    matrix = read_matrix(form(dense))
    assert sp.issparse(matrix.values)
    assert np.array_equal(matrix.dense(), dense)


def test_ragged_rows_are_an_error():
    with pytest.raises(InputError, match="do not make a table"):
        read_matrix([[1, 2], [3]])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_some_rows_can_be_taken(make):
    taken = read_matrix(make(np.arange(12.0).reshape(4, 3))).take(np.array([2, 0]))
    assert taken.dense().tolist() == [[6, 7, 8], [0, 1, 2]]
