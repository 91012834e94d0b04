"""Cross-products of columns less their means: the same in blocks as at once, and exact for large means."""

import numpy as np
import pytest

from deciban.nets.data import centred
from deciban.nets.data.centred import CentredProducts, has_missing


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("rows", [7, 1_000, 1 << 16])
def test_blocks_give_what_all_rows_give(rows, is_weighted, monkeypatch):
    monkeypatch.setattr(centred, "_ROWS", rows)
    rng = np.random.default_rng(0)
    values = np.asfortranarray(rng.normal([1e9, 0.0, -5.0], [1.0, 2.0, 1e-3], (1_000, 3)))
    weights = rng.integers(0, 4, 1_000) / 2 if is_weighted else None
    share = np.ones(1_000) if weights is None else weights
    exact = values - np.average(values.astype(np.longdouble), axis=0, weights=share)
    cross = (exact * share[:, None]).T @ exact
    found = CentredProducts.of(values, weights)
    assert found.weight == share.sum()
    np.testing.assert_array_equal(found.scale, np.abs(values).max(axis=0))
    spread = np.sqrt(np.diag(cross) / share.sum()).astype(float)
    np.testing.assert_allclose(found.spread * found.scale, spread, rtol=1e-9)
    want = (cross / share.sum()).astype(float) / np.outer(spread, spread)
    np.testing.assert_allclose(found.correlations(), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e149])
def test_tiny_and_huge_numbers_have_correlations(size):
    x = np.random.default_rng(1).normal(size=(200, 2))
    x[:, 1] += x[:, 0]
    found = CentredProducts.of(x * size).correlations()
    np.testing.assert_allclose(found, np.corrcoef(x.T), rtol=1e-12)


def test_a_constant_has_no_spread():
    values = np.column_stack([np.full(1_000, 0.1), np.zeros(1_000)])
    assert (CentredProducts.of(values).spread < 1e-13).all()


def test_missing_values_are_found_in_every_block(monkeypatch):
    monkeypatch.setattr(centred, "_ROWS", 2)
    values = np.zeros((5, 2))
    assert not has_missing(values)
    values[4, 1] = np.nan
    assert has_missing(values)
