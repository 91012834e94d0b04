"""A value is the same state whatever type its column has, and states join as samples do."""

import numpy as np
import pandas as pd
import pytest

from deciban.errors import ParameterError, UnseenStateError
from deciban.nets.data.node_rows import UNSEEN, declared_states, distinct_values, read_states, state_codes
from deciban.read import Variable, read_table
from deciban.read.variable import listed

COLUMNS = [
    [1, 0, 2, 1],
    np.array([1, 0, 2, 1], dtype=np.int8),
    [1.0, 0.0, 2.0, 1.0],
    pd.Series([1, 0, 2, 1], dtype="Int64"),
    pd.Categorical([1, 0, 2, 1]),
    pd.Series([1, 0, 2, 1], dtype=object),
]


def states(values, kind="found"):
    return Variable.of_states("x", values, kind)


def column_of(values):
    (column,) = read_table(pd.DataFrame({"a": values})).columns
    return column


@pytest.mark.parametrize("values", COLUMNS, ids=lambda values: str(getattr(values, "dtype", type(values[0]))))
def test_numbers_of_any_type_are_the_same_states(values):
    assert state_codes(column_of(values), states((2, 1), "fixed")).tolist() == [1, UNSEEN, 0, 1]


def test_missing_values_are_no_state_even_where_none_is_one():
    assert state_codes(column_of(["x", None, "y"]), states(("y", None, "x"), "fixed")).tolist() == [2, -1, 0]


def test_whole_numbers_that_became_floats_are_whole_again():
    values, codes = distinct_values(column_of([3.0, np.nan, 1.0]))
    assert [(type(value), value) for value in values] == [(int, 1), (int, 3)] and codes.tolist() == [1, -1, 0]


def test_declared_states_keep_their_order():
    column = column_of(pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True))
    assert declared_states("x", column) == states(("low", "mid", "high"), "declared")
    assert declared_states("x", column.take(np.array([1]))) == states(("low", "mid", "high"), "declared")
    assert declared_states("x", column_of(["low", "high"])) is None


def test_few_states_are_all_listed():
    assert listed(("a", 1)) == "'a', 1"


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (states(("a", "c")), states(("b",)), states(("a", "b", "c"))),
        (states((0, 2)), states((1, 2)), states((0, 1, 2))),
        (states(("low", "high"), "declared"), states(("high", "mid")), states(("low", "high", "mid"), "declared")),
        (states(("high", "mid")), states(("low", "high"), "declared"), states(("low", "high", "mid"), "declared")),
        (states(("b", "a"), "fixed"), states(("a",)), states(("b", "a"), "fixed")),
        (states(("a",)), states(("b", "a"), "fixed"), states(("b", "a"), "fixed")),
        (states((1,)), states(("a",)), states((1, "a"))),
        (states(()), states(("a",)), states(("a",))),
    ],
)
def test_joining(one, other, joined):
    assert one.union(other) == joined


def test_a_fixed_list_takes_no_new_states():
    with pytest.raises(UnseenStateError, match="'x' has no state 'c'; its states were fixed: 'b', 'a'"):
        states(("b", "a"), "fixed").union(states(("c",)))


def test_states_that_a_user_fixes():
    assert read_states("ab", {"a": 2, "b": ["no", "yes"]}) == {
        "a": Variable.of_states("a", (0, 1), "fixed"),
        "b": Variable.of_states("b", ("no", "yes"), "fixed"),
    }
    for given, words in (({"c": 2}, "not a node"), ({"a": 0}, "cannot have 0"), ({"a": "no"}, "a list of values")):
        with pytest.raises(ParameterError, match=words):
            read_states("ab", given)
