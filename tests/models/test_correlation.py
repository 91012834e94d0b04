"""The correlation-based filter: Hall's merit by hand, the search against all subsets, copies and noise dropped."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import symmetrical_uncertainty


def uncertainty(a, b):
    return symmetrical_uncertainty(pd.crosstab(np.asarray(a), np.asarray(b)).to_numpy())


def merit_of(table, y, names):
    columns = [table[name] for name in names]
    between = np.array([[uncertainty(a, b) for b in columns] for a in columns]).reshape(len(names), len(names))
    return merit(np.array([uncertainty(column, y) for column in columns]), between)


def merit(with_class, between):
    """Hall's merit of columns: their uncertainties with the class, and between each two of them, as a matrix."""
    pairs = sum(between[i, j] for i, j in combinations(range(len(with_class)), 2))
    return with_class.sum() / np.sqrt(len(with_class) + 2.0 * pairs) if len(with_class) else 0.0


def test_the_merit_is_halls():
    r_cf, r_ff, k = 0.5, 0.2, 3
    between = np.full((k, k), r_ff)
    assert merit(np.full(k, r_cf), between) == pytest.approx(k * r_cf / np.sqrt(k + k * (k - 1) * r_ff))
    assert merit(np.empty(0), np.empty((0, 0))) == 0


def test_two_halves_of_the_class_worked_by_hand():
    """The class is two independent bits: each says half of it, I = log 2 of H(bit) + H(class) = 3 log 2, r = 2/3.

    One bit has the merit 2/3, both have (4/3)/√2 = 0.943; a third copy of a bit lowers it to 2/√(3 + 2) = 0.894.
    """
    first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    table = {"first": first.astype(str), "second": second.astype(str), "again": first.astype(str)}
    y = 2 * first + second
    assert merit_of(table, y, ["first"]) == pytest.approx(2 / 3)
    assert merit_of(table, y, ["first", "second"]) == pytest.approx(4 / 3 / np.sqrt(2))
    assert merit_of(table, y, ["first", "second", "again"]) == pytest.approx(2 / np.sqrt(5))
    assert db.correlation_filter(table, y) == ("first", "second")


@st.composite
def tables(draw, most):
    rows, columns = draw(st.integers(2, 30)), draw(st.integers(1, most))
    cells = st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows)
    return {f"x{i}": draw(cells) for i in range(columns)}, draw(cells)


@settings(deadline=None, max_examples=60)
@given(tables(3))
def test_of_three_columns_no_subset_is_better(sample):
    table, y = sample
    found = merit_of(table, y, db.correlation_filter(table, y))
    subsets = [names for k in range(1, len(table) + 1) for names in combinations(table, k)]
    assert found == pytest.approx(max(merit_of(table, y, names) for names in subsets), abs=1e-8)


@settings(deadline=None, max_examples=20)
@given(tables(6))
def test_the_search_is_at_least_as_good_as_adding_greedily(sample):
    table, y = sample
    chosen, best = [], 0.0
    while left := [name for name in table if name not in chosen]:
        value, name = max((merit_of(table, y, [*chosen, name]), name) for name in left)
        if value <= best + 1e-9:
            break
        chosen, best = [*chosen, name], value
    assert merit_of(table, y, db.correlation_filter(table, y)) >= best - 1e-8


def mixed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    good = y + rng.normal(size=400) / 2
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=400),
            "good": good,
            "copy": good,
            "flag": np.where(rng.uniform(size=400) < 0.85, y, 1 - y).astype(str),
            "dull": rng.choice(["a", "b"], 400),
            "same": "always",
        }
    )
    return frame, y


def test_copies_and_noise_are_dropped_and_the_best_comes_first():
    frame, y = mixed()
    assert db.correlation_filter(frame, y) == ("flag", "good")
    assert db.correlation_filter(frame.assign(y=y), "y") == ("flag", "good")
    assert db.correlation_filter(frame[["same"]], y) == ()


def test_missing_values_and_weights():
    frame, y = mixed()
    frame = frame.drop(columns="copy")
    frame.loc[::5, "good"] = np.nan
    frame.loc[::4, "flag"] = "?"
    assert db.correlation_filter(frame, y, na_values="?") == ("flag", "good")
    weights = np.repeat([1.0, 0.0], 200)
    assert db.correlation_filter(frame, y, sample_weight=weights) == db.correlation_filter(frame[:200], y[:200])
    twice = db.correlation_filter(pd.concat([frame, frame[:200]]), np.concatenate([y, y[:200]]))
    assert db.correlation_filter(frame, y, sample_weight=weights + 1) == twice
    frame["gone"] = None
    assert "gone" not in db.correlation_filter(frame, y)


def test_columns_of_very_many_labels_need_no_table_of_all_pairs():
    rows = 3000
    y = np.arange(rows) % 2
    table = {"id": [f"r{i}" for i in range(rows)], "ticket": [f"t{i}" for i in range(rows)], "good": y.astype(str)}
    assert db.correlation_filter(table, y) == ("good",)


def test_a_target_that_is_no_column_is_an_error():
    with pytest.raises(ColumnMismatchError, match="there is no column 'play'"):
        db.correlation_filter({"sky": ["sun", "rain"]}, "play")
    with pytest.raises(ParameterError, match="the only column"):
        db.correlation_filter({"sky": ["sun", "rain"]}, "sky")


def test_free_text_is_taken_as_labels():
    n = 60
    table = {"text": [f"some free text {i}" for i in range(n)], "flag": [i % 2 for i in range(n)]}
    assert db.correlation_filter(table, [i % 2 for i in range(n)]) == ("flag",)
