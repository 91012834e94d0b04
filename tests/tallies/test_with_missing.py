"""A part and its gaps: a group like every part of a tally."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.tallies import Moments, WithMissing

X = np.array([[1.0], [np.nan], [3.0], [np.nan], [5.0], [2.0]])
Y = np.array(["a", "a", "a", "b", "b", "b"])


def part_of(rows, **parameters):
    model = db.NaiveBayes(db.Gaussian(), missing="state").partial_fit(X[rows], Y[rows], ["a", "b"], **parameters)
    return model.tally_.parts[0]


def test_it_counts_known_and_missing_values_of_each_class():
    part = part_of(slice(None))
    assert isinstance(part, WithMissing) and isinstance(part.part, Moments)
    assert part.names == ("x0",) and not part.is_empty
    assert part.presence.tolist() == [[2, 1], [2, 1]] and part.presence.dtype.kind == "i"
    weights = [1.0, 0.5, 0.0, 2.0, 1.0, 1.0]
    assert part_of(slice(None), sample_weight=weights).presence.tolist() == [[1.0, 0.5], [2.0, 2.0]]


def test_parts_add_subtract_scale_and_compare():
    whole, first, last = part_of(slice(None)), part_of(slice(0, 3)), part_of(slice(3, 6))
    assert first + last == whole and whole - last == first
    assert (whole - first - last).is_empty
    assert whole.scaled(0.5).presence.tolist() == [[1.0, 0.5], [1.0, 0.5]]
    assert whole.reclassed(np.array([2, 0]), 3).presence.tolist() == [[2, 1], [0, 0], [2, 1]]
    assert whole not in (first, whole.part, 3)
    gapless = WithMissing(whole.part, np.array([[3, 0], [3, 0]]))
    assert gapless != whole


def test_what_was_never_counted_cannot_be_taken_out():
    with pytest.raises(NegativeCountError, match="missing values of 'x0' in class 1"):
        _ = part_of(slice(4, 6)) - WithMissing(part_of(slice(4, 6)).part, np.array([[0, 0], [0, 1]]))


def test_parts_that_count_otherwise_do_not_join():
    other = db.NaiveBayes(db.Kernel(), missing="state").fit(X, Y).tally_.parts[0]
    with pytest.raises(ColumnMismatchError, match="not counted in the same way"):
        _ = part_of(slice(None)) + other


def test_a_printed_tally_shows_the_gaps():
    lines = str(db.NaiveBayes(db.Gaussian(), missing="state").fit(X, Y).tally_).splitlines()
    assert lines[-2].split()[:4] == ["x0", "mean", "±", "sd"]
    assert lines[-1].split() == ["(missing)", "1", "1"]
