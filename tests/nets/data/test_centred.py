"""Columns less their means: the same in blocks as at once, and exact for large means."""

import numpy as np
import pytest

from deciban.nets.data import centred
from deciban.nets.data.centred import CentredColumns, has_missing


@pytest.mark.parametrize("is_weighted", [False, True])
def test_blocks_give_what_all_rows_give(is_weighted, monkeypatch):
    rng = np.random.default_rng(0)
    values = np.asfortranarray(rng.normal([1e9, 0.0, -5.0], [1.0, 2.0, 1e-3], (1_000, 3)))
    weights = rng.integers(0, 4, 1_000) / 2 if is_weighted else None
    share = np.ones(1_000) if weights is None else weights
    exact = values - np.average(values.astype(np.longdouble), axis=0, weights=share)
    for rows in (7, 1_000, 1 << 16):
        monkeypatch.setattr(centred, "_ROWS", rows)
        columns = CentredColumns(values, weights)
        assert columns.weight == share.sum()
        np.testing.assert_allclose(columns.squares, (share @ exact**2).astype(float), rtol=1e-10)
        want = (exact * share[:, None]).T @ exact / np.outer([1, 2, 3], [1, 2, 3])
        np.testing.assert_allclose(
            columns.products(np.array([1.0, 2.0, 3.0])), want.astype(float), rtol=1e-8, atol=1e-6
        )
        np.testing.assert_array_equal(columns.largest, np.abs(values).max(axis=0))


def test_missing_values_are_found_in_every_block(monkeypatch):
    monkeypatch.setattr(centred, "_ROWS", 2)
    values = np.zeros((5, 2))
    assert not has_missing(values)
    values[4, 1] = np.nan
    assert has_missing(values)
