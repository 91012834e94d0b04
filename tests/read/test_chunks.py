"""Numbers in chunks are read as the array that they are parts of."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.read import read_table
from deciban.read.frame import Chunks, is_readable


@given(st.lists(st.lists(st.integers(-3, 3), max_size=4), min_size=2, max_size=5), st.slices(12))
def test_chunks_are_their_whole(parts, rows):
    chunks = Chunks(pa.chunked_array(parts, type=pa.int64()))
    whole = np.array([value for part in parts for value in part], dtype=np.int64)
    assert len(chunks) == len(whole)
    assert chunks.dtype == whole.dtype
    assert np.array_equal(np.asarray(chunks), whole)
    assert np.array_equal(chunks[rows], whole[rows])
    assert np.array_equal(chunks[whole > 0], whole[whole > 0])


@pytest.mark.parametrize("kind", [pa.uint8(), pa.int64(), pa.float16(), pa.float32(), pa.float64()])
def test_a_table_in_chunks_reads_as_one_in_one_piece(kind):
    values = [np.float16(v) if kind == pa.float16() else v for v in (3, 1, 2, 3)]
    parts = pa.chunked_array([pa.array(values[:2], kind), pa.array(values[2:], kind)])
    column, whole = (read_table(pa.table({"x": x})).columns[0] for x in (parts, parts.combine_chunks()))
    assert isinstance(column.held, Chunks)
    assert column.numbers.dtype == whole.numbers.dtype
    assert column.numbers.tolist() == whole.numbers.tolist()
    assert column.variable() == whole.variable()
    assert column.value(1) == 1
    assert column.take(slice(1, 3)).numbers.tolist() == [1, 2]


def test_gaps_and_decimals_are_not_left_in_chunks():
    assert not is_readable(pa.chunked_array([[1], [None]]))
    assert not is_readable(pa.chunked_array([[1], [2]], type=pa.decimal128(5, 2)))
    table = read_table(pa.table({"gaps": pa.chunked_array([[1], [None]]), "half": pa.chunked_array([[0.5], [None]])}))
    assert [column.numbers.tolist()[0] for column in table.columns] == [1, 0.5]
    assert all(column.has_missing for column in table.columns)
