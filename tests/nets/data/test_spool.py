"""A column read in batches: codes that widen, numbers that are too many to count, and the kind of the whole."""

import numpy as np
import pytest

from deciban.errors import InputError, InputTypeError, MissingValueError
from deciban.nets.data.mapped import ColumnSpool, ScratchArray
from deciban.nets.data.node_rows import distinct_values, kind_of
from deciban.read import Column


def spooled(values, batch, **options):
    spool = ColumnSpool("x", **options)
    for begin in range(0, len(values), batch):
        spool.extend(Column.of_values("x", values[begin : begin + batch]), None)
    return spool


def codes_of(spool, dtype=np.int32):
    states, out = spool.states(), ScratchArray(dtype)
    spool.write_codes(states, out)
    return list(states.values), out.mapped().tolist()


def numbers_of(spool):
    out = ScratchArray(np.float64)
    spool.write_numbers(out, "")
    return out.mapped()


@pytest.mark.parametrize("states", [2, 255, 256, 300, 65_535])
def test_codes_are_those_of_the_whole_column(states):
    """A byte has room for 255 states and the missing value; the 256th widens what was written before."""
    values = np.random.default_rng(states).permutation(np.repeat(np.arange(states)[::-1], 2)).astype(object)
    values[::7] = None
    values[-1] = states - 1
    found, codes = codes_of(spooled(values, len(values) // 5 + 1))
    want, want_codes = distinct_values(Column.of_values("x", values))
    assert found == want and codes == want_codes.tolist()


def test_labels_of_many_types_are_sorted_as_in_memory():
    values = np.array(["sun", None, "fog", "sun", "rain", None, "ash"], dtype=object)
    assert codes_of(spooled(values, 2)) == (["ash", "fog", "rain", "sun"], [3, -1, 1, 3, 2, -1, 0])


def test_whole_numbers_become_floats_where_a_later_batch_has_fractions():
    states, _ = codes_of(spooled(np.array([1.0, 2.0, np.nan, 2.5, 1.0]), 2))
    assert states == [1.0, 2.0, 2.5] and {type(state) for state in states} == {float}
    states, _ = codes_of(spooled(np.array([1.0, np.nan, 2.0]), 1))
    assert {type(state) for state in states} == {int}


@pytest.mark.parametrize("values", [np.arange(500) / 8, np.arange(70_000)[::-1], np.arange(300) + 0.0])
def test_numbers_are_kept_however_many_there_are(values):
    values = np.append(values, values[:9])
    for is_raw in (False, True):
        assert np.array_equal(numbers_of(spooled(values, 61, given="number" if is_raw else None)), values)


def test_numbers_keep_their_missing_values():
    values = np.where(np.arange(200) % 3 == 0, np.nan, np.arange(200) / 7)
    assert np.array_equal(numbers_of(spooled(values, 50)), values, equal_nan=True)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(100) % 80,
        np.arange(1000) % 80,
        np.arange(1000) % 80 / 4,
        np.arange(10) / 4,
        np.array(["a", "b"] * 50, dtype=object),
        np.array([f"{i}" for i in range(100)], dtype=object),
        np.array([f"{i % 70}" for i in range(1000)], dtype=object),
    ],
)
def test_the_kind_is_that_of_the_whole_column(values):
    assert spooled(values, 33).kind().kind == kind_of(Column.of_values("x", values)).kind


def test_labels_that_name_rows_are_refused_while_they_are_read():
    labels = np.array([f"{i}" for i in range(70_000)], dtype=object)
    with pytest.raises(InputError, match=r"'x' has at least 70,000 different values in 70,000 rows: it names rows"):
        spooled(labels, 70_000)


def test_labels_are_no_numbers():
    with pytest.raises(InputTypeError, match="holds labels such as 'a', not numbers"):
        numbers_of(spooled(np.array(["a", "b"], dtype=object), 2))


def test_a_column_without_values_is_refused():
    empty = np.array([None, None], dtype=object)
    for read in (codes_of, numbers_of):
        with pytest.raises(MissingValueError, match="no value at all"):
            read(spooled(empty, 1))


def test_numbers_that_are_too_large_are_named_with_their_row():
    values = np.where(np.arange(100) == 77, 1e200, np.arange(100) / 3)
    with pytest.raises(InputError, match=r"has 1e\+200 \(row 77\)"):
        numbers_of(spooled(values, 10))
