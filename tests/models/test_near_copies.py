"""Columns that agree with the target in nearly all rows."""

from __future__ import annotations

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanWarning
from deciban.models.fitting import agreement, near_copies


@pytest.mark.parametrize(
    ("table", "share"),
    [
        ([[50, 0], [0, 50]], 1.0),
        ([[0, 50], [49.8, 0.2]], 0.998),
        ([[995, 0], [5, 0]], None),  # a constant, and a class that is rare
        ([[995, 0, 0], [1, 4, 0]], None),  # a fifth of the rare class
        ([[50, 0, 0], [0, 25, 25]], None),
        ([[50], [0]], None),
        ([[50, 0]], None),
    ],
)
def test_every_class_must_have_a_value_of_its_own(table, share):
    assert agreement(np.array(table)) == (None if share is None else pytest.approx(share))


def test_numbers_with_a_density_are_not_compared():
    y = [0, 1] * 40
    with pytest.warns(DecibanWarning, match="'z' is one-to-one"):
        model = db.NaiveBayes(columns={"x": db.Gaussian()}).fit({"x": np.array(y) + 0.5, "z": ["a", "b"] * 40}, y)
    assert near_copies(model) == {"z": 1.0}
