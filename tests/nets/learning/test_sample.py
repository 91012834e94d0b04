"""The rows that nets are fitted on: the states that codes stand for, hidden nodes, and columns that are lost."""

import numpy as np
import pytest

from deciban.errors import ColumnMismatchError, InputTypeError
from deciban.nets.data.samples import read_number_sample, read_sample
from deciban.read import Variable


def test_fixed_states_come_before_found_ones():
    fixed = {"a": Variable.of_states("a", ("yes", "no"), "fixed")}
    sample = read_sample({"a": ["no", "yes"], "b": [5, 3]}, ["a", "b"], fixed=fixed, known={})
    assert sample.codes.tolist() == [[1, 0], [1, 0]] and sample.codes.dtype == np.int32
    assert sample.states == {**fixed, "b": Variable.of_states("b", (3, 5))}


def test_a_hidden_node_has_states_and_no_value():
    fixed = {"h": Variable.of_states("h", (0, 1), "fixed")}
    sample = read_sample({"a": ["no", "yes"]}, ["h", "a"], fixed=fixed, known={}, missing="em")
    assert sample.hidden == ("h",) and sample.codes.tolist() == [[-1, -1], [0, 1]]
    with pytest.raises(ColumnMismatchError, match=r"no column 'h'; it has a\. Add the column, or, for a hidden node"):
        read_sample({"a": ["no", "yes"]}, ["h", "a"], fixed=fixed, known={})


def test_numbers():
    sample = read_number_sample({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"]}, ["b", "a"], missing="skip")
    assert np.array_equal(sample.values, [[0.5, 1], [np.nan, 2]], equal_nan=True)
    with pytest.raises(InputTypeError, match=r"holds labels such as 'x', not numbers\. Use deciban\.BayesNet"):
        read_number_sample({"c": ["x", "y"]}, ["c"])
    lacking = read_number_sample({"a": [1.0, 2.0]}, ["a", "b"], missing="skip", may_lack=True)
    assert np.isnan(lacking.values[:, 1]).all()
