"""The core reads the values of rows as Python does: plain ones itself, all others by a function; wrong sizes fail."""

import decimal
import gc
import math
import weakref

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError
from deciban.estimate.live import BinColumn, LabelColumn, LiveRow, NormalColumn, OtherColumn, core_reader

NUMBERS = core_reader("x", frozenset([9, "?"]), None)
ONE = np.ones((3, 2))


def normal():
    return NormalColumn(ONE, False, 1.0, NUMBERS)


def row_of(column, names=("x",)):
    return LiveRow(list(names), [column], np.ones(2), lambda _: None)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), decimal.Decimal(2), np.array(2.0)])
def test_numbers_in_any_form(value):
    row = row_of(normal())
    assert row.joint({"x": value}, [0.0, 0.0]) == row.joint({"x": 2.0}, [0.0, 0.0]) != [0.0, 0.0]


@pytest.mark.parametrize("value", [None, math.nan, np.nan, np.float32(np.nan), 9, 9.0])
def test_missing_values_and_markers(value):
    row = row_of(column := normal())
    assert row.joint({"x": value}, [0.0, 0.0]) == [0.0, 0.0] == row.joint({}, [0.0, 0.0])
    row.learn({"x": value}, 0)
    assert len(column.pending()[0]) == 0 and row.class_counts().tolist() == [2.0, 1.0]


@pytest.mark.parametrize("value", ["two", True, math.inf, 10**400])
def test_values_that_are_no_numbers(value):
    row = row_of(normal())
    for call in (lambda: row.learn({"x": value}, 0), lambda: row.joint({"x": value}, None)):
        with pytest.raises(InputError):
            call()
    assert row.class_counts().tolist() == [1.0, 1.0]


def test_names_are_checked_where_a_row_has_more_of_them():
    found = []
    row = LiveRow(["x"], [normal()], np.ones(2), found.append)
    row.learn({"x": 1.0}, 0)
    row.learn({}, 0)
    assert found == []
    row.learn({"x": 1.0, "y": 2}, 0)
    assert found == [{"x": 1.0, "y": 2}]


def test_wrong_sizes_and_codes_are_refused():
    row = row_of(normal())
    with pytest.raises(ValueError, match="outside the classes"):
        row.learn({"x": 1.0}, 2)
    with pytest.raises(ValueError, match="a start for each class"):
        row.joint({"x": 1.0}, [0.0])
    with pytest.raises(ValueError, match="a weight for each column"):
        row.set_weights(np.ones(2))
    with pytest.raises(ValueError, match="the same classes"):
        LiveRow(["x"], [normal()], np.ones(3), print)
    with pytest.raises(ValueError, match="must ascend"):
        BinColumn(np.array([2.0, 1.0]), np.ones((2, 2)), None, "mdl", 2, np.empty(0), True, np.ones, NUMBERS)
    labels = LabelColumn(np.ones((1, 2)), 1, {"a": 0}, ["a"], np.ones, lambda _: 7, lambda _: 7)
    with pytest.raises(ValueError, match="outside the labels"):
        row_of(labels).learn({"x": "b"}, 0)
    scored = OtherColumn(None, None, lambda _: [0.0])
    with pytest.raises(ValueError, match="score each class"):
        row_of(scored).joint({"x": 1}, None)


def test_a_model_and_its_counter_are_freed_together():
    model = db.NaiveBayes().fit({"a": ["x", "y"], "n": [1.5, 2.5]}, [0, 1])
    model.learn_one({"a": "x", "n": 2.5}, 0).predict_one({"a": "y"})
    counter = weakref.ref(model._live)
    del model
    gc.collect()
    assert counter() is None
