"""Rows of a mixture of nets come from each net by its share, and follow its tables."""

import numpy as np
import pytest

from deciban.models.families.family_tables import CLASS, count_free, draw_mixture

PRIOR = np.array([0.25, 0.75])
ALIKE = {CLASS: ((), PRIOR), 0: ((CLASS,), np.eye(2)), 1: ((0,), np.eye(2))}
OPPOSITE = {CLASS: ((), PRIOR), 0: ((CLASS,), np.eye(2)), 1: ((CLASS, 0), np.full((2, 2, 2), [0.5, 0.5]))}


def test_rows_follow_the_tables_of_their_net():
    y, codes = draw_mixture([ALIKE], np.ones(1), 3, 4000, np.random.default_rng(0))
    assert y.mean() == pytest.approx(0.75, abs=0.03)
    assert (codes[0] == y).all() and (codes[1] == y).all()
    assert (codes[2] == -1).all()  # no net has the third column


def test_each_net_gives_its_share_of_the_rows():
    y, codes = draw_mixture([ALIKE, OPPOSITE], np.array([0.4, 0.6]), 2, 4000, np.random.default_rng(0))
    assert (codes[1] != y).mean() == pytest.approx(0.6 / 2, abs=0.03)


def test_free_parameters_are_those_of_the_columns():
    assert count_free(ALIKE) == 2 + 2
    assert count_free(OPPOSITE) == 2 + 4
    assert count_free({0: ((), PRIOR), CLASS: ((0,), np.eye(2))}) == 1 + 2 - 1
