"""Slopes are those of least squares."""

import numpy as np
import pytest

from deciban.errors import ColumnMismatchError, InputError
from deciban.nets.causal.ida import Covariances, slope

RNG = np.random.default_rng(0)
Z = RNG.normal(size=200) * 100 + 1e6
X = 0.02 * Z + RNG.normal(size=200)
Y = 3 * X - 0.5 * Z + RNG.normal(size=200)
DATA = {"x": X, "y": Y, "z": Z}


def test_slopes_and_errors_are_those_of_a_regression():
    design = np.column_stack([X - X.mean(), Z - Z.mean(), np.ones(200)])
    beta, left, *_ = np.linalg.lstsq(design, Y, rcond=None)
    error = np.sqrt(left[0] / 197 * np.linalg.inv(design.T @ design)[0, 0])
    found = slope(Covariances.read(DATA, "xyz"), "x", "y", ["z"])
    assert found == pytest.approx((beta[0], error), rel=1e-6)


def test_an_effect_on_a_parent_is_none():
    assert slope(Covariances.read(DATA, "xyz"), "x", "y", ["z", "y"]) == (0, 0)


def test_weights_are_rows():
    times = RNG.integers(1, 4, 200)
    again = {name: np.repeat(values, times) for name, values in DATA.items()}
    one, other = Covariances.read(DATA, "xyz", times), Covariances.read(again, "xyz")
    assert slope(one, "x", "y", ["z"]) == pytest.approx(slope(other, "x", "y", ["z"]), rel=1e-9)


def test_rows_with_gaps_are_left_out():
    gap = {**DATA, "z": np.where(np.arange(200) < 20, np.nan, Z)}
    part = {name: values[20:] for name, values in DATA.items()}
    one, other = Covariances.read(gap, "xyz"), Covariances.read(part, "xyz")
    assert slope(one, "x", "y", ["z"]) == pytest.approx(slope(other, "x", "y", ["z"]), rel=1e-9)


def test_what_has_no_slope_is_said():
    with pytest.raises(ColumnMismatchError, match="no column 'w'"):
        Covariances.read(DATA, "xw")
    with pytest.raises(InputError, match="too few for a regression"):
        Covariances.read({"x": [1.0, 2], "y": [2.0, 1]}, "xy")
    same = Covariances.read({**DATA, "w": 2 * X}, "xyw")
    with pytest.raises(InputError, match="are collinear"):
        slope(same, "x", "y", ["w"])
    flat = Covariances.read({**DATA, "w": np.ones(200)}, "xyw")
    with pytest.raises(InputError, match="'w' is constant"):
        slope(flat, "x", "y", ["w"])
