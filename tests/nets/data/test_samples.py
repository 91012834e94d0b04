"""Codes in the order of values and numbers, whatever type the columns have; one code for missing, one for unseen."""

import numpy as np
import pandas as pd
import pytest

from deciban.errors import InputError, InputTypeError, MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.node_rows import read_rows
from deciban.nets.data.samples import code_rows, read_codes, read_numbers
from deciban.read import MISSING, Variable

SKIP = {"missing": "skip", "choices": ("skip",)}


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, -2, 3, 7, -2]),
        np.array([3, 200, 3, 255, 200], dtype=np.uint8),
        np.array([5, 5, 5, 5, 5], dtype=np.int8),
        np.array([-128, 127, 0, 127, 0], dtype=np.int8),
        np.array([0, 1 << 40, 0, 5, 5]),
        np.array([1 << 63, (1 << 63) + 2, 1 << 63, 1 << 63, (1 << 63) + 2], dtype=np.uint64),
        np.array([-(1 << 63), 5 - (1 << 63), -(1 << 63), -(1 << 63), -(1 << 63)]),
        np.array([0, 5_000, 0, 5_000, 17]),
    ],
    ids=lambda values: f"{values.dtype} {values[0]}",
)
def test_whole_numbers_are_coded_in_their_order(values):
    sample = read_codes(pd.DataFrame({"a": values, "b": values[::-1]}), numbers="")
    states, codes = np.unique(values, return_inverse=True)
    assert sample.states == {name: Variable.of_states(name, states.tolist()) for name in "ab"}
    assert sample.sizes.tolist() == [len(states)] * 2
    assert sample.codes.tolist() == [codes.tolist(), codes[::-1].tolist()]


def test_a_missing_value_has_one_code():
    sample = read_codes({"a": [1.0, np.nan, 3.0], "b": ["x", None, "y"]}, numbers="", **SKIP)
    assert sample.codes.tolist() == [[0, MISSING, 1]] * 2 and sample.sizes.tolist() == [2, 2]


def test_variables_come_in_the_order_of_names_and_columns_as_they_came():
    sample = read_codes({"b": [1, 2], "a": [4, 3]}, numbers="")
    assert sample.names == ("a", "b") and sample.columns == ("b", "a") and sample.codes.tolist() == [[1, 0], [0, 1]]
    assert read_codes(sample, numbers="") is sample


@pytest.mark.parametrize(("states", "dtype"), [(2, np.int8), (128, np.int8), (129, np.int16), (40_000, np.int32)])
def test_codes_are_as_narrow_as_they_can_be(states, dtype):
    sample = read_codes({"a": np.tile(np.arange(states), 3)}, numbers="")
    assert sample.codes.dtype == dtype and sample.codes.max() == states - 1


def test_a_value_that_is_no_given_state_is_an_error():
    rows = read_rows({"a": ["x", "z"]})
    with pytest.raises(
        UnseenStateError, match=r"'a' has value 'z' \(row 1\), which is not one of its states: 'x', 'y'"
    ):
        code_rows(rows, ["a"], fixed={"a": Variable.of_states("a", ("x", "y"), "fixed")})
    sample = code_rows(rows, ["a"], fixed={"a": Variable.of_states("a", ("x",), "fixed")}, ignored=["a"])
    assert sample.codes.tolist() == [[MISSING, MISSING]]


def test_numbers():
    sample = read_numbers({"b": [1, None], "a": [2**70, 1]}, labels="", **SKIP)
    assert np.array_equal(sample.values, [[2.0**70, 1], [1, np.nan]], equal_nan=True) and not sample.is_complete
    assert read_numbers(sample, labels="") is sample and sample.total == 2
    weighed = read_numbers({"a": [1.0, 2.0, 3.0]}, sample_weight=[0, 2, 3], labels="")
    assert weighed.values.ravel().tolist() == [2, 3] and weighed.total == 5


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (["x", "y"], InputTypeError, "holds labels such as 'x', not numbers. Bin them."),
        ([True, False], InputTypeError, "holds labels such as"),
        ([1.0, np.inf], InputError, r"inf \(row 1\): numbers must not exceed"),
        ([1.0, 1e200], InputError, "must not exceed"),
        ([np.nan, np.nan], MissingValueError, "every row is missing"),
    ],
)
def test_what_is_no_number_is_said(values, error, words):
    with pytest.raises(error, match=words):
        read_numbers({"a": values}, labels="Bin them.", **SKIP)


def test_numbers_have_no_state_for_missing_values():
    with pytest.raises(ParameterError, match='missing="state" is for categories'):
        read_numbers({"a": [1.0, None]}, missing="state", choices=("state",), labels="")
