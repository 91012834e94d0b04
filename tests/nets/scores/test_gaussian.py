"""Scores of numbers are those of least squares, weighted or not."""

import numpy as np
import pandas as pd
import pytest

from deciban.nets.graphs.bits import bits
from deciban.nets.scores.gaussian import GaussianBIC
from tests.nets.scores.tables import families
from tests.reference import scores as twin


def test_weighted_numbers_score_as_their_twin():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    weights = rng.uniform(0.1, 2.0, 60)
    table = pd.DataFrame(values, columns=["a", "b", "c"])
    expected = [twin.gaussian_bic(values, child, list(bits(mask)), weights.tolist()) for child, mask in families(3)]
    np.testing.assert_allclose(GaussianBIC().on(table, sample_weight=weights).local(families(3)), expected, rtol=1e-9)


def test_gaussian_scores_are_those_of_least_squares():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) * [1, 10, 1e4, 1e-3] + [0, 5, -1e5, 1]
    local = GaussianBIC().on(pd.DataFrame(values, columns=list("abcd")))
    for child, mask in families(4):
        expected = twin.gaussian_bic(values, child, list(bits(mask)))
        assert local.local([(child, mask)])[0] == pytest.approx(expected, rel=1e-8)


def test_a_number_that_determines_another_has_a_finite_score():
    x = np.random.default_rng(5).normal(size=50)
    local = GaussianBIC().on(pd.DataFrame({"a": x, "b": 2 * x, "c": x**2}))
    assert np.isfinite(local.local([(1, 0b001)])[0])
    assert local.local([(2, 0b011)])[0] == -np.inf  # a and b say the same: no set of parents


def test_scores_of_families_are_those_of_eigenvalues_of_all_sets_even_where_columns_determine_one_another():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(80, 6))
    values[:, 1] += values[:, 0]
    values[:, 3] = 2 * values[:, 2] + 1  # a copy
    values[:, 5] = values[:, 0] + values[:, 1] - values[:, 4]  # a sum
    scores = GaussianBIC(1.5).on(values)
    tables, _ = scores.over_sets(5)
    for child, table in enumerate(tables):
        low = (1 << child) - 1
        masks = [(mask & low) | (mask & ~low) << 1 for mask in range(len(table))]
        # A singular family has the least variance there is; of one that is nearly so, few digits are left.
        np.testing.assert_allclose(scores.local([(child, mask) for mask in masks]), table, rtol=1e-9)
