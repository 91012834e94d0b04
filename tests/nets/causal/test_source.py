"""Counts as probabilities: what was never seen has none, and rows with gaps are left out."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, TooLargeError
from deciban.nets.causal.estimand import NetSource, read_counts
from tests.nets.causal.models import joint, random_net

ROWS = {"x": ["a", "a", "b", None], "y": [0, 1, 1, 1], "z": ["p", "p", "q", "q"]}


def test_relative_frequencies():
    counts = read_counts(ROWS, ["x", "y"], db.MLE())
    assert counts.states == {"x": ("a", "b"), "y": (0, 1)}
    assert (counts.rows, counts.left_out) == (3, 1)
    assert counts.conditional(("y",), ("x",)).tolist() == [[0.5, 0.5], [0, 1]]
    assert counts.conditional(("x",), ()).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_what_was_never_seen_is_undefined_unless_smoothed():
    counts = read_counts(ROWS, ["x", "y", "z"], db.MLE())
    assert np.isnan(counts.conditional(("y",), ("x", "z"))[0, 1]).all()
    smooth = counts.smoothed(db.Laplace())
    assert smooth.conditional(("y",), ("x", "z"))[0, 1].tolist() == [0.5, 0.5]
    assert smooth.conditional(("y",), ("x",)).tolist() == [[0.5, 0.5], [1 / 3, 2 / 3]]


def test_weights_are_how_often_a_row_counts():
    twice = read_counts(ROWS, ["x", "y"], db.MLE(), [2, 1, 1, 5])
    again = read_counts({"x": ["a", "a", "a", "b"], "y": [0, 0, 1, 1]}, ["x", "y"], db.MLE())
    assert np.array_equal(twice.conditional(("y",), ("x",)), again.conditional(("y",), ("x",)))
    assert twice.drawn(np.random.default_rng(0)).rows == 4


@pytest.mark.parametrize("columns", [7, 20])
def test_rows_too_wide_for_a_table_or_for_one_number(columns):
    rng = np.random.default_rng(0)
    wide = {str(column): rng.integers(0, 12, 60) for column in range(columns)}
    narrow = {name: wide[name] for name in ("0", "1")}
    one, other = (read_counts(table, table, db.MLE()) for table in (wide, narrow))
    assert one.rows == 60 and len(one.codes) == 60
    assert np.array_equal(one.conditional(("0",), ()), other.conditional(("0",), ()))


def test_any_table_does():
    frame = pd.DataFrame(ROWS)
    same = read_counts(frame, ["x", "y"], db.MLE()).conditional(("y",), ("x",))
    assert np.array_equal(same, read_counts(ROWS, ["x", "y"], db.MLE()).conditional(("y",), ("x",)))


def test_what_cannot_be_counted_is_said():
    with pytest.raises(ColumnMismatchError, match="no column 'w'; it has x, y, z"):
        read_counts(ROWS, ["w"], db.MLE())
    with pytest.raises(InputError, match="each of the 2 rows has a missing value in some column, so that none is left"):
        read_counts({"x": [None, 1], "y": [1, None]}, ["x", "y"], db.MLE())
    with pytest.raises(InputError, match="200 different numbers in 200 rows"):
        read_counts({"x": np.random.default_rng(0).normal(size=200)}, ["x"], db.MLE())
    wide = dict.fromkeys("xy", np.tile(np.arange(12_000), 2))
    with pytest.raises(TooLargeError, match="a table of x, y has 144,000,000 cells"):
        read_counts(wide, ["x", "y"], db.MLE()).conditional(("y",), ("x",))
    for count in (64, 70):  # more cells than an int64 can number, and more axes than an array can have
        many = {f"v{index}": [0, 1, 2] for index in range(count)}
        *others, last = many
        counts = read_counts(many, list(many), db.MLE())
        with pytest.raises(TooLargeError, match=rf"a table of v0, .*, {last} has {3**count:,} cells"):
            counts.conditional((last,), tuple(others))
    with pytest.raises(InputError, match="smoothing is a rule"):
        read_counts(ROWS, ["x"], 1.0)


def test_a_net_gives_exact_conditionals():
    net = random_net(np.random.default_rng(1), db.DAG([("x", "y"), ("z", "y")], ["x", "y", "z"]))
    whole = joint(net)
    right = whole.sum(axis=2) / whole.sum(axis=(1, 2))[:, None]
    assert NetSource(net.network).conditional(("y",), ("x",)) == pytest.approx(right)


def test_a_table_of_a_net_that_is_too_large_is_refused_before_it_is_made(monkeypatch):
    net = random_net(np.random.default_rng(0), db.DAG([("x", "y"), ("y", "z")]))
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "8")
    with pytest.raises(TooLargeError, match="the joint table of x, y, z needs 27 table entries"):
        NetSource(net.network).conditional(("z",), ("x", "y"))
