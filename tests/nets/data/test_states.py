"""A value is the same state whatever type its column has, and states join as samples do."""

import numpy as np
import pandas as pd
import pytest

from deciban.errors import ParameterError, UnseenStateError
from deciban.nets.data.states import UNSEEN, States, declared_states, distinct_values, listed, read_states, state_codes
from deciban.read import read_table

COLUMNS = [
    [1, 0, 2, 1],
    np.array([1, 0, 2, 1], dtype=np.int8),
    [1.0, 0.0, 2.0, 1.0],
    pd.Series([1, 0, 2, 1], dtype="Int64"),
    pd.Categorical([1, 0, 2, 1]),
    pd.Series([1, 0, 2, 1], dtype=object),
]


def column_of(values):
    (column,) = read_table(pd.DataFrame({"a": values})).columns
    return column


@pytest.mark.parametrize("values", COLUMNS, ids=lambda values: str(getattr(values, "dtype", type(values[0]))))
def test_numbers_of_any_type_are_the_same_states(values):
    assert state_codes(column_of(values), (2, 1)).tolist() == [1, UNSEEN, 0, 1]


def test_missing_values_are_no_state_even_where_none_is_one():
    assert state_codes(column_of(["x", None, "y"]), ("y", None, "x")).tolist() == [2, -1, 0]


def test_whole_numbers_that_became_floats_are_whole_again():
    values, codes = distinct_values(column_of([3.0, np.nan, 1.0]))
    assert [(type(value), value) for value in values] == [(int, 1), (int, 3)] and codes.tolist() == [1, -1, 0]


def test_declared_states_keep_their_order():
    column = column_of(pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True))
    assert declared_states(column) == States(("low", "mid", "high"), "declared")
    assert declared_states(column.take(np.array([1]))) == States(("low", "mid", "high"), "declared")
    assert declared_states(column_of(["low", "high"])) is None


def test_few_states_are_all_listed():
    assert listed(("a", 1)) == "'a', 1"


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (States(("a", "c")), States(("b",)), States(("a", "b", "c"))),
        (States((0, 2)), States((1, 2)), States((0, 1, 2))),
        (States(("low", "high"), "declared"), States(("high", "mid")), States(("low", "high", "mid"), "declared")),
        (States(("high", "mid")), States(("low", "high"), "declared"), States(("low", "high", "mid"), "declared")),
        (States(("b", "a"), "fixed"), States(("a",)), States(("b", "a"), "fixed")),
        (States(("a",)), States(("b", "a"), "fixed"), States(("b", "a"), "fixed")),
        (States((1,)), States(("a",)), States((1, "a"))),
        (States(()), States(("a",)), States(("a",))),
    ],
)
def test_joining(one, other, joined):
    assert one.union(other, "x") == joined


def test_a_fixed_list_takes_no_new_states():
    with pytest.raises(UnseenStateError, match="'x' has no state 'c'; its states were fixed: 'b', 'a'"):
        States(("b", "a"), "fixed").union(States(("c",)), "x")


def test_states_that_a_user_fixes():
    assert read_states("ab", {"a": 2, "b": ["no", "yes"]}) == {
        "a": States((0, 1), "fixed"),
        "b": States(("no", "yes"), "fixed"),
    }
    for states, words in (({"c": 2}, "not a node"), ({"a": 0}, "cannot have 0"), ({"a": "no"}, "a list of values")):
        with pytest.raises(ParameterError, match=words):
            read_states("ab", states)
